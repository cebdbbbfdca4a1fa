import { spawn } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { builtProgram } from '../built-program.ts'
import { over } from '../operator/operated.ts'
import { runsImages } from '../package/unpacked-image.ts'
import { readKubeconfig, temporaryDirectory } from '../start-allot.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
/** More than the room that is kept for deletions, and what was written at the start. */
const SIZE = '64m'
const MOUNTED = 'mount -t tmpfs -o size="$1" tmpfs "$2"; shift 2; exec "$@"'
const CHUNK = 64 * 1024
const large = (name: string) => ({ metadata: { name }, data: { text: 'x'.repeat(200_000) } })

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

/** `allot up` with its data on a small disk of its own. */
async function startOnSmallDisk() {
  const directory = temporaryDirectory()
  const up = [builtProgram(), 'up', '--port', '0', '--data-dir', directory, '--no-workloads', '--no-operator']
  const mounted = ['--mount', '--propagation', 'private', 'sh', '-ec', MOUNTED, 'sh', SIZE, directory]
  const child = spawn('unshare', [...mounted, process.execPath, ...up], { stdio: ['ignore', 'pipe', 'pipe'] })
  let [output, logs] = ['', '']
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (logs += chunk.toString()))
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()))
  ends.push(async () => {
    child.kill('SIGKILL')
    await exited
  })
  const printed = await eventually(
    () => /^export KUBECONFIG=(.+)\n.*\n/m.exec(output)?.[1] ?? `${output}${logs}`,
    (path) => path.startsWith('/') && !path.includes('\n'),
    { what: 'the kubeconfig' },
  )
  // Only its own processes see the disk.
  const seen = (path: string): string => `/proc/${child.pid}/root${path}`
  const kubeconfig = seen(printed)
  const { url, token } = readKubeconfig(kubeconfig)
  const server = over({ url, token, kubeconfig, [Symbol.asyncDispose]: async () => undefined })
  ends.unshift(() => server[Symbol.asyncDispose]())
  await server.until('/readyz', ({ status }) => status === 200)
  return { server, logs: () => logs, filler: seen(`${directory}/filler`) }
}

/** Writes until nothing more fits. */
function fill(file: string): void {
  const descriptor = openSync(file, 'w')
  try {
    for (;;) writeSync(descriptor, Buffer.alloc(CHUNK, 1))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(descriptor)
  }
}

test.skipIf(!runsImages)(
  'a full disk refuses what needs room with a Status that says so, keeps all that was acknowledged, and the log says when it is full and when not',
  async () => {
    const { server, logs, filler } = await startOnSmallDisk()
    const create = (name: string) => server.send('POST', MAPS, large(name))
    const names = ['first', 'second']
    for (const name of names) expect((await create(name)).status).toBe(201)
    fill(filler)

    let refused = await create('late-0')
    for (let n = 1; refused.status === 201; n++) {
      names.push(`late-${n - 1}`)
      refused = await create(`late-${n}`)
    }
    expect([refused.status, refused.json.kind, refused.json.message]).toEqual([
      500,
      'Status',
      expect.stringContaining('Free space on the disk'),
    ])
    expect((await server.send('GET', '/readyz')).text).toContain('[-]store failed: the disk is full')
    expect(logs()).toContain('the disk of the store is full: only deletions are written')
    for (const name of names) expect((await server.send('GET', `${MAPS}/${name}`)).status, name).toBe(200)
    expect((await server.send('DELETE', `${MAPS}/first`)).status).toBe(200)
    expect((await server.send('GET', `${MAPS}/first`)).status).toBe(404)

    rmSync(filler)
    await eventually(
      () => create('healed'),
      ({ status }) => status === 201,
    )
    await server.until('/readyz', ({ text }) => text === 'ok')
    expect(logs()).toContain('the disk of the store has room again')
    for (const name of names.slice(1)) expect((await server.send('GET', `${MAPS}/${name}`)).status, name).toBe(200)
  },
)
