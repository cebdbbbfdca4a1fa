import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, matchesGlob, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { unprovenRows } from '../../scripts/acceptance.ts'
import { longForms } from '../../scripts/long-forms.ts'
import { unheldPromises } from '../../scripts/promises.ts'
import { circleViolations } from '../../scripts/circles.ts'
import { floorViolations, FLOORS } from '../../scripts/floors.ts'
import { moduleStates, moduleStateViolations } from '../../scripts/module-state.ts'
import { nameViolations, repositoryFiles } from '../../scripts/file-names.ts'
import { parsedModule, repositoryModules, sourceModules } from '../../scripts/syntax/parsed-modules.ts'
import { typeNamesOf, typeNameViolations } from '../../scripts/type-names.ts'
import { unusedExports } from '../../scripts/unused-exports.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const modules = repositoryModules(ROOT)
const sources = sourceModules(modules)

describe('the floors of the house', () => {
  test('hold', () => {
    expect(sources.length).toBeGreaterThan(1000)
    expect(floorViolations(sources)).toEqual([])
  })

  test('stand in docs/architecture.md with every room', () => {
    const [table = ''] = /^\| Floor[^]*?\n\n/m.exec(read('docs/architecture.md')) ?? []
    const rooms = readdirSync(join(ROOT, 'src'))
    const named = [...table.matchAll(/^\| \d+ \| (.*?) \|/gm)].map(([, cell = '']) =>
      cell.replaceAll('`', '').split(', '),
    )
    expect(named).toEqual(
      FLOORS.map((floor) => floor.filter((room) => rooms.includes(room))).filter((floor) => floor.length > 0),
    )
  })

  test.each([
    ['quantity/a.ts', "import { b } from '../machinery/b.ts'", 'quantity may not import machinery'],
    ['charges/a.ts', "import { b } from '../grants/b.ts'", 'charges may not import grants'],
    ['apiserver/a.ts', "const b = await import('../operator/b.ts')", 'apiserver may not import operator'],
    ['charges/a.ts', "import { readFileSync } from 'node:fs'", 'charges is pure and imports node:fs'],
    ['grants/a.ts', 'export const now = () => Date.now()', 'grants is pure and reads the clock'],
    ['machinery/index.ts', "export { a } from './a.ts'", 'only sdk/index.ts may be an index'],
    ['helpers/a.ts', 'export const a = 1', 'helpers is not a room of the house'],
    ['kinds/a.ts', "import { isIP } from 'node:net'", 'kinds is pure and imports node:net'],
    ['apiserver/auth/a.ts', "import { b } from '../http/b.ts'", 'apiserver/auth may not import apiserver/http'],
    ['apiserver/workload/a.ts', "import type { B } from '../controller/b.ts'", 'may not import apiserver/controller'],
    ['charges/a.ts', "import { b } from './resource-quota/b.ts'", 'charges/. may not import charges/resource-quota'],
    ['sdk/a.ts', "import('../apiserver/workload/b.ts')", 'only cli/up.ts may import apiserver/workload/b.ts'],
    ['apiserver/http/a.ts', "import type { S } from '../../store/store.ts'", 'may import store/store.ts'],
    [
      'apiserver/controller/a.ts',
      "import type { W } from '../storing/store-writer.ts'",
      'may import apiserver/storing',
    ],
    [
      'operator/karmada-quota/a.ts',
      "import { b } from '../custom-quota/b.ts'",
      'may not import systems/custom-quota/operate',
    ],
    [
      'operator/new-system/a.ts',
      "import { b } from '../pool/b.ts'",
      'operator/new-system may not import systems/resource-pool/operate',
    ],
    [
      'operator/ledger/a.ts',
      "import { b } from '../pool/b.ts'",
      'operator/ledger may not import systems/resource-pool/operate',
    ],
    ['operator/shell/a.ts', "import { b } from '../system.ts'", 'operator/shell may not import operator/system.ts'],
    ['operator/system.ts', "import { b } from './systems.ts'", 'operator/system.ts may not import operator/.'],
    ['apiserver/attic/a.ts', 'export const a = 1', 'apiserver/attic is not a folder of the house'],
  ])('%s with %j is found', (file, text, complaint) => {
    expect(floorViolations([parsedModule(file, text)]).join('\n')).toContain(complaint)
  })

  test.each([
    ["import {\n  b, // it isn't hidden\n} from '../cel/b.ts'"],
    ["import {\n  b, /* 'quoted' */\n} from '../cel/b.ts'"],
    ['import { b } from "../cel/b.ts"'],
    ["import /* by */ b from '../cel/b.ts'"],
    ["const a = 1; import { b } from '../cel/b.ts'"],
    ["import '../cel/b.ts'"],
    ["import {} from '../cel/b.ts'"],
    ["import * as b from '../cel/b.ts'"],
    ["import type { B } from '../cel/b.ts'"],
    ["import { type B } from '../cel/b.ts'"],
    ["export * from '../cel/b.ts'"],
    ["export * as b from '../cel/b.ts'"],
    ["export {} from '../cel/b.ts'"],
    ["export type { B } from '../cel/b.ts'"],
    ["export { b as 'it\\'s' } from '../cel/b.ts'"],
    ['export const load = () => import(`../cel/b.ts`)'],
    ["export const load = () => import(/* it's */ '../cel/b.ts')"],
    ["export type B = import('../cel/b.ts').B"],
    ["export let b: typeof import('../cel/b.ts')"],
    ["const place = new URL('../cel/b.ts', import.meta.url)"],
  ])('see the import in %j', (text) => {
    expect(floorViolations([parsedModule('machinery/a.ts', text)])).toContain(
      'src/machinery/a.ts: machinery may not import cel',
    )
  })

  test.each([
    ["// import { b } from '../cel/b.ts'"],
    ["/** As `import('../cel/b.ts')`. */\nexport const a = 1"],
    ["export const text = `import { b } from '../cel/b.ts'`"],
    ["export const url = new URL('https://allot.dev')"],
  ])('see no import in %j', (text) => {
    expect(floorViolations([parsedModule('machinery/a.ts', text)])).toEqual([])
  })

  test('see an import whose module is computed, a default export, and no module where a text is none', () => {
    const found = (text: string) => floorViolations([parsedModule('machinery/a.ts', text)])
    expect(found('export const load = (name: string) => import(`./${name}.ts`)')).toHaveLength(1)
    expect(found('const a = 1\nexport { a as default }')).toHaveLength(1)
    expect(() => parsedModule('machinery/a.ts', 'import { a from')).toThrow('machinery/a.ts')
  })
})

