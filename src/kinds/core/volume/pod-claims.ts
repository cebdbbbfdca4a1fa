import type { Pod } from '../../../builtin/core-v1.ts'
import { objectOf, objectsOf, specOf, statusOf, textOf } from '../../../machinery/read.ts'

/** The claims that a pod names, and those that are made for its ephemeral volumes. */
export function claimsOf(pod: Pod): readonly string[] {
  return objectsOf(specOf(pod)['volumes']).flatMap((volume) => {
    if (volume['ephemeral'] !== undefined) return [`${pod.metadata.name ?? ''}-${textOf(volume['name'])}`]
    const claim = textOf(objectOf(volume['persistentVolumeClaim'])['claimName'])
    return claim === '' ? [] : [claim]
  })
}

/** Does a pod run, or may it yet? So long it needs its claims. */
export const mayRun = (pod: Pod): boolean => !['Succeeded', 'Failed'].includes(textOf(statusOf(pod)['phase']))
