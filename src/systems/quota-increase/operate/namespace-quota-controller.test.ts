import { Registry } from '@prometheus-io/client'
import { expect, test } from 'vitest'
import { RESOURCE_QUOTAS } from '../../generated-quota/operate/resource-quotas.ts'
import { quotaIncrease } from '../api/quota-increase.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import type { ChangeHandler } from '../../../kube/cache/watch-cache.ts'
import { readDefinitionsFile } from '../decide/read-definitions.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { forbidden, tooLarge } from '../../../machinery/status.ts'
import { silentLogger } from '../../../runtime/process/logger.ts'
import type { ReconcileRequest } from '../../../operator/shell/controller.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import { FollowedDefinitions } from './definitions-controller.ts'
import { type IncreaseCaches, keepIncrease, keepState } from './increase-caches.ts'
import { NamespaceQuotaController } from './namespace-quota-controller.ts'
import { deletedIncreases, NamespaceWriter } from './namespace-quota-writer.ts'

const PROVIDER = 'quota-controller'
const LABELS = { suite: 'all' }
const NOW = Date.parse('2026-01-01T00:00:00Z')
const asIs = (text: string): string => text

const namespaceOf = (
  labels: Record<string, string>,
  annotations: Readonly<Record<string, string>> = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'n', uid: 'n', labels, annotations },
})
const increaseOf = (name: string, secrets: number): KubeObject => ({
  apiVersion: quotaIncrease.apiVersion,
  kind: quotaIncrease.kind,
  metadata: { name, namespace: 'n', uid: name, resourceVersion: '1' },
  spec: { hard: { 'count/secrets': secrets } },
})

interface World {
  /** As the caches have them; left out: as the server has them. */
  readonly cached?: { readonly labels: Record<string, string> }
  readonly labels: Record<string, string>
  readonly increases: readonly KubeObject[]
  readonly quotas?: readonly ResourceQuota[]
  readonly mode?: string
  readonly isKnown?: boolean
  /** By how much the clock goes on whenever it is read. */
  readonly tickMs?: number
  /** The objects that the server takes no write of. */
  readonly unfit?: readonly string[]
  /** Why the server refuses each quota that is to be made. */
  readonly refusal?: string
  readonly annotations?: Readonly<Record<string, string>>
}

/** A controller over a server that writes down what is asked of it. */
function controlling({
  cached,
  labels,
  increases,
  quotas = [],
  mode = 'singular',
  isKnown = true,
  tickMs = 0,
  unfit = [],
  refusal,
  annotations = {},
}: World) {
  const calls: string[] = []
  const events: unknown[] = []
  let reads = 0
  const onQuotas: ChangeHandler<ResourceQuota>[] = []
  const statuses: Record<string, unknown> = {}
  const namespace = namespaceOf(labels, annotations)
  const state = keepState(namespaceOf(cached?.labels ?? labels, annotations), asIs, undefined)
  const kept = increases.map((increase) => keepIncrease(increase, asIs, undefined))
  const view = {
    onChange: () => () => undefined,
    observed: () => undefined,
    observeWrite: (_: unknown, __: unknown, write: () => Promise<unknown>) => write(),
  }
  const caches = {
    namespaces: { ...view, get: (_: string, name: string) => (name === 'n' ? state : undefined) },
    increases: {
      ...view,
      list: () => kept,
      get: (_: string, name: string) => kept.find((one) => one.metadata.name === name),
    },
    quotas: {
      ...view,
      list: () => quotas,
      onChange: (handler: ChangeHandler<ResourceQuota>) => {
        onQuotas.push(handler)
        return () => undefined
      },
    },
    quotasIn: () => quotas,
  } as unknown as IncreaseCaches
  const note =
    (call: string, answer: unknown) =>
    async (kind: { resource: string }, name: unknown, patch?: unknown): Promise<unknown> => {
      const named = (name as { metadata?: { name: string } }).metadata?.name ?? (name as { name?: string }).name ?? ''
      calls.push(`${call} ${kind.resource} ${named}`.trim())
      if (call === 'patch' && unfit.includes(named)) throw tooLarge(1)
      if (call === 'create' && refusal !== undefined) throw forbidden(RESOURCE_QUOTAS, 'base', refusal)
      const { status } = (patch as { body?: { status?: unknown } } | undefined)?.body ?? {}
      if (status !== undefined) statuses[named] = status
      return answer
    }
  let stored = quotas
  const client = {
    get: note('get', namespace),
    list: async (kind: { resource: string }) => {
      calls.push(`list ${kind.resource}`)
      return { items: kind.resource === quotaIncrease.resource ? increases : stored }
    },
    create: note('create', {}),
    update: async (_: unknown, written: ResourceQuota) => {
      calls.push(`update resourcequotas ${written.metadata.name ?? ''}`)
      stored = stored.map((quota) => (quota.metadata.name === written.metadata.name ? written : quota))
      return written
    },
    patch: note('patch', {}),
    delete: note('delete', undefined),
  }
  const context = {
    client,
    clock: { now: () => NOW, monotonic: () => (reads += tickMs) },
    logger: silentLogger,
    recorder: { record: (event: unknown) => events.push(event) },
  } as unknown as OperatorContext
  const followed = new FollowedDefinitions()
  const read = readDefinitionsFile({
    quotas: [
      {
        name: 'base',
        mode,
        deleteIneffectiveQuotas: true,
        selector: { matchLabels: LABELS },
        template: { spec: { hard: { 'count/secrets': '10' } } },
      },
    ],
  })
  if (isKnown && read.errors === undefined) followed.current = read.definitions
  const deleted = deletedIncreases(new Registry())
  const writer = new NamespaceWriter({ context, caches, followed, provider: PROVIDER, deleted })
  const controller = new NamespaceQuotaController({ context, caches, followed, writer, provider: PROVIDER, workers: 1 })
  const reconcile = (name = 'n') => controller.reconcile(name, undefined, new AbortController().signal)
  const asked: ReconcileRequest[] = []
  for (const source of controller.sources) source.follow(controller.name, (request) => asked.push(request))
  /** The caches see that a quota was changed, by somebody else. */
  const changed = (old: ResourceQuota, quota: ResourceQuota): void => {
    const { namespace: of = '', name = '' } = quota.metadata
    for (const handler of onQuotas) handler(old, quota, { namespace: of, name, by: undefined })
  }
  return { calls, events, asked, changed, reconcile, statuses }
}