describe('the purity of the house', () => {
  const found = (text: string) => floorViolations([parsedModule('charges/a.ts', text)]).join('\n')

  test.each([
    ["import { readFileSync } from 'fs'"],
    ["import { readFile } from 'fs/promises'"],
    ["import { randomUUID } from 'node:crypto'"],
    ["import pino from 'pino'"],
    ["import type { Logger } from 'pino'"],
    ["export type L = import('pino').Logger"],
    ["import { X509Certificate } from '@peculiar/x509'"],
  ])('is broken by the module in %j', (text) => {
    expect(found(text)).toContain('charges is pure and imports ')
  })

  test.each([
    ['export const id = () => crypto.randomUUID()'],
    ['export const id = () => Math.random()'],
    ["export const id = () => Math['random']()"],
    ['const { random } = Math'],
    ['export const now = () => Date()'],
    ['export const now = () => Date.now()'],
    ['export const now = () => Date?.now()'],
    ["export const now = () => Date['now']()"],
    ['const { now } = Date'],
    ['export const clock = Date'],
    ['export const now = () => +new Date'],
    ['export const now = () => new Date()'],
    ['export const now = () => new (Date)()'],
    ['export const of = (...parts: [number]) => new Date(...parts)'],
    ['export const began = () => performance.timeOrigin'],
    ['export const later = (f: () => void) => setTimeout(f, 1)'],
    ['export const later = (f: () => void) => setInterval(f, 1)'],
    ['export const later = (f: () => void) => setImmediate(f)'],
    ["export const f = () => fetch('http://a')"],
    ['const { env } = process'],
    ['export const env = () => process.env'],
    ["export const env = () => process['env']"],
    ["export const env = () => globalThis['process']"],
    ['export const say = () => console.log(1)'],
    ['export const place = import.meta.url'],
    ['export const of = (a = performance) => a'],
    ['export const a = { process }'],
    ['export const a = (process as unknown)'],
  ])('is broken by %j', (text) => {
    expect(found(text)).toContain('charges is pure and reads the clock, chance or the process by ')
  })

  test.each([
    ['// Date.now() and process.env\nexport const a = 1'],
    ['/** Not `new Date()`. */\nexport const a = 1'],
    ["export const a = 'Math.random() and fetch(1)'"],
    ['export const a = `setTimeout(${1})`'],
    ['export const at = (ms: number) => new Date(ms).getTime()'],
    ['export const at = (text: string) => Date.parse(text) + Date.UTC(1970)'],
    ['export const is = (a: unknown): a is Date => a instanceof Date'],
    ['export const of = (a: typeof process) => a.platform'],
    ['export const half = (a: number) => Math.floor(a / 2)'],
    ['export const of = (performance: number) => performance'],
    ['export const of = (a: { process: string }) => a.process'],
    ['export const a = { process: 1, fetch() {} }'],
    ["import { parse } from 'yaml'"],
    ["import { RE2JS } from 're2js'"],
  ])('is kept by %j', (text) => {
    expect(found(text)).toBe('')
  })

  test('is asked of pure rooms only', () => {
    expect(
      floorViolations([parsedModule('runtime/process/a.ts', "import 'fs'\nexport const now = () => Date.now()")]),
    ).toEqual([])
  })
})

