import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, matchesGlob, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import oxlint from '../../oxlint.config.ts'
import { acceptanceErrors, acceptanceTable, promisesIn, untabled } from '../../scripts/acceptance.ts'
import { FLOORS, houseRules } from '../../scripts/house.ts'
import { roomOf } from '../../scripts/rooms.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

describe('the floors of the house', () => {
  const rules = houseRules(join(ROOT, 'src'))
  const patternsOf = (file: string): readonly RegExp[] =>
    rules
      .filter(({ files: named }) => named.includes(`src/${file}`))
      .flatMap((one) => one.rules['no-restricted-imports']?.[1].patterns ?? [])
      .map(({ regex }) => new RegExp(regex))
  const refuses = (file: string, specifier: string): boolean =>
    patternsOf(file).some((pattern) => pattern.test(specifier))

  test('are asked of every file of the program by the linter', () => {
    const sources = files(join(ROOT, 'src')).filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    expect(sources.length).toBeGreaterThan(1000)
    expect(rules.flatMap((one) => one.files).toSorted()).toEqual(sources.map((file) => `src/${file}`).toSorted())
    expect(oxlint.overrides).toEqual(expect.arrayContaining(rules))
    expect(oxlint.rules['import/no-cycle']).toEqual(['error', { ignoreTypes: false }])
  })

  test('have files in each of their rooms', () => {
    const rooms = new Set(rules.flatMap((one) => one.files.map((file) => roomOf(file.slice('src/'.length)))))
    expect(FLOORS.flat().filter((room) => !rooms.has(room))).toEqual([])
  })

  test('stand in docs/architecture.md with every room', () => {
    const [table = ''] = /^\| Floor[^]*?\n\n/m.exec(read('docs/architecture.md')) ?? []
    const named = [...table.matchAll(/^\| \d+ \| (.*?) \|/gm)].map(([, cell = '']) =>
      cell.replaceAll('`', '').split(', '),
    )
    expect(named).toEqual(FLOORS)
  })

  test.each([
    ['quantity/quantity.ts', '../machinery/object.ts', 'a higher room'],
    ['apiserver/control-plane.ts', '../operator/operator.ts', 'a room on the same floor'],
    ['operator/operator.ts', '../systems/systems.ts', 'the room above'],
    ['install/objects.ts', '../systems/resource-pool/operate/system.ts', 'what a system writes'],
    ['charges/decide.ts', '../systems/resource-quota/decide/quota-budget.ts', 'a kind of budget'],
    ['systems/counted/quota-handler.ts', '../resource-quota/operate/foresight/native-refusals.ts', 'a system'],
    ['apiserver/storing/store-writer.ts', '../http/resource-handler.ts', 'a higher folder'],
    ['apiserver/http/resource-handler.ts', '../../store/store.ts', 'what only an entrance may import'],
    ['sdk/index.ts', '../apiserver/workload/workloads.ts', 'what only one command may load'],
    ['systems/resource-pool/operate/system.ts', '../../custom-quota/operate/quota-report.ts', 'another system'],
    [
      'systems/resource-pool/decide/allocate.ts',
      '../operate/pool-writer.ts',
      'what its own decisions are carried out by',
    ],
    ['systems/counted/protocol/fold.ts', '../replica/ledger-cache.ts', 'a replica, from the protocol'],
    ['charges/decide.ts', 'node:fs', 'Node, from a pure room'],
    ['systems/custom-quota/decide/object-cost.ts', 'pino', 'a package, from a pure room'],
  ])('keep %s from importing %s: %s', (file, specifier) => {
    expect(refuses(file, specifier)).toBe(true)
  })

  test.each([
    ['machinery/object-meta.ts', '../quantity/quantity.ts'],
    ['apiserver/control-plane.ts', '../store/store.ts'],
    ['cli/up/up.ts', '../apiserver/workload/workloads.ts'],
    ['install/objects.ts', '../systems/resource-pool/api/resource-pool.ts'],
    ['systems/quota-increase/decide/quota-keeper.ts', '../../resource-pool/api/pool-names.ts'],
    ['systems/resource-pool/operate/system.ts', '../../../operator/system.ts'],
    ['cel/parser/lexer.ts', 're2js'],
    ['runtime/process/logger.ts', 'node:process'],
  ])('let %s import %s', (file, specifier) => {
    expect(patternsOf(file).length).toBeGreaterThan(0)
    expect(refuses(file, specifier)).toBe(false)
  })

  test('keep the clock and chance from pure rooms only', () => {
    const namesOf = (file: string): string =>
      JSON.stringify(rules.filter(({ files: named }) => named.includes(`src/${file}`)).map((one) => one.rules))
    for (const name of ['"Date"', '"process"', '"random"', '"now"'])
      for (const [file, isPure] of [
        ['charges/decide.ts', true],
        ['systems/resource-pool/decide/allocate.ts', true],
        ['systems/resource-pool/operate/pool-writer.ts', false],
        ['runtime/process/logger.ts', false],
      ] as const)
        expect(namesOf(file).includes(name), `${name} in ${file}`).toBe(isPure)
  })
})

