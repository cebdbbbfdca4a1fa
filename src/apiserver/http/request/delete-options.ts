import { int64, wholeNumber } from '../../../machinery/json-value.ts'
import { type FieldError, invalid as invalidField, notSupported } from '../../../machinery/field-error.ts'
import { isObject, type JsonObject } from '../../../machinery/object.ts'
import { listOf, objectOf, textOf } from '../../../machinery/read.ts'
import { flag, parsedInt64 } from '../../storing/list-options.ts'
import type { DeleteOptions } from '../../operation/delete.ts'
import { refuse, validateDryRun } from './write-options.ts'

const POLICIES = ['Foreground', 'Background', 'Orphan'] as const

/** The request of a deletion. */
export interface DeletionRequest {
  readonly options: DeleteOptions
  readonly dryRun: boolean
  /** How to answer when the object stays for now: upstream says so only where `orphanDependents` is false. */
  readonly keptCode: 200 | 202
  /** The part of it that webhooks get. */
  readonly reviewed: JsonObject
}

/** `metav1.DeleteOptions` as a decoded body holds them. Throws 422. */
export function parseDeleteOptions(given: unknown): DeletionRequest {
  const body = objectOf(given)
  const { uid, resourceVersion } = objectOf(body['preconditions'])
  const orphan = body['orphanDependents']
  const asked = body['propagationPolicy']
  const dryRun = listOf(body['dryRun']).map(textOf)
  refuse('DeleteOptions', [...policyErrors(asked, orphan), ...validateDryRun(dryRun)])
  const policy = asked === undefined ? policyOfOrphan(orphan) : POLICIES.find((one) => one === asked)
  const gracePeriodSeconds = wholeNumber(body['gracePeriodSeconds'])
  return {
    keptCode: orphan === false ? 202 : 200,
    dryRun: dryRun.length > 0,
    reviewed: reviewedOptions(body),
    options: {
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: int64(gracePeriodSeconds) }),
      ...(typeof uid === 'string' ? { uid } : {}),
      ...(typeof resourceVersion === 'string' ? { resourceVersion } : {}),
      ...(policy === undefined ? {} : { propagationPolicy: policy }),
    },
  }
}

/** Returns the given options without their kind and version and without `dryRun`. */
function reviewedOptions({ kind: _kind, apiVersion: _version, dryRun: _dryRun, ...given }: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => !(isObject(value) && Object.keys(value).length === 0)),
  )
}

/** The options that a query holds, in the form of a body: what counts where there is no body. Throws 400. */
export function queriedDeleteOptions(query: URLSearchParams): Readonly<Record<string, unknown>> {
  const preconditions = Object.fromEntries(
    ['uid', 'resourceVersion'].flatMap((name) => (query.has(name) ? [[name, query.get(name)]] : [])),
  )
  return {
    ...(query.has('gracePeriodSeconds')
      ? { gracePeriodSeconds: int64(parsedInt64(query.get('gracePeriodSeconds') ?? '')) }
      : {}),
    ...(query.has('orphanDependents') ? { orphanDependents: flag(query, 'orphanDependents') } : {}),
    ...(query.has('propagationPolicy') ? { propagationPolicy: query.get('propagationPolicy') } : {}),
    dryRun: query.getAll('dryRun'),
    preconditions,
  }
}

function policyErrors(asked: unknown, orphan: unknown): readonly FieldError[] {
  if (asked === undefined) return []
  const known = POLICIES.some((one) => one === asked)
  return [
    ...(orphan === undefined
      ? []
      : [invalidField('propagationPolicy', asked, 'orphanDependents and deletionPropagation cannot be both set')]),
    ...(known ? [] : [{ ...notSupported('propagationPolicy', asked, []), detail: `supported values: ${SUPPORTED}` }]),
  ]
}

/** In upstream's own order. */
const SUPPORTED = [...POLICIES, 'nil'].map((one) => JSON.stringify(one)).join(', ')

const policyOfOrphan = (orphan: unknown): DeleteOptions['propagationPolicy'] =>
  orphan === undefined ? undefined : orphan === true ? 'Orphan' : 'Background'