test('no name of a file stands twice, and folders of more than 25 files have an order of their own', () => {
  const all = repositoryFiles(ROOT)
  expect(all).toContain('src/cli/main.ts')
  expect(all).toContain('vitest.config.ts')
  expect(nameViolations(all)).toEqual([])
})

test('a name that stands twice and a folder that is too full are found', () => {
  const many = (folder: string, end: string) => Array.from({ length: 26 }, (_, index) => `${folder}/${index}${end}`)
  expect(nameViolations(['src/a/quota.ts', 'test/b/quota.ts', 'bench/quota.ts', 'bench/c/d.ts'])).toEqual([
    expect.stringContaining('quota.ts stands at src/a/quota.ts and test/b/quota.ts'),
  ])
  expect(nameViolations(many('test/a', '.test.ts'))).toEqual([expect.stringContaining('test/a holds 26 files')])
  expect(nameViolations([...many('src/a', '.test.ts'), 'src/a/b.ts'])).toEqual([])
})

test('no name of an exported type is declared twice without a reason, and no reason stands for nothing', () => {
  expect(typeNameViolations(join(ROOT, 'src'))).toEqual([])
})

test('a type whose name is declared twice, and a reason that nothing needs any more, are found', () => {
  const folder = mkdtempSync(join(tmpdir(), 'allot-types-'))
  const types = (...lines: readonly string[]) => `${lines.join('\n')}\n`
  writeFileSync(join(folder, 'a.ts'), types('export interface Share {}', 'export type Page = string'))
  writeFileSync(join(folder, 'b.ts'), types('export abstract class Share {}', 'export const Page = 1'))
  writeFileSync(join(folder, 'b.test.ts'), types('export type Page = number'))
  expect(typeNameViolations(folder, {})).toEqual([
    expect.stringContaining('src/a.ts: Share is also exported by src/b.ts'),
  ])
  expect(typeNameViolations(folder, { Share: 'a reason', Page: 'a reason' })).toEqual([
    expect.stringContaining('Page is not declared twice any more'),
  ])
  rmSync(folder, { recursive: true })
})

