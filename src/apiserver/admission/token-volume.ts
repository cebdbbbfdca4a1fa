import type { JsonObject } from '../../machinery/object.ts'
import { sharedProjection } from '../../kinds/core/volume/projected-volume.ts'
import { objectsOf, textOf } from '../../machinery/read.ts'

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'
/** The prefix of the names of these volumes; five random characters follow. */
export const TOKEN_VOLUME_PREFIX = 'kube-api-access-'

/** One hour, and a little that distinguishes these tokens from all others. */
const TOKEN_SECONDS = 3607

const SOURCE = sharedProjection({
  sources: [
    { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
    { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
    {
      downwardAPI: {
        items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
      },
    },
  ],
  defaultMode: 420,
})

/** The spec of a pod whose containers find their account's token, unless they have put something else in its place. */
export function withTokenVolume(spec: JsonObject, freshName: () => string): JsonObject {
  const volumes = objectsOf(spec['volumes'])
  const existing = volumes.map(({ name }) => textOf(name)).find((name) => name.startsWith(TOKEN_VOLUME_PREFIX))
  const name = existing ?? freshName()
  let needed = false
  const mounting = (list: 'initContainers' | 'containers'): JsonObject => {
    if (spec[list] === undefined) return {}
    const containers = objectsOf(spec[list]).map((container) => {
      const mounts = objectsOf(container['volumeMounts'])
      if (mounts.some(({ mountPath }) => mountPath === MOUNT_PATH)) return container
      needed = true
      return { ...container, volumeMounts: [...mounts, { name, readOnly: true, mountPath: MOUNT_PATH }] }
    })
    return { [list]: containers }
  }
  const mounted = { ...spec, ...mounting('initContainers'), ...mounting('containers') }
  if (!needed) return spec
  return existing === undefined ? { ...mounted, volumes: [...volumes, { name, projected: SOURCE }] } : mounted
}
