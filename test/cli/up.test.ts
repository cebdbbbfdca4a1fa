import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { request as httpsRequest } from 'node:https'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { connect } from 'node:tls'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { isFree } from '../free-ports.ts'
import { eventually } from '../eventually.ts'
import { type Allot, PROGRAM, readKubeconfig, runAllot, startAllot, temporaryDirectory } from '../start-allot.ts'

const CERTIFICATES = ['admin.token', 'ca.crt', 'ca.key', 'server.crt', 'server.key', 'service-account.key']
const namespace = (name: string) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
const port = (allot: Allot): string => new URL(allot.url).port

let stoppedOnce: Promise<string> | undefined

/** A copy of the directory of a server that was stopped in good order. */
async function stoppedDirectory(): Promise<string> {
  const stop = async (): Promise<string> => {
    const allot = await startAllot()
    expect(await allot.stop()).toBe(0)
    return allot.dataDir
  }
  const directory = temporaryDirectory()
  cpSync(await (stoppedOnce ??= stop()), directory, { recursive: true })
  return directory
}

/** A request whose body is still to be sent, and its answer: the status at once, the text when it has ended. */
function opened(allot: Allot, path: string, method: string, headers: Readonly<Record<string, string>>) {
  const request = httpsRequest(new URL(path, allot.url), {
    ca: allot.ca,
    method,
    headers: { authorization: `Bearer ${allot.token}`, expect: '100-continue', ...headers },
  })
  /** The server has read the head. */
  const begun = new Promise((resolve) => request.on('continue', resolve))
  request.flushHeaders()
  const answer = new Promise<{ readonly status: number; readonly ended: Promise<string> }>((resolve, reject) => {
    request.on('error', reject)
    request.on('response', (response) => {
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      const ended = new Promise<string>((end, fail) => {
        response.on('end', () => end(text))
        response.on('error', fail)
      })
      resolve({ status: response.statusCode ?? 0, ended })
    })
  })
  return { request, begun, answer }
}

