import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../../machinery/object.ts'
import { belonging, withHooks } from './belonging.ts'
import { CAPSULE } from './peer.ts'
import type { PeerWorkload } from './peer-facts.ts'
import { readRecord } from './record.ts'

const workload = (namespace: string, name: string): PeerWorkload => ({
  kind: 'Deployment',
  namespace,
  name,
  replicas: 0,
  version: 'v0.14.0',
  selector: 'app=capsule',
})
const object = (kind: string, name: string, more: object = {}): object => ({ kind, metadata: { name }, ...more })
const read = (more: object) => {
  const record = readRecord(JSON.stringify({ format: 1, ...more }))
  if (record === undefined) throw new Error('no record')
  return record
}
const namesOf = (objects: readonly KubeObject[]): readonly unknown[] => objects.map(({ metadata }) => metadata.name)
const own = { name: 'pools.projectcapsule.dev' }
const asked = { name: 'x', clientConfig: { service: { namespace: 'capsule-system', name: 'webhooks' } } }
const other = { name: 'y', clientConfig: { service: { namespace: 'other', name: 'webhooks' } } }

describe('what a record says is put back', () => {
  const { kept, ignored } = belonging(
    CAPSULE,
    read({
      deployments: [
        { namespace: 'capsule-system', name: 'manager', replicas: 2 },
        { namespace: 'kube-system', name: 'coredns', replicas: 0 },
      ],
      crds: [
        object('CustomResourceDefinition', 'resourcepools.capsule.clastix.io'),
        object('CustomResourceDefinition', 'a.b'),
      ],
      configurations: [
        object('ValidatingWebhookConfiguration', 'shared', { webhooks: [own, other, asked] }),
        object('MutatingWebhookConfiguration', 'others', { webhooks: [other] }),
      ],
    }),
    { workloads: [workload('capsule-system', 'manager')], services: ['capsule-system/webhooks'] },
  )

  test('if it belongs to the program', () => {
    expect(kept.deployments).toEqual([{ namespace: 'capsule-system', name: 'manager', replicas: 2 }])
    expect(namesOf(kept.crds)).toEqual(['resourcepools.capsule.clastix.io'])
    expect(kept.configurations.map(({ webhooks }) => webhooks)).toEqual([[own, asked]])
  })

  test('and a sentence says what does not', () => {
    expect(ignored).toEqual(
      ['Deployment kube-system/coredns', 'CRD a.b', 'MutatingWebhookConfiguration others'].map(
        (one) => `the ${one} of the record does not belong to Capsule, and is left alone`,
      ),
    )
  })

  test('without owners and identities, which are gone', () => {
    const metadata = { name: 'a', uid: '1', resourceVersion: '2', ownerReferences: [{ name: 'b' }], labels: { c: 'd' } }
    const { configurations } = read({ configurations: [{ metadata, webhooks: [] }] })
    expect(configurations.map((one) => one.metadata)).toEqual([{ name: 'a', labels: { c: 'd' } }])
  })
})

describe('webhooks are put back', () => {
  const hooks = (text: string) => text.split('').map((name) => ({ name, by: 'stored' }))
  test.each([
    ['', 'ab', 'AB'],
    ['x', 'ab', 'xAB'],
    ['xby', 'abc', 'xABCy'],
    ['axc', 'abc', 'ABxC'],
    ['xy', '', 'xy'],
  ])('among %j those of %j: %j', (stored, back, result) => {
    const merged = withHooks(
      hooks(stored),
      hooks(back).map((hook) => ({ ...hook, by: 'record' })),
    )
    const seen = merged.map(({ name, by }) => (by === 'record' ? String(name).toUpperCase() : String(name)))
    expect(seen.join('')).toBe(result)
  })
})
