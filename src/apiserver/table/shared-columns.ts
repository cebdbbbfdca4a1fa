import type { Job } from '../../builtin/batch-v1.ts'
import type { PodSpec, ReplicationController } from '../../builtin/core-v1.ts'
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../../builtin/apps-v1.ts'
import { numberText } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { labelSelectorQuery } from '../../machinery/selector/label.ts'
import { SelectorError } from '../../machinery/selector/error.ts'
import { mapText, labelSelectorOf } from '../../kinds/rule/label-selector.ts'
import { objectOf, objectsOf, specOf, textOf } from '../../machinery/read.ts'
import { column, type Column, wide } from './column.ts'
import { since } from './duration.ts'

export const NONE = '<none>'
export const UNKNOWN = '<unknown>'
export const UNSET = '<unset>'

/** The text, or `<none>`. */
export const orNone = (text: string): string => (text === '' ? NONE : text)

export const nameColumn = column(
  'Name',
  'Name of the object, unique within its namespace.',
  (object) => object.metadata.name ?? '',
  {
    format: 'name',
  },
)

export const ageOf = (object: KubeObject, now: number): string => since(object.metadata.creationTimestamp, now)

export const ageColumn = column('Age', 'Time since the object was created.', (object, { now }) => ageOf(object, now))

/** Names and images of the containers that a pod spec lists. */
export const containerColumns = (podSpec: (object: KubeObject) => PodSpec): readonly Column[] => [
  wide('Containers', 'Names of the containers in the template.', (object) => joined(podSpec(object), 'name')),
  wide('Images', 'Images of the containers in the template.', (object) => joined(podSpec(object), 'image')),
]

export const joined = (podSpec: PodSpec, field: 'name' | 'image'): string =>
  objectsOf(podSpec.containers)
    .map((container) => textOf(container[field]))
    .join(',')

/** The kinds that make pods from a template. */
export type Workload = Deployment | ReplicaSet | ReplicationController | StatefulSet | DaemonSet | Job

/** The pod spec of a workload's template. */
export const templateSpec = (object: Workload): PodSpec => objectOf(objectOf(specOf(object).template).spec)

/** A label selector as kubectl prints it: `<none>` if it is absent or asks for nothing. */
export function selectorCell(selector: unknown): string {
  try {
    return orNone(labelSelectorQuery(labelSelectorOf(selector)).toString())
  } catch (error) {
    if (error instanceof SelectorError) return '<error>'
    throw error
  }
}

/** Labels, or a map selector, as kubectl prints them. */
export const labelsCell = (labels: unknown): string => orNone(mapText(labels))

export const selectorColumn = wide('Selector', 'Which pods belong to it.', (object: Workload) =>
  selectorCell(specOf(object).selector),
)

/** A count or a percentage as text, or what stands for none. */
export const numberOr = (value: unknown, none: string): string =>
  typeof value === 'string' ? value : (numberText(value) ?? none)
