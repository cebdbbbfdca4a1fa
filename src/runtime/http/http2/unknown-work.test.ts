import { expect, test } from 'vitest'
import { UnknownWork } from './unknown-work.ts'

/** Takes all that a connection may have, in steps. */
function drain(work: UnknownWork, address: string): number {
  const connection = work.connection(address)
  let points = 0
  while (connection.spend(100)) points += 100
  return points
}

test('a connection has a bound, and the connections of one address have one together', () => {
  const work = new UnknownWork()
  const first = drain(work, '192.0.2.1')
  expect(first).toBeGreaterThanOrEqual(30_000)
  expect(first).toBeLessThan(35_000)
  const rest = Array.from({ length: 5 }, () => drain(work, '192.0.2.1'))
  expect(rest.reduce((sum, points) => sum + points, first)).toBeLessThan(60_000 + 6 * 3000 + 10_000)
})

test('a connection from an address that has spent its ration can still send one request', () => {
  const work = new UnknownWork()
  for (let n = 0; n < 5; n++) drain(work, '192.0.2.1')
  expect(drain(work, '192.0.2.1')).toBeGreaterThanOrEqual(3000)
})

test('one address leaves the others their rations; the addresses of one IPv6 network are one', () => {
  const work = new UnknownWork()
  for (let n = 0; n < 5; n++) drain(work, '2001:db8:0:1::1')
  expect(drain(work, '2001:db8:0:1::2')).toBeLessThan(10_000)
  expect(drain(work, '2001:db8:0:2::1')).toBeGreaterThanOrEqual(30_000)
})

test('clients that become known take nothing from their address, however many they are', () => {
  const work = new UnknownWork()
  for (let n = 0; n < 1000; n++) {
    const connection = work.connection('192.0.2.1')
    expect(connection.spend(5000)).toBe(true)
    connection.giveBack()
  }
  expect(drain(work, '192.0.2.1')).toBeGreaterThanOrEqual(30_000)
})

test('work beyond what one turn of the event loop may take waits, for one address after the other', async () => {
  const work = new UnknownWork()
  const [loud, quiet] = [work.connection('192.0.2.1'), work.connection('192.0.2.2')]
  expect(loud.turn()).toBeUndefined()
  loud.spend(2500)
  const order: string[] = []
  const turns = [loud, loud, loud, quiet].map(async (connection) => {
    const turn = connection.turn()
    expect(turn).toBeDefined()
    await turn
    order.push(connection === loud ? 'loud' : 'quiet')
  })
  await Promise.all(turns)
  expect(order).toEqual(['loud', 'quiet', 'loud', 'loud'])
  expect(quiet.turn()).toBeUndefined()
})
