import { readFileSync } from 'node:fs'
import { type FieldError, sentence } from '../../machinery/field-error.ts'
import { yamlPosition } from '../../machinery/yaml/position.ts'
import { yamlSlip } from '../../machinery/yaml/slip.ts'
import { parseYaml, YamlTextError } from '../../machinery/yaml/text.ts'
import { StartupError } from '../process/startup-error.ts'
import { unreadableFile } from '../process/unreadable-file.ts'

/**
 * Reads a YAML or JSON file that the flag names. `read` takes the decoded text and gives what it means, or what is wrong with
 * it. Throws StartupError with the file, line and column of the first error, and the field path and sentence of each.
 */
export function readConfigurationFile<T extends { readonly errors?: undefined }>(
  file: string,
  flag: string,
  read: (document: unknown) => T | { readonly errors: readonly FieldError[] },
): T {
  const text = textOf(file, flag)
  let document: unknown
  try {
    document = parseYaml(text)
  } catch (error) {
    if (!(error instanceof YamlTextError)) throw error
    // The place stands in front, as for every file.
    const problem = error.message.replace(/^yaml: (?:line \d+: )?/, '')
    throw unusable(`${file}:${error.line}:${error.column}: ${problem}`, error)
  }
  const slip = yamlSlip(text)
  if (slip !== undefined) throw unusable(`${file}:${slip.line}:${slip.column}: ${slip.message}`)
  const result = read(document)
  if (result.errors === undefined) return result
  const { line, column } = yamlPosition(text, result.errors[0]?.path ?? '')
  const sentences = result.errors.map((error) => sentence(error).replace(/^: /, ''))
  throw unusable(`${file}:${line}:${column}: ${sentences.join('; ')}`)
}

function textOf(file: string, flag: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw unusable(unreadableFile(file, error, flag), error)
  }
}

const unusable = (message: string, cause?: unknown): StartupError =>
  new StartupError('configuration-unusable', message, cause === undefined ? undefined : { cause })
