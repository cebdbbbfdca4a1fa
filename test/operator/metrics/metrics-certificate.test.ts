import type { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { machineNames } from '../../../src/cli/machine-names.ts'
import { eventually } from '../../eventually.ts'
import { startAllot, temporaryDirectory } from '../../start-allot.ts'
import { bareServers, startOperator, type BareServer, representative } from '../operated.ts'

const DAY_MS = 86_400_000
/** All that a scraper may reach a port on all addresses by, as far as this machine knows. */
const NAMES = ['127.0.0.1', 'localhost', ...machineNames().filter((name) => /^[\d.]+$/.test(name))]

/** The certificate that a verifying client gets. Rejects when it is not valid for the name. */
function verified(host: string, port: number, ca: string | undefined): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const trust = ca === undefined ? { rejectUnauthorized: false } : { ca }
    const socket = connect({ host, port, ...trust }, () => {
      const certificate = socket.getPeerX509Certificate()
      socket.destroy()
      if (certificate === undefined) reject(new Error('no certificate was presented'))
      else resolve(certificate)
    })
    socket.once('error', reject)
  })
}

/** The authority that replicas share. */
async function authorityOf({ send }: BareServer): Promise<string> {
  const { json } = await send('GET', '/api/v1/namespaces/allot-system/secrets/allot-webhook-certificate')
  return Buffer.from(json.data['ca.crt'], 'base64').toString('utf8')
}

afterEach(() => {
  delete process.env['ALLOT_TEST_CLOCK']
  delete process.env['NODE_OPTIONS']
})

test('the metrics port of allot up is verified under every address that it is reached by', async () => {
  await using allot = await startAllot({ operator: true, inMemory: true, args: ['--metrics-host', '0.0.0.0'] })
  const [, port] = /\/metrics on (\d+)/.exec(allot.output()) ?? []
  for (const name of NAMES) expect((await verified(name, Number(port), allot.ca)).ca).toBe(false)
})

for (const { name, start } of representative(bareServers))
  test(`with --metrics-auth the metrics port is verified under every address that it is reached by, and renewed: ${name}`, async () => {
    await using server = await start()
    const clock = join(temporaryDirectory(), 'clock')
    writeFileSync(clock, '0')
    process.env['ALLOT_TEST_CLOCK'] = clock
    process.env['NODE_OPTIONS'] =
      `--import=${pathToFileURL(join(import.meta.dirname, '../../cli/settable-clock.ts')).href}`
    await using operator = await startOperator(server.kubeconfig, ['--metrics-auth', '--host', '0.0.0.0'])
    const ca = await authorityOf(server)
    for (const address of NAMES) expect((await verified(address, operator.metricsPort, ca)).ca).toBe(false)
    writeFileSync(clock, String(300 * DAY_MS))
    await eventually(
      () => verified('127.0.0.1', operator.metricsPort, undefined),
      ({ validFromDate }) => validFromDate.getTime() > Date.now() + 298 * DAY_MS,
    )
  })
