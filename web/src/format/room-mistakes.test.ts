import { expect, test } from 'vitest'
import type { WantedRoom } from '../data/room-request.ts'
import { roomMistakes } from './room-mistakes.ts'

const WANTED: WantedRoom = {
  kind: 'claim',
  namespace: 'shop',
  name: 'more-room',
  pool: '',
  resource: 'requests.cpu',
  amount: '500m',
}

test.each([['500m'], ['2'], ['0.5'], ['1e3'], ['4Gi'], ['1n']])('takes the amount %s', (amount) => {
  expect(roomMistakes({ ...WANTED, amount })).toEqual({})
})

test.each([
  ['requests.cpu', '2 cores', '500m for half a core'],
  ['requests.cpu', '0', '500m for half a core'],
  ['requests.cpu', '-1', '500m for half a core'],
  ['limits.memory', '4 GiB', '4Gi or 512Mi'],
  ['limits.memory', '4GB', '4Gi or 512Mi'],
  ['pods', 'many', '10'],
  ['', '', '10'],
])('of %s says what to write instead of the amount “%s”', (resource, amount, example) => {
  const { amount: mistake = '' } = roomMistakes({ ...WANTED, resource, amount })
  expect(mistake).toContain(example)
  expect(mistake).not.toMatch(/[\^$\\]/)
})

test.each(['More-Room', 'a b', '-a', 'a-', 'ä', ''])('takes no name “%s”, and no pool of that name', (name) => {
  expect(roomMistakes({ ...WANTED, name }).name).toContain('for example more-room')
  expect(roomMistakes({ ...WANTED, pool: name }).pool === undefined).toBe(name === '')
})

test('an increase has no pool', () => {
  expect(roomMistakes({ ...WANTED, kind: 'increase', pool: 'What?' })).toEqual({})
})
