import { expect, test } from 'vitest'
import type { ResourceQuota } from '../../../../kinds/resource-quota/resource-quota.ts'
import type { KubeObject } from '../../../../machinery/object.ts'
import { QUOTA_EVALUATORS } from '../../../../charges/evaluators/table.ts'
import { recount } from './recount.ts'
import { SharedCount } from './shared-count.ts'

const requests = (cpu: string | undefined): object => (cpu === undefined ? {} : { resources: { requests: { cpu } } })
const pod = (name: string, cpu?: string): KubeObject =>
  ({ metadata: { name }, spec: { containers: [{ name: 'c', ...requests(cpu) }] } }) as unknown as KubeObject

const pods = [pod('a', '100m'), pod('b', '250m'), pod('c')]

function quota(hard: Readonly<Record<string, string>>, scopes: readonly string[] = []): ResourceQuota {
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q', namespace: 'n' }, spec: { hard, scopes } }
}

const quotas = [
  quota({ pods: '5', 'requests.cpu': '1', 'limits.cpu': '1', services: '1' }),
  quota({ cpu: '3' }),
  quota({ pods: '5' }, ['BestEffort']),
  quota({ pods: '7', cpu: '1' }, ['NotBestEffort']),
  quota({ pods: '8' }, ['BestEffort']),
  ...Array.from({ length: 20 }, (_, index) => quota({ pods: `${index}` })),
]

test('quotas with the same scopes are counted by one pass over the objects, and find what each finds by itself', () => {
  let passes = 0
  function* passed(): Generator<KubeObject> {
    passes++
    yield* pods
  }
  const shared = new SharedCount()
  const count = (of: ResourceQuota, together?: SharedCount): unknown =>
    recount({
      quota: of,
      evaluators: QUOTA_EVALUATORS,
      objectsOf: ({ resource }) => (resource === 'pods' ? passed() : []),
      now: 0,
      ...(together === undefined ? {} : { shared: together }),
    })
  const together = quotas.map((one) => count(one, shared))
  expect(passes).toBe(3)
  expect(together).toEqual(quotas.map((one) => count(one)))
})

test('an object that cannot be measured is reported by each quota that counts it, and looked at once', () => {
  let passes = 0
  function* passed(): Generator<KubeObject> {
    passes++
    yield pod('a', '1 cow')
  }
  const shared = new SharedCount()
  const input = { quota: quota({ pods: '5' }), evaluators: QUOTA_EVALUATORS, objectsOf: passed, now: 0, shared }
  expect([recount(input).errors, recount(input).errors]).toEqual([
    [expect.stringContaining('quantities must match')],
    [expect.stringContaining('quantities must match')],
  ])
  expect(passes).toBe(1)
})
