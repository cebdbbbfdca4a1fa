import type { Namespace } from '../../builtin/core-v1.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectsOf, statusOf } from '../../machinery/read.ts'
import { withApiCondition } from './crd-status.ts'

/** The remaining content of a namespace: how many objects of each resource, and how many wait for each finalizer. */
export interface Remains {
  readonly resources: ReadonlyMap<string, number>
  readonly finalizers: ReadonlyMap<string, number>
}

type ConditionFacts = readonly [type: string, status: 'True' | 'False', reason: string, message: string]

const DONE: readonly ConditionFacts[] = [
  ['NamespaceDeletionDiscoveryFailure', 'False', 'ResourcesDiscovered', 'All resources successfully discovered'],
  [
    'NamespaceDeletionGroupVersionParsingFailure',
    'False',
    'ParsedGroupVersions',
    'All legacy kube types successfully parsed',
  ],
  [
    'NamespaceDeletionContentFailure',
    'False',
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
]

/** A namespace that is being deleted, with what still keeps it in the conditions that `kubectl describe namespace` prints. */
export function withRemains(namespace: Namespace, remains: Remains, now: string): KubeObject {
  const status = statusOf(namespace)
  const conditions = [...DONE, contentRemaining(remains), finalizersRemaining(remains)].reduce(
    (list, [type, state, reason, message]) => withApiCondition(list, { type, status: state, reason, message }, now),
    objectsOf(status.conditions),
  )
  return { ...namespace, status: { ...status, phase: 'Terminating', conditions } }
}

const contentRemaining = ({ resources }: Remains): ConditionFacts =>
  resources.size === 0
    ? ['NamespaceContentRemaining', 'False', 'ContentRemoved', 'All content successfully removed']
    : [
        'NamespaceContentRemaining',
        'True',
        'SomeResourcesRemain',
        `Some resources are remaining: ${sorted(resources, (count) => `has ${count} resource instances`)}`,
      ]

const finalizersRemaining = ({ finalizers }: Remains): ConditionFacts =>
  finalizers.size === 0
    ? ['NamespaceFinalizersRemaining', 'False', 'ContentHasNoFinalizers', 'All content-preserving finalizers finished']
    : [
        'NamespaceFinalizersRemaining',
        'True',
        'SomeFinalizersRemain',
        `Some content in the namespace has finalizers remaining: ${sorted(finalizers, (count) => `in ${count} resource instances`)}`,
      ]

const sorted = (counts: ReadonlyMap<string, number>, tell: (count: number) => string): string =>
  [...counts]
    .map(([name, count]) => `${name} ${tell(count)}`)
    .toSorted()
    .join(', ')
