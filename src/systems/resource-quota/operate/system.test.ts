import { Registry } from '@prometheus-io/client'
import { expect, test } from 'vitest'
import { ManualClock } from '../../../../test/kube/manual-clock.ts'
import { ProbedCluster } from '../../../../test/operator/resource-quota/probed-cluster.ts'
import { reviewedRequest } from '../../../../test/operator/reviewed-request.ts'
import type { ResourceKind } from '../../../kube/client/kube-client.ts'
import { WebhookRules } from '../../../operator/shell/registered-webhooks.ts'
import { ENFORCEMENT_PATH } from './admission/quota-asking.ts'
import { ENFORCEMENT_PROBE } from './enforcement-probe.ts'
import type { ClusterEnforcement } from './enforcement-probe.ts'
import type { EnforceResourceQuota } from './options.ts'
import { QuotaReservations } from './foresight/quota-reservations.ts'
import { AdmittedUsage } from '../../generated-quota/operate/admitted-usage.ts'
import { resourceQuotaSystem } from './system.ts'

const NEVER = new AbortController().signal
const PROBE_AGAIN_MS = 300_000
const PODS = { group: '', version: 'v1', kind: 'Pod', resource: 'pods' }
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n' }, spec: {} }

/** Caches that hold nothing and know what is being watched. */
class Caches {
  readonly #open = new Set<{ readonly resource: string }>()

  readonly view = () => ({ onChange: () => () => undefined, list: () => [], get: () => undefined, synced: true })

  readonly optionalView = ({ kind }: { readonly kind: ResourceKind }) => {
    const opened = { ...kind }
    this.#open.add(opened)
    return { ...this.view(), release: () => void this.#open.delete(opened) }
  }

  /** How many views of a resource are open that may come and go. */
  views(wanted: string): number {
    return [...this.#open].filter(({ resource }) => resource === wanted).length
  }
}

/** The system on a cluster with these parts, in a term in which it leads. */
function lead(parts: ClusterEnforcement, enforce: EnforceResourceQuota = 'auto') {
  const cluster = new ProbedCluster(parts)
  const clock = new ManualClock()
  const registry = new Registry()
  const caches = new Caches()
  const logged: string[] = []
  const options = { enforce, warns: false, requestTimeoutMs: 2_000, workers: 1 }
  const webhooks = new WebhookRules()
  const system = resourceQuotaSystem(options, {
    systemNamespace: 'allot-system',
    admitted: new AdmittedUsage(),
    reservations: new QuotaReservations(),
  }).start({
    client: cluster.client,
    clock,
    registry,
    caches,
    logger: { info: (_: object, message: string) => logged.push(message) },
    webhooks,
    systemNamespace: 'allot-system',
  } as never)
  const controllers = system.controllers(() => undefined)
  for (const { name, sources } of controllers) for (const source of sources) source.follow(name, () => undefined)
  const probe = controllers.find(({ name }) => name === ENFORCEMENT_PROBE)
  return {
    cluster,
    clock,
    logged,
    /** Answers the create of an object that a ResourceQuota could count. */
    verdict: async () =>
      (
        await webhooks
          .at(ENFORCEMENT_PATH)
          ?.handle(reviewedRequest(PODS, { namespace: 'n', object: POD }), NEVER, 1_000)
      )?.verdict,
    /** Probes to the end of a finding, and says who does what. */
    find: async () => {
      for (;;) {
        const { requeueAfter = 0 } = (await probe?.reconcile('', undefined, NEVER)) ?? { requeueAfter: PROBE_AGAIN_MS }
        await clock.advance(requeueAfter)
        if (requeueAfter === PROBE_AGAIN_MS) break
      }
      const metrics = await registry.metrics()
      const by = (part: string, who: string): boolean =>
        metrics.includes(`allot_resourcequota_enforcement{part="${part}",by="${who}"} 1`)
      return {
        allot: ['admission', 'controller'].filter((part) => by(part, 'allot')),
        cluster: ['admission', 'controller'].filter((part) => by(part, 'cluster')),
        // The metrics show quotas whoever counts them.
        counts: caches.views('resourcequotas') > 1,
        watches: caches.views('customresourcedefinitions') > 0,
      }
    },
  }
}

test('auto leaves each part to the cluster when a later probe finds it there, and takes it over when it is gone again', async () => {
  const { cluster, find, logged } = lead({ plugin: false, controller: false })
  expect(await find()).toEqual({ allot: ['admission', 'controller'], cluster: [], counts: true, watches: true })
  cluster.parts = { plugin: false, controller: true }
  expect(await find()).toEqual({ allot: ['admission'], cluster: ['controller'], counts: false, watches: true })
  cluster.parts = { plugin: true, controller: true }
  expect(await find()).toEqual({ allot: [], cluster: ['admission', 'controller'], counts: false, watches: false })
  cluster.parts = { plugin: true, controller: false }
  expect(await find()).toEqual({ allot: ['controller'], cluster: ['admission'], counts: true, watches: true })
  expect(logged.at(-2)).toBe('the cluster has no controller for ResourceQuotas; allot counts them')
})

test.each(['off', 'controller', 'admission', 'both'] as const)(
  'an API server that goes by rules of an earlier process is answered where no ResourceQuota is left: %s',
  async (enforce) => {
    expect(await lead({ plugin: false, controller: false }, enforce).verdict()).toBe('allowed')
  },
)

test('an API server that goes by rules of an earlier process must try again until auto has found who enforces ResourceQuotas', async () => {
  for (const plugin of [true, false]) {
    const { find, verdict } = lead({ plugin, controller: true })
    expect(await verdict()).toBe('retry')
    await find()
    expect(await verdict()).toBe('allowed')
  }
})
