import { Registry } from '@prometheus-io/client'
import { expect, test } from 'vitest'
import { silentLogger } from '../process/logger.ts'
import { CertificateExpiry } from './expiry.ts'
import { makeAuthority, makeServerCertificate } from './certificates.ts'

const DAY_MS = 24 * 3_600_000
const START = Date.UTC(2026, 0, 1)

function setUp() {
  let now = START
  const warnings: string[] = []
  const logger = {
    ...silentLogger,
    warn: ({ certificate, expires }: Readonly<Record<string, unknown>>, text: string) =>
      void warnings.push(`${String(certificate)} ${String(expires)}: ${text}`),
  }
  const registry = new Registry()
  let step = (): void => undefined
  const clockSteps = {
    subscribe: (listener: (byMs: number) => void) => {
      step = () => listener(DAY_MS)
      return () => undefined
    },
  }
  const expiry = new CertificateExpiry({ registry, logger, now: () => now, clockSteps })
  /** The clock is set. */
  const goTo = (days: number): void => {
    now = START + days * DAY_MS
    step()
  }
  const shown = async (): Promise<readonly string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('allot_certificate'))
  return { expiry, warnings, goTo, shown }
}

test('the expiry of each certificate is shown, and warned about from a week before on, once a day', async () => {
  const { expiry, warnings, goTo, shown } = setUp()
  const authority = await makeAuthority(START)
  let pem = (await makeServerCertificate(authority, ['a.test'], START, 30)).certificate
  expiry.follow('webhooks', () => pem)
  expiry.follow('kubeconfig', () => '')
  expect(await shown()).toEqual([
    `allot_certificate_expiry_timestamp_seconds{certificate="webhooks"} ${(START + 30 * DAY_MS) / 1000}`,
  ])
  goTo(22.9)
  expect(warnings).toEqual([])
  goTo(23)
  goTo(23.5)
  expect(warnings).toEqual(['webhooks 2026-01-31T00:00:00.000Z: a certificate expires within a week'])
  goTo(24)
  goTo(31)
  expect(warnings.slice(1)).toEqual([
    'webhooks 2026-01-31T00:00:00.000Z: a certificate expires within a week',
    'webhooks 2026-01-31T00:00:00.000Z: a certificate has expired',
  ])
  // A renewed one is not warned about any more, and a clock that is set back warns again.
  pem = (await makeServerCertificate(authority, ['a.test'], START + 31 * DAY_MS, 30)).certificate
  goTo(33)
  expect(warnings).toHaveLength(3)
  expect(await shown()).toEqual([expect.stringContaining(String((START + 61 * DAY_MS) / 1000))])
  expiry.stop()
})

test('a chain expires with its first part, and authorities that are over do not count while another is valid', async () => {
  const { expiry, goTo, shown } = setUp()
  const authority = await makeAuthority(START)
  const of = async (days: number): Promise<string> =>
    (await makeServerCertificate(authority, ['a.test'], START, days)).certificate
  const [short, long] = [await of(10), await of(100)]
  expiry.follow('webhooks', () => long + short)
  expiry.follow('webhooks-authority', () => long + short)
  const ends = async (): Promise<readonly number[]> =>
    (await shown()).map((line) => (Number(line.split(' ').at(-1)) * 1000 - START) / DAY_MS)
  expect(await ends()).toEqual([10, 10])
  goTo(11)
  expect(await ends()).toEqual([10, 100])
  goTo(101)
  expect(await ends()).toEqual([10, 100])
  expiry.stop()
})
