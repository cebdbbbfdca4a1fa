import type { Pod, ServiceAccount } from '../../builtin/core-v1.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { forbidden } from '../../machinery/status.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import { listOf, specOf, textOf } from '../../machinery/read.ts'
import { generatedName } from '../resource/metadata.ts'
import type { AdmissionPlugin } from './chain.ts'
import { mirrorObstacle, unlentSecret } from './mountable-secrets.ts'
import { TOKEN_VOLUME_PREFIX, withTokenVolume } from './token-volume.ts'

const PODS = { group: '', resource: 'pods' }
const DEFAULT_ACCOUNT = 'default'
/** A pod that a node runs by itself and only shows here: it has no account. */
const MIRROR = 'kubernetes.io/config.mirror'

/**
 * Upstream's ServiceAccount plugin: a pod runs as `default` unless it says otherwise, the account must exist, and its
 * containers find its token and its secrets for pulling images. An account can lend only the secrets that it lists.
 */
export function serviceAccount(store: StoredObjects, random: () => number): AdmissionPlugin {
  return {
    name: 'ServiceAccount',
    mutate: ({ resource, operation, subresource, namespace, name, object }) => {
      if (resource.bucket !== 'pods' || operation !== 'CREATE' || subresource !== '') return object
      if (object.metadata.annotations?.[MIRROR] !== undefined) {
        refuse(name, mirrorObstacle(specOf<Pod>(object)))
        return object
      }
      const asked = textOf(specOf<Pod>(object)['serviceAccountName'])
      const account = asked === '' ? DEFAULT_ACCOUNT : asked
      const found = store.latest('serviceaccounts', `${namespace}/${account}`)?.object
      // The default account is made with its namespace; a pod that comes a moment earlier need not wait for it.
      if (found === undefined && account !== DEFAULT_ACCOUNT)
        throw forbidden(
          PODS,
          name,
          `error looking up service account ${namespace}/${account}: serviceaccount ${JSON.stringify(account)} not found`,
        )
      const spec = { ...specOf<Pod>(object), serviceAccountName: account, serviceAccount: account }
      const tokened = isMounted(spec, found)
        ? withTokenVolume(spec, () => generatedName(TOKEN_VOLUME_PREFIX, random))
        : spec
      const furnished = withPullSecrets(tokened, found)
      refuse(name, unlentSecret(furnished, found))
      return { ...object, spec: furnished }
    },
    // The last changes of webhooks are checked too, and so are containers that are added later.
    validate: ({ resource, operation, subresource, namespace, name, object }) => {
      if (resource.bucket !== 'pods' || object === undefined) return
      const spec = specOf<Pod>(object)
      const account = (): KubeObject | undefined =>
        store.latest('serviceaccounts', `${namespace}/${textOf(spec['serviceAccountName'])}`)?.object
      if (operation === 'UPDATE' && subresource === 'ephemeralcontainers')
        refuse(name, unlentSecret(spec, account(), ['ephemeralContainers']))
      if (operation !== 'CREATE' || subresource !== '') return
      const isMirror = object.metadata.annotations?.[MIRROR] !== undefined
      refuse(name, isMirror ? mirrorObstacle(spec) : unlentSecret(spec, account()))
    },
  }
}

function refuse(name: string, why: string | undefined): void {
  if (why !== undefined) throw forbidden(PODS, name, why)
}

/** The pod's own word counts, then the account's. */
const isMounted = (spec: JsonObject, account: ServiceAccount | undefined): boolean =>
  (spec['automountServiceAccountToken'] ?? account?.['automountServiceAccountToken']) !== false

function withPullSecrets(spec: JsonObject, account: ServiceAccount | undefined): JsonObject {
  const secrets = listOf(account?.['imagePullSecrets'])
  return listOf(spec['imagePullSecrets']).length > 0 || secrets.length === 0
    ? spec
    : { ...spec, imagePullSecrets: secrets }
}
