import { readFileSync } from 'node:fs'
import type { QuotaDefinitions } from '../../grants/increases/definitions.ts'
import { readDefinitionsFile } from '../../grants/increases/read-definitions.ts'
import { type FieldError, sentence } from '../../machinery/field-error.ts'
import { yamlPosition } from '../../machinery/yaml/yaml-position.ts'
import { yamlSlip } from '../../machinery/yaml/yaml-slip.ts'
import { parseYaml, YamlTextError } from '../../machinery/yaml/yaml-text.ts'
import { StartupError } from '../../runtime/process/startup-error.ts'

/** The text of a file of definitions. Throws StartupError. */
export function textOfDefinitions(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new StartupError('configuration-unusable', `error reading config file: ${why}`, { cause })
  }
}

/**
 * The definitions in a text of YAML or JSON. Throws StartupError with the quota operator's words, and the line and field path
 * of every error.
 */
export function definitionsIn(file: string, text: string): QuotaDefinitions {
  const read = readDefinitionsFile(documentIn(file, text))
  if (read.errors === undefined) return read.definitions
  const what = read.stage === 'parsing' ? 'error parsing config file' : 'invalid config'
  throw unusable(`${what}: ${read.errors.map((error) => located(file, text, error)).join(', ')}`)
}

function documentIn(file: string, text: string): unknown {
  try {
    const document = parseYaml(text)
    const slip = yamlSlip(text)
    if (slip === undefined) return document
    throw unusable(`error parsing config file: ${file}:${slip.line}:${slip.column}: ${slip.message}`)
  } catch (error) {
    if (!(error instanceof YamlTextError)) throw error
    const problem = error.message.replace(/^yaml: (?:line \d+: )?/, '')
    throw unusable(`error parsing config file: ${file}:${error.line}:${error.column}: ${problem}`, error)
  }
}

function located(file: string, text: string, error: FieldError): string {
  const { line, column } = yamlPosition(text, error.path)
  return `${file}:${line}:${column}: ${sentence(error).replace(/^: /, '')}`
}

const unusable = (message: string, cause?: unknown): StartupError =>
  new StartupError('configuration-unusable', message, cause === undefined ? undefined : { cause })