const quotaNamed = (name: string, secrets: string, status: ResourceQuota['status']): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: {
    name,
    namespace: 'n',
    uid: name,
    resourceVersion: '1',
    labels: { 'quota.openmcp.cloud/managed-by': PROVIDER, 'quota.openmcp.cloud/quota-definition': name },
    ownerReferences: [
      { apiVersion: 'v1', kind: 'Namespace', name: 'n', uid: 'n', controller: true, blockOwnerDeletion: true },
    ],
  },
  spec: { hard: { 'count/secrets': secrets } },
  ...(status === undefined ? {} : { status }),
})
const CLAIMED = { ...LABELS, 'quota.openmcp.cloud/base': 'base', 'quota.openmcp.cloud/mode': 'singular' }

test('a namespace that is not there needs nothing', async () => {
  const { calls, reconcile } = controlling({ labels: LABELS, increases: [increaseOf('a', 20)] })
  expect(await reconcile('elsewhere')).toEqual({})
  expect(calls).toEqual([])
})

test('nothing is changed before it is known which definitions are followed', async () => {
  const { calls, reconcile } = controlling({ labels: LABELS, increases: [increaseOf('a', 20)], isKnown: false })
  await reconcile()
  expect(calls).toEqual([])
})

test('labels of a namespace and effects of its increases are written after the quota', async () => {
  const { calls, reconcile } = controlling({ labels: LABELS, increases: [increaseOf('a', 20)], mode: 'cumulative' })
  await reconcile()
  expect(calls).toEqual(['create resourcequotas base', 'patch namespaces n', 'patch quotaincreases a'])
})

test('caches that are late delete nothing: what decides is read once more', async () => {
  // Somebody has just named the increase, which the caches do not know yet.
  const labels = { ...CLAIMED, 'quota.openmcp.cloud/use': 'a' }
  const quotas = [quotaNamed('base', '10', { hard: { 'count/secrets': '10' }, used: {} })]
  const increases = [increaseOf('a', 20), increaseOf('b', 30)]
  const late = controlling({ labels, cached: { labels: CLAIMED }, increases, quotas })
  await late.reconcile()
  expect(late.calls.filter((call) => call.startsWith('delete'))).toEqual(['delete quotaincreases b'])
  const sure = controlling({ labels: CLAIMED, increases, quotas })
  await sure.reconcile()
  expect(sure.calls.filter((call) => call.startsWith('delete'))).toEqual([
    'delete quotaincreases a',
    'delete quotaincreases b',
  ])
})

test('the quota of another definition stays until the new one is enforced', async () => {
  const old = quotaNamed('old', '3', { hard: { 'count/secrets': '3' }, used: {} })
  const deletions = async (status: ResourceQuota['status']): Promise<readonly string[]> => {
    const quotas = [old, quotaNamed('base', '10', status)]
    const { calls, reconcile } = controlling({ labels: CLAIMED, increases: [], quotas })
    await reconcile()
    return calls.filter((call) => call.startsWith('delete'))
  }
  expect(await deletions(undefined)).toEqual([])
  expect(await deletions({ hard: { 'count/secrets': '9' }, used: {} })).toEqual([])
  expect(await deletions({ hard: { 'count/secrets': '10' }, used: {} })).toEqual(['delete resourcequotas old'])
})

test('an increase that its owner has filled holds up nothing else', async () => {
  const status = { hard: { 'count/secrets': '60' }, used: {} }
  const quotas = [quotaNamed('old', '3', status), quotaNamed('base', '60', status)]
  const increases = [increaseOf('full', 20), increaseOf('b', 30)]
  const { calls, reconcile } = controlling({
    labels: { ...CLAIMED, 'quota.openmcp.cloud/mode': 'cumulative' },
    mode: 'cumulative',
    increases,
    quotas,
    unfit: ['full'],
  })
  await reconcile()
  expect(calls).toContain('patch quotaincreases full')
  expect(calls.at(-1)).toBe('delete resourcequotas old')
})