test.each([
  ['export class Ledger<T> extends Base {', ['Ledger']],
  ['export abstract class Ledger {', ['Ledger']],
  ['export interface Ledger {\n}\nexport const Ledger = {}', ['Ledger']],
  ['export type Ledger = string', ['Ledger']],
  ["export type { Ledger } from './ledger.ts'\ninterface Entry {\n}", []],
  ['/** As `export type Ledger`. */\nexport function ledger(): void {', []],
])('the types that a module declares and exports are found in %j', (text, names) => {
  expect(typeNamesOf(text)).toEqual(names)
})

test('no module keeps a state without a reason, and no reason stands for nothing', () => {
  expect(moduleStateViolations(sources)).toEqual([])
})

test.each([
  ['let last = 0'],
  ['export var last = 0'],
  ['const known = new WeakMap<object, string>()'],
  ['const known = new Map<string, string>()\nconst note = () => known.set("a", "b")'],
  ['const list: string[] = []\nconst note = () => list.push("a")'],
  ['const counts: Record<string, number> = {}\nconst note = (a: string) => {\n  counts[a] ??= 0\n}'],
  ['const count = { of: 0 }\nconst next = () => count.of++'],
  ['const recorder = new EventRecorder({})'],
  ['const WORD = /\\w+/g\nconst next = (text: string) => WORD.exec(text)'],
  ['export const sizeOf = oncePerObject((value: object): number => 1)'],
  ['const sizeOf = oncePerObject<object, number>(measure)'],
  ['const { list } = { list: [] as string[] }\nexport const note = (a: string) => list.push(a)'],
  ['const [list] = [[] as string[]]\nexport const note = (a: string) => list.push(a)'],
  ['let {\n  a,\n} = { a: 1 }'],
  ['const list: string[] =\n  []\nexport const note = (a: string) => list.push(a)'],
  [
    'const put = (into: Set<string>, a: string) => into.add(a)\nconst KNOWN = new Set(["a"])\nconst note = (a: string) => put(KNOWN, a)',
  ],
  [
    'function put(a: string, { into }: { into: string[] }) {\n  into.push(a)\n}\nconst KNOWN = { into: ["a"] }\nconst note = () => put("b", KNOWN)',
  ],
  [
    'const KNOWN = new Map<string, string>()\nexport const note = (index: { fill(by: object): void }) => index.fill(KNOWN)',
  ],
  ['const KNOWN = { all: ["a"] }\nconst note = () => {\n  const { all } = KNOWN\n  all.push("b")\n}'],
  ['const KNOWN = { all: [["a"]] }\nconst note = () => {\n  for (const one of KNOWN.all) one.push("b")\n}'],
  ['const next = (() => {\n  let n = 0\n  return () => n++\n})()'],
  ['const next = counter()\nfunction counter() {\n  let n = 0\n  return () => n++\n}'],
  [
    'const counter = () => {\n  let n = 0\n  const next = () => ++n\n  return { next }\n}\nconst TABLE = { of: [counter()] }',
  ],
  [
    'const remembering = (of: (a: object) => number) => {\n  const known = new WeakMap<object, number>()\n  return (a: object) => known.set(a, of(a))\n}\nconst sizeOf = remembering(() => 1)',
  ],
  [
    'class Counter {\n  #n = 0\n  next() {\n    return ++this.#n\n  }\n}\nconst make = () => new Counter()\nconst counter = make()',
  ],
  [
    'class Counter {\n  n = 0\n  next() {\n    return ++this.n\n  }\n  static of() {\n    return new Counter()\n  }\n}\nconst counter = Counter.of()',
  ],
  [
    'class Base {\n  readonly #known = new Set<string>()\n  note(a: string) {\n    this.#known.add(a)\n  }\n}\nclass Counter extends Base {}\nconst counters = ["a"].map(() => new Counter())',
  ],
  ['export class Counter {\n  static n = 0\n}'],
  ['export class Counter {\n  static #n = 0\n  static next() {\n    return Counter.#n++\n  }\n}'],
  [
    'export class Counter {\n  static readonly #known = new Map<string, number>()\n  static put(a: string) {\n    Counter.#known.set(a, 1)\n  }\n}',
  ],
  [
    'export class Counter {\n  static readonly counts: Record<string, number> = { a: 1 }\n  static put() {\n    this.counts["a"] = 2\n  }\n}',
  ],
  ['export class Counter {\n  static readonly known = new WeakMap<object, number>()\n}'],
  ['export function next() {\n  next.count++\n}\nnext.count = 0'],
  ['export const note = (a: string) => {\n  Object.assign(globalThis, { a })\n}'],
  ['const TABLE = { a: 1 }\nexport const note = () => Object.defineProperty(TABLE, "a", { value: 2 })'],
  ["import { Agent } from 'undici'\nconst agent = new Agent()"],
])('the state of a module is found in %j', (text) => {
  expect(moduleStates([parsedModule('runtime/a.ts', text)])).toHaveLength(1)
})

