// Covers facts.ts: what objects cost that a tenant writes to make explanations dear.
import { expect, test } from 'vitest'
import { app, object, templateOf } from '../../../test/insight/explained.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { chainOf, idOf, indexed } from './facts.ts'

const TEMPLATE = templateOf([app('web', { cpu: '1' })])

/** ReplicaSets, of which each says that the one before has made it. */
function chainOfSets(length: number): readonly KubeObject[] {
  const sets: KubeObject[] = []
  for (let at = 0; at < length; at++)
    sets.push(object('apps/v1', 'ReplicaSet', `r${at}`, { replicas: 0, template: TEMPLATE }, sets.at(-1)))
  return sets
}

/** How many owners are looked up where each of these objects asks for its owners. */
function lookUps(objects: readonly KubeObject[]): number {
  let count = 0
  class Counting extends Map<string, KubeObject> {
    override get(uid: string): KubeObject | undefined {
      count++
      return super.get(uid)
    }
  }
  const byUid = new Counting(indexed(new Map([['replicasets.apps', objects]])).byUid)
  for (const one of objects) chainOf(one, { byUid })
  return count
}

test('each object looks at few owners, however long the chains are that a tenant writes [security/dashboard]', () => {
  const [some, twice] = [lookUps(chainOfSets(1_000)), lookUps(chainOfSets(2_000))]
  expect(twice).toBeLessThan(2.1 * some)
  expect(twice).toBeLessThan(20_000)
})

test('owners are known up to the top of real chains, and a circle has an end', () => {
  const sets = chainOfSets(6)
  const facts = indexed(new Map([['replicasets.apps', sets]]))
  const [first, last] = [sets[0], sets.at(-1)]
  if (first === undefined || last === undefined) throw new Error('there are no sets')
  expect(chainOf(last, facts).map((one) => idOf(one).name)).toEqual(['r0', 'r1', 'r2', 'r3', 'r4', 'r5'])
  const { metadata } = object('apps/v1', 'ReplicaSet', 'r0', {}, last)
  const circle = indexed(new Map([['replicasets.apps', [{ ...first, metadata }, ...sets.slice(1)]]]))
  expect(chainOf(last, circle).map((one) => idOf(one).name)).toEqual(['r0', 'r1', 'r2', 'r3', 'r4', 'r5'])
})
