import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** The rooms whose comments and identifiers keep all rules of words. A room is added when its sentences are rewritten. */
const REWRITTEN = [
  'bench',
  'scripts',
  'src/api',
  'src/apiserver',
  'src/cel',
  'src/charges',
  'src/cli',
  'src/grants',
  'src/install',
  'src/kinds',
  'src/kube',
  'src/machinery',
  'src/operator',
  'src/quantity',
  'src/runtime',
  'src/schema',
  'src/sdk',
  'src/store',
  'test/access',
  'test/api',
  'test/apiserver',
  'test/behaviour',
  'test/chaos',
  'test/charges',
  'test/cli',
  'test/clients',
  'test/differential',
  'test/fuzz',
  'test/grants',
  'test/kube',
  'test/kubectl',
  'test/machinery',
  'test/manifests',
  'test/openapi',
  'test/operator',
  'test/package',
  'test/quantity',
  'test/readme',
  'test/robustness',
  'test/store',
  'test/storm',
  'test/sweep',
]

interface Rule {
  readonly name: string
  readonly pattern: RegExp
  readonly broken: string
}

const NOUN: Rule = {
  name: 'a comment does not begin with "What" or "Who" for a thing',
  pattern: /^\s*(\/\*\*|\*|\/\/) *(What|Who) /,
  broken: '/** What a claim asks for. */',
}
const WHO: Rule = {
  name: '"who" and "whoever" are not nouns',
  pattern: /\b(by|for|of|than) who\b|\bwhoever\b/i,
  broken: 'test("waits for who holds the lease", () => {})',
}
const NAMED: Rule = {
  name: 'the name of a test begins with its subject, not with "what" or "who"',
  pattern: /(^\s*|\b(test|describe|it)[.\w]*\(|\)\()(['"`])(what|who|whom) /,
  broken: "  ])('what exceeds a quota is refused', () => {",
}
const TOLD: Rule = {
  name: 'nothing is told: errors are reported, clients warned, requests rejected',
  pattern: /\btold\b/i,
  broken: 'const told = errors.map(textOf)',
}
const REPLACED: Rule = {
  name: 'names that say nothing alone have not come back',
  pattern:
    /\b(QuotaGate|PoolAttention|followChanges|NotYet|RoleBook|Standing|Guise|Remark|Happening|Farewell|restlessOf|patiently|Watchman)\b|\bgem\b/,
  broken: 'const gate = new QuotaGate()',
}
const CITED: Rule = {
  name: 'a rule cites a document of the repository or an upstream name',
  pattern:
    /\bthe design\b|\bdesign[,:]|\bthe issue:|\breference,? (sections? )?\d|\(reference, section|since: 'design'/i,
  broken: ' * Counts a quota anew (reference section 4).',
}

const DIFFERENCES = 'test/differences.json'

/** Files that may break a rule, and why. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'test/golden/README.md': 'a copy of the shared folder, which has to stay equal to it',
  'test/repository/words.test.ts': 'holds an example of each mistake',
}

describe.each([NOUN, WHO, NAMED, TOLD, REPLACED])('words: $name', ({ pattern, broken }) => {
  test('finds a mistake', () => {
    expect(violations('example.ts', broken, pattern)).toHaveLength(1)
  })

  test.each(REWRITTEN)('in %s', (room) => {
    const sources = files(join(ROOT, room)).filter((file) => file.endsWith('.ts'))
    expect(sources.length).toBeGreaterThan(0)
    expect(sources.flatMap((file) => violations(file, read(file), pattern))).toEqual([])
  })
})

describe(`words: ${CITED.name}`, () => {
  test('finds a mistake', () => {
    expect(violations('example.ts', CITED.broken, CITED.pattern)).toHaveLength(1)
  })

  test.each(['src', 'test', 'scripts', 'bench', 'docs'])('in %s', (folder) => {
    const texts = files(join(ROOT, folder)).filter(
      (file) => (/\.(ts|md)$/.test(file) || file === DIFFERENCES) && !(file in EXCEPTIONS),
    )
    expect(texts.length).toBeGreaterThan(10)
    expect(texts.flatMap((file) => violations(file, read(file), CITED.pattern))).toEqual([])
  })

  test('every exception is needed', () => {
    const needed = Object.keys(EXCEPTIONS).filter((file) => violations(file, read(file), CITED.pattern).length > 0)
    expect(needed).toEqual(Object.keys(EXCEPTIONS))
  })
})

/** The lines of a text that match, as `file:line: text`. */
function violations(file: string, text: string, pattern: RegExp): readonly string[] {
  return text.split('\n').flatMap((line, at) => (pattern.test(line) ? [`${file}:${at + 1}: ${line.trim()}`] : []))
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** All files below a folder, relative to the repository. */
function files(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? files(path) : [relative(ROOT, path)]
  })
}
