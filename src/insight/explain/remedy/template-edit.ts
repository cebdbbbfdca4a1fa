import type { StatefulSet } from '../../../builtin/apps-v1.ts'
import { POD_TEMPLATES, podTemplateOf } from '../../../kinds/apps/pod-template.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { numberOf, objectOf, objectsOf, textAt, textOf, valueAt } from '../../../machinery/read.ts'
import type { ContainerRoom } from '../container-room.ts'
import type { Remedy } from '../explanation.ts'
import { workloadKind } from '../workload-kinds.ts'
import { patchCommand, type Situation } from './situation.ts'
import { WHOLE_POD } from '../pod-level.ts'

/** Workloads whose owner edits them, and whose missing pods are made by the template of then. */
const EDITED: ReadonlySet<string> = new Set(['deployments', 'statefulsets', 'daemonsets', 'cronjobs'])

/** A patch that gives containers of the template of a workload these amounts. */
export function templatePatch(top: KubeObject, rooms: readonly ContainerRoom[]): JsonObject {
  const starting = new Set(objectsOf(objectOf(podTemplateOf(top).spec).initContainers).map(({ name }) => textOf(name)))
  const listed = (some: readonly ContainerRoom[]): readonly JsonObject[] =>
    [...Map.groupBy(some, ({ container }) => container)].map(([name, own]) => ({
      name,
      resources: amountsBySide(own),
    }))
  const initContainers = listed(rooms.filter(({ container }) => starting.has(container)))
  const whole = rooms.filter(({ container }) => container === WHOLE_POD)
  const containers = listed(rooms.filter(({ container }) => !starting.has(container) && container !== WHOLE_POD))
  const spec = {
    ...(whole.length === 0 ? {} : { resources: amountsBySide(whole) }),
    ...(initContainers.length === 0 ? {} : { initContainers }),
    ...(containers.length === 0 ? {} : { containers }),
  }
  const place = POD_TEMPLATES.get(top.kind) ?? []
  return place.reduceRight<JsonObject>((inner, step) => ({ [step]: inner }), { spec })
}

function amountsBySide(rooms: readonly ContainerRoom[]): JsonObject {
  const sides = [...Map.groupBy(rooms, ({ side }) => side)].map(
    ([side, all]) =>
      [side, Object.fromEntries(all.map(({ resource, amount }) => [resource, amount.toString()]))] as const,
  )
  return Object.fromEntries(sides)
}

/** The command that makes a patch of the template; none where an edit of the workload changes no pod. */
export function editCommand({ top, facts, isEdited }: Situation, patch: JsonObject): Pick<Remedy, 'command'> {
  const isOpen = isEdited && EDITED.has(workloadKind(top)?.resource ?? '')
  return isOpen ? { command: patchCommand(top, facts, patch) } : {}
}

/** Does a StatefulSet keep the pods that it makes at an earlier template? The API server sets a partition of 0, which keeps none. */
export const isHeldBack = (top: StatefulSet): boolean =>
  workloadKind(top)?.resource === 'statefulsets' &&
  (textAt(top, 'spec', 'updateStrategy', 'type') === 'OnDelete' ||
    (numberOf(valueAt(top, 'spec', 'updateStrategy', 'rollingUpdate', 'partition')) ?? 0) > 0)
