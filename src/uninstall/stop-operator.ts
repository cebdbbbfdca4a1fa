import type { Deployment } from '../builtin/apps-v1.ts'
import { INSTALLED_LABEL, INSTALLED_NAME, LEASE_NAME, POD_LABELS } from '../install/installed-names.ts'
import { isHeld } from '../kube/election/lease-liveness.ts'
import type { KubeClient } from '../kube/client/kube-client.ts'
import type { Clock } from '../kube/time/clock.ts'
import { numberOf, specOf } from '../machinery/read.ts'
import type { ClusterObjects } from './cluster-objects.ts'
import { UninstallError } from './error.ts'

const PODS_OF_ALLOT = Object.entries(POD_LABELS)
  .map(([label, value]) => `${label}=${value}`)
  .join(',')
const LOOK_MS = 500
const PATIENCE_MS = 90_000

interface Place {
  readonly namespace: string
  readonly systemNamespace: string
}

/** Ends the operator, which would put back what goes. Resolves when none leads any more. Throws UninstallError when one goes on. */
export async function stopOperator(
  objects: ClusterObjects,
  { namespace, systemNamespace }: Place,
  client: Pick<KubeClient, 'get'>,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const deployments = await objects.kindOf('apps/v1', 'Deployment')
  const pods = await objects.kindOf('v1', 'Pod')
  const name = { namespace, name: INSTALLED_NAME }
  const deployment = deployments === undefined ? undefined : await objects.find(deployments, name)
  const isOurs = deployment?.metadata.labels?.[INSTALLED_LABEL] === INSTALLED_NAME
  if (
    deployments !== undefined &&
    deployment !== undefined &&
    isOurs &&
    numberOf(specOf<Deployment>(deployment).replicas) !== 0
  )
    await objects.patch(deployments, name, { spec: { replicas: 0 } }, 'scaled to 0')
  const until = clock.monotonic() + PATIENCE_MS
  const podsLeft = async (): Promise<number> =>
    pods === undefined ? 0 : (await objects.list(pods, { namespace, labelSelector: PODS_OF_ALLOT })).length
  for (let left = await podsLeft(); left > 0; left = await podsLeft()) {
    if (clock.monotonic() > until)
      throw new UninstallError(
        `${left} pods of allot in the namespace ${namespace} do not end`,
        'delete them with --force, and repeat the command',
      )
    await clock.sleep(LOOK_MS, signal)
  }
  const { held, holder } = await isHeld(client, { namespace: systemNamespace, name: LEASE_NAME }, clock, signal)
  if (held)
    throw new UninstallError(
      `an allot still runs: ${holder} keeps the Lease ${systemNamespace}/${LEASE_NAME}`,
      'stop it first: it would put back what is deleted',
    )
}
