import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { passedFiles } from '../../scripts/report.ts'
import { Dependencies, PassedKeys } from '../../scripts/unchanged.ts'

const roots: string[] = []
afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true })
})

const FILES = {
  '.gitignore': 'built/\n',
  'src/sum.test.ts': "import { sum } from './sum.ts'\nimport { cases } from '../test/cases.ts'\n",
  'src/sum.ts': "// What isn't a path: 'sum'\nexport type { Two } from\n  './two.ts'\n",
  'src/two.ts': 'export type Two = 2\n',
  'src/alone.test.ts': 'export const text = `${1}../docs/`\n',
  'src/started.test.ts': 'new Worker(new URL(`two${extension}`, import.meta.url))\n',
  'test/cases.ts': "const folder = new URL('cases/', import.meta.url)\n",
  'test/cases/first.json': '[]',
  'built/sum.js': '',
}

function checkout(): string {
  const root = mkdtempSync(join(tmpdir(), 'allot-unchanged-'))
  roots.push(root)
  execFileSync('git', ['init', '--quiet'], { cwd: root })
  for (const [file, text] of Object.entries(FILES)) write(root, file, text)
  return root
}

function write(root: string, file: string, text: string): void {
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
}

/** The tests whose key is another once the file has this text. */
function testsThatMustRun(file: string, text: string): readonly string[] {
  const root = checkout()
  const keys = (): ReadonlyMap<string, string> => {
    const dependencies = new Dependencies(root)
    return new Map(
      dependencies.files
        .filter((one) => one.endsWith('.test.ts'))
        .map((one) => [one, dependencies.keyOf(dependencies.of(one))]),
    )
  }
  const before = keys()
  write(root, file, text)
  return [...keys()].filter(([one, key]) => before.get(one) !== key).map(([one]) => one)
}

describe('a test runs again when', () => {
  test.each([
    ['it changes itself', 'src/alone.test.ts', ['src/alone.test.ts']],
    ['what it imports changes', 'src/sum.ts', ['src/sum.test.ts']],
    ['what that imports on another line changes', 'src/two.ts', ['src/started.test.ts', 'src/sum.test.ts']],
    ['a file changes in a folder that its helper names', 'test/cases/first.json', ['src/sum.test.ts']],
    ['a file is new in such a folder', 'test/cases/second.json', ['src/sum.test.ts']],
    ['a file is new that a template may stand for', 'src/two.js', ['src/started.test.ts']],
  ])('%s', (_, file, expected) => {
    expect(testsThatMustRun(file, '"changed"').toSorted()).toEqual(expected)
  })

  test.each([
    ['another test changes that it does not import', 'src/other.test.ts', ['src/other.test.ts']],
    ['what git ignores changes', 'built/sum.js', []],
    ['a document changes', 'docs/sum.md', []],
  ])('%s, others do not', (_, file, expected) => {
    expect(testsThatMustRun(file, '"changed"')).toEqual(expected)
  })
})

test('a file depends for the linter on what it imports itself, and on nothing that only its strings name', () => {
  const dependencies = new Dependencies(checkout())
  expect(dependencies.importsOf('src/sum.test.ts')).toEqual(['src/sum.test.ts', 'src/sum.ts', 'test/cases.ts'])
  expect(dependencies.importsOf('src/sum.ts')).toEqual(['src/sum.ts', 'src/two.ts'])
  expect(dependencies.importsOf('test/cases.ts')).toEqual(['test/cases.ts'])
  expect(dependencies.importsOf('test/cases/first.json')).toEqual(['test/cases/first.json'])
})

test('the check that everyone runs depends on what its tests name: data, workers and programs among them', () => {
  const dependencies = new Dependencies(join(import.meta.dirname, '../..'))
  const of = (file: string): readonly string[] => [...dependencies.of(file)]
  expect(of('src/quantity/quantity.test.ts')).toContain('test/vectors/kubernetes/quantity.json')
  expect(of('src/apiserver/decoding/yaml-reader.ts')).toContain('src/apiserver/decoding/yaml-worker.ts')
  expect(of('src/store/log/worker-log.ts')).toContain('src/store/log/log-worker.ts')
  expect(of('src/charges/group-commit.test.ts')).toContain('src/charges/decide-batch.ts')
})

describe('a check that passed', () => {
  test('is known to the next run, as long as its key is the same', () => {
    const file = join(checkout(), 'built/passed.json')
    const passed = new PassedKeys(file)
    passed.add('lint', 'src/sum.ts', 'one')
    passed.save()
    expect(new PassedKeys(file).has('lint', 'src/sum.ts', 'one')).toBe(true)
    expect(new PassedKeys(file).has('lint', 'src/sum.ts', 'two')).toBe(false)
    expect(new PassedKeys(file).has('unit tests', 'src/sum.ts', 'one')).toBe(false)
  })

  test('is checked again when the file that says so is damaged', () => {
    const file = join(checkout(), 'passed.json')
    writeFileSync(file, '{"lint":')
    expect(new PassedKeys(file).has('lint', 'src/sum.ts', 'one')).toBe(false)
  })

  test('are files with tests of which none failed', () => {
    const file = (name: string, ...statuses: readonly string[]) => ({
      name,
      status: statuses.includes('failed') ? 'failed' : 'passed',
      message: '',
      assertionResults: statuses.map((status) => ({ fullName: name, status, failureMessages: [] })),
    })
    const broken = { ...file('broken'), status: 'failed' }
    const testResults = [file('good', 'passed'), file('bad', 'passed', 'failed'), broken, file('empty')]
    expect(passedFiles({ testResults })).toEqual(['good'])
  })
})