describe('allot up, running', () => {
  let allot: Allot
  beforeAll(async () => void (allot = await startAllot({ ownIdentity: true })))
  afterAll(async () => void (await allot.stop()))

  test('prints three lines to act on, and nothing else', () => {
    const [starting, first, second, third, ...rest] = allot.output().split('\n')
    expect(starting).toBe('starting …')
    expect(first).toContain(allot.url)
    expect(first).toContain(allot.dataDir)
    expect(second).toBe(`export KUBECONFIG=${join(allot.dataDir, 'kubeconfig')}`)
    expect(third).toMatch(/^kubectl create namespace /)
    expect(rest).toEqual([''])
    expect(allot.logs()).toBe('')
  })

  test('writes a kubeconfig for its owner only, with which a client gets in', async () => {
    const config = parse(readFileSync(allot.kubeconfig, 'utf8'))
    expect(statSync(allot.kubeconfig).mode & 0o777).toBe(0o600)
    expect(config['current-context']).toBe(config.contexts[0].name)
    expect(config.users[0].user.token).toMatch(/^[\w-]{43}$/)
    expect((await allot.call('/readyz')).text).toMatch(/ok/)
    expect((await allot.call('/api/v1/namespaces')).json.kind).toBe('NamespaceList')
  })

  test('keeps what is secret for its owner [security/owner-only]', () => {
    for (const file of [...CERTIFICATES, 'store.db'])
      expect(statSync(join(allot.dataDir, file)).mode & 0o077, file).toBe(0)
  })

  test('refuses a wrong token and does not write it to the log', async () => {
    await using allot = await startAllot({ args: ['--log-level', 'debug'] })
    const { status, json } = await allot.call('/api/v1/namespaces', { token: 'sesame-sesame' })
    expect(status).toBe(401)
    expect(json).toMatchObject({ kind: 'Status', reason: 'Unauthorized' })
    await allot.stop()
    expect(allot.logs()).not.toContain('sesame')
    expect(allot.logs()).not.toContain(allot.token)
    for (const line of allot.logs().trim().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), msg: expect.any(String) })
  })

  test('presents a certificate for the names that it has in a cluster', async () => {
    for (const servername of ['localhost', 'kubernetes.default.svc', 'kubernetes.default.svc.cluster.local']) {
      const authorized = await new Promise<boolean>((resolve, reject) => {
        const socket = connect({ host: '127.0.0.1', port: Number(port(allot)), ca: allot.ca, servername }, () => {
          resolve(socket.authorized)
          socket.destroy()
        })
        socket.on('error', reject)
      })
      expect(authorized, servername).toBe(true)
    }
  })

  test('serves its metrics', async () => {
    const served = async (): Promise<string> => (await allot.call('/metrics')).text
    const lists = (text: string): number =>
      Number(/^apiserver_request_total\{verb="LIST".*resource="namespaces".*code="200"\} (\d+)$/m.exec(text)?.[1] ?? 0)
    const before = lists(await served())
    await allot.call('/api/v1/namespaces')
    const text = await served()
    expect(lists(text)).toBe(before + 1)
    expect(text).toMatch(/^allot_quota_decisions_total\{verdict="denied"\} 0$/m)
    expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m)
  })

  test('warns in its log when it is reachable from outside, and is then reached under the name of the machine [security/outside-warning]', async () => {
    await using allot = await startAllot({ inMemory: true, args: ['--host', '0.0.0.0'] })
    expect(JSON.parse(allot.logs())).toMatchObject({
      level: 'warn',
      host: '0.0.0.0',
      msg: expect.stringContaining('outside'),
    })
    expect(new URL(allot.url).hostname).toBe('127.0.0.1')
    const socket = connect({ host: '127.0.0.1', port: Number(port(allot)), ca: allot.ca, servername: hostname() })
    await new Promise((resolve, reject) => socket.on('secureConnect', resolve).on('error', reject))
    socket.destroy()
  })

  test('writes the kubeconfig to the given path, quoted for a shell', async () => {
    const file = join(temporaryDirectory(), 'an odd', `name's`)
    await using allot = await startAllot({ inMemory: true, args: ['--kubeconfig', file] })
    expect(allot.kubeconfig).toBe(file)
    expect(existsSync(join(allot.dataDir, 'kubeconfig'))).toBe(false)
  })

  test('in memory keeps only certificates and the kubeconfig', async () => {
    const allot = await startAllot({ inMemory: true })
    await allot.call('/api/v1/namespaces', { method: 'POST', body: namespace('gone') })
    expect(await allot.stop()).toBe(0)
    expect(readdirSync(allot.dataDir).toSorted()).toEqual([...CERTIFICATES, 'allot.lock', 'kubeconfig'].toSorted())
    await using again = await startAllot({ inMemory: true, dataDir: allot.dataDir })
    expect(again.token).toBe(allot.token)
    expect((await again.call('/api/v1/namespaces/gone')).status).toBe(404)
  })
})

