import { int64 } from '../../../machinery/json-value.ts'
import { parsedInt64 } from '../../storing/list-options.ts'
import { type FieldError, forbidden, invalid } from '../../../machinery/field-error.ts'
import { invalid as refused } from '../../../machinery/status.ts'
import type { Exchange } from '../../../runtime/http/exchange.ts'
import type { StoredObjects } from '../../storing/stored-objects.ts'
import type { ObjectRequest } from '../../storing/object-request.ts'
import { refuseToRun } from './running-pod.ts'

/** Nothing runs here and writes logs: says so, instead of answering with the pod. Throws 404 without the pod, 400, 422, 503. */
export function handleLog(
  { store }: { readonly store: Pick<StoredObjects, 'get'> },
  exchange: Exchange,
  request: ObjectRequest,
): never {
  const errors = optionErrors(exchange.query)
  if (errors.length > 0) throw refused({ group: '', kind: 'PodLogOptions' }, request.name, errors)
  refuseToRun(store, request, exchange.query.get('container') ?? '')
}

/** The least that each number may be, and how it is said. */
const NUMBERS: readonly { readonly name: string; readonly least: number; readonly text: string }[] = [
  { name: 'tailLines', least: 0, text: 'must be greater than or equal to 0' },
  { name: 'limitBytes', least: 1, text: 'must be greater than 0' },
  { name: 'sinceSeconds', least: 1, text: 'must be greater than 0' },
]

function optionErrors(query: URLSearchParams): readonly FieldError[] {
  const numbers = NUMBERS.map((rule) => ({ ...rule, value: integer(query.get(rule.name)) }))
  const both = query.has('sinceTime') && query.has('sinceSeconds')
  return numbers.flatMap(({ name, least, text, value }) => {
    if (name === 'sinceSeconds' && both)
      return [forbidden('[]', 'at most one of `sinceTime` or `sinceSeconds` may be specified')]
    return value !== undefined && value < least ? [invalid(name, int64(value), text)] : []
  })
}

function integer(text: string | null): bigint | undefined {
  if (text === null || text === '') return undefined
  return parsedInt64(text)
}
