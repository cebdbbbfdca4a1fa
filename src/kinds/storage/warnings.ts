import type { PersistentVolume, PersistentVolumeClaim } from '../../builtin/core-v1.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { claimWarnings, nodeTermWarnings, oldNodeLabel, oldSources } from '../core/pod/warnings.ts'
import { objectOf, objectsOf, specOf, textOf } from '../../machinery/read.ts'
import { CLASS_ANNOTATION } from '../core/volume/class-annotation.ts'

const annotated = ({ metadata }: KubeObject): readonly string[] =>
  metadata.annotations?.[CLASS_ANNOTATION] === undefined
    ? []
    : [`metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`]

/** Returns the warnings about a claim (core `GetWarningsForPersistentVolumeClaim`). */
export const persistentVolumeClaimWarnings = (claim: PersistentVolumeClaim): readonly string[] => [
  ...annotated(claim),
  ...claimWarnings(specOf(claim), 'spec'),
]

/** Returns the warnings about a volume (core `GetWarningsForPersistentVolume`). */
export function persistentVolumeWarnings(volume: PersistentVolume): readonly string[] {
  const spec = specOf(volume)
  const terms = objectsOf(objectOf(objectOf(spec.nodeAffinity).required).nodeSelectorTerms)
  return [
    ...annotated(volume),
    ...(spec.persistentVolumeReclaimPolicy === 'Recycle'
      ? [
          'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
        ]
      : []),
    ...terms.flatMap((term, index) => nodeTermWarnings(term, `spec.nodeAffinity.required.nodeSelectorTerms[${index}]`)),
    ...oldSources(spec, 'spec'),
  ]
}

/** Returns the warnings about a storage class: deprecated labels of nodes. */
export const storageClassWarnings = (object: KubeObject): readonly string[] =>
  objectsOf(object.allowedTopologies).flatMap((topology, index) =>
    objectsOf(topology.matchLabelExpressions).flatMap(({ key }, place) => {
      const text = oldNodeLabel(textOf(key))
      return text === undefined ? [] : [`allowedTopologies[${index}].matchLabelExpressions[${place}].key: ${text}`]
    }),
  )
