import { JsonPath } from '../jsonpath/json-path.ts'
import type { JsonPathOptions } from '../jsonpath/json-path.ts'
import { JsonPathError } from '../jsonpath/json-path-error.ts'

const MAX_BYTES = 1024
const ENCODER = new TextEncoder()

/** A path of a custom quota, such as `.spec.resources.requests.storage`, ready to read objects. */
export interface SourcePath {
  /** The path without the spaces around it. */
  readonly path: string
  /**
   * What the path finds in the object, as trimmed text: several results separated by spaces, nothing is `''`.
   * @throws JsonPathError
   */
  text(object: unknown): string
}

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
  return {
    path: trimmed,
    text: (object) => inContext('execute usage jsonpath', () => compiled.print(object)).trim(),
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
