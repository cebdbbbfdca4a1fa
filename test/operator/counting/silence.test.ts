import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { GLOBAL_QUOTAS, quotasIn } from '../custom-quota/quota-world.ts'
import { KarmadaWorld, kquotasIn } from '../karmada-quota/karmada-world.ts'
import {
  type BareServer,
  bareServers,
  type OperatorProcess,
  SHORT_LEASE,
  startOperator,
  representative,
} from '../operated.ts'
import { claimsIn, GROUP, quotasIn as resourceQuotasIn } from '../pool-objects.ts'
import { increasesIn } from '../quota-increase/increase-world.ts'

const CAPSULE = 'capsule.clastix.io/v1beta2'
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/allot-system/leases/allot'
const HOME = 'silent'
/** Silence has to last for so many renewals of the operator's lease: the operator itself counts the time. */
const RENEWALS = 8

/** Kinds that allot writes while it counts: no source may name them. */
const REFUSED: readonly (readonly [apiVersion: string, kind: string])[] = [
  [CAPSULE, 'CustomQuota'],
  [CAPSULE, 'GlobalCustomQuota'],
  [CAPSULE, 'QuantityLedger'],
  ['v1', 'Event'],
  ['events.k8s.io/v1', 'Event'],
  ['coordination.k8s.io/v1', 'Lease'],
]

