import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { connect } from 'node:tls'
import { expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { readKubeconfig, startAllot, temporaryDirectory } from '../start-allot.ts'

const DAY_MS = 86_400_000

/** From when to when the certificate is valid that is presented on a port now, in milliseconds since the epoch. */
function presented(port: number): Promise<{ readonly from: number; readonly to: number }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      const { valid_from: from, valid_to: to } = socket.getPeerCertificate()
      socket.destroy()
      resolve({ from: Date.parse(from), to: Date.parse(to) })
    })
    socket.once('error', reject)
  })
}

test('when the clock is set, the API, the webhooks and the metrics present certificates that are valid by it, at once', async () => {
  const clock = join(temporaryDirectory(), 'clock')
  const set = (ms: number): void => writeFileSync(clock, String(ms))
  set(0)
  process.env['ALLOT_TEST_CLOCK'] = clock
  process.env['NODE_OPTIONS'] = `--import=${pathToFileURL(join(import.meta.dirname, 'settable-clock.ts')).href}`
  await using allot = await startAllot({ operator: true, args: ['--metrics-host', '0.0.0.0'] })
  const [, webhookPort, metricsPort] = /webhooks on port (\d+), \/metrics on (\d+)/.exec(allot.output()) ?? []
  const ports = [Number(new URL(allot.url).port), Number(webhookPort), Number(metricsPort)]
  for (const ms of [-2 * DAY_MS, 3000 * DAY_MS]) {
    set(ms)
    const now = Date.now() + ms
    for (const port of ports)
      await eventually(
        () => presented(port),
        ({ from, to }) => from <= now && now < to,
      )
  }
  set(0)
  // A client with the former kubeconfig is still served.
  await eventually(
    () => presented(ports[0] ?? 0),
    ({ from, to }) => from <= Date.now() && Date.now() < to,
  )
  expect((await allot.call('/readyz')).status).toBe(200)
  // The authority was renewed too: pods find it where they look for it, as those who have the kubeconfig do.
  const { ca } = readKubeconfig(allot.kubeconfig)
  expect(ca).not.toBe(allot.ca)
  await eventually(
    async () => (await allot.call('/api/v1/namespaces/default/configmaps/kube-root-ca.crt')).json.data['ca.crt'],
    (published) => published === ca,
  )
})
