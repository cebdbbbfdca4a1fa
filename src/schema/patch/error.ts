import { ApiError, badRequest, failure } from '../../machinery/status.ts'
import { goFloat } from '../../machinery/go/float.ts'
import { isInt64Text, numberText } from '../../machinery/json-value.ts'

/** A JSON patch that is well formed and does not apply. Clients get a general sentence; `why` is upstream's own cause. */
export class PatchMiss extends ApiError {
  readonly why: string
  constructor(why: string) {
    super(unprocessable().status)
    this.why = why
  }
}

/** 422 for a patch that is well formed and does not apply; upstream hides the cause behind this general sentence. */
export const unprocessable = (): ApiError =>
  failure(422, 'Invalid', 'the server rejected our request due to an error in our request', {})

/** 400 for an invalid patch. */
export const malformed = (message: string): ApiError => badRequest(message)

/** An error that upstream returns without a status: it answers 500, the message and no reason. */
export const unclassified = (message: string): ApiError =>
  new ApiError({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, code: 500 })

/** A value as Go's `%v` prints it, `map[image:nginx ports:[80 443]]`, which some messages of upstream contain. */
export function printed(value: unknown): string {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(printed).join(' ')}]`
  if (typeof value === 'string') return value
  const number = numberText(value)
  if (number !== undefined) return isInt64Text(number) ? number : goFloat(Number(number))
  if (typeof value !== 'object') return JSON.stringify(value)
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `map[${entries.map(([key, item]) => `${key}:${printed(item)}`).join(' ')}]`
}