test.each([
  ["import { counterOf } from './b.ts'\nexport const counter = counterOf(1)", 'runtime/a.ts counter'],
  ["import { counterOf as of } from './c.ts'\nexport const counter = of(1)", 'runtime/a.ts counter'],
  ["import { LIST } from './b.ts'\nexport const note = () => LIST.push(1)", 'runtime/b.ts LIST'],
  ["import { LIST as list } from './c.ts'\nexport const note = () => list.push(1)", 'runtime/b.ts LIST'],
  ["import { put } from './b.ts'\nconst MINE = [1]\nexport const note = () => put(MINE)", 'runtime/a.ts MINE'],
])('the state of a module is found across files in %j', (text, state) => {
  const others = [
    'class Counter {\n  n: number\n  constructor(n: number) {\n    this.n = n\n  }\n  next() {\n    return ++this.n\n  }\n}',
    'export const counterOf = (n: number) => new Counter(n)',
    'export const LIST = [0]',
    'export const put = (list: number[]) => list.push(1)',
  ]
  expect(
    moduleStates([
      parsedModule('runtime/a.ts', text),
      parsedModule('runtime/b.ts', others.join('\n')),
      parsedModule('runtime/c.ts', "export * from './b.ts'"),
    ]),
  ).toEqual([state])
})

test.each([
  ['const NAMES = new Set(["a"])\nconst has = (name: string) => NAMES.has(name)'],
  ['const LIST = ["b", "a"]\nconst sorted = LIST.toSorted()'],
  ['const of = () => {\n  const list: string[] = []\n  list.push("a")\n  let last = 0\n}'],
  ['const utf8 = new TextDecoder()'],
  ['const WORD = /\\w+/g\nconst words = (text: string) => text.matchAll(WORD)'],
  ['// let last = 0\nexport const text = `\nlet last = 0\n`'],
  ['const LIST = ["a"]\nconst of = () => {\n  const LIST: string[] = []\n  LIST.push("b")\n}'],
  [
    'const first = (names: ReadonlySet<string>) => [...names][0]\nconst NAMES = new Set(["a"])\nconst one = first(NAMES)',
  ],
  ['const NOTHING: ReadonlyMap<string, string> = new Map()'],
  [
    'class Sum {\n  readonly of: number\n  constructor(of: number) {\n    this.of = of\n  }\n  add(more: number) {\n    return new Sum(this.of + more)\n  }\n  static readonly none = new Sum(0)\n}\nconst one = () => Sum.none.add(1)',
  ],
  [
    'class Sum {\n  readonly of: number\n  constructor(of: number) {\n    this.of = of\n  }\n  add(more: number) {\n    return new Sum(this.of + more)\n  }\n}\nconst ONE = new Sum(1)\nconst two = ONE.add(1)',
  ],
  [
    'const total = (all: readonly number[]) => {\n  let sum = 0\n  for (const one of all) sum += one\n  return sum\n}\nconst TOTAL = total([1, 2])',
  ],
  ['const scaled = (by: number) => (a: number) => a * by\nconst half = scaled(0.5)'],
  [
    'export class Counter {\n  static readonly limits = { most: 1 }\n  #n = 0\n  next() {\n    return ++this.#n\n  }\n}',
  ],
])('nothing is taken for the state of a module in %j', (text) => {
  expect(moduleStates([parsedModule('runtime/a.ts', text)])).toEqual([])
})

