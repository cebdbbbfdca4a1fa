import { int64 } from '../../machinery/json-value.ts'
import { parsedInt64 } from '../operation/list-options.ts'
import { type FieldError, forbidden, invalid } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { badRequest, failure, invalid as refused, notFound } from '../../machinery/status.ts'
import type { Exchange } from '../../runtime/exchange.ts'
import { objectsOf, specOf, textAt, textOf } from '../kind/read.ts'
import { type Engine, keyOf, type ObjectRequest } from '../operation/engine.ts'

/** Nothing runs here and writes logs: says so, instead of answering with the pod. Throws 404 without the pod, 400, 422, 503. */
export function handleLog(engine: Engine, exchange: Exchange, { resource, namespace, name }: ObjectRequest): never {
  const errors = optionErrors(exchange.query)
  if (errors.length > 0) throw refused({ group: '', kind: 'PodLogOptions' }, name, errors)
  const record = engine.store.get(resource.bucket, keyOf(resource, namespace, name))
  if (record === undefined) throw notFound(resource.id, name)
  checkContainer(record.object, exchange.query.get('container') ?? '', name)
  const node = textAt(record.object, 'spec', 'nodeName')
  if (node === '') throw badRequest(`pod ${name} does not have a host assigned`)
  throw failure(503, 'ServiceUnavailable', `nothing runs on node ${node}: this server keeps objects only`, {})
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

/** A pod of several containers must be asked for one of them, and for one that it has (registry/core/pod `LogLocation`). */
function checkContainer(pod: KubeObject, asked: string, name: string): void {
  const spec = specOf(pod)
  const names = (list: string): readonly string[] => objectsOf(spec[list]).map((container) => textOf(container.name))
  const [containers, inits, ephemerals] = [names('containers'), names('initContainers'), names('ephemeralContainers')]
  if (asked !== '') {
    if ([...containers, ...inits, ...ephemerals].includes(asked)) return
    throw badRequest(`container ${asked} is not valid for pod ${name}`)
  }
  const first = pod.metadata.annotations?.['kubectl.kubernetes.io/default-container']
  if (containers.length === 1 || (first !== undefined && containers.includes(first))) return
  const several = inits.length === 0 ? '' : ` or one of the init containers: [${inits.join(' ')}]`
  const choice = `choose one of: [${containers.join(' ')}]${several}`
  throw badRequest(`a container name must be specified for pod ${name}, ${choice}`)
}
