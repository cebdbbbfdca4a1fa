import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../start-allot.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** The oldest Node that the package promises to run on, as a package that holds the binary. */
const OLDEST_NODE = `node-${process.platform}-${process.arch}@24.21.0`
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error']

const PROGRAM = `import { decide, explain, Quantity, usageOf } from 'allot'
const object = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'ns' },
  spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1500m' } } }] },
}
const hard = { 'requests.cpu': '1' }
const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q' }, spec: { hard }, status: { hard, used: { 'requests.cpu': '0' } } }
console.log(process.versions.node.split('.')[0])
console.log(Quantity.parse('1Gi').add(Quantity.parse('1Mi')).toString(), usageOf(object)['requests.cpu'].toString())
console.log(explain(decide({ quotas: [quota], operation: 'CREATE', object })))
`

const TYPED = `import { decide, type Decision, type KubeObject, LabelSelector, Quantity, type ResourceQuota, usageOf } from 'allot'
declare const quotas: readonly ResourceQuota[]
declare const object: KubeObject
const decision: Decision = decide({ quotas, operation: 'CREATE', object })
export const outcome: string = decision.verdict === 'denied' ? decision.refusals[0].reason : 'admitted'
export const cpu: Quantity | undefined = usageOf(object)['requests.cpu']
export const fits: boolean = LabelSelector.parse('a=b').matches({ a: 'b' })
`

describe('the package, installed in an empty folder', () => {
  const folder = temporaryDirectory()
  const bin = join(folder, 'node_modules/.bin')
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}` }
  let packed: readonly string[]

  beforeAll(() => {
    const output = execFileSync('npm', ['pack', '--json', '--pack-destination', folder, ...QUIET], {
      cwd: ROOT,
      encoding: 'utf8',
    })
    const [description] = JSON.parse(output.slice(output.indexOf('['))) as [
      { readonly filename: string; readonly files: readonly { readonly path: string }[] },
    ]
    packed = description.files.map(({ path }) => path)
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
    execFileSync('npm', ['install', '--prefer-offline', ...QUIET, `./${description.filename}`, OLDEST_NODE], {
      cwd: folder,
    })
  })

  test('holds emitted JavaScript with declarations, and neither sources nor tests', () => {
    expect(packed).toEqual(
      expect.arrayContaining(['bin/allot.js', 'dist/sdk/index.js', 'dist/sdk/index.d.ts', 'LICENSE']),
    )
    expect(packed.filter((path) => /\.test\.|^src\/|^test\/|^toolchain\//.test(path))).toEqual([])
  })

  test('gives the pure core to programs that import it', () => {
    writeFileSync(join(folder, 'program.js'), PROGRAM)
    const output = execFileSync(join(bin, 'node'), ['program.js'], { cwd: folder, encoding: 'utf8' })
    expect(output.split('\n')).toEqual([
      '24',
      '1025Mi 1500m',
      'exceeded quota: q, requested: requests.cpu=1500m, used: requests.cpu=0, limited: requests.cpu=1',
      '',
    ])
  })

  test('is typed', () => {
    writeFileSync(join(folder, 'typed.ts'), TYPED)
    const flags = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--types',
      'node',
      '--ignoreConfig',
    ]
    const roots = ['--typeRoots', join(ROOT, 'node_modules/@types')]
    execFileSync(join(ROOT, 'node_modules/.bin/tsc'), [...flags, ...roots, 'typed.ts'], { cwd: folder, stdio: 'pipe' })
    expect(readFileSync(join(folder, 'node_modules/allot/dist/sdk/index.d.ts'), 'utf8')).toContain('decide')
  })

  test.each(['import', 'require'])('%s says in one line which Node it needs where this one is too old', (how) => {
    const file = join(folder, how === 'import' ? 'old.mjs' : 'old.cjs')
    writeFileSync(file, how === 'import' ? "import 'allot'" : "require('allot')")
    const [node = '', ...flags] = oldNode(folder)
    const { status, stderr } = spawnSync(node, [...flags, file], { cwd: folder, encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toMatch(/^\[?Error: the allot library needs Node 24 or newer, this is \d+\.\d+\.\d+\]?/m)
    expect(stderr).not.toContain('    at ')
  })

  test('can be required, where Node can require modules', () => {
    writeFileSync(join(folder, 'required.cjs'), "console.log(typeof require('allot').decide)")
    expect(execFileSync(join(bin, 'node'), ['required.cjs'], { cwd: folder, encoding: 'utf8' })).toBe('function\n')
  })

  test('runs allot up', async () => {
    const child = spawn('npx', ['--no-install', 'allot', 'up', '--in-memory', '--port', '0'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      // A group of its own, so that the signal reaches allot and not only npx.
      detached: true,
    })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    const ended = once(child.stdout, 'close')
    while (output.split('\n').length <= 4) await Promise.race([once(child.stdout, 'data'), ended.then(tooSoon)])
    expect(output).toContain('Kubernetes 1.36 API on https://127.0.0.1:')
    const kubeconfig = /KUBECONFIG=(\S+)/.exec(output)?.[1] ?? ''
    const kubectl = (...args: string[]): string =>
      execFileSync('kubectl', ['--kubeconfig', kubeconfig, ...args], { cwd: folder, encoding: 'utf8' })
    kubectl('create', 'quota', 'q', '--hard=configmaps=5')
    expect(kubectl('get', 'quota', 'q', '-o', 'jsonpath={.status.used}')).toBe('{"configmaps":"1"}')
    process.kill(-(child.pid ?? 0), 'SIGTERM')
    await ended
  })
})

/** How to start a Node before 24: one of this machine, or else the one of this test, which then pretends to be old. */
function oldNode(folder: string): readonly string[] {
  const nodes = (process.env['PATH'] ?? '').split(delimiter).map((directory) => join(directory, 'node'))
  const isOld = (node: string): boolean => {
    const { stdout } = spawnSync(node, ['--version'], { encoding: 'utf8' })
    return /^v(?:1[89]|2[0-3])\./.test(stdout ?? '')
  }
  const old = nodes.find(isOld)
  if (old !== undefined) return [old]
  const pretence = join(folder, 'pretend.cjs')
  writeFileSync(
    pretence,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.0.0' } })",
  )
  return [process.execPath, '--require', pretence]
}

function tooSoon(): never {
  throw new Error('allot ended before it was ready')
}