test.each([
  ['docs/architecture.md', 40],
  ['docs/contributing/add-a-system.md', 6],
])('every file that %s names exists', (document, least) => {
  const named = [...read(document).matchAll(/`([\w/-]+\.ts)`/g)].map(([, file = '']) => file)
  expect(named.length).toBeGreaterThan(least)
  expect(named.filter((file) => !existsSync(join(ROOT, 'src', file)) && !existsSync(join(ROOT, file)))).toEqual([])
})

test('no files import each other in a circle, be they sources, tests, benchmarks or scripts', () => {
  expect(new Set(modules.map(({ path }) => path.split('/')[0]))).toEqual(
    new Set(['src', 'test', 'bench', 'scripts', 'vitest.config.ts']),
  )
  expect(circleViolations(modules)).toEqual([])
})

test('a circle of files is found, imports of types included', () => {
  expect(
    circleViolations([
      parsedModule('src/charges/a.ts', "import type { B } from './b.ts'"),
      parsedModule('src/charges/b.ts', "import { c } from './c.ts'\nimport { d } from './d.ts'"),
      parsedModule('src/charges/c.ts', "import { a } from './a.ts'"),
      parsedModule('src/charges/d.ts', 'export const d = 1'),
    ]),
  ).toEqual(['src/charges/a.ts imports src/charges/b.ts imports src/charges/c.ts imports src/charges/a.ts'])
})

test.each([
  ["import {\n  a, // it's here\n} from '../src/a.ts'"],
  ["export type A = import('../src/a.ts').A"],
  ["export * from '../src/a.ts'"],
  ['export const load = () => import(`../src/a.ts`)'],
  ["export const worker = new URL('../src/a.ts', import.meta.url)"],
])('a circle across folders is found that is closed by %j', (text) => {
  const other = parsedModule('src/a.ts', "import { b } from '../test/b.ts'")
  expect(circleViolations([other, parsedModule('test/b.ts', text)])).toHaveLength(1)
})

