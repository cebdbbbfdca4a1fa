import type { Pod, PodTemplate } from '../../builtin/core-v1.ts'
import { objectOf, objectsOf, specOf, statusOf, textOf } from '../../machinery/read.ts'
import { column, type Column, wide } from './column.ts'
import { podSummary, restartsCell } from './pod-status.ts'
import { ageColumn, joined, labelsCell, nameColumn, orNone } from './shared-columns.ts'

const readinessGates = wide('Readiness Gates', 'How many readiness gates have passed.', (object: Pod) => {
  const gates = objectsOf(specOf(object).readinessGates)
  if (gates.length === 0) return '<none>'
  const met = new Set(
    objectsOf(statusOf(object).conditions).flatMap(({ type, status }) => (status === 'True' ? [type] : [])),
  )
  const passed = gates.filter(({ conditionType }) => met.has(conditionType))
  return `${passed.length}/${gates.length}`
})

export const podColumns: readonly Column[] = [
  nameColumn,
  column('Ready', 'Containers that are ready, of all that should run.', (object: Pod) => {
    const { ready, total } = podSummary(object)
    return `${ready}/${total}`
  }),
  column('Status', 'The state of the containers, in a word.', (object: Pod) => podSummary(object).reason),
  column('Restarts', 'How often containers were restarted, and when that was last.', (object: Pod, { now }) =>
    restartsCell(podSummary(object), now),
  ),
  ageColumn,
  wide('IP', 'The first address of the pod.', (object: Pod) => {
    const status = statusOf(object)
    return orNone(textOf(objectsOf(status.podIPs)[0]?.ip) || textOf(status.podIP))
  }),
  wide('Node', 'The node that the pod runs on.', (object: Pod) => orNone(textOf(specOf(object).nodeName))),
  wide('Nominated Node', 'The node that makes room for the pod.', (object: Pod) =>
    orNone(textOf(statusOf(object).nominatedNodeName)),
  ),
  readinessGates,
]

export const podTemplateColumns: readonly Column[] = [
  nameColumn,
  column('Containers', 'Names of the containers in the template.', (object: PodTemplate) =>
    joined(objectOf(objectOf(object.template).spec), 'name'),
  ),
  column('Images', 'Images of the containers in the template.', (object: PodTemplate) =>
    joined(objectOf(objectOf(object.template).spec), 'image'),
  ),
  column('Pod Labels', 'Labels that the pods get.', (object: PodTemplate) =>
    labelsCell(objectOf(objectOf(object.template).metadata).labels),
  ),
]
