import type { Container, PodSpec, ServiceAccount } from '../../builtin/core-v1.ts'
import { objectOf, objectsOf, textOf } from '../../machinery/read.ts'

const ENFORCED = 'kubernetes.io/enforce-mountable-secrets'
/** The texts that Go's `strconv.ParseBool` reads as true. */
const TRUE: ReadonlySet<string> = new Set(['1', 't', 'T', 'TRUE', 'true', 'True'])
const ALL = ['initContainers', 'containers', 'ephemeralContainers'] as const
const CALLED = {
  initContainers: 'init container',
  containers: 'container',
  ephemeralContainers: 'ephemeral container',
} as const
/** Where volumes name the secrets that their drivers use. */
const VOLUME_SECRETS = ['cephfs', 'cinder', 'flexVolume', 'rbd', 'scaleIO', 'iscsi', 'storageos'] as const

/** Why a pod that a node runs by itself may not be shown: it would have what an account has (ServiceAccount `Validate`). */
export function mirrorObstacle(spec: PodSpec): string | undefined {
  if (textOf(spec['serviceAccountName']) !== '') return 'a mirror pod may not reference service accounts'
  if (namesSecrets(spec)) return 'a mirror pod may not reference secrets'
  const projects = objectsOf(spec['volumes']).some(({ projected }) =>
    objectsOf(objectOf(projected).sources).some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  )
  return projects ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined
}

function namesSecrets(spec: PodSpec): boolean {
  if (objectsOf(spec['imagePullSecrets']).length > 0) return true
  if (ALL.some((list) => objectsOf(spec[list]).some((container) => environmentSecrets(container).length > 0)))
    return true
  return objectsOf(spec['volumes']).some(
    (volume) =>
      volume['secret'] !== undefined ||
      textOf(objectOf(volume['azureFile']).secretName) !== '' ||
      objectOf(volume['csi']).nodePublishSecretRef !== undefined ||
      VOLUME_SECRETS.some((source) => objectOf(volume[source]).secretRef !== undefined) ||
      objectsOf(objectOf(volume['projected']).sources).some(({ secret }) => secret !== undefined),
  )
}

/** The secrets that a container's environment comes from, with the sentence that says where. */
function environmentSecrets({
  name,
  env,
  envFrom,
}: Container): readonly { readonly secret: string; readonly at: string }[] {
  return [
    ...objectsOf(env).flatMap((variable) => {
      const { secretKeyRef } = objectOf(variable.valueFrom)
      const at = `${textOf(name)} with envVar ${textOf(variable.name)}`
      return secretKeyRef === undefined ? [] : [{ secret: textOf(objectOf(secretKeyRef).name), at }]
    }),
    ...objectsOf(envFrom).flatMap(({ secretRef }) =>
      secretRef === undefined ? [] : [{ secret: textOf(objectOf(secretRef).name), at: `${textOf(name)} with envFrom` }],
    ),
  ]
}

/**
 * Why a pod may not use what it names: its account, by an annotation, lends only the secrets that it lists (ServiceAccount
 * `limitSecretReferences`). `lists`: which containers are asked about.
 */
export function unlentSecret(
  spec: PodSpec,
  account: ServiceAccount | undefined,
  lists: readonly (typeof ALL)[number][] = ALL,
): string | undefined {
  if (account === undefined || !TRUE.has(account.metadata.annotations?.[ENFORCED] ?? '')) return undefined
  const who = account.metadata.name ?? ''
  const lent = namesIn(account['secrets'])
  const not = `is not allowed because service account ${who} does not reference that`
  if (lists === ALL)
    for (const { secret } of objectsOf(spec['volumes'])) {
      const name = textOf(objectOf(secret).secretName)
      if (secret !== undefined && !lent.has(name))
        return `volume with secret.secretName=${JSON.stringify(name)} ${not} secret`
    }
  for (const list of lists)
    for (const container of objectsOf(spec[list]))
      for (const { secret, at } of environmentSecrets(container))
        if (!lent.has(secret))
          return `${CALLED[list]} ${at} referencing secret.secretName=${JSON.stringify(secret)} ${not} secret`
  if (lists !== ALL) return undefined
  const pulled = namesIn(account['imagePullSecrets'])
  const index = objectsOf(spec['imagePullSecrets']).findIndex(({ name }) => !pulled.has(textOf(name)))
  if (index < 0) return undefined
  const name = textOf(objectsOf(spec['imagePullSecrets'])[index]?.name)
  return `imagePullSecrets[${index}].name=${JSON.stringify(name)} ${not} imagePullSecret`
}

const namesIn = (references: unknown): ReadonlySet<string> =>
  new Set(objectsOf(references).map(({ name }) => textOf(name)))