describe('the guide of a room', () => {
  const foldersIn = (folder: string): readonly string[] =>
    readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [`${folder}/${entry.name}`] : [],
    )
  const guides = [...foldersIn('src'), ...foldersIn('src/systems')].map((folder) => `${folder}/README.md`)
  /** Words in backticks that name a file or a folder below one of the folders, or of the repository; none may be missing. */
  const missingPaths = (text: string, folder: string): readonly string[] =>
    pathsIn(text).filter((path) => ![folder, ''].some((base) => existsSync(join(ROOT, base, path))))

  test.each(guides)('%s has at most 40 lines and names only files that exist', (guide) => {
    const text = read(guide)
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(40)
    expect(pathsIn(text).length).toBeGreaterThan(0)
    expect(missingPaths(text, dirname(guide))).toEqual([])
    expect(missingLinks(guide)).toEqual([])
  })

  test('is linked from docs/architecture.md, which names only files that exist, too', () => {
    const text = read('docs/architecture.md')
    expect(guides.filter((guide) => !text.includes(`(../${guide})`))).toEqual([])
    expect(pathsIn(text).length).toBeGreaterThan(50)
    expect(missingPaths(text, 'src')).toEqual([])
  })

  test('is found wanting where it names a file or links a page that does not exist', () => {
    expect(
      missingPaths('`store.ts`, `log/log.ts`, `src/store/`, `gone.ts`, `log/gone.ts`, `gone/`', 'src/store'),
    ).toEqual(['gone.ts', 'log/gone.ts', 'gone/'])
    expect(pathsIn('`systems/*/api`, `a/b c`, `1.5Gi` and `labelSelector=` are no paths')).toEqual([])
  })

  function pathsIn(text: string): readonly string[] {
    const words = [...text.matchAll(/`(\w[\w./-]*)`/g)].map(([, word = '']) => word)
    return words.filter((word) => /\/|\.(?:ts|md|jsonl?)$/.test(word))
  }

  function missingLinks(guide: string): readonly string[] {
    const links = [...read(guide).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, link = '']) => link)
    return links.filter((link) => !existsSync(join(ROOT, dirname(guide), link)))
  }
})

