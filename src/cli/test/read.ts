import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Document, isCollection, isPair, isScalar, LineCounter, parseDocument } from 'yaml'
import type { Expectations } from '../../insight/simulate/expectations.ts'
import type { Change } from '../../insight/simulate/simulate.ts'
import { AdvisingError } from '../../machinery/advising-error.ts'
import { type FieldError, sentence } from '../../machinery/field-error.ts'
import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { objectOf } from '../../machinery/read.ts'
import { isKubeObject } from '../../migrate/read-manifests.ts'
import { unreadableFile } from '../../runtime/process/unreadable-file.ts'
import { readStructural } from '../../schema/structural/read-schema.ts'
import { validate } from '../../schema/structural/value/validate.ts'
import { readManifestPaths } from '../reading/read-manifest-paths.ts'
import { readSchema } from '../schema-file.ts'
import { amountProblems, type Problem } from './amount-problems.ts'

export const TEST_FILE = 'quota-test.yaml'

/** A test is not one. */
export class TestFileError extends AdvisingError {}

interface Source {
  readonly file?: string
  readonly object?: JsonObject
}

interface TestDocument {
  readonly name?: string
  readonly namespace?: string
  readonly definitions?: string
  readonly given?: readonly Source[]
  readonly when?: readonly {
    readonly name?: string
    readonly apply?: readonly Source[]
    readonly delete?: readonly Source[]
    readonly expect?: Expectations
  }[]
  readonly expect?: Expectations
}

export interface TestStep {
  readonly name: string
  readonly changes: readonly Change[]
  readonly expect: Expectations
}

/** A test that was read, with all its manifests. */
export interface QuotaTest {
  readonly file: string
  readonly name: string
  readonly namespace: string
  /** The file with the definitions of base quotas. */
  readonly definitions: string | undefined
  readonly given: readonly KubeObject[]
  readonly steps: readonly TestStep[]
  readonly expect: Expectations | undefined
  /** The line of a field, as `when[0].expect.quotas[1].used.pods`, or of the nearest one around it. */
  readonly lineOf: (path: string) => number
}

/** Reads the test of a folder. Throws TestFileError, which names the field and the line, and MigrateError for a manifest that is none. */
export async function readTest(folder: string): Promise<QuotaTest> {
  const file = join(folder, TEST_FILE)
  const { document, lineOf } = documentIn(file)
  const { name = folder, namespace = 'default', given = [], when = [], expect, definitions } = document
  const steps: TestStep[] = []
  for (const [index, step] of when.entries()) {
    const applied = await objectsOf(file, `when[${index}].apply`, step.apply ?? [])
    const deleted = await objectsOf(file, `when[${index}].delete`, step.delete ?? [])
    steps.push({
      name: step.name ?? `step ${index + 1}`,
      changes: [
        ...applied.map((object) => ({ operation: 'apply', object }) as const),
        ...deleted.map((object) => ({ operation: 'delete', object }) as const),
      ],
      expect: step.expect ?? {},
    })
  }
  const found = await objectsOf(file, 'given', given)
  if (when.length === 0 && Object.keys(expect ?? {}).length === 0)
    throw new TestFileError(`${file}: it tests nothing`, 'add what happens under when, or what is so under expect')
  return {
    file,
    name,
    namespace,
    definitions: definitions === undefined ? undefined : join(dirname(file), definitions),
    given: found,
    steps,
    expect,
    lineOf,
  }
}

function documentIn(file: string): { readonly document: TestDocument } & Pick<QuotaTest, 'lineOf'> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new TestFileError(unreadableFile(file, error), 'give a folder with a test that you can read')
  }
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, version: '1.2' })
  const [wrong] = document.errors
  if (wrong !== undefined) {
    const line = lines.linePos(wrong.pos[0]).line
    throw new TestFileError(`${file}:${line}: it is not YAML: ${wrong.message.split('\n')[0] ?? ''}`, 'mend the file')
  }
  const value = valueOf(document, file)
  const schema = readStructural(objectOf(readSchema('quota-test.schema')))
  const lineIn = (path: string): number => lineOf(document.contents, path, lines)
  const problems = isObject(value)
    ? validate(schema, value).map(problemOf)
    : [{ path: '', text: 'it must be an object' }]
  // The schema says that it has this shape.
  const shaped = value as TestDocument
  const [first] = problems.length > 0 ? problems : amountProblemsIn(shaped)
  if (first !== undefined)
    throw new TestFileError(
      `${file}:${lineIn(first.path)}: ${first.text}`,
      `docs/reference/allot-test.md describes ${TEST_FILE}`,
    )
  return { document: shaped, lineOf: lineIn }
}

function amountProblemsIn({ when = [], expect }: TestDocument): readonly Problem[] {
  const all = [
    ...when.map((step, index) => [`when[${index}].expect.`, step.expect ?? {}] as const),
    ['expect.', expect ?? {}] as const,
  ]
  return all.flatMap(([at, expected]) =>
    amountProblems(expected).map(({ path, text }) => ({ path: `${at}${path}`, text: `${at}${text}` })),
  )
}

function valueOf(document: Pick<Document, 'toJS'>, file: string): unknown {
  try {
    return document.toJS() ?? {}
  } catch (error) {
    // Aliases that lead nowhere, or to too much.
    if (!(error instanceof ReferenceError)) throw error
    throw new TestFileError(`${file}: ${error.message}`, 'mend the file')
  }
}

/** Fields that the schema does not know are forbidden properties of the one around them. */
function problemOf(error: FieldError): Problem {
  const text = sentence(error)
  const [, unknown] = /: \.?(\S+) in body is a forbidden property$/.exec(text) ?? []
  return unknown === undefined ? { path: error.path, text } : { path: unknown, text: `unknown field "${unknown}"` }
}

/** The line of a field, or of the nearest one around it. */
function lineOf(root: unknown, path: string, lines: LineCounter): number {
  let node: unknown = root
  let offset = 0
  for (const [, name, index] of path
    .matchAll(/\[(?:([^\]\d][^\]]*)|(\d+))\]|([^.[\]]+)/g)
    .map((match) => [match[0], match[1] ?? match[3], match[2]])) {
    if (!isCollection(node)) break
    const key = index === undefined ? name : Number(index)
    const pair = node.items.find((item) => isPair(item) && isScalar(item.key) && item.key.value === key)
    if (isPair(pair) && isScalar(pair.key)) offset = pair.key.range?.[0] ?? offset
    const next: unknown = node.get(key, true)
    if (typeof key === 'number' && isCollection(next)) offset = next.range?.[0] ?? offset
    node = next
  }
  return lines.linePos(offset).line
}

async function objectsOf(file: string, path: string, sources: readonly Source[]): Promise<readonly KubeObject[]> {
  const found: KubeObject[] = []
  for (const [index, source] of sources.entries()) {
    const { file: given, object } = source
    if ((given === undefined) === (object === undefined))
      throw new TestFileError(`${file}: ${path}[${index}]: give either file or object`, 'mend the file')
    if (given !== undefined)
      found.push(
        ...(await readManifestPaths([join(dirname(file), given)], { flag: `${path}[${index}]`, mayBeNameless: true })),
      )
    else found.push(inlineObject(file, `${path}[${index}].object`, object ?? {}))
  }
  return found
}

function inlineObject(file: string, path: string, object: JsonObject): KubeObject {
  if (isKubeObject(object, { mayBeNameless: true })) return object
  throw new TestFileError(
    `${file}: ${path} is not an object of Kubernetes: it has no apiVersion, kind or metadata.name`,
    'mend the file',
  )
}
