import {
  type PeerConfiguration,
  type PeerFacts,
  type PeerHook,
  purposeOf,
  webhooksOf,
} from '../../migrate/takeover/peer-facts.ts'
import { quantityLedger } from '../../systems/counted/api/quantity-ledger.ts'
import { CONFIGURATION_NAMES, LEASE_NAME } from '../../install/installed-names.ts'
import { isHeld } from '../../kube/election/lease-liveness.ts'
import { objectsOf, textAt, textsOf } from '../../machinery/read.ts'
import type { Peer } from '../../migrate/takeover/peer.ts'
import { undecidedQuota } from '../../migrate/takeover/undecided-quota.ts'
import { CONFIGURATION_KINDS } from '../../operator/cluster/configuration-kinds.ts'
import { type ClusterObjects, nameOf } from '../../uninstall/cluster-objects.ts'
import { DEPLOYMENTS } from './look-at-peer.ts'
import { lookAtQuotas } from './look-at-quotas.ts'
import { PODS } from './stop-peer.ts'
import { type TakeoverWork, until } from './takeover-work.ts'

const PODS_OF_ALLOT = 'app.kubernetes.io/name=allot,app.kubernetes.io/component=operator'
/** As `allot install` has it. */
const REPLICAS = 2
const ADVICE = 'look at the log of allot (kubectl -n allot logs deploy/allot), or give it longer with --timeout'

/** Has the pods of allot start now: those that found the peer alive would try again minutes later. */
export async function startAllot(work: TakeoverWork, replicas: number | undefined): Promise<void> {
  const { objects, namespace, say, peer } = work
  if (replicas === undefined) return say(`${peer.title} has ended: start allot now`)
  if (replicas === 0)
    return await objects.patch(
      DEPLOYMENTS,
      { namespace, name: 'allot' },
      { spec: { replicas: REPLICAS } },
      `scaled to ${REPLICAS}`,
    )
  if (await leads(work)) return
  const pods = await objects.list(PODS, { namespace, labelSelector: PODS_OF_ALLOT })
  await objects.delete(PODS, ...pods.map(nameOf))
}

/** Resolves when allot leads and its webhooks are asked about all kinds about which those of the peer are. */
export async function untilAllotLeads(work: TakeoverWork, facts: PeerFacts): Promise<void> {
  const needed = resourcesOf(hooksOf(facts.configurations, work.peer, 'kinds'))
  await until(
    work,
    async () => {
      if (!(await leads(work))) return `no allot leads in the namespace ${work.systemNamespace}`
      const asked = resourcesOf(await hooksOfAllot(work.objects))
      const missing = [...needed].filter((one) => !asked.has(one))
      return missing.length === 0 ? undefined : `no webhook of allot is asked about ${missing.join(', ')}`
    },
    ADVICE,
  )
}

async function leads({ client, clock, signal, systemNamespace }: TakeoverWork): Promise<boolean> {
  return (await isHeld(client, { namespace: systemNamespace, name: LEASE_NAME }, clock, signal)).held
}

/** Resolves when allot decides for each custom quota whatever the webhook of the peer decides now. A quota that was not ready before, or is new, is not waited for. */
export async function untilAllotCharges(work: TakeoverWork, facts: PeerFacts): Promise<void> {
  if (hooksOf(facts.configurations, work.peer, 'charges').length === 0) return
  const { objects } = work
  await until(
    work,
    async () => {
      const ledgers = (await objects.list(quantityLedger)).filter((one) => textAt(one, 'status', 'outstanding') !== '')
      const counted = new Set(ledgers.map((ledger) => textAt(ledger, 'spec', 'targetRef', 'uid')))
      const asked = resourcesOf(await hooksOfAllot(objects))
      const quota = undecidedQuota(await lookAtQuotas(objects), facts.ready, counted, asked)
      return quota === undefined ? undefined : `allot does not decide for the ${quota.name} yet`
    },
    ADVICE,
  )
}

/** The webhooks of a peer with this purpose. */
function hooksOf(configurations: readonly PeerConfiguration[], peer: Peer, purpose: string): readonly PeerHook[] {
  return configurations.flatMap(({ object, hooks }) =>
    objectsOf(object.webhooks)
      .filter(({ name }) => hooks.includes(String(name)))
      .filter((hook) => purposeOf(hook, peer) === purpose),
  )
}

async function hooksOfAllot(objects: ClusterObjects): Promise<readonly PeerHook[]> {
  const found: PeerHook[] = []
  for (const kind of Object.values(CONFIGURATION_KINDS))
    for (const name of CONFIGURATION_NAMES) found.push(...webhooksOf(await objects.find(kind, { namespace: '', name })))
  return found
}

/** The resources that rules ask about, as `resource.group`. */
const resourcesOf = (hooks: readonly PeerHook[]): ReadonlySet<string> =>
  new Set(
    hooks
      .flatMap((hook) => objectsOf(hook.rules))
      .flatMap((rule) =>
        textsOf(rule.apiGroups).flatMap((group) =>
          textsOf(rule.resources).map((one) => (group === '' ? one : `${one}.${group}`)),
        ),
      ),
  )
