import { numberText } from '../json-value.ts'
import { isObject } from '../object.ts'
import type { JsonObject } from '../object.ts'
import { fieldQueryOf, valueTests } from './field-query.ts'
import type { FieldQuery } from './field-query.ts'
import { SelectorError } from './error.ts'

/** The fields by which a kind can be selected, and how an unknown one is refused (upstream's field label conversions). */
export interface FieldSupport {
  readonly fields: ReadonlySet<string>
  /** Old names of fields and what they are called now. */
  readonly renamed: ReadonlyMap<string, string>
  /** Upstream's text for a field that is not among them. */
  readonly refusal: (field: string) => string
  /** Where fields are found that are not simply the text at the path that is their name. */
  readonly places: ReadonlyMap<string, Place>
}

interface Place {
  /** The first that leads to a text counts. */
  readonly paths?: readonly string[]
  /** The value that an absent field counts as, if not the empty text. */
  readonly absent?: string
}

const NAMESPACED = ['metadata.name', 'metadata.namespace']

const REFERENCE_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath']

/** Fields beside name and namespace, by `Kind.group`; the core group is empty. */
const OWN_FIELDS: ReadonlyMap<string, readonly string[]> = new Map([
  [
    'Pod.',
    [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'spec.hostNetwork',
      'status.phase',
      'status.podIP',
      'status.podIPs',
      'status.nominatedNodeName',
    ],
  ],
  ['Node.', ['spec.unschedulable']],
  ['Namespace.', ['status.phase']],
  ['Secret.', ['type']],
  ['Service.', ['spec.clusterIP', 'spec.type']],
  ['ReplicationController.', ['status.replicas']],
  [
    'Event.',
    [...REFERENCE_FIELDS.map((field) => `involvedObject.${field}`), 'reason', 'reportingComponent', 'source', 'type'],
  ],
  [
    'Event.events.k8s.io',
    [...REFERENCE_FIELDS.map((field) => `regarding.${field}`), 'reason', 'reportingController', 'type'],
  ],
  ['Job.batch', ['status.successful']],
  ['CertificateSigningRequest.certificates.k8s.io', ['spec.signerName']],
  ['ResourceSlice.resource.k8s.io', ['spec.driver', 'spec.nodeName']],
])

/** By `Kind.group`, then by old name. */
const RENAMED: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  ['Pod.', new Map([['spec.host', 'spec.nodeName']])],
])

/** By `Kind.group`, then by field. */
const PLACES: ReadonlyMap<string, ReadonlyMap<string, Place>> = new Map<string, ReadonlyMap<string, Place>>([
  ['Pod.', new Map([['spec.hostNetwork', { absent: 'false' }]])],
  ['Node.', new Map([['spec.unschedulable', { absent: 'false' }]])],
  ['ReplicationController.', new Map([['status.replicas', { absent: '0' }]])],
  ['Event.', new Map([['source', { paths: ['source.component', 'reportingComponent'] }]])],
  ['Job.batch', new Map([['status.successful', { paths: ['status.succeeded'], absent: '0' }]])],
])

const CLUSTER_KINDS: ReadonlySet<string> = new Set([
  'Node.',
  'Namespace.',
  'CertificateSigningRequest.certificates.k8s.io',
  'ResourceSlice.resource.k8s.io',
])

const notSupported = (field: string): string => `field label not supported: ${field}`

/** Returns the fields by which a built-in kind can be selected; `group` is empty for the core group. */
export function builtInFieldSupport(group: string, kind: string): FieldSupport {
  const id = `${kind}.${group}`
  const own = OWN_FIELDS.get(id)
  if (own === undefined) {
    const only = NAMESPACED.map((field) => `"${field}"`).join(', ')
    return support(NAMESPACED, (field) => `${JSON.stringify(field)} is not a known field selector: only ${only}`)
  }
  const fields = [...(CLUSTER_KINDS.has(id) ? ['metadata.name'] : NAMESPACED), ...own]
  return {
    ...support(
      fields,
      id === 'Job.batch'
        ? (field) => `field label ${JSON.stringify(field)} not supported for batchv1.Job`
        : notSupported,
    ),
    renamed: RENAMED.get(id) ?? NONE,
    places: PLACES.get(id) ?? NONE,
  }
}

/** Returns the fields by which a custom resource can be selected; `selectable` are the paths of its version's `selectableFields`, `.spec.a`. */
export function customFieldSupport(namespaced: boolean, selectable: readonly string[] = []): FieldSupport {
  const own = selectable.map((path) => path.replace(/^\./, ''))
  return support([...(namespaced ? NAMESPACED : ['metadata.name']), ...own], notSupported)
}

const NONE: ReadonlyMap<string, never> = new Map<string, never>()

function support(fields: readonly string[], refusal: (field: string) => string): FieldSupport {
  return { fields: new Set(fields), renamed: NONE, refusal, places: NONE }
}

/**
 * The query with old names replaced.
 * @throws SelectorError if it asks for a field that the kind cannot be selected by.
 */
export function supportedFieldQuery(query: FieldQuery, { fields, renamed, refusal }: FieldSupport): FieldQuery {
  const terms = query.terms.map((term) => ({ ...term, field: renamed.get(term.field) ?? term.field }))
  for (const { field } of terms) if (!fields.has(field)) throw new SelectorError(refusal(field))
  return fieldQueryOf(terms)
}

/** Compiles a query to a closure over whole objects; a field that is absent is the empty text, or its kind's default. */
export function compileFieldQuery(query: FieldQuery, { places }: FieldSupport): (object: JsonObject) => boolean {
  const tests = [...valueTests(query.terms)].map(([field, test]) => {
    const read = readerOf(field, places.get(field))
    return (object: JsonObject) => test(read(object))
  })
  return (object) => tests.every((test) => test(object))
}

function readerOf(field: string, { paths = [field], absent = '' }: Place = {}): (object: JsonObject) => string {
  const ways = paths.map((path) => path.split('.'))
  return (object) => {
    for (const steps of ways) {
      const text = fieldText(object, steps)
      if (text !== '') return text
    }
    return absent
  }
}

function fieldText(object: JsonObject, steps: readonly string[]): string {
  let value: unknown = object
  for (const step of steps) {
    if (!isObject(value)) return ''
    value = value[step]
  }
  return typeof value === 'string' || typeof value === 'boolean' ? String(value) : (numberText(value) ?? '')
}
