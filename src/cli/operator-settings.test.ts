import { expect, test } from 'vitest'
import { readOperatorSettings } from './operator-settings.ts'
import { webhookPortNotice } from './webhook-port-notice.ts'

const FLAGS = {
  systemNamespace: 'allot-system',
  crds: 'apply',
  webhookPort: 0,
  webhookTimeout: 10,
  webhookCallers: 'any',
  metricsPort: 0,
  healthPort: 0,
  leaderElect: true,
  refusalEvents: true,
  leaderElectLeaseDuration: 15_000,
  leaderElectRenewDeadline: 10_000,
  leaderElectRetryPeriod: 2_000,
  workers: 1,
  qps: 1,
  burst: 1,
  enforce: 'on',
  untilReady: 'refuse',
  warnAt: [],
  apiserverRequestTimeout: 60_000,
  strictPaths: false,
  customQuotasPerNamespace: 1,
  customQuotaSources: 1,
  customQuotaSelectors: 1,
  customQuotaExpressions: 1,
} as const
const WEBHOOK_URL = 'https://[fd00::7]:9443'

test('an API server on this machine reaches the webhooks where they are served, whatever address it listens on itself', async () => {
  const here = { url: 'https://127.0.0.1:99' }
  expect((await readOperatorSettings(FLAGS, { host: '0.0.0.0' })).address(99)).toEqual(here)
  expect((await readOperatorSettings(FLAGS, { host: '0.0.0.0', server: 'https://[::1]:1' })).address(99)).toEqual(here)
})

test('an API server elsewhere needs the address of the webhooks, for which their certificate is made', async () => {
  const place = { host: '0.0.0.0', server: 'https://192.0.2.1:6443' }
  await expect(readOperatorSettings(FLAGS, place)).rejects.toThrow('needs an address for the webhooks')
  const byUrl = await readOperatorSettings({ ...FLAGS, webhookUrl: WEBHOOK_URL }, place)
  expect([byUrl.address(99), byUrl.names]).toEqual([{ url: WEBHOOK_URL }, ['fd00::7']])
  const webhookService = { namespace: 'n', name: 's', port: 443 }
  const byService = await readOperatorSettings({ ...FLAGS, webhookService }, place)
  expect([byService.address(99), byService.names]).toEqual([
    { service: webhookService },
    ['s.n.svc', 's.n.svc.cluster.local'],
  ])
})

test.each([
  ['https://a:9443', 9443, undefined],
  ['https://a', 443, undefined],
  ['https://a', 9443, 'names port 443, and the webhooks are served at --webhook-port=9443: give --webhook-port=443,'],
  ['https://[::1]:9443/x', 0, 'served at any free port, since there is no --webhook-port: give --webhook-port=9443,'],
  [undefined, 0, undefined],
])(
  'an operator that sends API servers to %s and serves at %i warns where these ports differ',
  (webhookUrl, webhookPort, says) => {
    const notice = webhookPortNotice({ webhookPort, ...(webhookUrl === undefined ? {} : { webhookUrl }) })
    expect(notice).toEqual(says === undefined ? undefined : expect.stringContaining(says))
  },
)
