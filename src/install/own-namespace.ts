import type { JsonObject, KubeObject } from '../machinery/object.ts'
import { objectOf, valueAt } from '../machinery/read.ts'
import { INSTALLED_LABEL, INSTALLED_NAME, MADE_ANNOTATION } from './installed-names.ts'

const NAME_LABEL = { [INSTALLED_LABEL]: INSTALLED_NAME }
const PRINTED_LABELS: Readonly<Record<string, string>> = {
  ...NAME_LABEL,
  'pod-security.kubernetes.io/enforce': 'restricted',
}
/** What API servers and kubectl add to the labels and annotations of a manifest. */
const ADDED = ['kubernetes.io/metadata.name', 'kubectl.kubernetes.io/last-applied-configuration']

/** The namespace that `allot install` prints. Users who apply it may have had it before. */
export const printedNamespace = (name: string): KubeObject => namespaceWith(name, { labels: PRINTED_LABELS })

/** A namespace that allot creates itself, with the mark by which it goes with allot. It is for creation only. */
export const ownNamespace = (name: string): KubeObject =>
  namespaceWith(name, { labels: NAME_LABEL, annotations: { [MADE_ANNOTATION]: 'true' } })

const namespaceWith = (name: string, metadata: KubeObject['metadata']): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, ...metadata },
})

/** Reports whether this namespace came with allot: allot made it, or it did not exist before somebody applied what `allot install` prints. */
export const isOwnNamespace = (namespace: KubeObject): boolean =>
  namespace.metadata.annotations?.[MADE_ANNOTATION] === 'true' || beganAsPrinted(namespace)

/**
 * Managed fields tell what each writer wrote last, and when. A namespace began as the printed one if a single writer wrote to it by the time of its
 * creation, and that writer has written the labels of the manifest and nothing else. A later apply to an older namespace has a later time.
 */
function beganAsPrinted({ metadata: { managedFields = [], creationTimestamp, labels } }: KubeObject): boolean {
  // API servers write both times in UTC, to the second.
  const isLater = ({ time }: JsonObject): boolean =>
    typeof time !== 'string' || creationTimestamp === undefined || time > creationTimestamp
  const [first, second] = managedFields.filter((entry) => !isLater(entry))
  return first !== undefined && second === undefined && isPrinted(first, labels)
}

/** The labels that a namespace of others has from the manifest of `allot install`, and from nobody else. */
export const printedLabels = ({ metadata: { managedFields = [], labels } }: KubeObject): readonly string[] =>
  Object.keys(PRINTED_LABELS).filter((label) => {
    const owners = managedFields.filter((entry) =>
      fieldsIn(valueAt(entry, 'fieldsV1', 'f:metadata', 'f:labels')).includes(label),
    )
    return owners.length > 0 && owners.every((entry) => isPrinted(entry, labels))
  })

/** Has a writer written the labels of the manifest, with their values of today, and nothing else? */
function isPrinted(entry: JsonObject, labels: KubeObject['metadata']['labels']): boolean {
  const {
    'f:labels': writtenLabels,
    'f:annotations': annotations,
    ...others
  } = objectOf(valueAt(entry, 'fieldsV1', 'f:metadata'))
  const written = [...fieldsIn(writtenLabels), ...fieldsIn(annotations)]
  const expected = Object.entries(PRINTED_LABELS)
  return (
    expected.every(([label, value]) => labels?.[label] === value && written.includes(label)) &&
    written.every((field) => Object.hasOwn(PRINTED_LABELS, field) || ADDED.includes(field)) &&
    Object.keys(others).length === 0
  )
}

/** The names of the fields in a map of managed fields. */
const fieldsIn = (map: unknown): readonly string[] =>
  Object.keys(objectOf(map))
    .filter((field) => field.startsWith('f:'))
    .map((field) => field.slice('f:'.length))
