import type { KubeObject } from '../machinery/object.ts'
import type { ResourceQuota } from '../kinds/resource-quota/resource-quota.ts'
import { isObject } from '../machinery/object.ts'
import { assertKind, assertMetadata, InputError } from './input-error.ts'

/**
 * An object as programs hold it: from a manifest, or of a client's own types, as the official client's `V1Pod`. Times may be Dates there,
 * fields may be undefined, and the items of a list have neither apiVersion nor kind.
 */
export type GivenObject = KubeObject | ClientObject

interface ClientObject {
  readonly apiVersion?: string | undefined
  readonly kind?: string | undefined
  readonly metadata?: GivenMetadata | undefined
}

interface GivenMetadata {
  readonly name?: string | undefined
  readonly namespace?: string | undefined
  readonly labels?: Readonly<Record<string, string>> | undefined
}

/** A ResourceQuota as programs hold it. */
export type GivenQuota = ResourceQuota | ClientQuota

interface ClientQuota extends ClientObject {
  readonly spec?:
    | {
        readonly hard?: Readonly<Record<string, string>> | undefined
        readonly scopes?: readonly string[] | undefined
        readonly scopeSelector?: { readonly matchExpressions?: readonly GivenRequirement[] | undefined } | undefined
      }
    | undefined
  readonly status?:
    | {
        readonly hard?: Readonly<Record<string, string>> | undefined
        readonly used?: Readonly<Record<string, string>> | undefined
      }
    | undefined
}

interface GivenRequirement {
  readonly scopeName: string
  readonly operator?: string | undefined
  readonly values?: readonly string[] | undefined
}

/**
 * The object as it is in JSON. It has to say what it is, unless its resource is known otherwise. Throws InputError, whose `input`
 * begins with this one.
 */
export function readGiven(given: unknown, input: string, isKnown = false): KubeObject {
  const object = plain(given, input)
  if (!isKnown) assertKind(object, input)
  assertMetadata(object, input)
  return whole(object)
}

/** The quota as it is in JSON; that it is one need not be said. */
export function readGivenQuota(given: unknown, input: string): ResourceQuota {
  const quota = plain(given, input)
  assertMetadata(quota, input)
  return { ...quota, apiVersion: 'v1', kind: 'ResourceQuota' }
}

function whole(object: Pick<KubeObject, 'metadata'> & Partial<KubeObject>): KubeObject {
  const { apiVersion = '', kind = '' } = object
  return object.apiVersion === apiVersion && object.kind === kind
    ? (object as KubeObject)
    : { ...object, apiVersion, kind }
}

/** The value without what JSON does not have. What is plain already is not copied. */
function plain(value: unknown, input: string): unknown {
  if (value instanceof Date) return textOf(value, input)
  if (Array.isArray(value)) {
    const items = (value as readonly unknown[]).map((item, index) => plain(item, `${input}[${index}]`))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value)
  const read = entries
    .map(([key, field]) => [key, plain(field, `${input}.${key}`)] as const)
    .filter(([, field]) => field !== undefined)
  const isPlain = read.length === entries.length && read.every(([, field], index) => field === entries[index]?.[1])
  return isPlain ? value : Object.fromEntries(read)
}

/** As Kubernetes writes times. */
function textOf(time: Date, input: string): string {
  if (Number.isNaN(time.getTime())) throw new InputError(input, 'is no valid date')
  return time.toISOString().replace('.000Z', 'Z')
}
