import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { mayBearPods } from './pod-bearers.ts'

interface Served {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly kind: string
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../schemas/kubernetes-1.36-${name}.json`, import.meta.url), 'utf8'))

test('the resources whose objects may bear pods are those whose schema leads to the spec of a pod', () => {
  const { definitions } = read('definitions') as { readonly definitions: Readonly<Record<string, unknown>> }
  const { resources } = read('resources') as { readonly resources: Readonly<Record<string, Served>> }
  const bearers = new Map<string, boolean>()
  const leads = (name: string): boolean => {
    const known = bearers.get(name)
    if (known !== undefined) return known
    bearers.set(name, name.endsWith('core.v1.PodSpec'))
    const referred = JSON.stringify(definitions[name] ?? {}).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g)
    const found = bearers.get(name) === true || [...referred].some(([, other = '']) => leads(other))
    bearers.set(name, found)
    return found
  }
  const served = Object.values(resources).filter(({ resource }) => !resource.includes('/'))
  expect(served.length).toBeGreaterThan(50)
  for (const one of served) {
    const suffix = `.${one.group === '' ? 'core' : one.group.split('.')[0]}.${one.version}.${one.kind}`
    const names = Object.keys(definitions).filter((name) => name.endsWith(suffix))
    expect([one.group, one.resource, mayBearPods(one)]).toEqual([one.group, one.resource, names.some(leads)])
  }
})

test('objects of custom resources may bear pods, and those of other groups of Kubernetes do not', () => {
  expect(mayBearPods({ group: 'flink.example.com', resource: 'flinkdeployments' })).toBe(true)
  expect(mayBearPods({ group: 'jobset.x-k8s.io', resource: 'jobsets' })).toBe(true)
  expect(mayBearPods({ group: 'gateway.networking.k8s.io', resource: 'gateways' })).toBe(false)
  expect(mayBearPods({ group: '', resource: 'secrets' })).toBe(false)
})