describe('the files of tests', () => {
  const tests = files(join(ROOT, 'test')).filter((file) => file.endsWith('.test.ts'))
  const everyTest = ['src', 'test']
    .flatMap((folder) => files(join(ROOT, folder)).map((file) => `${folder}/${file}`))
    .filter((file) => file.endsWith('.test.ts'))
  /** `test/growth.ts` alone measures CPU times and compares them. */
  function assertsTime(text: string): boolean {
    const spans = [...text.matchAll(/const (\w+) = (?:performance|Date)\.now\(\) - /g)].map(([, name]) => name)
    return (
      /expect\([^()]*(?:performance|Date)\.now\(\) - /.test(text) ||
      /process\.(?:threadCpuUsage|cpuUsage)\(/.test(text) ||
      spans.some((name) => new RegExp(`expect\\(\\[?${name}\\b`).test(text))
    )
  }

  test('that measure CPU times run one a core', () => {
    const heavy = /const HEAVY = \[([^\]]*)\]/.exec(read('vitest.config.ts'))?.[1] ?? ''
    const patterns = [...heavy.matchAll(/'([^']+)'/g)].map(([, pattern = '']) => pattern)
    expect(patterns.length).toBeGreaterThan(3)
    const measuring = tests.filter((file) => /from '[^']*growth\.ts'/.test(read(`test/${file}`)))
    expect(measuring.length).toBeGreaterThan(1)
    expect(measuring.filter((file) => !patterns.some((pattern) => matchesGlob(`test/${file}`, pattern)))).toEqual([])
  })

  test('assert no time', () => {
    // Tests of the repository hold examples as texts.
    const found = everyTest.filter((file) => !file.startsWith('test/repository/') && assertsTime(read(file)))
    expect(found).toEqual([])
  })

  test.each([
    ['expect(performance.now() - began).toBeGreaterThan(170)'],
    ['expect(\n  Date.now() - began,\n).toBeLessThan(9)'],
    ['const { user } = process.threadCpuUsage(began)\ncpu.push(user)'],
    ['const used = process.cpuUsage()'],
    ['const took = performance.now() - began\nexpect(took).toBeLessThan(9)'],
  ])('are found where they assert the time in %j', (text) => {
    expect(assertsTime(text)).toBe(true)
  })

  test('that have a long form are run by make soak', () => {
    const forms = longForms(ROOT)
    const asking = everyTest.filter((file) => /ALLOT_SOAK|\bsoak\b[^\n]*from '/.test(read(file)))
    // This file only names the variable.
    const others = asking.filter((file) => file !== 'test/repository/house.test.ts')
    expect(others.length).toBeGreaterThan(20)
    expect(others.filter((file) => !forms.includes(file))).toEqual([])
    expect(forms.some((file) => file.startsWith('src/')) && forms.some((file) => file.startsWith('test/'))).toBe(true)
    expect(read('scripts/test.ts')).toContain('...longForms(ROOT)')
  })
})

describe('the repository', () => {
  test('pins every dependency exactly and names no registry', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies }))
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/)
    expect(read('package-lock.json')).not.toMatch(/"resolved": "https?:/)
  })

  test('has a decision record for every runtime dependency', () => {
    const records = readdirSync(join(ROOT, 'docs/decisions'))
      .map((file) => read(`docs/decisions/${file}`))
      .join('\n')
    const { dependencies = {} } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>
    for (const name of Object.keys(dependencies)) expect(records, name).toContain(name)
  })

  test('carries the Apache License 2.0 and says so in its manifest', () => {
    expect(read('LICENSE')).toContain('Apache License\n                           Version 2.0')
    expect(JSON.parse(read('package.json'))).toMatchObject({ license: 'Apache-2.0' })
  })

  test.each([
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'Makefile',
    '.ci/run',
    '.github/CODEOWNERS',
    '.github/pull_request_template.md',
    'docs/reference/versions.md',
  ])('has %s', (file) => {
    expect(read(file).length).toBeGreaterThan(100)
  })

  test.each(['up', 'test', 'check', 'soak', 'bench', 'dist', 'image', 'release'])('has `make %s`', (target) => {
    expect(read('Makefile')).toMatch(new RegExp(`^${target}:`, 'm'))
  })

  test('demands 85 % of the mutants of quantity and charges in `make soak`', () => {
    expect(read('Makefile')).toMatch(/^soak:[^]*?scripts\/mutation\.ts/m)
    expect(read('scripts/mutation.ts')).toContain("['quantity', 'charges']")
    expect(JSON.parse(read('test/mutation/stryker.json'))).toMatchObject({ thresholds: { break: 85 } })
  })

  test('runs `make test` in CI', () => {
    expect(read('.ci/run')).toMatch(/^make test$/m)
  })
})

describe('the copies of the shared folder', () => {
  const shared = join(ROOT, '../shared')
  const copies: readonly (readonly [string, string])[] = [
    ['vectors', 'test/vectors'],
    ['golden', 'test/golden'],
    ['schemas', 'schemas'],
    ['tools', 'scripts'],
  ]
  test.each(copies)('of %s in %s is complete', (from, to) => {
    // A clone stands alone: then there is only the copy, which must not be empty.
    const originals = existsSync(shared) ? files(join(shared, from)) : files(join(ROOT, to))
    expect(originals.length).toBeGreaterThan(0)
    for (const file of originals) expect(existsSync(join(ROOT, to, file)), file).toBe(true)
    if (existsSync(shared))
      for (const file of originals)
        expect(read(join(to, file)), file).toBe(readFileSync(join(shared, from, file), 'utf8'))
  })
})