describe('the names of functions', () => {
  const sources = files(join(ROOT, 'src')).filter((file) => !file.endsWith('.test.ts'))
  const READERS = 'machinery/read.ts'
  /** `systems/x` for a system, which knows no other system. */
  const placeOf = (file: string): string =>
    (file.startsWith('systems/') ? /^systems\/[^/]+/.exec(file) : [roomOf(file)])?.[0] ?? ''
  const EXPORTED = /^export (?:async )?(?:function\*? ?(\w+)|const (\w+)(?:: [^=\n]*)? = (?:async )?(?:<.*>)?\()/gm
  /** A function of a value from outside, exported or not. */
  const READER =
    /^(?:export )?(?:function (\w+)(?:<V>)?\(value: (?:unknown|V)\)|const (\w+) = (?:<V>)?\(value: (?:unknown|V)\))/gm
  const namesIn = (text: string, pattern: RegExp): ReadonlySet<string> =>
    new Set([...text.matchAll(pattern)].map(([, name, other]) => name ?? other ?? ''))
  /** What a field's value and what a Status says, in the words of Kubernetes: `field.Invalid` and `errors.NewInvalid`. */
  const WORDS_OF_KUBERNETES = ['forbidden', 'invalid', 'notFound']

  function twiceIn(texts: ReadonlyMap<string, string>): readonly string[] {
    const places = [...texts].flatMap(([file, text]) =>
      [...namesIn(text, EXPORTED)].map((name) => `${placeOf(file)} ${name}`),
    )
    return places.filter((one, index) => places.indexOf(one) !== index)
  }
  function readersBeside(texts: ReadonlyMap<string, string>): readonly string[] {
    const names = namesIn(texts.get(READERS) ?? '', EXPORTED)
    return [...texts].flatMap(([file, text]) =>
      file === READERS
        ? []
        : [...namesIn(text, READER)].flatMap((name) => (names.has(name) ? [`${file} ${name}`] : [])),
    )
  }

  const texts = new Map(sources.map((file) => [file, read(`src/${file}`)]))

  test('that a room exports differ', () => {
    expect(sources.length).toBeGreaterThan(500)
    expect(twiceIn(texts).toSorted()).toEqual(WORDS_OF_KUBERNETES.map((name) => `machinery ${name}`))
    const given = new Map([
      ['kube/a.ts', 'export function one() {}\nexport const two = <T>(x: T) => x'],
      ['kube/b/c.ts', 'export async function two() {}\nexport const one = 1'],
      ['store/d.ts', 'export function one() {}'],
    ])
    expect(twiceIn(given)).toEqual(['kube two'])
  })

  test('that read values from outside are those of the one library of readers', () => {
    expect(readersBeside(texts)).toEqual([])
    const given = new Map([
      [READERS, 'export const textOf = (value: unknown): string => ""'],
      ['kube/a.ts', 'const textOf = (value: unknown): string => "-"'],
      ['kube/b.ts', 'const textOf = (error: Error): string => ""'],
    ])
    expect(readersBeside(given)).toEqual(['kube/a.ts textOf'])
  })
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

  const says = (file: string, text: string, isThere: (path: string) => boolean): boolean => {
    const own = file.replace(/\.test\.ts$/, '')
    const beside = [own, own.replace(/[.-](?:properties|property|vectors|model)$/, '')]
    return beside.some((path) => isThere(`${path}.ts`)) || text.startsWith('//')
  }

  test('of units stand beside what they test, or say at their top what they cover', () => {
    const units = everyTest.filter((file) => file.startsWith('src/'))
    expect(units.length).toBeGreaterThan(100)
    expect(units.filter((file) => !says(file, read(file), (path) => existsSync(join(ROOT, path))))).toEqual([])
  })

  test.each([
    ['src/a/b.test.ts', "import './b.ts'", true],
    ['src/a/b.properties.test.ts', "import './b.ts'", true],
    ['src/a/c.test.ts', "import './b.ts'", false],
    ['src/a/c.test.ts', '// Covers b.ts.', true],
  ])('%s, which begins with %j, says so: %s', (file, text, isSaid) => {
    expect(says(file, text, (path) => path === 'src/a/b.ts')).toBe(isSaid)
  })

  test('of units are all that `npm test` runs', () => {
    expect(JSON.parse(read('package.json')).scripts.test).toBe('vitest run --project unit')
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

  test('demands 85 % of the mutants of quantity, charges and the ledger protocol in `make soak`', () => {
    expect(read('Makefile')).toMatch(/^soak:[^]*?scripts\/mutation\.ts/m)
    expect(read('scripts/mutation.ts')).toContain(
      "['quantity', 'charges', 'systems/resource-quota/decide', 'systems/counted/protocol']",
    )
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

test('knip looks at the sources: in production it leaves out what a pattern without `!` names', () => {
  const { workspaces } = JSON.parse(read('knip.json')) as { workspaces: Record<string, { project: string[] }> }
  for (const { project } of Object.values(workspaces)) {
    expect(project.some((pattern) => pattern.startsWith('src/') && pattern.endsWith('!'))).toBe(true)
    expect(project.filter((pattern) => !pattern.endsWith('!') && pattern.includes('src'))).toEqual([])
  }
})

describe("Kubernetes' vectors", () => {
  const folder = 'test/vectors/kubernetes'
  const tests = [
    ...files(join(ROOT, 'src')).map((file) => `src/${file}`),
    ...files(join(ROOT, 'test')).map((file) => `test/${file}`),
  ]
    .filter((file) => file.endsWith('.ts'))
    .map(read)
  test.each(files(join(ROOT, folder)))('every list of cases in %s is named by a test that reads the file', (file) => {
    const readers = tests.filter((text) => text.includes(`'kubernetes/${file}'`))
    const lists = Object.entries(JSON.parse(read(join(folder, file))) as object).filter(([, list]) =>
      Array.isArray(list),
    )
    expect(lists.length).toBeGreaterThan(0)
    for (const [name] of lists)
      expect(
        readers.some((text) => new RegExp(`\\b${name}\\b`).test(text)),
        name,
      ).toBe(true)
  })
})

describe('the promises of SECURITY.md', () => {
  const section = (points: string): string =>
    `# Security\n\n## Protection, and its limits\n\n${points}\n\n## Limits\n\n- No test.\n`

  test('have the tags of their tests, and one without a tag is never proven', () => {
    const lines = promisesIn(
      section('- By `--flag`\n  (`security/first`, `security/second-one`).\n- Nothing holds `this`.'),
    )
    const first = 'By `--flag` (`security/first`, `security/second-one`).…'
    expect(lines).toEqual({
      'security/first': first,
      'security/second-one': first,
      'no tag in point 2': 'Nothing holds `this`.…',
    })
    expect(acceptanceErrors(['a test [security/first] [security/second-one]'], lines)).toEqual([
      'no test of [no tag in point 2] passed: Nothing holds `this`.…',
    ])
  })

  test('have tags, each of them', () => {
    const tags = Object.keys(promisesIn(read('SECURITY.md')))
    expect(tags.filter((tag) => !tag.startsWith('security/'))).toEqual([])
    expect(tags.length).toBeGreaterThan(3)
  })
})

describe('the check of the lines of issues', () => {
  const lines = { '98/first-word': 'one line', '99/second': 'another' }

  test('is content when a test passed for each, and lists them', () => {
    const tests = ['suite a test [98/first-word]', 'two at once [98/first-word] [99/second]', 'a [b/c] [9/d]']
    expect(acceptanceErrors(tests, lines)).toEqual([])
    expect(acceptanceTable(tests, lines).slice(2)).toEqual([
      '| 98 | one line | `suite a test`, `two at once` |',
      '| 99 | another | `two at once` |',
    ])
  })

  test('finds a line that no test proves, and a tag of no line', () => {
    expect(acceptanceErrors(['a test [98/first-word]', 'another [98/gone]'], lines)).toEqual([
      'no test of [99/second] passed: another',
      'a test proves [98/gone], which is no line',
    ])
  })

  test('says which files have their tests made by functions, and fails for those that cannot be read', () => {
    const looked = (relativeModuleId: string, ...messages: readonly string[]) => ({
      relativeModuleId,
      errors: () => messages.map((message) => ({ message })),
    })
    const files = [
      looked('a'),
      looked('b', 'No test suite found in file b'),
      looked('c', 'No test suite found in file c'),
    ]
    const made = 'not in the table, since functions make their tests: b, c'
    expect(untabled([looked('a')])).toEqual({ texts: [], isBroken: false })
    expect(untabled(files)).toEqual({ texts: [made], isBroken: false })
    expect(untabled([...files, looked('d', 'no such file')])).toEqual({
      texts: [made, 'd could not be read: no such file'],
      isBroken: true,
    })
  })
})

function files(folder: string, below = folder): string[] {
  return readdirSync(below, { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name)
    return entry.isDirectory() ? files(folder, path) : [relative(folder, path)]
  })
}
