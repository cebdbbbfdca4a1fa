import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isNamed, unmet } from '../../insight/simulate/expectations.ts'
import type { Schemas } from '../../insight/schemas.ts'
import { GivenError } from '../../insight/simulate/given-manifests.ts'
import type { ChangeResult } from '../../insight/simulate/simulation.ts'
import { AdvisingError } from '../../machinery/advising-error.ts'
import { inOneLine } from '../../machinery/text/shown.ts'
import type { CliContext } from '../context.ts'
import { LeftOver } from '../migrate/left-over.ts'
import { writeFile } from '../migrate/files.ts'
import { builtinSchemas } from '../reading/builtin-schemas.ts'
import { QuantityError } from '../../quantity/quantity.ts'
import { initTest } from './init.ts'
import { junitReport } from './junit-report.ts'
import { type QuotaTest, readTest, TEST_FILE, TestFileError } from './read.ts'
import type { TestResult } from './result.ts'
import { simulatorOf } from './simulator.ts'
import type { TestFlags } from './command.ts'

/** Runs the tests of folders, or writes a first one. Throws TestFileError once all have run where files are wrong, and LeftOver where a test fails. */
export async function runTest(folders: readonly string[], flags: TestFlags, context: CliContext): Promise<void> {
  if (flags.init === true) return await initTest(folders, flags, context)
  const found = (folders.length === 0 ? ['.'] : folders).flatMap(testFoldersIn)
  const [first] = found
  if (first === undefined)
    throw new TestFileError(`there is no ${TEST_FILE}`, 'name a folder that has one, or write a first one with --init')
  const schemas = builtinSchemas()
  const results: TestResult[] = []
  for (const folder of found) {
    const result = await resultOf(folder, schemas)
    results.push(result)
    if (result.type !== 'passed' || flags.failOnly !== true) context.out(textOf(result, folder))
  }
  const count = (type: TestResult['type']): number => results.filter((one) => one.type === type).length
  const wrong = results.filter((one) => one.type === 'wrong')
  const left = wrong.length === 0 ? '' : `, ${wrong.length} not run`
  context.out(`${count('passed')} passed, ${count('failed')} failed${left}\n`)
  if (flags.junit !== undefined) writeFile(flags.junit, '--junit', junitReport(results))
  const [{ error } = { error: undefined }, ...others] = wrong
  if (error !== undefined) {
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`
    throw new TestFileError(`${error.message}${more}`, error.advice)
  }
  if (count('failed') > 0) throw new LeftOver()
}

/** A file that is wrong keeps no other test from being run. */
async function resultOf(folder: string, schemas: Schemas): Promise<TestResult> {
  try {
    const test = await readTest(folder)
    const problems = problemsOrError(test, schemas)
    return { ...test, type: problems.length === 0 ? 'passed' : 'failed', problems }
  } catch (error) {
    if (!(error instanceof AdvisingError)) throw error
    return { file: join(folder, TEST_FILE), name: folder, type: 'wrong', problems: [error.message], error }
  }
}

function testFoldersIn(folder: string): readonly string[] {
  if (!existsSync(folder))
    throw new TestFileError(`there is no folder ${folder}`, `name a folder that has a ${TEST_FILE}`)
  const own = existsSync(join(folder, TEST_FILE)) ? [folder] : []
  const below = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'))
    .map(({ name }) => join(folder, name))
    .toSorted()
  return [...own, ...below.flatMap(testFoldersIn)]
}

/** One test that makes no sense keeps no other from being run. */
function problemsOrError(test: QuotaTest, schemas: Schemas): readonly string[] {
  try {
    return problemsOf(test, schemas)
  } catch (error) {
    if (!(error instanceof GivenError || error instanceof QuantityError)) throw error
    return [`${test.file}: given: ${error.message}`]
  }
}

/** What is not as expected, a sentence each, with its line. */
function problemsOf(test: QuotaTest, schemas: Schemas): readonly string[] {
  const { file, lineOf, namespace } = test
  const simulator = simulatorOf(test, schemas)
  const all: ChangeResult[] = []
  const problems: string[] = []
  const at = (path: string, text: string): void => void problems.push(`${file}:${lineOf(path)}: ${text}`)
  for (const one of simulator.unusable) at('given', `given: ${one}`)
  const atLast = (test.expect?.refused ?? []).map((one, index) => ({ ...one, path: `expect.refused[${index}]` }))
  for (const [index, { name, changes, expect }] of test.steps.entries()) {
    const results = simulator.step(changes)
    all.push(...results)
    const step = `when[${index}]`
    const own = (expect.refused ?? []).map((one, at) => ({ ...one, path: `${step}.expect.refused[${at}]` }))
    // What is refused may be said of a step, or of all of them.
    const refused = [...own, ...atLast.filter(({ object }) => isAmong(object, results, namespace))]
    for (const { path, text } of unmet({ ...expect, refused }, simulator, results, namespace))
      at(refusalPath(path, refused) ?? `${step}.${path === '' ? 'apply' : `expect.${path}`}`, `${name}: ${text}`)
  }
  const named = new Set(test.steps.flatMap(({ expect }) => (expect.refused ?? []).map(({ object }) => object)))
  if (test.expect !== undefined) {
    const { refused: _, ...rest } = test.expect
    for (const { object, path } of atLast)
      if (!isAmong(object, all, namespace) && !named.has(object))
        at(path, `at the end: ${object}: no manifest of it was applied`)
    const made = all.filter(({ result }) => MADE.has(result))
    for (const { path, text } of unmet(rest, simulator, made, namespace)) at(`expect.${path}`, `at the end: ${text}`)
  }
  // The outcome is unknown if a quota counts objects that the simulation does not know.
  return [...problems, ...simulator.uncertainQuotas().map((one) => `${file}: unknown: ${one}`)]
}

/** The place of an expected refusal in the file; undefined for a path to something else. */
function refusalPath(path: string, refused: readonly { readonly path: string }[]): string | undefined {
  const [, index] = /^refused\[(\d+)\]/.exec(path) ?? []
  return index === undefined ? undefined : refused[Number(index)]?.path
}

/** What a manifest comes to that is admitted. */
const MADE: ReadonlySet<ChangeResult['result']> = new Set(['created', 'changed', 'unchanged', 'deleted'])

const isAmong = (ref: string, results: readonly ChangeResult[], namespace: string): boolean =>
  results.some((one) => isNamed(one, ref, namespace))

const SIGNS: Readonly<Record<TestResult['type'], string>> = { passed: 'ok   ', failed: 'FAIL ', wrong: 'ERROR' }

function textOf({ name, type, problems }: TestResult, folder: string): string {
  const title = name === folder ? folder : `${folder}: ${name}`
  const lines = [`${SIGNS[type]} ${title}`, ...problems.map((one) => `      ${one}`)]
  return lines.map((line) => `${inOneLine(line)}\n`).join('')
}