describe('the check of SECURITY.md', () => {
  const document = (points: string): string =>
    `# Security\n\n## Protection, and its limits\n\n${points}\n\n## Limits\n\n- No test.\n`
  const passed = [{ file: 'test/api/a.test.ts', name: 'suite a promise is kept' }]

  test('is content when the tests of every promise passed', () => {
    expect(
      unheldPromises(
        document('- By `--flag` and\n  `a promise … kept`.\n- By `test/api/a.test.ts`, `test/api`.'),
        passed,
      ),
    ).toEqual([])
  })

  test('finds a promise without a test, and one whose test did not pass or does not exist', () => {
    expect(
      unheldPromises(document('- Nothing holds `this`.\n- By `test/api/b.test.ts` and `another test`.'), passed),
    ).toEqual([
      'no test is named for: Nothing holds `this`.…',
      'no test at or named `test/api/b.test.ts` passed (By `test/api/b.test.ts` and `another test`.…)',
      'no test at or named `another test` passed (By `test/api/b.test.ts` and `another test`.…)',
    ])
  })

  test('finds promises in the document, each with a test whose file is there', () => {
    const text = read('SECURITY.md')
    const all = [
      ...files(join(ROOT, 'test')).map((file) => `test/${file}`),
      ...files(join(ROOT, 'src')).map((file) => `src/${file}`),
    ]
      .filter((file) => file.endsWith('.test.ts'))
      .map((file) => ({ file, name: '' }))
    const problems = unheldPromises(text, all)
    expect(
      problems.filter(
        (line) => line.startsWith('no test is named') || /`(test|src)\//.test(line.split(' passed')[0] ?? ''),
      ),
    ).toEqual([])
    // The names of tests are looked up among those that passed, at the end of all tests.
    expect(problems.length).toBeGreaterThan(3)
  })
})

describe('the check of docs/contributing/acceptance.md', () => {
  const table = (tests: string): string => `| Issue | Line | Tests |\n|---|---|---|\n| 1 | a line | ${tests} |\n`

  test('is content when every named test passed', () => {
    expect(unprovenRows(table('`a test … works`, `other`'), ['suite a test of it works', 'other'])).toEqual([])
  })

  test('finds a row whose test did not run, and a row without tests', () => {
    expect(unprovenRows(table('`gone`'), ['here'])).toEqual(['no test named `gone` passed (a line)'])
    expect(unprovenRows(table(''), ['here'])).toEqual(['no test is named for: a line'])
  })
})

function files(folder: string, below = folder): string[] {
  return readdirSync(below, { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name)
    return entry.isDirectory() ? files(folder, path) : [relative(folder, path)]
  })
}

describe('what the program exports', () => {
  const found = (text: string, user = '') =>
    unusedExports([parsedModule('src/grants/a.ts', text), parsedModule('src/grants/b.ts', user)], {})

  test.each([
    ['export const used = 1', "import { used } from './a.ts'"],
    ['export const used = 1', "export { used } from './a.ts'"],
    ['export const used = 1', "import * as all from './a.ts'"],
    ['export const used = 1', "void import('./a.ts')"],
    ['export const used = 1\nexport const all = [...used()]', "import { all } from './a.ts'"],
    ['export interface Used {}', ''],
  ])('is used in %j', (text, user) => {
    expect(found(text, user)).toEqual([])
  })

  test.each([
    ['export function unused() {}', ''],
    ['/** As `unused` does. */\nexport async function unused() {}', "import { other } from './a.ts'"],
    ['export const unused = 1', "import { unused } from './c.ts'"],
    ['export class unused {}', "// import { unused } from './a.ts'"],
  ])('is not used in %j', (text, user) => {
    expect(found(text, user)).toEqual([
      'src/grants/a.ts: nothing in src uses unused: it goes, or what needs it is missing',
    ])
  })

  test('is used by tests alone only for a reason that is still there', () => {
    const modules = [parsedModule('src/grants/a.ts', 'export const unused = 1')]
    expect(unusedExports(modules, { unused: 'a sweep' })).toEqual([])
    expect(unusedExports([], { unused: 'a sweep' })).toHaveLength(1)
  })
})
