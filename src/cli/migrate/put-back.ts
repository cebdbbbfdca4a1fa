import type { Deployment } from '../../builtin/apps-v1.ts'
import { webhooksOf } from '../../migrate/takeover/peer-facts.ts'
import { INCREASES_MANAGED_BY_LABEL } from '../../systems/quota-increase/api/increase-names.ts'
import { quotaServiceConfig } from '../../systems/quota-increase/api/quota-service-config.ts'
import { CONFIGURATION_NAMES } from '../../install/installed-names.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import { countOf, statusOf } from '../../machinery/read.ts'
import { withHooks } from '../../migrate/takeover/belonging.ts'
import type { TakeoverRecord } from '../../migrate/takeover/record.ts'
import { NAMESPACES } from '../../operator/cluster/keep-namespace.ts'
import { CRD_KIND } from '../../operator/cluster/kept-crd.ts'
import { CONFIGURATION_KINDS } from '../../operator/cluster/configuration-kinds.ts'
import { nameOf } from '../../uninstall/cluster-objects.ts'
import { stopOperator } from '../../uninstall/stop-operator.ts'
import { DEPLOYMENTS } from './look-at-peer.ts'
import { type TakeoverWork, until } from './takeover-work.ts'

/** Pods of the peer have to be scheduled and to start, however short the caller's patience is. */
const AVAILABLE_MS = 120_000

/**
 * Restores a peer. First allot ends. Its webhooks are deleted only when those of the peer are restored, which refuse
 * requests until the peer answers. Resolves when the peer is available. Can be repeated.
 */
export async function putBack(work: TakeoverWork, record: TakeoverRecord): Promise<void> {
  const { objects, client, clock, signal, namespace, systemNamespace, peer } = work
  await stopOperator(objects, { namespace, systemNamespace }, client, clock, signal)
  await putCrdsBack(work, record)
  await putConfigurationsBack(work, record)
  for (const kind of Object.values(CONFIGURATION_KINDS))
    await objects.delete(kind, ...CONFIGURATION_NAMES.map((name) => ({ namespace: '', name })))
  await unmake(work, record)
  for (const { replicas, ...name } of record.deployments)
    await objects.patch(DEPLOYMENTS, name, { spec: { replicas } }, `scaled to ${replicas}`)
  for (const { replicas, ...name } of record.deployments)
    await until(
      { ...work, patienceMs: Math.max(work.patienceMs, AVAILABLE_MS) },
      async () => {
        const deployment = await objects.find(DEPLOYMENTS, name)
        if (deployment === undefined) return `the Deployment ${name.namespace}/${name.name} is gone`
        return countOf(statusOf<Deployment>(deployment).availableReplicas) >= replicas
          ? undefined
          : `${peer.title} is put back, but its Deployment ${name.namespace}/${name.name} has no ${replicas} available replicas`
      },
      'look at its pods; what its webhooks match is refused until they answer',
    )
}

async function putCrdsBack({ objects, client, signal, say }: TakeoverWork, { crds }: TakeoverRecord): Promise<void> {
  for (const crd of crds) {
    const stored = await objects.find(CRD_KIND, nameOf(crd))
    if (stored === undefined || jsonEqual(stored['spec'], crd['spec'])) continue
    const metadata = {
      ...stored.metadata,
      labels: crd.metadata.labels ?? {},
      annotations: crd.metadata.annotations ?? {},
    }
    await client.update(CRD_KIND, { ...stored, metadata, spec: crd['spec'] }, { signal })
    say(`${CRD_KIND.resource}.${CRD_KIND.group}/${crd.metadata.name ?? ''} put back`)
  }
}

async function putConfigurationsBack(
  { objects, client, signal, say }: TakeoverWork,
  { configurations }: TakeoverRecord,
): Promise<void> {
  for (const configuration of configurations) {
    const kind = Object.values(CONFIGURATION_KINDS).find((one) => one.kind === configuration.kind)
    if (kind === undefined) continue
    const stored = await objects.find(kind, nameOf(configuration))
    const present = webhooksOf(stored)
    const webhooks = withHooks(present, webhooksOf(configuration))
    if (stored === undefined) await client.create(kind, configuration, { signal })
    else if (jsonEqual(present, webhooks)) continue
    else await client.update(kind, { ...stored, webhooks }, { signal })
    say(`${kind.resource}.${kind.group}/${configuration.metadata.name ?? ''} put back`)
  }
}

/** Takes away what the command made, with the labels that name it. */
async function unmake({ objects }: TakeoverWork, { made }: TakeoverRecord): Promise<void> {
  for (const name of made) {
    await objects.delete(quotaServiceConfig, { namespace: '', name })
    const labelled = await objects.list(NAMESPACES, { labelSelector: `${INCREASES_MANAGED_BY_LABEL}=${name}` })
    await objects.patchEach(
      NAMESPACES,
      labelled,
      () => ({ metadata: { labels: { [INCREASES_MANAGED_BY_LABEL]: null } } }),
      'freed of its label',
    )
  }
}
