import { expect, test } from 'vitest'
import { poolOf } from '../../../test/grants/pool-arena.ts'
import type { ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import { AmountBook } from '../../grants/pools/amount-book.ts'
import { poolQuota } from '../../grants/pools/pool-quota.ts'
import { admissionRequestShape, compileMatchCondition } from '../../machinery/cel/match-condition.ts'
import { Quantity } from '../../quantity/quantity.ts'
import type { AdmissionRequest } from '../../runtime/admission-request.ts'
import { guardQuota, NOT_COUNTED, type QuotaGuardOptions } from './quota-guard.ts'

const CPU = 'requests.cpu'
const pool = poolOf('p', { quota: { hard: { [CPU]: '4' } } })
const made = poolQuota({ pool, namespace: 'a', hard: { [CPU]: Quantity.parse('1') }, release: undefined })
const quota: ResourceQuota = { ...made, status: { hard: { [CPU]: '1' }, used: { [CPU]: '0' } } }
const account = (name: string): string => `system:serviceaccount:kube-system:${name}`

/** Is it refused to somebody that a quota becomes another, or goes? */
function isRefused(
  username: string,
  object: ResourceQuota | undefined,
  { subResource = '', ownName = 'operator', served = true } = {},
): boolean {
  const caches = {
    pools: { get: () => pool },
    namespaces: { get: () => ({ name: 'a', labels: { pool: served ? 'p' : 'q' } }) },
  } as unknown as QuotaGuardOptions['caches']
  const request = {
    operation: object === undefined ? 'DELETE' : 'UPDATE',
    subResource,
    object,
    oldObject: quota,
    userInfo: { username, uid: '', groups: [], extra: {} },
  } as unknown as AdmissionRequest
  const own = ownName === '' ? undefined : ownName
  return guardQuota(request, { caches, book: new AmountBook(), ownName: () => own }).verdict === 'denied'
}

const raised: ResourceQuota = { ...quota, spec: { hard: { [CPU]: '9' } } }
const unowned: ResourceQuota = { ...quota, metadata: { ...quota.metadata, ownerReferences: [] } }
const enforced: ResourceQuota = { ...quota, status: { ...quota.status, hard: { [CPU]: '9' } } }
const unused: ResourceQuota = { ...quota, status: { ...quota.status, used: {} } }

test.each<readonly [string, readonly boolean[]]>([
  // raise it, take its owner away, delete it; raise and lower what its status says
  ['operator', [false, false, false, false, false]],
  ['somebody', [true, true, true, true, true]],
  ['system:apiserver', [true, true, true, false, false]],
  ['system:kube-controller-manager', [true, false, false, false, false]],
  [account('resourcequota-controller'), [true, true, true, false, false]],
  [account('generic-garbage-collector'), [true, false, false, true, true]],
  [account('namespace-controller'), [true, false, false, true, true]],
  [account('deployment-controller'), [true, true, true, true, true]],
  ['system:serviceaccount:a:generic-garbage-collector', [true, true, true, true, true]],
])('of what may be done to a quota, %s is refused %j', (who, refusals) => {
  const status = { subResource: 'status' }
  expect([
    isRefused(who, raised),
    isRefused(who, unowned),
    isRefused(who, undefined),
    isRefused(who, enforced, status),
    isRefused(who, unused, status),
  ]).toEqual(refusals)
})

test('anybody may change what means nothing, and delete what the pool does not want', () => {
  const labelled = { ...quota, metadata: { ...quota.metadata, labels: { ...quota.metadata.labels, own: 'yes' } } }
  expect(isRefused('somebody', labelled)).toBe(false)
  expect(isRefused('somebody', labelled, { subResource: 'status' })).toBe(false)
  expect(isRefused('somebody', undefined, { served: false })).toBe(false)
  expect(isRefused('somebody', raised, { ownName: '' })).toBe(false)
})

test('a write to the status is no way to take a quota from its pool', () => {
  const stripped = { ...quota, metadata: { ...quota.metadata, labels: {} } }
  expect(isRefused('somebody', stripped, { subResource: 'status' })).toBe(true)
})

test('who counts is not even asked about', () => {
  const program = compileMatchCondition(NOT_COUNTED.expression, admissionRequestShape())
  const isAsked = (username: string): unknown => {
    const { result } = program.run({ request: { userInfo: { username } } }, { maxCost: 1000 })
    return 'value' in result ? result.value : result.error
  }
  expect(isAsked('somebody')).toBe(true)
  for (const who of ['system:apiserver', 'system:kube-controller-manager', account('resourcequota-controller')])
    expect(isAsked(who), who).toBe(false)
})
