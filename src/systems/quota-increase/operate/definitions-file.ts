import { readFileSync } from 'node:fs'
import { QUOTA_EVALUATORS } from '../../../charges/evaluators/table.ts'
import { idleError, idleLimits } from '../../../charges/limit-names/idle-limits.ts'
import { OfferedResources } from '../../../charges/limit-names/offered-resources.ts'
import type { NamedLimits } from '../../../charges/limit-names/judge-limits.ts'
import { limitsOf } from '../decide/idle-increase-limits.ts'
import type { QuotaDefinitions } from '../decide/definitions.ts'
import { readDefinitionsFile, unknownFields } from '../decide/read-definitions.ts'
import { type FieldError, sentence } from '../../../machinery/field-error.ts'
import { yamlPosition } from '../../../machinery/yaml/position.ts'
import { yamlSlip } from '../../../machinery/yaml/slip.ts'
import { parseYaml, YamlTextError } from '../../../machinery/yaml/text.ts'
import { StartupError } from '../../../runtime/process/startup-error.ts'
import { unreadableFile } from '../../../runtime/process/unreadable-file.ts'

/** The text of a file of definitions. Throws StartupError. */
export function textOfDefinitions(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    const why = unreadableFile(file, cause, '--quota-definitions')
    throw new StartupError('configuration-unusable', `error reading config file: ${why}`, { cause })
  }
}

/**
 * The definitions in a text of YAML or JSON. Throws StartupError with the quota operator's words, and the line and field path
 * of every error.
 */
export function definitionsIn(file: string, text: string): QuotaDefinitions {
  const document = documentIn(file, text)
  const read = readDefinitionsFile(document)
  if (read.errors === undefined) {
    const unknown = unknownFields(document)
    if (unknown.length > 0)
      throw unusable(`invalid config: ${unknown.map((error) => located(file, text, error)).join(', ')}`)
    const idle = limitsOf(read.definitions.quotas, 'quotas').flatMap(neverLimiting)
    if (idle.length === 0) return read.definitions
    throw unusable(`invalid config: ${idle.map((error) => located(file, text, error)).join(', ')}`)
  }
  const what = read.stage === 'parsing' ? 'error parsing config file' : 'invalid config'
  throw unusable(`${what}: ${read.errors.map((error) => located(file, text, error)).join(', ')}`)
}

/** The limits that limit nothing on whatever API server: what this one offers is not known yet. */
function neverLimiting({ path, names, requirements }: NamedLimits): readonly FieldError[] {
  return idleLimits(names, {
    evaluators: QUOTA_EVALUATORS,
    offered: new OfferedResources([]),
    ...(requirements && { requirements }),
  })
    .filter(({ outlook }) => outlook === 'never')
    .map((limit) => idleError(path, limit))
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
