import { forbidden, type FieldError } from '../../machinery/field-error.ts'
import { unclassified } from '../../schema/patch/error.ts'
import { badRequest, invalid } from '../../machinery/status.ts'
import { INT64_MAX } from '../../machinery/go/int64.ts'

/** `metav1.ListOptions`, read from the query and checked as upstream's `ValidateListOptions` does. */
export interface ListOptions {
  readonly watch: boolean
  readonly limit: number
  readonly continue: string
  readonly resourceVersion: string
  readonly match: '' | 'Exact' | 'NotOlderThan'
  readonly timeoutSeconds: number | undefined
  readonly bookmarks: boolean
  readonly sendInitialEvents: boolean
}

/** Throws 400 for an invalid number, 422 for options that exclude each other, and 500, as upstream, for an invalid resourceVersion. */
export function parseListOptions(query: URLSearchParams, alwaysWatch = false): ListOptions {
  const watch = alwaysWatch || flag(query, 'watch')
  const match = query.get('resourceVersionMatch') ?? ''
  const sendInitialEvents = query.get('sendInitialEvents')
  const options = {
    watch,
    limit: integer(query, 'limit') ?? 0,
    continue: query.get('continue') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    match: match as ListOptions['match'],
    timeoutSeconds: integer(query, 'timeoutSeconds'),
    bookmarks: flag(query, 'allowWatchBookmarks'),
    sendInitialEvents: flag(query, 'sendInitialEvents'),
  }
  const errors = [
    ...(watch ? watchErrors(options, sendInitialEvents !== null) : listErrors(options, sendInitialEvents !== null)),
  ]
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors)
  const problem = versionProblem(options.resourceVersion)
  if (problem === undefined) return options
  throw !watch && isExact(options) ? badRequest(`invalid resource version: ${problem}`) : unclassified(problem)
}

/** Before clients could say how they mean a version, one with a limit was meant exactly. */
export const isExact = ({ match, limit, resourceVersion }: ListOptions): boolean =>
  match === 'Exact' || (match === '' && limit > 0 && resourceVersion !== '' && resourceVersion !== '0')

const MOST_UNSIGNED = 2n ** 64n - 1n

/** Returns the problem of the text of a version; undefined when it is valid. */
export function versionProblem(text: string): string | undefined {
  const why =
    text === ''
      ? undefined
      : !/^\d+$/.test(text)
        ? 'invalid syntax'
        : BigInt(text) > MOST_UNSIGNED
          ? OUT_OF_RANGE
          : undefined
  return why === undefined
    ? undefined
    : `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`
}

const OUT_OF_RANGE = 'value out of range'

const FIELD = 'resourceVersionMatch'
const ONLY = ['Exact', 'NotOlderThan', '']

function listErrors(options: ListOptions, initial: boolean): readonly FieldError[] {
  const errors: FieldError[] = []
  if (initial) errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'))
  if (options.match === '') return errors
  if (options.resourceVersion === '')
    errors.push(forbidden(FIELD, 'resourceVersionMatch is forbidden unless resourceVersion is provided'))
  if (options.continue !== '')
    errors.push(forbidden(FIELD, 'resourceVersionMatch is forbidden when continue is provided'))
  if (!ONLY.includes(options.match)) errors.push(unsupportedMatch(options.match, ONLY))
  if (options.match === 'Exact' && options.resourceVersion === '0')
    errors.push(forbidden(FIELD, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'))
  return errors
}

function watchErrors(options: ListOptions, initial: boolean): readonly FieldError[] {
  const errors: FieldError[] = []
  if (initial && options.match !== 'NotOlderThan')
    errors.push(forbidden(FIELD, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'))
  if (options.match === '') return errors
  if (!initial)
    errors.push(forbidden(FIELD, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'))
  if (options.match !== 'NotOlderThan') errors.push(unsupportedMatch(options.match, ['NotOlderThan']))
  if (options.continue !== '')
    errors.push(forbidden(FIELD, 'resourceVersionMatch is forbidden when continue is provided'))
  return errors
}

function unsupportedMatch(match: string, supported: readonly string[]): FieldError {
  const detail = `supported values: ${supported.map((one) => JSON.stringify(one)).join(', ')}`
  return { code: 'FieldValueNotSupported', path: FIELD, value: match, detail }
}

/** Upstream takes any value but the false ones for true. */
export function flag(query: URLSearchParams, name: string): boolean {
  const text = query.get(name)
  return text !== null && text !== '0' && text.toLowerCase() !== 'false'
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  return text === null ? undefined : Number(parsedInt64(text))
}

/** The number that a text in a query holds (`strconv.ParseInt`). Throws 400. */
export function parsedInt64(text: string): bigint {
  const why = !/^[-+]?\d+$/.test(text)
    ? 'invalid syntax'
    : isSigned64(BigInt(text.replace('+', '')))
      ? ''
      : OUT_OF_RANGE
  if (why !== '') throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${why}`)
  return BigInt(text.replace('+', ''))
}

const isSigned64 = (value: bigint): boolean => value <= INT64_MAX && value >= -INT64_MAX - 1n