describe('allot up, stopping and starting again', () => {
  test('keeps token, authority and objects', async () => {
    const first = await startAllot()
    expect((await first.call('/api/v1/namespaces', { method: 'POST', body: namespace('kept') })).status).toBe(201)
    expect(await first.stop()).toBe(0)
    await using second = await startAllot({ dataDir: first.dataDir })
    expect(second.token).toBe(first.token)
    expect(second.ca).toBe(first.ca)
    expect((await second.call('/api/v1/namespaces/kept')).status).toBe(200)
  })

  test('loses nothing that was acknowledged when it is killed', async () => {
    const first = await startAllot()
    expect((await first.call('/api/v1/namespaces', { method: 'POST', body: namespace('kept') })).status).toBe(201)
    await first.kill9()
    await using second = await startAllot({ dataDir: first.dataDir })
    expect(second.token).toBe(first.token)
    expect((await second.call('/api/v1/namespaces/kept')).status).toBe(200)
  })

  test('lets a request finish and ends watches', async () => {
    const allot = await startAllot({ inMemory: true })
    const watch = opened(allot, '/api/v1/namespaces?watch=true', 'GET', {})
    watch.request.end()
    const { status, ended } = await watch.answer
    expect(status).toBe(200)
    const body = JSON.stringify(namespace('late'))
    const post = opened(allot, '/api/v1/namespaces', 'POST', {
      'content-type': 'application/json',
      'content-length': String(body.length),
    })
    post.request.write(body.slice(0, 10))
    await post.begun
    const stopped = allot.stop()
    await ended
    post.request.end(body.slice(10))
    expect((await post.answer).status).toBe(201)
    expect(await stopped).toBe(0)
  })

  test('ends at once on a second signal', async () => {
    const allot = await startAllot({ inMemory: true })
    const post = opened(allot, '/api/v1/namespaces', 'POST', {
      'content-type': 'application/json',
      'content-length': '1000',
    })
    const failed = post.answer.catch(() => 'cut off')
    post.request.write('{')
    await post.begun
    const stopped = allot.stop()
    await eventually(() => isFree(Number(port(allot))), Boolean, { what: 'the port' })
    process.kill(allot.pid, 'SIGTERM')
    expect(await stopped).toBe(143)
    expect(await failed).toBe('cut off')
  })

  test('ends watches over HTTP/2', async () => {
    const allot = await startAllot({ inMemory: true })
    const session = connectHttp2(allot.url, { ca: allot.ca })
    const watch = session.request({ ':path': '/api/v1/namespaces?watch=true', authorization: `Bearer ${allot.token}` })
    await once(watch, 'response')
    watch.resume()
    const ended = once(watch, 'end')
    expect(await allot.stop()).toBe(0)
    await ended
    expect(watch.aborted, 'a watch is ended, and not cut off when its time is over').toBe(false)
    session.destroy()
  })

  test('stops in good order when it is interrupted before it is ready', async () => {
    const directory = temporaryDirectory()
    const child = spawn(process.execPath, [PROGRAM, 'up', '--port', '0', '--data-dir', directory], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    while (!existsSync(join(directory, 'ca.key'))) await sleep(2)
    child.kill('SIGINT')
    const [code] = await once(child, 'close')
    expect({ code, output }).toEqual({ code: 0, output: `starting …\nstopped; state is kept in ${directory}\n` })
    expect(existsSync(join(directory, 'kubeconfig'))).toBe(false)
  })

  test('takes an old kubeconfig away until it is ready again', async () => {
    const directory = await stoppedDirectory()
    const old = readFileSync(join(directory, 'kubeconfig'), 'utf8')
    await using allot = await startAllot({ dataDir: directory })
    expect(readFileSync(allot.kubeconfig, 'utf8')).not.toBe(old)
    expect(readKubeconfig(allot.kubeconfig).url).toBe(allot.url)
  })
})

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/allot-system/leases/allot'
const POOLS = '/apis/capsule.clastix.io/v1beta2/resourcepools'

describe('allot up with its operator, stopping and starting again', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'gives its lease back on %s and says where its state is',
    async (signal) => {
      const first = await startAllot({ operator: true })
      const { dataDir, pid } = first
      process.kill(pid, signal)
      const output = await eventually(
        async () => first.output(),
        (text) => text.includes('stopped'),
      )
      expect(output.split('\n').slice(-2)).toEqual([`stopped; state is kept in ${dataDir}`, ''])
      await first.stop()
      await using second = await startAllot({ dataDir })
      expect((await second.call(LEASE)).json.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 })
    },
  )

  test('takes over at once what its own directory left when it was killed: lease, webhooks, kubeconfig', async () => {
    const first = await startAllot({ operator: true })
    const { dataDir } = first
    const before = (await first.call(LEASE)).json.spec
    expect(before.holderIdentity).toMatch(/^allot-up_[0-9a-f]{32}$/)
    const old = readFileSync(first.kubeconfig, 'utf8')
    await first.kill9()
    const looks = new Set<string>()
    const look = setInterval(() => looks.add(readFileSync(first.kubeconfig, 'utf8')), 5)
    await using second = await startAllot({ operator: true, dataDir, port: Number(port(first)) })
    clearInterval(look)
    expect([...looks]).toEqual([old])
    // The lease of another would have been taken over, and only when it ran out.
    expect((await second.call(LEASE)).json.spec).toMatchObject({
      holderIdentity: before.holderIdentity,
      acquireTime: before.acquireTime,
      leaseTransitions: 0,
    })
    const pool = {
      apiVersion: 'capsule.clastix.io/v1beta2',
      kind: 'ResourcePool',
      spec: { quota: { hard: { pods: '-1' } } },
    }
    const refused = await second.call(POOLS, { method: 'POST', body: { ...pool, metadata: { name: 'p' } } })
    expect(refused.json.message).toContain('spec.quota.hard[pods]')
  })
})

