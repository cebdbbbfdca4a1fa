import { beforeAll, describe, expect, test } from 'vitest'
import { certificatesIn, type KeyPair } from '../../runtime/certificate/check.ts'
import { makeAuthority, makeServerCertificate } from '../../runtime/certificate/certificates.ts'
import { needed, planCertificates, type SharedCertificates } from './plan.ts'

const NOW = Date.now()
const DAY = 86_400_000
const SPREAD = 600_000
const NAMES = ['hooks.allot-system.svc', '127.0.0.1', '::1']

let first: KeyPair
let second: KeyPair
let server: KeyPair
beforeAll(async () => {
  first = await makeAuthority(NOW)
  second = await makeAuthority(NOW)
  server = await makeServerCertificate(first, NAMES, NOW, 90)
})

const pem = ({ certificate }: KeyPair): string => certificatesIn(certificate)[0] ?? ''
const shared = (more: Partial<SharedCertificates> = {}): SharedCertificates => ({
  server,
  authorities: [pem(first)],
  authorityKey: first.key,
  retired: [],
  ...more,
})
/** In the middle of a change: the second authority is known, and the first one's certificate still presented. */
const staged = (more: Partial<SharedCertificates> = {}): SharedCertificates =>
  shared({ authorities: [pem(second), pem(first)], authorityKey: second.key, ...more })

describe('valid certificates stay', () => {
  test('until two thirds of its life are over', () => {
    expect(planCertificates(shared(), NAMES, NOW, SPREAD)).toEqual({ action: 'keep' })
    expect(planCertificates(shared(), NAMES, NOW + 59 * DAY, SPREAD)).toEqual({ action: 'keep' })
    expect(planCertificates(shared(), NAMES, NOW + 61 * DAY, SPREAD)).toEqual({ action: 'issue', names: NAMES })
  })

  test('when a clock is set back by less than a day: API servers trust them still', () => {
    expect(planCertificates(shared(), NAMES, NOW - 0.9 * DAY, SPREAD)).toEqual({ action: 'keep' })
    expect(planCertificates(shared(), NAMES, NOW - 1.1 * DAY, SPREAD)).toEqual({ action: 'replace', names: NAMES })
  })

  test('however its names are written, and in whatever order', () => {
    const names = ['0:0:0:0:0:0:0:1', 'HOOKS.allot-system.svc', '127.0.0.1']
    expect(planCertificates(shared(), names, NOW, SPREAD)).toEqual({ action: 'keep' })
    expect(planCertificates(shared(), ['127.0.0.1'], NOW, SPREAD)).toEqual({ action: 'keep' })
  })
})

describe('a new certificate by the same authority is made', () => {
  test('for a name that is missing, beside those that other replicas want', () => {
    expect(planCertificates(shared(), ['new.test', '127.0.0.1'], NOW, SPREAD)).toEqual({
      action: 'issue',
      names: ['new.test', '127.0.0.1', 'hooks.allot-system.svc', '0:0:0:0:0:0:0:1'],
    })
  })

  test.each([
    ['damaged', { certificate: 'nonsense', key: '' }],
    ['without its key', { key: '' }],
  ])('in place of one that is %s', (_, damage) => {
    expect(planCertificates(shared({ server: { ...server, ...damage } }), NAMES, NOW, SPREAD)).toEqual({
      action: 'issue',
      names: NAMES,
    })
  })

  test('in place of one that no known authority has signed', async () => {
    const foreign = await makeServerCertificate(second, NAMES, NOW)
    expect(planCertificates(shared({ server: foreign }), NAMES, NOW, SPREAD)).toEqual({ action: 'issue', names: NAMES })
  })
})

describe('a new authority is made', () => {
  test('when there is nothing yet', () => {
    expect(planCertificates(undefined, NAMES, NOW, SPREAD)).toEqual({ action: 'replace', names: NAMES })
  })

  test.each([
    ['has no key', { authorityKey: '' }],
    ['has another key', () => ({ authorityKey: second.key })],
  ])('when the old one %s; what it signed is presented until the new one is known', (_, damage) => {
    const damaged = shared(typeof damage === 'function' ? damage() : damage)
    expect(planCertificates(damaged, NAMES, NOW, SPREAD)).toEqual({ action: 'replace', names: undefined })
  })

  test('when two thirds of the life of the old one are over', async () => {
    const now = NOW + 2500 * DAY
    const late = await makeServerCertificate(first, NAMES, now, 90)
    expect(planCertificates(shared({ server: late }), NAMES, now, SPREAD)).toEqual({
      action: 'replace',
      names: undefined,
    })
  })

  test('at once when nothing of the old one can be used', () => {
    expect(planCertificates(shared({ authorities: [] }), NAMES, NOW, SPREAD)).toEqual({
      action: 'replace',
      names: NAMES,
    })
    expect(planCertificates(shared({ authorityKey: '' }), ['new.test'], NOW, SPREAD).action).toBe('replace')
    expect(planCertificates(shared({ authorityKey: '' }), ['new.test'], NOW, SPREAD)).toHaveProperty(
      'names.0',
      'new.test',
    )
  })

  test('when the first in the list is invalid', () => {
    const leaf = { authorities: [server.certificate, pem(first)], authorityKey: server.key }
    expect(planCertificates(shared(leaf), NAMES, NOW, SPREAD)).toEqual({ action: 'replace', names: undefined })
  })
})

describe('a new authority signs what is presented', () => {
  test('once it has been known for long enough', () => {
    expect(planCertificates(staged(), NAMES, NOW, SPREAD)).toEqual({ action: 'keep' })
    expect(planCertificates(staged(), NAMES, NOW + SPREAD - 2000, SPREAD)).toEqual({ action: 'keep' })
    expect(planCertificates(staged(), NAMES, NOW + SPREAD, SPREAD)).toEqual({ action: 'issue', names: NAMES })
  })

  test('at once when the old certificate is of no use', () => {
    const damaged = staged({ server: { ...server, key: '' } })
    expect(planCertificates(damaged, NAMES, NOW, SPREAD)).toEqual({ action: 'issue', names: NAMES })
  })
})

describe('an old authority is trusted', () => {
  test('as long as a certificate of it may be presented', async () => {
    const next = await makeServerCertificate(second, NAMES, NOW, 90)
    const switched = staged({ server: next, retired: [server.certificate] })
    expect(planCertificates(switched, NAMES, NOW + 50 * DAY, SPREAD)).toEqual({ action: 'keep' })
    const later = NOW + 91 * DAY
    const renewed = staged({
      server: await makeServerCertificate(second, NAMES, later, 90),
      retired: [server.certificate],
    })
    expect(planCertificates(renewed, NAMES, later, SPREAD)).toEqual({ action: 'prune' })
    expect(needed(renewed, later)).toEqual([pem(second)])
    expect(needed(switched, NOW)).toEqual([pem(second), pem(first)])
  })

  test('and one that nothing depends on goes', () => {
    const idle = shared({ authorities: [pem(first), pem(second)] })
    expect(planCertificates(idle, NAMES, NOW, SPREAD)).toEqual({ action: 'prune' })
    expect(needed(idle, NOW)).toEqual([pem(first)])
  })
})
