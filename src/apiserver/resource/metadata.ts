import { flatText } from '../../machinery/flat-text.ts'
import type { KubeObject, ObjectMeta } from '../../machinery/object.ts'

/** Names get five random characters after at most this many of the given base (upstream `names.SimpleNameGenerator`). */
const MAX_GENERATED_BASE = 58
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789'

export function generatedName(base: string, random: () => number): string {
  let suffix = ''
  for (let i = 0; i < 5; i++) suffix += ALPHABET.charAt(Math.floor(random() * ALPHABET.length))
  return flatText(base.slice(0, MAX_GENERATED_BASE) + suffix)
}

/**
 * The metadata of a new object, in the order in which it is served: what only the server may set is set, whatever the
 * client sent of it. A generation stays where the kind keeps none of its own.
 */
export function metadataForCreate(
  meta: ObjectMeta,
  fresh: {
    readonly name: string
    readonly namespace: string
    readonly uid: string
    readonly creationTimestamp: string
  },
): ObjectMeta {
  return ordered({
    name: fresh.name === '' ? undefined : fresh.name,
    generateName: meta.generateName,
    namespace: fresh.namespace === '' ? undefined : fresh.namespace,
    uid: fresh.uid,
    generation: meta.generation,
    creationTimestamp: fresh.creationTimestamp,
    labels: meta.labels,
    annotations: meta.annotations,
    ownerReferences: meta.ownerReferences,
    finalizers: meta.finalizers,
    managedFields: meta.managedFields,
  })
}

/**
 * The metadata of an object that replaces `old`: what only the server may change stays, and is filled in where absent.
 * A client may send other values of fields that an update keeps; validation rejects them.
 */
export function metadataForUpdate(meta: ObjectMeta, old: ObjectMeta): ObjectMeta {
  return ordered({
    ...pick(old, ['uid', 'deletionGracePeriodSeconds']),
    ...pick(meta, [
      'generateName',
      'labels',
      'annotations',
      'ownerReferences',
      'finalizers',
      'uid',
      'creationTimestamp',
      'deletionTimestamp',
      'deletionGracePeriodSeconds',
      'managedFields',
    ]),
    ...pick(old, ['name', 'namespace', 'generation', 'creationTimestamp', 'deletionTimestamp', 'resourceVersion']),
  })
}

const ORDER: readonly (keyof ObjectMeta)[] = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
]

/** Metadata with its fields in the order of the API type, without empty maps and lists. */
export function ordered(meta: { readonly [F in keyof ObjectMeta]: ObjectMeta[F] | undefined }): ObjectMeta {
  const result: Record<string, unknown> = {}
  for (const field of ORDER) {
    const value = meta[field]
    if (value === undefined || value === null || isEmpty(value)) continue
    result[field] = value
  }
  return result
}

function isEmpty(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  for (const _key in value) return false
  return true
}

function pick<K extends keyof ObjectMeta>(meta: ObjectMeta, fields: readonly K[]): Pick<ObjectMeta, K> {
  const result: Partial<Record<K, unknown>> = {}
  for (const field of fields) if (meta[field] !== undefined) result[field] = meta[field]
  return result as Pick<ObjectMeta, K>
}

export const withMetadata = (object: KubeObject, metadata: ObjectMeta): KubeObject => {
  if (isLed(object)) return { ...object, metadata }
  const { kind, apiVersion, metadata: _old, ...rest } = object
  return { kind, apiVersion, metadata, ...rest }
}

const LEADING = ['kind', 'apiVersion', 'metadata'] as const

/** Do kind, version and metadata come first already? */
function isLed(object: KubeObject): boolean {
  let at = 0
  for (const key in object) {
    if (key !== LEADING[at++]) return false
    if (at === LEADING.length) return true
  }
  return false
}
