import { expect, test } from 'vitest'
import { parseResourceList } from '../../../../quantity/resource-list.ts'
import { claimOf } from '../../../../../test/systems/resource-pool/pool-arena.ts'
import { readShortages } from './read-shortages.ts'
import { waitingWithoutPool } from './waiting.ts'

const read = (text: string): unknown =>
  readShortages({ for: text }).map(({ resource, requested, of, amount }) => [
    resource,
    requested.toString(),
    of,
    amount.toString(),
  ])

test('what a claim waits for is read back as it is written', () => {
  expect(read('pods: 3 of 1 free, requests.cpu: 2 of 500m free; 1st in the queue')).toEqual([
    ['pods', '3', 'free', '1'],
    ['requests.cpu', '2', 'free', '500m'],
  ])
  expect(read('requests.cpu: 1 behind older claims of 2; 2nd in the queue')).toEqual([
    ['requests.cpu', '1', 'before it', '2'],
  ])
  const claim = claimOf('big', { 'requests.cpu': '5', 'example.org/gpu': '1' })
  const hard = parseResourceList({ 'requests.cpu': '2' })
  const waiting = waitingWithoutPool(claim, 'resource-missing', {
    pool: 'p',
    isEnding: false,
    message: '',
    hard: () => hard,
  })
  expect(read(waiting.for)).toEqual([
    ['example.org/gpu', '1', 'in the pool', '0'],
    ['requests.cpu', '5', 'in the pool', '2'],
  ])
})

test.each(['', 'pool p', 'pods: 3; after the first 20', 'pods: three of one free', 'a pool with pods'])(
  'nothing is read of %j',
  (text) => {
    expect(read(text)).toEqual([])
  },
)
