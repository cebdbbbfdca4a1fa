import { expect, test } from 'vitest'
import { app, explained, quota } from '../../test/insight/explained.ts'
import type { ClaimRoom } from '../insight/explain/remedy/room-for-claim.ts'
import { withPools } from './explain-object.ts'

const lacking = (labels: Readonly<Record<string, string>>) =>
  explained({
    template: [app('web', { cpu: '200m' })],
    replicas: 1,
    pods: [],
    quota: quota({ 'requests.cpu': '1' }, { 'requests.cpu': '1' }, { labels }),
  })

test('pools are read once, and only for what may claim from them [32/more-room]', async () => {
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
