import { expect, test } from 'vitest'
import { sentence } from '../../../machinery/field-error.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { formatResourceList } from '../../../quantity/resource-list.ts'
import { compileKarmadaQuota, costsOf } from './costs.ts'
import { validateKarmadaQuota } from './validate-quota.ts'

const limits = (...names: readonly string[]) => ({ hard: Object.fromEntries(names.map((name) => [name, '1'])) })

test('every limit that is accepted counts something of bindings', () => {
  const names = [
    'count/deployments.apps',
    'count/pods',
    'count/secrets',
    'cpu',
    'example.com/gpu',
    'hugepages-2Mi',
    'memory',
    'pods',
    'requests.cpu',
    'requests.ephemeral-storage',
    'requests.example.com/gpu',
    'requests.hugepages-2Mi',
    'secrets',
    'services',
  ]
  expect(validateKarmadaQuota({ spec: limits(...names) })).toEqual([])
  expect([...compileKarmadaQuota(limits(...names)).tracked.keys()]).toEqual(names)
})

test.each(['limits.cpu', 'limits.example.com/gpu', 'requests.storage', 'configmaps', 'services.nodeports', 'cores'])(
  'the limit %s is refused, since no binding says what it uses of it',
  (name) => {
    const [first = ''] = validateKarmadaQuota({ spec: limits(name) }).map(sentence)
    expect(first).toMatch(`spec.hard[${name}]: Invalid value: "${name}": must be`)
  },
)

test('amounts are validated as those of a ResourceQuota, also where JSON has them as numbers', () => {
  expect(validateKarmadaQuota({ spec: { hard: { pods: 3, cpu: '500m' } } })).toEqual([])
  expect(validateKarmadaQuota({ spec: { hard: { pods: '-1' } } }).map(sentence)).toEqual([
    'spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0',
  ])
})

const component = (replicas: number, cpu: string, priorityClassName: string) => ({
  name: priorityClassName,
  replicas,
  replicaRequirements: { resourceRequest: { cpu }, priorityClassName },
})

test('each component counts towards the quotas that select its own PriorityClass, in every target cluster', () => {
  const binding = {
    apiVersion: 'work.karmada.io/v1alpha2',
    kind: 'ResourceBinding',
    metadata: {},
    spec: {
      resource: { apiVersion: 'flink.example.com/v1', kind: 'FlinkDeployment' },
      components: [component(1, '2', 'high'), component(3, '500m', 'low')],
      clusters: [{ name: 'one' }, { name: 'two' }],
    },
  }
  const hard = { cpu: '1', pods: '1', 'count/flinkdeployments.flink.example.com': '1' }
  const of = (values: readonly string[]) =>
    formatResourceList(
      costsOf(
        compileKarmadaQuota({
          hard,
          scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values }] },
        }),
        binding,
      ),
    )
  const one = { 'count/flinkdeployments.flink.example.com': '1' }
  expect(of(['high'])).toEqual({ ...one, cpu: '4', pods: '2' })
  expect(of(['low'])).toEqual({ ...one, cpu: '3', pods: '6' })
  expect(of(['high', 'low'])).toEqual({ ...one, cpu: '7', pods: '8' })
  expect(of(['other'])).toEqual({ cpu: '0', pods: '0', 'count/flinkdeployments.flink.example.com': '0' })
})

test('a request below zero gives no room', () => {
  const spec = { replicas: 2, replicaRequirements: { resourceRequest: { cpu: '-1' } } }
  const binding = { apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding', metadata: {}, spec }
  expect(costsOf(compileKarmadaQuota(limits('cpu')), binding)).toEqual({ cpu: Quantity.zero })
})
