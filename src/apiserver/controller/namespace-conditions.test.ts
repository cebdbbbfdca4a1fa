import type { Namespace } from '../../builtin/core-v1.ts'
import { expect, test } from 'vitest'
import type { KubeObject } from '../../machinery/object.ts'
import { objectsOf, statusOf } from '../../machinery/read.ts'
import { withRemains } from './namespace-conditions.ts'

const NOTHING = { resources: new Map(), finalizers: new Map() }
const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } }

const messages = (of: KubeObject): readonly unknown[] =>
  objectsOf(statusOf<Namespace>(of).conditions)
    .slice(-2)
    .map(({ status, message }) => [status, message])

test('the rest is reported in the order of its names', () => {
  const resources = new Map([
    ['pods.', 2],
    ['configmaps.', 1],
  ])
  const finalizers = new Map([
    ['x/b', 1],
    ['x/a', 2],
  ])
  expect(messages(withRemains(namespace, { resources, finalizers }, 'now'))).toEqual([
    ['True', 'Some resources are remaining: configmaps. has 1 resource instances, pods. has 2 resource instances'],
    [
      'True',
      'Some content in the namespace has finalizers remaining: x/a in 2 resource instances, x/b in 1 resource instances',
    ],
  ])
})

test('an empty namespace has nothing left', () => {
  expect(messages(withRemains(namespace, NOTHING, 'now'))).toEqual([
    ['False', 'All content successfully removed'],
    ['False', 'All content-preserving finalizers finished'],
  ])
})

test('a condition keeps its time as long as its status, also with other words', () => {
  const left = (count: number): Parameters<typeof withRemains>[1] => ({
    resources: new Map([['pods.', count]]),
    finalizers: new Map(),
  })
  const first = withRemains(namespace, left(2), 'first')
  const second = withRemains(first, left(1), 'second')
  const third = withRemains(second, NOTHING, 'third')
  const times = [first, second, third].map(
    (one) =>
      objectsOf(statusOf<Namespace>(one).conditions).find(({ type }) => type === 'NamespaceContentRemaining')
        ?.lastTransitionTime,
  )
  expect(times).toEqual(['first', 'first', 'third'])
  expect(withRemains(third, NOTHING, 'later')).toEqual(third)
})