/** The status of an increase that nobody has looked at. */
const UNSEEN = (
  quotaIncrease.crd as unknown as {
    spec: { versions: readonly { schema: { openAPIV3Schema: { properties: { status: { default: object } } } } }[] }
  }
).spec.versions[0]!.schema.openAPIV3Schema.properties.status.default

/** An increase as an API server gives it that has the CRD. */
const served = (name: string, spec: object, status: object = UNSEEN): KubeObject =>
  quotaIncrease.read({
    apiVersion: quotaIncrease.apiVersion,
    kind: quotaIncrease.kind,
    metadata: { name, namespace: 'n', uid: name, resourceVersion: '1', generation: 2 },
    spec,
    status,
  })
const SECRETS = { hard: { 'count/secrets': 20 } }

test('the increases of a namespace that cannot have its quota say why, as the namespace does', async () => {
  const expiresAt = '2025-01-01T00:00:00Z'
  const refusal = 'exceeded quota: of-a-pool'
  const increases = [served('a', SECRETS), served('over', { ...SECRETS, expiresAt })]
  const { reconcile, statuses } = controlling({ labels: LABELS, mode: 'cumulative', increases, refusal })
  await expect(reconcile()).rejects.toThrow(refusal)
  const blocked = { type: 'Stalled', status: 'True', reason: 'QuotaBlocked', message: expect.stringContaining(refusal) }
  expect(statuses).toMatchObject({ a: { observedGeneration: 2, conditions: [blocked] }, over: { conditions: [] } })
  const again = controlling({
    labels: LABELS,
    mode: 'cumulative',
    increases: [served('a', SECRETS, statuses['a'] as object)],
  })
  await again.reconcile()
  expect(again.statuses).toEqual({ a: { observedGeneration: 2, conditions: [] } })
})

test.each([
  ['ignored', LABELS, { 'quota.openmcp.cloud/operation': 'ignore' }],
  ['kept by another program', { ...LABELS, 'quota.openmcp.cloud/managed-by': 'another' }, {}],
])('nobody waits for an increase in a namespace that is %s', async (_, labels, annotations) => {
  const stalled = { type: 'Stalled', status: 'True', reason: 'Invalid', message: '', lastTransitionTime: '' }
  const increases = [served('new', SECRETS), served('told', SECRETS, { observedGeneration: 1, conditions: [stalled] })]
  // What has no observedGeneration is not behind.
  expect(UNSEEN).toEqual({})
  const { calls, reconcile, statuses } = controlling({ labels, annotations, increases })
  await reconcile()
  expect(calls).toEqual(['patch quotaincreases told'])
  expect(statuses).toEqual({ told: { observedGeneration: 2, conditions: [] } })
})

test('limits that somebody else changed are put back, with an Event on the quota', async () => {
  const [own, edited] = ['10', '1000'].map((secrets) =>
    quotaNamed('base', secrets, { hard: { 'count/secrets': secrets }, used: {} }),
  ) as [ResourceQuota, ResourceQuota]
  const { calls, events, asked, changed, reconcile } = controlling({ labels: CLAIMED, increases: [], quotas: [edited] })
  changed(own, edited)
  expect(asked).toEqual([{ key: 'n' }])
  await reconcile()
  expect(calls).toEqual(['update resourcequotas base'])
  const note = 'the quota was changed by somebody else and is put back; change its definition or the increases instead'
  expect(events).toEqual([{ regarding: edited, type: 'Warning', reason: 'Reverted', action: 'Updated', note }])
})

test('a quota that follows a changed definition causes no Event, and neither does usage that changes', async () => {
  const quota = quotaNamed('base', '3', { hard: { 'count/secrets': '3' }, used: { 'count/secrets': '1' } })
  const { calls, events, asked, changed, reconcile } = controlling({ labels: CLAIMED, increases: [], quotas: [quota] })
  const { status = {} } = quota
  changed({ ...quota, status: { ...status, used: {} } }, quota)
  expect(asked).toEqual([])
  await reconcile()
  expect([calls, events]).toEqual([['update resourcequotas base'], []])
})

test('a namespace that takes long to plan rests before it is planned again, also between expiries', async () => {
  const { apiVersion, kind, metadata } = increaseOf('a', 20)
  const spec = { hard: { 'count/secrets': 20 }, expiresAt: '2026-01-01T00:00:01Z' }
  const increases = [{ apiVersion, kind, metadata, spec }]
  expect(await controlling({ labels: LABELS, increases }).reconcile()).toEqual({ requeueAfter: 1_000 })
  expect(await controlling({ labels: LABELS, increases, tickMs: 400 }).reconcile()).toEqual({
    requeueAfter: 3_600,
    restFor: 3_600,
  })
  expect(await controlling({ labels: LABELS, increases, tickMs: 60_000 }).reconcile()).toEqual({
    requeueAfter: 5_000,
    restFor: 5_000,
  })
})
