// What must not compile: `tsc` fails where a line after `@ts-expect-error` compiles. The test runs too, to show that reading throws nowhere.
import { expect, test } from 'vitest'
import type { KubeObject } from '../machinery/object.ts'
import { countOf, objectOf, objectsOf, specOf, statusOf, textAt, textOf, valueAt } from '../machinery/read.ts'
import type { CustomResourceDefinition } from './apiextensions-v1.ts'
import type { Deployment } from './apps-v1.ts'
import type { Lease } from './coordination-v1.ts'
import type { Namespace, PersistentVolumeClaim, Pod, Service } from './core-v1.ts'
import type { ResourceClaim } from './resource-v1.ts'

const object: KubeObject = {
  apiVersion: 'v1',
  kind: 'Anything',
  metadata: { name: 'web' },
  spec: {
    containers: [{ name: 'web', ports: [{ containerPort: 80 }] }],
    nodeName: 'n1',
    template: { spec: 'no object' },
  },
}

test('a misspelled field of a built-in kind does not compile, however it is read', () => {
  const read = {
    spelled: (pod: Pod) => textOf(specOf(pod).nodeName),
    // @ts-expect-error: it is nodeName
    property: (pod: Pod) => textOf(specOf(pod).nodename),
    // @ts-expect-error: it is phase
    key: (pod: Pod) => textOf(statusOf(pod)['phases']),
    // @ts-expect-error: it is containers
    list: (pod: Pod) => objectsOf(specOf(pod).container),
    // @ts-expect-error: it is containerPort
    deep: (pod: Pod) => objectsOf(objectsOf(specOf(pod).containers)[0]?.ports).map((port) => port.containerport),
    // @ts-expect-error: it is securityContext
    pattern: ({ spec }: Pod) => (({ securitycontext }) => securitycontext)(objectOf(spec)),
    // @ts-expect-error: it is nodeName
    path: (pod: Pod) => textAt(pod, 'spec', 'nodename'),
    // @ts-expect-error: it is serviceAccountName
    longPath: (workload: Deployment) => valueAt(workload, 'spec', 'template', 'spec', 'serviceAccountname'),
    // @ts-expect-error: a field of another kind
    otherKind: (claim: PersistentVolumeClaim) => specOf(claim).containers,
    // @ts-expect-error: it is clusterIP
    service: (service: Service) => specOf(service).clusterIp,
    // @ts-expect-error: it is finalizers
    namespace: (namespace: Namespace) => specOf(namespace).finalisers,
    // @ts-expect-error: it is holderIdentity
    lease: (lease: Lease) => specOf(lease).holder,
    // @ts-expect-error: it is allocation
    resourceClaim: (claim: ResourceClaim) => statusOf(claim).allocations,
    // @ts-expect-error: it is listKind
    definition: (crd: CustomResourceDefinition) => objectOf(specOf(crd).names).listkind,
  }
  for (const [name, reader] of Object.entries(read)) expect(() => reader(object), name).not.toThrow()
  expect(read.spelled(object)).toBe('n1')
})

test('what was sent is not taken for what the schema says', () => {
  const read = {
    // @ts-expect-error: nobody has checked that it is a text
    text: (pod: Pod): string => specOf(pod).nodeName,
    // @ts-expect-error: nobody has checked that it is a list
    list: (pod: Pod) => specOf(pod).containers?.map,
    // @ts-expect-error: nobody has checked that it is an object
    object: ({ spec }: Pod) => spec?.nodeName,
    // @ts-expect-error: its kind is not said
    noKind: (one: KubeObject) => specOf(one),
  }
  for (const [name, reader] of Object.entries(read)) expect(() => reader(object), name).not.toThrow()
})

test('a reader opens what is not of its shape as an empty object or list', () => {
  const spec = specOf<Deployment>(object)
  expect(objectOf(objectOf(spec.template).spec)).toEqual({})
  expect(objectsOf(objectOf(objectOf(spec.template).spec).containers)).toEqual([])
  expect(countOf(spec.replicas)).toBe(0)
  expect(
    textAt<Deployment, readonly ['spec', 'template', 'spec', 'nodeName']>(
      object,
      'spec',
      'template',
      'spec',
      'nodeName',
    ),
  ).toBe('')
})
