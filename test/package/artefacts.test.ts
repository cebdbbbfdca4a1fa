import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, globSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { assets, borrowRealServer } from '../differential/real-server.ts'
import { hasKubectl } from '../kubectl/kubectl.ts'
import { over } from '../operator/operated.ts'
import { temporaryDirectory } from '../start-allot.ts'
import { runsImages, unpackImage, type UnpackedImage } from './unpacked-image.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** The oldest Node that the package promises to run on, as a package that holds the binary. */
const OLDEST_NODE = `node-${process.platform}-${process.arch}@24.21.0`
const QUIET = ['--no-audit', '--no-fund', '--loglevel=error']
const PLATFORM = `${process.platform}-${process.arch}`
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }

/** All that is released for this platform, of one build. */
const dist = temporaryDirectory()
const madeIn = (folder: string, ...args: readonly string[]): string =>
  execFileSync(
    process.execPath,
    ['scripts/artefacts/make-dist.ts', '--into', folder, '--platforms', PLATFORM, ...args],
    {
      cwd: ROOT,
      encoding: 'utf8',
    },
  )
const artefact = (ending: string): string => join(dist, `allot-${version}${ending}`)
const filesIn = (archive: string): readonly string[] =>
  execFileSync('tar', ['-tf', archive], { encoding: 'utf8' }).trim().split('\n')

beforeAll(() => {
  madeIn(dist)
})

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

const PARSER_PROGRAM = `import { createServer } from 'node:http'
import { connect } from 'node:net'
const { missingParserParts, watchParser } = await import(process.argv[2])
const server = createServer().on('connection', (socket) => {
  const isWatched = watchParser(socket, { begins: () => undefined, parsed: () => undefined })
  console.log(process.versions.node.split('.')[0], JSON.stringify(missingParserParts()), isWatched)
  socket.destroy()
  server.close()
})
server.listen(0, '127.0.0.1', () => connect(server.address().port, '127.0.0.1').on('error', () => undefined))
`

