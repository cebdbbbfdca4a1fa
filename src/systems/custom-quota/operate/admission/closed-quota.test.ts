import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../../../../test/kube/manual-clock.ts'
import { KindCounts } from '../../../counted/count/kind-counts.ts'
import { customQuota } from '../../api/custom-quota.ts'
import { compileQuota } from '../../decide/compile-quota.ts'
import { quotaSpec } from '../../../../../test/systems/custom-quota/custom-quotas.ts'
import { readReview } from '../../../../runtime/admission/request.ts'
import { TrackedQuota } from '../tracking/tracked-quota.ts'
import { closedQuota } from './closed-quota.ts'

const spec = quotaSpec({ limit: 3, sources: [{ apiVersion: 'apps/v1', kind: 'Deployment', op: 'count' }] })
const tracked = new TrackedQuota(
  customQuota.read({
    apiVersion: customQuota.apiVersion,
    kind: customQuota.kind,
    metadata: { namespace: 'n', name: 'q', generation: 2 },
    spec,
  }),
  compileQuota(spec, { strictPaths: false }),
)

interface Asked {
  readonly namespace?: string
  readonly kind?: string
  readonly resource?: string
  readonly group?: string
  readonly operation?: string
  readonly subResource?: string
  readonly replicas?: number
}

/** A request for an object that had one replica before. */
function request({
  namespace = 'n',
  kind = 'Deployment',
  resource = `${kind.toLowerCase()}s`,
  group = 'apps',
  operation = 'CREATE',
  subResource = '',
  replicas = 1,
}: Asked) {
  const object = (count: number) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { namespace, name: 'a' },
    spec: { replicas: count },
  })
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u',
      operation,
      kind: { group: 'apps', version: 'v1', kind },
      resource: { group, version: 'v1', resource },
      subResource,
      namespace,
      name: 'a',
      ...(operation === 'DELETE' ? {} : { object: object(replicas) }),
      ...(operation === 'CREATE' ? {} : { oldObject: object(1) }),
    },
  }
  return readReview(JSON.stringify(review)).request
}

test.each([
  ['an object of a kind that it names', {}, true],
  ['an object of another kind', { kind: 'StatefulSet' }, false],
  ['an object of another namespace', { namespace: 'm' }, false],
  ['an object of a namespace that is exempt', { namespace: 'kube-system' }, false],
  ['a change of an object', { operation: 'UPDATE', replicas: 2 }, true],
  ['a change of nothing that it could count', { operation: 'UPDATE' }, false],
  ['a Scale of its kind', { operation: 'UPDATE', subResource: 'scale', kind: 'Scale', resource: 'deployments' }, true],
  [
    'a Scale of another kind of its group',
    { operation: 'UPDATE', subResource: 'scale', kind: 'Scale', resource: 'statefulsets' },
    false,
  ],
  [
    'a Scale of a kind of another group',
    { operation: 'UPDATE', subResource: 'scale', kind: 'Scale', resource: 'deployments', group: 'example.com' },
    false,
  ],
  [
    'a Scale of a custom kind of its group',
    { operation: 'UPDATE', subResource: 'scale', kind: 'Scale', resource: 'parts' },
    false,
  ],
  [
    'a Scale of a kind of its group that nobody knows',
    { operation: 'UPDATE', subResource: 'scale', kind: 'Scale', resource: 'things' },
    true,
  ],
  [
    'a subresource of another kind that writes the object itself',
    { operation: 'UPDATE', subResource: 'resize', kind: 'Pod' },
    false,
  ],
  ['a deletion', { operation: 'DELETE' }, false],
] as const)('a quota whose kinds are being looked up is closed, or open, for %s: %j', (_what, asked, isClosed) => {
  const tracker = {
    unserved: { quotasOf: () => [] },
    unresolved: [tracked],
    kinds: { inOtherVersions: () => [] },
    finder: { crd: (name: string) => (name === 'parts.apps' ? { kind: 'Part' } : undefined) },
    namespaces: { get: () => ({ name: 'n' }) },
  } as unknown as Parameters<typeof closedQuota>[1]['tracker']
  const closed = closedQuota(request(asked), { tracker, exempt: new Set(['kube-system']) })
  expect(closed === tracked).toBe(isClosed)
})

describe('a quota that counts the kind in another version', () => {
  const served = {
    group: 'apps',
    version: 'v2',
    resource: 'deployments',
    kind: 'Deployment',
    namespaced: true,
    verbs: [],
    shortNames: [],
    subresources: [],
  }
  const counting = (status: string): Parameters<typeof closedQuota>[1]['tracker'] => {
    const kinds = new KindCounts<TrackedQuota>({
      client: { listPages: async function* () {} },
      clock: new ManualClock(),
      follow: () => ({ problem: undefined, run: () => Promise.resolve() }) as never,
      measure: () => () => undefined,
    })
    const ready = { type: 'Ready', status, reason: 'Succeeded', message: '', lastTransitionTime: '' }
    tracked.quota = { ...tracked.quota, status: { observedGeneration: 2, conditions: [ready] } } as never
    const counts = kinds.add(tracked, served, [{ name: 'kind', amount: 'amount' }], () => undefined)
    for (const { count } of counts) count.countedAt = '1'
    // A quota of somebody else counts the version of the request.
    const { spec: other } = tracked.quota
    const metadata = { namespace: 'm', name: 'other', generation: 1 }
    const stranger = customQuota.read({
      apiVersion: customQuota.apiVersion,
      kind: customQuota.kind,
      metadata,
      spec: other,
    })
    const asking = new TrackedQuota(stranger, compileQuota(spec, { strictPaths: false }))
    kinds.add(asking, { ...served, version: 'v1' }, [{ name: 'kind', amount: 'amount' }], () => undefined)
    tracked.resolution = {
      targets: counts.map((one) => ({ ...one, kind: tracked.kinds[0], resource: served })) as never,
      problems: [],
    }
    return {
      unserved: { quotasOf: () => [] },
      unresolved: [],
      kinds,
      finder: { crd: () => undefined },
      namespaces: { get: () => ({ name: 'n' }) },
    } as unknown as Parameters<typeof closedQuota>[1]['tracker']
  }

  test.each([
    ['is closed before it is ready', 'False', {}, true],
    ['leaves the request to the version that it reads once it is ready', 'True', {}, false],
    ['leaves other namespaces alone', 'False', { namespace: 'm' }, false],
    ['leaves other resources alone', 'False', { kind: 'StatefulSet' }, false],
    ['leaves a change of nothing that it could count alone', 'False', { operation: 'UPDATE' }, false],
  ] as const)('%s', (_what, status, asked, isClosed) => {
    const closed = closedQuota(request(asked), { tracker: counting(status), exempt: new Set() })
    expect(closed === tracked).toBe(isClosed)
  })
})