/** All other kinds that any system of allot writes. */
const WRITTEN: readonly (readonly [apiVersion: string, kind: string, isNamespaced?: false])[] = [
  ['v1', 'ResourceQuota'],
  ['v1', 'Secret'],
  ['v1', 'Namespace', false],
  [CAPSULE, 'ResourcePoolClaim'],
  [CAPSULE, 'ResourcePool', false],
  ['openmcp.cloud/v1alpha1', 'QuotaIncrease'],
  ['quota.karmada.io/v1alpha1', 'KarmadaQuota'],
  ['work.karmada.io/v1alpha2', 'ResourceBinding'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', false],
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', false],
  ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', false],
]

/** The lists of all objects that allot may write, its lease aside. */
const LISTS: readonly string[] = [
  ...['customquotas', 'globalcustomquotas', 'quantityledgers', 'resourcepools', 'resourcepoolclaims'].map(
    (plural) => `${GROUP}/${plural}`,
  ),
  ...['resourcequotas', 'secrets', 'namespaces', 'configmaps', 'events', 'pods'].map((plural) => `/api/v1/${plural}`),
  '/apis/openmcp.cloud/v1alpha1/quotaincreases',
  '/apis/quota.karmada.io/v1alpha1/karmadaquotas',
  '/apis/work.karmada.io/v1alpha2/resourcebindings',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
]

/** Amounts of which nobody gets near, of all that is written where quotas count. */
const AMOUNTS = {
  'count/resourcequotas': '900',
  'count/secrets': '900',
  'count/leases.coordination.k8s.io': '900',
  'count/customquotas.capsule.clastix.io': '900',
  'count/quantityledgers.capsule.clastix.io': '900',
  'count/karmadaquotas.quota.karmada.io': '900',
  pods: '900',
}

/** Sources read that objects are there, and fields that change with each write. */
const readings = [
  { op: 'count' },
  { op: 'add', path: '.metadata.resourceVersion' },
  { op: 'add', path: '.metadata.generation' },
]

async function versions({ send }: BareServer): Promise<ReadonlyMap<string, string>> {
  const answers = await Promise.all(LISTS.map(async (path) => [path, await send('GET', path)] as const))
  return new Map(
    answers.flatMap(([path, { status, json }]) => {
      if (status !== 200) throw new Error(`${path} cannot be listed: ${status}`)
      return json.items.map(
        ({ metadata: { namespace = '', name, resourceVersion } }: { metadata: Record<string, string> }) => [
          `${path} ${namespace}/${name}`,
          resourceVersion,
        ],
      )
    }),
  )
}

/** Resolves when the operator has renewed its lease so often. */
async function renewals(server: BareServer, count: number): Promise<void> {
  const seen = new Set<string>()
  await eventually(
    async () => {
      seen.add((await server.send('GET', LEASE)).json.spec?.renewTime)
      return seen.size
    },
    (size) => size > count,
  )
}

/** The objects that were written while nobody did anything. */
async function writtenMeanwhile(server: BareServer): Promise<readonly string[]> {
  const before = await versions(server)
  await renewals(server, RENEWALS)
  const after = await versions(server)
  return [...after].filter(([key, version]) => before.get(key) !== version).map(([key]) => key)
}

for (const { name, start } of representative(bareServers))
  describe(`${name}: while nobody does anything`, () => {
    let server: BareServer & AsyncDisposable
    let operator: OperatorProcess
    let world: KarmadaWorld

    beforeAll(async () => {
      server = await start()
      operator = await startOperator(server.kubeconfig, [...SHORT_LEASE, '--enforce-resourcequota=both'])
      world = new KarmadaWorld(server)
      await world.define()
      await world.namespace(HOME)
    })
    afterAll(async () => {
      await operator?.[Symbol.asyncDispose]()
      await server?.[Symbol.asyncDispose]()
    })

    test.each(REFUSED)(
      'a custom quota may not count objects of %s %s, which allot writes while it counts',
      async (apiVersion, kind) => {
        for (const [path, of] of [
          [quotasIn(HOME), 'CustomQuota'],
          [GLOBAL_QUOTAS, 'GlobalCustomQuota'],
        ] as const)
          for (const reading of readings) {
            const spec = { limit: '1G', sources: [{ apiVersion, kind, ...reading }] }
            const answer = await server.send('POST', path, {
              apiVersion: CAPSULE,
              kind: of,
              metadata: { name: 'circle' },
              spec,
            })
            expect([answer.status, answer.json.message]).toEqual([
              403,
              expect.stringContaining('must not be a kind whose objects allot writes while it counts'),
            ])
          }
      },
    )

    test('nothing is written by any system, whatever its quotas count of what allot writes', async () => {
      await world.create(increasesIn(HOME), {
        apiVersion: 'openmcp.cloud/v1alpha1',
        kind: 'QuotaIncrease',
        metadata: { name: 'more' },
        spec: { hard: AMOUNTS },
      })
      await world.create(kquotasIn(HOME), {
        apiVersion: 'quota.karmada.io/v1alpha1',
        kind: 'KarmadaQuota',
        metadata: { name: 'all' },
        spec: { hard: { pods: '900' } },
      })
      for (const [apiVersion, kind, isNamespaced = true] of WRITTEN)
        for (const [at, reading] of readings.entries()) {
          const spec = { limit: '1E', sources: [{ apiVersion, kind, ...reading }] }
          const of = `${kind.toLowerCase()}-${at}`
          if (isNamespaced)
            await world.create(quotasIn(HOME), {
              apiVersion: CAPSULE,
              kind: 'CustomQuota',
              metadata: { name: of },
              spec,
            })
          await world.create(GLOBAL_QUOTAS, {
            apiVersion: CAPSULE,
            kind: 'GlobalCustomQuota',
            metadata: { name: of },
            spec,
          })
        }
      // Native quotas refuse what they limit until they are counted for the first time.
      await world.pool(HOME, AMOUNTS)
      await world.claim(HOME, 'some', AMOUNTS)
      await world.create(resourceQuotasIn(HOME), { metadata: { name: 'all' }, spec: { hard: AMOUNTS } })
      await world.until(`${resourceQuotasIn(HOME)}/all`, ({ status }) => status?.used?.pods !== undefined)
      // One write that is counted.
      await world.create(resourceQuotasIn(HOME), {
        metadata: { name: 'more' },
        spec: { hard: { 'count/configmaps': '900' } },
      })
      for (const path of [`${GLOBAL_QUOTAS}/secret-0`, `${quotasIn(HOME)}/resourcequota-1`])
        await world.until(path, ({ status }) => status?.usage !== undefined)
      await world.until(`${claimsIn(HOME)}/some`, ({ status }) => (status?.conditions ?? []).length > 0)
      await expect.poll(() => writtenMeanwhile(server), { timeout: 90_000 }).toEqual([])
    })
  })
