import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { sentence } from '../../../machinery/field-error.ts'
import { type GroupResource, qualified } from '../../../machinery/status.ts'
import { mayBearPods } from '../../../api/pod-bearers.ts'
import { idleKarmadaLimits } from './idle-karmada-limits.ts'

const limits = (...names: readonly string[]) => ({ hard: Object.fromEntries(names.map((name) => [name, '1'])) })
const file = new URL('../../../../schemas/kubernetes-1.36-resources.json', import.meta.url)
const { resources } = JSON.parse(readFileSync(file, 'utf8')) as { resources: Readonly<Record<string, GroupResource>> }
const counts = [...new Set(Object.values(resources).filter(({ resource }) => !resource.includes('/')))]

test('with a scope, counts of objects that have no pods are refused, for every resource of Kubernetes, and others are not', () => {
  for (const one of counts) {
    const name = `count/${qualified(one)}`
    const errors = idleKarmadaLimits({ ...limits(name), scopes: ['PriorityClass'] }).map(sentence)
    expect([name, errors]).toEqual([
      name,
      mayBearPods(one)
        ? []
        : [
            `spec.hard[${name}]: Invalid value: "${name}": limits nothing: a scope selects pods, and objects of this resource have none`,
          ],
    ])
    expect(idleKarmadaLimits(limits(name))).toEqual([])
  }
  const custom = limits('count/flinkdeployments.flink.example.com')
  expect(idleKarmadaLimits({ ...custom, scopes: ['PriorityClass'] })).toEqual([])
})

test('amounts of volume claims and of devices are refused, since bindings know pods only', () => {
  const ofClaims = ['fast.storageclass.storage.k8s.io/requests.storage', 'gpu.deviceclass.resource.k8s.io/devices']
  expect(idleKarmadaLimits(limits(...ofClaims)).map(({ path }) => path)).toEqual(
    ofClaims.map((name) => `spec.hard[${name}]`),
  )
  const ofPods = ['cpu', 'memory', 'nvidia.com/gpu', 'requests.nvidia.com/gpu', 'hugepages-2Mi', 'pods', 'count/pods']
  expect(idleKarmadaLimits(limits(...ofPods))).toEqual([])
})

test('requirements that no pod meets together are refused', () => {
  const of = (...values: readonly string[]) => ({ scopeName: 'PriorityClass', operator: 'In', values })
  const errors = (...matchExpressions: readonly ReturnType<typeof of>[]) =>
    idleKarmadaLimits({ ...limits('cpu'), scopeSelector: { matchExpressions } })
  expect(errors(of('a'), of('b')).map(({ path }) => path)).toEqual(['spec.scopeSelector'])
  expect(errors(of('a', 'b'), of('b'))).toEqual([])
})
