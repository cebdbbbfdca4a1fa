import { expect, test } from 'vitest'
import { app, explained, NO_FACTS, object, quota } from '../../test/insight/explained.ts'
import type { ClaimRoom } from '../insight/explain/remedy/room-for-claim.ts'
import { explainAsked, withPools } from './explain-object.ts'

const lacking = (labels: Readonly<Record<string, string>>) =>
  explained({
    template: [app('web', { cpu: '200m' })],
    replicas: 1,
    pods: [],
    quota: quota({ 'requests.cpu': '1' }, { 'requests.cpu': '1' }, { labels }),
  })

test('pools are read once, and only for what may claim from them', async () => {
  const room: ClaimRoom = { pools: undefined, claims: [], kubectl: 'kubectl -n shop', notSeen: [] }
  let reads = 0
  const read = async (): Promise<ClaimRoom> => {
    reads += 1
    return await Promise.resolve(room)
  }
  const [plain, ofPool] = [lacking({}), lacking({ 'projectcapsule.dev/pool': 'p1' })]
  expect(await withPools([plain, plain], read)).toEqual([plain, plain])
  expect(reads).toBe(0)
  expect(await withPools([ofPool, plain, ofPool], read)).toEqual([ofPool, plain, ofPool])
  expect(reads).toBe(1)
})

test('of a manifest whose object the caller may not read nothing is said but that', () => {
  const kind = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true }
  const pod = object('v1', 'Pod', 'a', { containers: [] })
  const facts = { ...NO_FACTS, quotas: [quota({ pods: '1' }, { pods: '1' })] }
  const told = (isHidden: boolean) => {
    const { verdict, causes, remedies, notSeen } = explainAsked({ object: pod, isStored: false, kind, isHidden }, facts)
    return { verdict, causes: causes.length, remedies: remedies.length, notSeen }
  }
  expect(told(false)).toMatchObject({ verdict: 'blocked', causes: 1, notSeen: [] })
  expect(told(true)).toEqual({ verdict: 'unknown', causes: 0, remedies: 0, notSeen: ['pods: you may not read Pod a'] })
})
