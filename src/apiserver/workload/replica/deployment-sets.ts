import type { Deployment, ReplicaSet } from '../../../builtin/apps-v1.ts'
import { HASH, REVISION } from '../../../kinds/apps/deployment-sets.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { countOf, objectOf, specOf, statusOf, textOf } from '../../../machinery/read.ts'
import { controllerReference } from '../shared/owned-objects.ts'
import { type Rollout, rolloutOf, type Version, withSurge } from '../../../kinds/apps/rollout.ts'

/** The annotation with the replicas of the Deployment. */
export const DESIRED = 'deployment.kubernetes.io/desired-replicas'
const MAX = 'deployment.kubernetes.io/max-replicas'
/** Annotations that say something of the Deployment only. */
const OWN_ANNOTATIONS = new Set(['kubectl.kubernetes.io/last-applied-configuration', REVISION, DESIRED, MAX])

/** The replicas that a set is to have. */
export const replicasOf = (set: ReplicaSet): number => countOf(specOf(set)['replicas'])

/** The limits of a Deployment's rollout. */
export function limitsOf(deployment: Deployment): Rollout {
  const spec = specOf(deployment)
  const { maxSurge, maxUnavailable } = objectOf(objectOf(spec['strategy'])['rollingUpdate'])
  return rolloutOf(countOf(spec['replicas']), maxSurge, maxUnavailable)
}

export const versions = (sets: readonly ReplicaSet[]): readonly Version[] =>
  sets.map((set) => ({
    name: set.metadata.name ?? '',
    replicas: replicasOf(set),
    available: countOf(statusOf(set)['availableReplicas']),
  }))

/** The annotations by which a set says what its Deployment wanted when it was scaled. */
export function sizes(deployment: Deployment): Readonly<Record<string, string>> {
  const { replicas, maxSurge } = limitsOf(deployment)
  const surge = textOf(objectOf(specOf(deployment)['strategy'])['type']) === 'Recreate' ? 0 : maxSurge
  return { [DESIRED]: String(replicas), [MAX]: String(withSurge(replicas, surge)) }
}

/** The annotations that a set has from its Deployment. */
export function inherited(deployment: Deployment, revision: string): Readonly<Record<string, string>> {
  const own = Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => !OWN_ANNOTATIONS.has(name))
  return { ...Object.fromEntries(own), ...sizes(deployment), [REVISION]: revision }
}

export function annotated(object: Deployment, annotations: Readonly<Record<string, string>>): KubeObject {
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...annotations } },
  }
}

/** The ReplicaSet of a Deployment's present template. */
export function replicaSetFor(deployment: Deployment, hash: string, replicas: number, revision: string): KubeObject {
  const { namespace = '', name = '' } = deployment.metadata
  const spec = specOf(deployment)
  const template = objectOf(spec['template'])
  const metadata = objectOf(template['metadata'])
  const labels = { ...(objectOf(metadata['labels']) as Record<string, string>), [HASH]: hash }
  const selector = objectOf(spec['selector'])
  const more: JsonObject = { matchLabels: { ...objectOf(selector['matchLabels']), [HASH]: hash } }
  const delay = countOf(spec['minReadySeconds'])
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels,
      annotations: inherited(deployment, revision),
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(delay === 0 ? {} : { minReadySeconds: delay }),
      selector: { ...selector, ...more },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  }
}