describe('the package, installed in an empty folder', () => {
  const folder = temporaryDirectory()
  const bin = join(folder, 'node_modules/.bin')
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}` }

  beforeAll(() => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
    execFileSync('npm', ['install', '--prefer-offline', ...QUIET, artefact('.tgz'), OLDEST_NODE], { cwd: folder })
  })

  test('holds emitted JavaScript with declarations, and neither sources nor tests', () => {
    const packed = filesIn(artefact('.tgz'))
    const needed = ['bin/allot.js', 'dist/sdk/index.js', 'dist/sdk/index.d.ts', 'LICENSE', 'THIRD-PARTY.txt']
    expect(packed).toEqual(expect.arrayContaining(needed.map((path) => `package/${path}`)))
    expect(packed.filter((path) => /\.test\.|^package\/(?:src|test|toolchain)\/|(?<!\.d)\.ts$/.test(path))).toEqual([])
  })

  test('brings no other package', () => {
    const installed = globSync('node_modules/{*,@*/*}/package.json', { cwd: folder }).map((file) => file.split('/')[1])
    expect(new Set(installed)).toEqual(new Set(['allot', OLDEST_NODE.replace(/@.*/, '')]))
  })

  test('names the licence of every package in the bundle, and lists each in its SBOM', () => {
    const text = readFileSync(join(folder, 'node_modules/allot/THIRD-PARTY.txt'), 'utf8')
    const sbom = JSON.parse(readFileSync(join(folder, 'node_modules/allot/sbom.cdx.json'), 'utf8')) as {
      readonly components: readonly { readonly name: string; readonly version: string }[]
    }
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      readonly dependencies: Readonly<Record<string, string>>
    }
    const components = sbom.components.map((component) => `${component.name} ${component.version}`)
    expect(components).toEqual(
      expect.arrayContaining(Object.entries(dependencies).map(([name, pinned]) => `${name} ${pinned}`)),
    )
    for (const component of components) expect(text).toContain(`- ${component} (`)
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
    // A project that checks all that it imports, and has no other types.
    const strict = ['--strict', '--skipLibCheck', 'false', '--exactOptionalPropertyTypes']
    const flags = ['--noEmit', '--ignoreConfig', ...strict, '--module', 'nodenext', '--target', 'es2022', '--types', '']
    const { status, stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), [...flags, 'typed.ts'], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect([status, stdout]).toEqual([0, ''])
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

  test('can watch the HTTP parser of the oldest Node, over TCP as in the first connection to a server', () => {
    const parser = join(ROOT, 'src/runtime/http/head/http-parser.ts')
    writeFileSync(join(folder, 'parser.mjs'), PARSER_PROGRAM)
    const output = execFileSync(join(bin, 'node'), ['parser.mjs', parser], { cwd: folder, encoding: 'utf8' })
    expect(output).toBe('24 [] true\n')
  })

  test('runs allot up', async () => {
    const empty = temporaryDirectory()
    const began = performance.now()
    const args = ['--yes', '--package', artefact('.tgz'), '--', 'allot', 'up', '--in-memory', '--port', '0']
    const child = spawn('npx', args, {
      cwd: empty,
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
      // A group of its own, so that the signal reaches allot and not only npx.
      detached: true,
    })
    const output = await printed(child, /^kubectl /m)
    console.log(`npx of the package runs allot up after ${secondsSince(began)} s`)
    expect(output).toContain('Kubernetes 1.36 API on https://127.0.0.1:')
    const kubeconfig = /KUBECONFIG=(\S+)/.exec(output)?.[1] ?? ''
    const kubectl = (...called: string[]): string =>
      execFileSync('kubectl', ['--kubeconfig', kubeconfig, ...called], { cwd: folder, encoding: 'utf8' })
    kubectl('create', 'quota', 'q', '--hard=configmaps=5')
    expect(kubectl('get', 'quota', 'q', '-o', 'jsonpath={.status.used}')).toBe('{"configmaps":"1"}')
    const ended = once(child, 'close')
    process.kill(-(child.pid ?? 0), 'SIGTERM')
    await ended
  })
})

describe('the archive, unpacked on a machine without Node', () => {
  const folder = temporaryDirectory()
  const name = `allot-${version}-${PLATFORM}`
  const program = join(folder, name, 'allot')

  beforeAll(() => {
    execFileSync('tar', ['-xf', artefact(`-${PLATFORM}.tar.gz`), '-C', folder])
  })

  test('runs allot up with an empty PATH', async () => {
    const began = performance.now()
    const child = spawn(program, ['up', '--in-memory', '--port', '0'], {
      cwd: folder,
      env: { PATH: '' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    expect(await printed(child, /^kubectl /m)).toContain('Kubernetes 1.36 API on https://127.0.0.1:')
    console.log(`the archive runs allot up after ${secondsSince(began)} s`)
    const ended = once(child, 'close')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  })

  test.each([['/'], ['../']])('is found through a symbolic link that begins with %j', (start) => {
    const bin = join(folder, start === '/' ? 'bin' : 'plugins')
    mkdirSync(bin)
    symlinkSync(start === '/' ? program : `../${name}/allot`, join(bin, 'kubectl-allot'))
    const run = { cwd: '/', env: { PATH: '' }, encoding: 'utf8' } as const
    expect(execFileSync(join(bin, 'kubectl-allot'), ['version'], run)).toBe(`${version}\n`)
  })

  test.skipIf(!hasKubectl)('is a plugin of kubectl, as its manifest says', () => {
    const manifest = parse(readFileSync(join(dist, 'allot.yaml'), 'utf8')) as {
      readonly spec: {
        readonly version: string
        readonly platforms: readonly [{ uri: string; sha256: string; bin: string; files: readonly [{ from: string }] }]
      }
    }
    const [{ uri, sha256, bin, files }] = manifest.spec.platforms
    expect(manifest.spec.version).toBe(`v${version}`)
    expect(
      createHash('sha256')
        .update(readFileSync(join(dist, uri)))
        .digest('hex'),
    ).toBe(sha256)
    // As the plugin manager does: it takes these files, and links the program.
    const store = join(folder, 'store')
    mkdirSync(store)
    for (const path of globSync(files[0].from, { cwd: folder }))
      renameSync(join(folder, path), join(store, path.slice(name.length + 1)))
    const plugins = join(folder, 'krew')
    mkdirSync(plugins)
    symlinkSync(join(store, bin), join(plugins, 'kubectl-allot'))
    const env = { ...process.env, PATH: `${plugins}${delimiter}${process.env['PATH']}` }
    const allot = (...args: readonly string[]): string =>
      execFileSync('kubectl', ['allot', ...args], { env, encoding: 'utf8' })
    expect(allot('version')).toBe(`${version}\n`)
    // The code of each verb is loaded when it is asked for.
    for (const verb of ['explain', 'top', 'doctor']) expect(allot(verb, '--help')).toContain(`Usage: allot ${verb} `)
  })
})

describe.skipIf(process.platform !== 'linux')('a release', () => {
  test('is the same, byte for byte, when it is made again', () => {
    const again = temporaryDirectory()
    // The image holds all of the program.
    expect(madeIn(again, '--only', 'image')).toMatch(/^the digest of the image is sha256:[0-9a-f]{64}$/m)
    const sums = readFileSync(join(dist, 'SHA256SUMS'), 'utf8').trim().split('\n')
    const sumsAgain = readFileSync(join(again, 'SHA256SUMS'), 'utf8').trim().split('\n')
    expect(sumsAgain).toHaveLength(2)
    expect(sums).toEqual(expect.arrayContaining(sumsAgain))
    for (const line of sums) {
      const [sum = '', file = ''] = line.split('  ')
      expect(
        createHash('sha256')
          .update(readFileSync(join(dist, file)))
          .digest('hex'),
        file,
      ).toBe(sum)
    }
  })
})

describe.skipIf(!runsImages)('the image', () => {
  const folder = temporaryDirectory()
  let image: UnpackedImage

  beforeAll(() => {
    image = unpackImage(artefact(`-image-${PLATFORM}.tar`), folder)
  })

  test('is named after the version, runs as nobody of the machine and holds no shell', () => {
    expect(image.names).toContain(`allot:${version}`)
    expect(image.config.config.User).toBe('65532:65532')
    const files = globSync('**/*', { cwd: image.root, exclude: (path) => /^(?:proc|dev|mnt)$/.test(path) })
    expect(files).toEqual(expect.arrayContaining(['usr/local/bin/node', 'allot/bin/allot.js', 'allot/THIRD-PARTY.txt']))
    expect(files.filter((file) => /(?:^|\/)(?:[a-z]*sh|busybox|env|npm|apt.*|dpkg.*)$/.test(file))).toEqual([])
  })

  test('says its version', () => {
    const [file, args, options] = image.command(['version'])
    const { status, stdout, stderr } = spawnSync(file, args, { ...options, encoding: 'utf8' })
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('writes nothing on its root', () => {
    const [file, args, options] = image.command(['up', '--port', '0', '--data-dir', '/data'])
    const { status, stderr } = spawnSync(file, args, { ...options, encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stderr).toMatch(/\/data.*(?:read-only|EROFS)/)
  })

  test.skipIf(assets === undefined)('runs allot run on a real API server and allot grants from a pool', async () => {
    await using server = over(await borrowRealServer())
    const mounted = join(folder, 'kubeconfigs')
    mkdirSync(mounted)
    cpSync(server.kubeconfig, join(mounted, 'kubeconfig'))
    const [file, args, options] = image.command(
      ['run', '--kubeconfig', '/mnt/kubeconfig', '--host', '127.0.0.1', '--shutdown-delay-duration=0s'],
      mounted,
    )
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
    await printed(child, /\/readyz on/)
    await server.send('POST', '/apis/capsule.clastix.io/v1beta2/resourcepools', {
      apiVersion: 'capsule.clastix.io/v1beta2',
      kind: 'ResourcePool',
      metadata: { name: 'of-the-image' },
      spec: { quota: { hard: { pods: '7' } }, selectors: [{ matchLabels: { of: 'the-image' } }] },
    })
    await server.until(
      '/apis/capsule.clastix.io/v1beta2/resourcepools/of-the-image',
      ({ json }) =>
        (json as { status?: { allocation?: { hard?: { pods?: string } } } }).status?.allocation?.hard?.pods === '7',
    )
    const ended = once(child, 'close')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
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

/** Waits for output that matches and gives all that was printed by then. Throws when the program ends before. */
async function printed(child: ChildProcess, pattern: RegExp): Promise<string> {
  let output = ''
  const ended = once(child, 'close').then(([code]) => {
    throw new Error(`it ended with ${code} before it was ready: ${output}`)
  })
  ended.catch(() => undefined)
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  while (!pattern.test(output)) await Promise.race([once(child.stdout ?? child, 'data'), ended])
  return output
}

const secondsSince = (began: number): string => ((performance.now() - began) / 1000).toFixed(1)