describe('allot up, refusing to start', () => {
  let running: Allot
  beforeAll(async () => void (running = await startAllot({ inMemory: true })))
  afterAll(async () => void (await running.stop()))

  test('when the port is taken', async () => {
    const allot = running
    expect(await runAllot('up', '--port', port(allot), '--data-dir', temporaryDirectory())).toMatchObject({
      code: 1,
      stdout: 'starting …\n',
      stderr: `port ${port(allot)} on 127.0.0.1 is taken; stop the other process or choose another with --port\n`,
    })
  })

  test.each([{ inMemory: false }, { inMemory: true }])(
    'when the data directory is in use ($inMemory)',
    async ({ inMemory }) => {
      await using allot = await startAllot({ inMemory })
      const kubeconfig = readFileSync(allot.kubeconfig, 'utf8')
      for (const flags of [[], ['--in-memory']]) {
        const { code, stdout, stderr } = await runAllot('up', '--port', '0', '--data-dir', allot.dataDir, ...flags)
        expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
        expect(stderr).toBe(
          `the data directory ${allot.dataDir} is in use by process ${allot.pid}; stop that process first or choose another directory with --data-dir\n`,
        )
      }
      expect(readFileSync(allot.kubeconfig, 'utf8')).toBe(kubeconfig)
      expect((await allot.call('/readyz')).status).toBe(200)
    },
  )

  test('when a newer version wrote the store', async () => {
    const directory = await stoppedDirectory()
    const file = join(directory, 'store.db')
    const database = new DatabaseSync(file)
    database.exec('PRAGMA user_version = 1000')
    database.close()
    const before = readFileSync(file)
    const { code, stderr } = await runAllot('up', '--port', '0', '--data-dir', directory)
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^the store in .* has format 1000.* Run the version of allot that wrote .*nothing was changed\.\n$/,
    )
    expect(readFileSync(file)).toEqual(before)
  })

  test.each([
    ['overwritten', (file: string) => writeFileSync(file, randomBytes(statSync(file).size))],
    ['emptied', (file: string) => truncateSync(file, 0)],
    ['cut short', (file: string) => truncateSync(file, statSync(file).size / 2)],
  ])('when the store was %s, which is left as it is', async (_, damage) => {
    const directory = await stoppedDirectory()
    const file = join(directory, 'store.db')
    damage(file)
    const before = readFileSync(file)
    const { code, stdout, stderr } = await runAllot('up', '--port', '0', '--data-dir', directory)
    expect({ code, stdout }).toEqual({ code: 1, stdout: 'starting …\n' })
    expect(stderr).toMatch(
      /^the store in [^\n]*\. [A-Z][^\n]*nothing was changed\.\n$|^[^\n]*store\.db[^\n]*nothing was changed\.\n$/,
    )
    expect(readFileSync(file)).toEqual(before)
  })

  test('when the kubeconfig would replace one that is not ours', async () => {
    const file = join(temporaryDirectory(), 'config')
    const text = 'clusters: [{name: production}]\n'
    writeFileSync(file, text)
    const { code, stderr } = await runAllot(
      'up',
      '--port',
      '0',
      '--data-dir',
      temporaryDirectory(),
      '--kubeconfig',
      file,
    )
    expect(code).toBe(1)
    expect(stderr).toBe(
      `${file} exists and was not written by allot; choose another file with --kubeconfig; nothing was changed\n`,
    )
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  test('on an address that this machine does not have', async () => {
    const { code, stderr } = await runAllot(
      'up',
      '--port',
      '0',
      '--host',
      '192.0.2.1',
      '--data-dir',
      temporaryDirectory(),
    )
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: '192.0.2.1 is not an address of this machine; choose another with --host\n',
    })
  })

  test('in a directory that holds the database of something else, and writes nothing of ours into it', async () => {
    const dataDir = temporaryDirectory()
    const database = new DatabaseSync(join(dataDir, 'store.db'))
    database.exec('CREATE TABLE bookmarks (url TEXT)')
    database.close()
    const { code, stderr } = await runAllot('up', '--port', '0', '--data-dir', dataDir)
    expect(code).toBe(1)
    expect(stderr).toContain('is not a store of allot')
    expect(readdirSync(dataDir).filter((name) => !name.startsWith('allot.'))).toEqual(['store.db'])
  })

  test('in a directory that cannot be made', async () => {
    const { code, stderr } = await runAllot('up', '--port', '0', '--data-dir', '/proc/allot')
    expect([code, stderr.trim().split('\n').length]).toEqual([1, 1])
    expect(stderr).toContain('/proc/allot')
  })

  test('on a flag that it does not know', async () => {
    expect(await runAllot('up', '--frobnicate')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: "error: unknown option '--frobnicate'\n",
    })
  })
})
