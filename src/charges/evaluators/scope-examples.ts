import type { JsonObject, KubeObject } from '../../machinery/object.ts'

const NO_CLASS = ''
const EITHER: readonly boolean[] = [false, true]

/** A pod in every combination of the scopes of pods (`POD_SCOPES`), of each of these PriorityClasses and of none. */
export function podExamples(classes: readonly string[]): readonly KubeObject[] {
  return [NO_CLASS, ...classes].flatMap((priorityClassName) =>
    EITHER.flatMap((isTerminating) =>
      EITHER.flatMap((isBestEffort) =>
        EITHER.map((reachesOthers) => ({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: {},
          spec: {
            ...(priorityClassName === NO_CLASS ? {} : { priorityClassName }),
            ...(isTerminating ? { activeDeadlineSeconds: 1 } : {}),
            ...(reachesOthers ? { affinity: ANYWHERE } : {}),
            containers: [isBestEffort ? {} : { resources: { requests: { cpu: '1' } } }],
          },
        })),
      ),
    ),
  )
}

const ANYWHERE: JsonObject = {
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ namespaceSelector: {} }] },
}

/** A claim in every combination of the scope of claims: without a class, of each, and on its way from each to each. */
export function claimExamples(classes: readonly string[]): readonly KubeObject[] {
  return [NO_CLASS, ...classes].flatMap((wanted) =>
    [NO_CLASS, ...classes].map((current) => ({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {},
      spec: wanted === NO_CLASS ? {} : { volumeAttributesClassName: wanted },
      status: current === NO_CLASS ? {} : { currentVolumeAttributesClassName: current },
    })),
  )
}
