import { JsonPath } from '../../../../machinery/jsonpath/json-path.ts'
import type { JsonPathOptions } from '../../../../machinery/jsonpath/json-path.ts'
import { JsonPathError } from '../../../../machinery/jsonpath/json-path-error.ts'
import type { Allowance } from '../../../../machinery/jsonpath/limits.ts'
import { printText } from '../../../../machinery/jsonpath/print.ts'
import { isRawNumber } from '../../../../machinery/json-value.ts'

const MAX_BYTES = 1024
const ENCODER = new TextEncoder()

/** A path of a custom quota, such as `.spec.resources.requests.storage`, ready to read objects. */
export interface SourcePath {
  /** The path without the spaces around it. */
  readonly path: string
  /**
   * Returns the results of the path in the object as trimmed text: several are separated by spaces, none gives `''`. `allowance`
   * bounds the values that are visited and the text that is made, for all evaluations that share it.
   * @throws JsonPathError
   */
  text(object: unknown, allowance?: Allowance): string
  /**
   * As `text`, but undefined where the path finds an object or a list: their text, which may be long, is not made.
   * @throws JsonPathError
   */
  scalarText(object: unknown, allowance?: Allowance): string | undefined
}

/** Characters of printed text that are as much work as one visited value. */
const CHARACTERS_A_STEP = 64

/**
 * Checks and compiles a path as Capsule does: 1 to 1024 bytes, starting with `.`, on one line; missing keys are not errors.
 * @throws JsonPathError whose message is Capsule's
 */
export function compileSourcePath(path: string, options: Pick<JsonPathOptions, 'scalarAsList'> = {}): SourcePath {
  const trimmed = path.trim()
  const problem = problemOf(trimmed)
  if (problem !== undefined) throw new JsonPathError('parse', problem)
  const prefix = `parse usage jsonpath ${JSON.stringify(trimmed)}`
  const compiled = inContext(prefix, () => JsonPath.compile(`{${trimmed}}`, { ...options, allowMissingKeys: true }))
  const evaluate = (object: unknown, allowance: Allowance | undefined) =>
    inContext('execute usage jsonpath', () => compiled.evaluate(object, allowance))
  const print = (results: Results, allowance: Allowance | undefined) =>
    inContext('execute usage jsonpath', () => {
      if (allowance !== undefined) for (const list of results) for (const value of list) takeText(value, allowance)
      return printText(results).trim()
    })
  return {
    path: trimmed,
    text: (object, allowance) => print(evaluate(object, allowance), allowance),
    scalarText: (object, allowance) => {
      const results = evaluate(object, allowance)
      return results.some((list) => list.some(isComposite)) ? undefined : print(results, allowance)
    },
  }
}

type Results = readonly (readonly unknown[])[]

const isComposite = (value: unknown): boolean => typeof value === 'object' && value !== null && !isRawNumber(value)

/** Takes what printing the value costs. */
function takeText(value: unknown, allowance: Allowance): void {
  if (typeof value === 'string') allowance.take(1 + Math.floor(value.length / CHARACTERS_A_STEP))
  else allowance.take(1)
  if (!isComposite(value)) return
  for (const [name, member] of Object.entries(value as object)) {
    allowance.take(Math.floor(name.length / CHARACTERS_A_STEP))
    takeText(member, allowance)
  }
}

function problemOf(path: string): string | undefined {
  if (path === '') return 'sourcePath must not be empty'
  if (ENCODER.encode(path).length > MAX_BYTES) return `sourcePath exceeds max length of ${MAX_BYTES}`
  if (!path.startsWith('.')) return "sourcePath must start with '.'"
  return /[\r\n\t]/.test(path) ? 'sourcePath must not contain control whitespace' : undefined
}

function inContext<T>(context: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof JsonPathError) throw new JsonPathError(error.phase, `${context}: ${error.message}`)
    throw error
  }
}
