import type { ControllerRevision, StatefulSet } from '../../../builtin/apps-v1.ts'
import type { PersistentVolumeClaim, Pod } from '../../../builtin/core-v1.ts'
import type { JsonObject, KubeObject, OwnerReference } from '../../../machinery/object.ts'
import { objectOf, objectsOf, specOf, textOf } from '../../../machinery/read.ts'
import { controllerReference } from '../shared/owned-objects.ts'
import { podFrom } from '../shared/pod-facts.ts'
import { POD_REVISION, templateOf } from '../shared/revision-history.ts'
import { isInRange, ordinalOf } from './plan.ts'

const POD_NAME = 'statefulset.kubernetes.io/pod-name'
const POD_INDEX = 'apps.kubernetes.io/pod-index'

/** The name of a set's pod, which it keeps whenever it is made anew. */
export const podName = (set: StatefulSet, ordinal: number): string => `${set.metadata.name ?? ''}-${ordinal}`

/** The pod of an ordinal, as a revision of the set says. */
export function statefulPod(set: StatefulSet, ordinal: number, revision: ControllerRevision): KubeObject {
  const name = podName(set, ordinal)
  const template = templateOf(revision)
  const claims = templatesOf(set).map((claim) => ({
    name: textOf(objectOf(claim['metadata'])['name']),
    persistentVolumeClaim: { claimName: claimName(claim, name) },
  }))
  const others = objectsOf(objectOf(template['spec'])['volumes']).filter(
    (volume) => !claims.some((claim) => claim.name === volume['name']),
  )
  const volumes = [...claims, ...others]
  const subdomain = textOf(specOf(set)['serviceName'])
  return podFrom(template, set, {
    metadata: {
      name,
      generateName: `${set.metadata.name ?? ''}-`,
      labels: {
        [POD_NAME]: name,
        [POD_INDEX]: String(ordinal),
        [POD_REVISION]: revision.metadata.name ?? '',
      },
    },
    spec: {
      hostname: name,
      ...(subdomain === '' ? {} : { subdomain }),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  })
}

/** The claims that the pod of an ordinal mounts. */
export function claimsFor(set: StatefulSet, ordinal: number): readonly KubeObject[] {
  const selected = objectOf(objectOf(specOf(set)['selector'])['matchLabels'])
  return templatesOf(set).map((template) => {
    const metadata = objectOf(template['metadata'])
    const labels = { ...objectOf(metadata['labels']), ...selected } as Record<string, string>
    return {
      ...template,
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        ...metadata,
        name: claimName(template, podName(set, ordinal)),
        namespace: set.metadata.namespace ?? '',
        labels,
      },
    }
  })
}

/**
 * Returns the owners of a claim of a pod, by the set's persistentVolumeClaimRetentionPolicy. The set owns claims that go with it. The pod
 * owns claims that go when the set is scaled down. Owners of others stay.
 */
export function claimOwners(set: StatefulSet, pod: Pod, claim: PersistentVolumeClaim): readonly OwnerReference[] {
  const before = claim.metadata.ownerReferences ?? []
  const ours = [set, pod].map(({ metadata }) => metadata.uid)
  const others = before.filter(({ uid }) => !ours.includes(uid))
  if (others.some(({ controller }) => controller === true)) return before
  const { whenDeleted, whenScaled } = objectOf(specOf(set)['persistentVolumeClaimRetentionPolicy'])
  const isLeft = whenScaled === 'Delete' && !isInRange(set, ordinalOf(set, pod))
  if (isLeft) return [...others, controllerReference(pod)]
  return whenDeleted === 'Delete' ? [...others, controllerReference(set)] : others
}

/** Does a claim go with a pod of this name that is not there any more? */
export const isLeftBehind = ({ metadata }: KubeObject, pod: string): boolean =>
  metadata.ownerReferences?.some(({ kind, name }) => kind === 'Pod' && name === pod) === true

const templatesOf = (set: StatefulSet): readonly JsonObject[] => objectsOf(specOf(set)['volumeClaimTemplates'])

const claimName = (template: JsonObject, pod: string): string =>
  `${textOf(objectOf(template['metadata'])['name'])}-${pod}`
