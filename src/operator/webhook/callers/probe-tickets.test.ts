import { createHash, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { guardedPath } from '../key/guarded-path.ts'
import { isSealOf, sealOf } from '../key/text-seal.ts'
import { ProbeTickets } from './probe-tickets.ts'

const KEYS = [randomBytes(32), randomBytes(32)]
const [KEY = Buffer.alloc(0)] = KEYS

/** A replica whose current key is the first of these. */
const replica = (keys: readonly Buffer[] = KEYS, now = () => 1_000_000) =>
  new ProbeTickets({
    seal: {
      sealed: (text) => sealOf(text, keys[0] ?? KEY),
      isSealed: (text, seal) => isSealOf(text, seal, keys),
    },
    now,
  })

test('a ticket of any replica is good once for each webhook, also while keys change', () => {
  const [maker, other] = [replica(), replica(KEYS.toReversed())]
  const ticket = maker.make()
  for (const one of [maker, other]) {
    expect([one.use(ticket, '/a'), one.use(ticket, '/a'), one.use(ticket, '/b'), one.use(ticket, '/b')]).toEqual([
      'first',
      undefined,
      'further',
      undefined,
    ])
    expect(one.use(one.make(), '/a')).toBe('first')
  }
})

test('a ticket is no good a minute later, nor before its time', () => {
  let now = 1_000_000
  const tickets = replica(KEYS, () => now)
  const [early, late, early2] = [tickets.make(), tickets.make(), tickets.make()]
  now += 60_000
  expect(tickets.use(early, '/a')).toBe('first')
  now += 1
  expect(tickets.use(late, '/a')).toBeUndefined()
  now -= 120_002
  expect(tickets.use(early2, '/a')).toBeUndefined()
})

test('nobody makes a ticket without the key, not even of what URLs and other tickets tell', () => {
  const tickets = replica()
  const ticket = tickets.make()
  const [nonce = '', made = '', mac = ''] = ticket.split(' ')
  const part = guardedPath(`/${nonce} ${made}`, KEY).split('/').at(-1) ?? ''
  for (const forged of [
    '',
    nonce,
    `${nonce} ${made}`,
    `${nonce} ${made} `,
    `${nonce} ${made} ${mac.slice(0, 32)}`,
    `${nonce} ${made} ${part}${part}`,
    `${nonce} ${made} ${createHash('sha256').update(`${nonce} ${made}`).digest('hex')}`,
    `${nonce} ${Number(made) + 1} ${mac}`,
    `${nonce.split('').toReversed().join('')} ${made} ${mac}`,
    `${ticket} `,
    ticket.toUpperCase(),
    replica([randomBytes(32)]).make(),
  ])
    expect([forged, tickets.use(forged, '/a')]).toEqual([forged, undefined])
  expect(tickets.use(ticket, '/a')).toBe('first')
})
