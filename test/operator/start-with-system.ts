import { Registry } from '@prometheus-io/client'
import { operatorOptions } from '../../src/cli/operator-options.ts'
import { readOperatorSettings } from '../../src/cli/operator-settings.ts'
import { OPERATOR_BOUNDS, UsageHistory } from '../../src/insight/history/usage-history.ts'
import { openKubeClient } from '../../src/kube/open-kube-client.ts'
import { Operator } from '../../src/operator/operator.ts'
import type { OperatorSystem } from '../../src/operator/system.ts'
import { CertificateExpiry } from '../../src/runtime/certificate/expiry.ts'
import { silentLogger } from '../../src/runtime/process/logger.ts'
import { clockStepsOf } from '../../src/runtime/time/clock-steps.ts'
import type { BareServer } from './operated.ts'

const FLAGS = {
  systemNamespace: 'allot-system',
  crds: 'apply',
  webhookPort: 0,
  webhookTimeout: 10,
  webhookCallers: 'any',
  metricsPort: 0,
  healthPort: 0,
  leaderElect: false,
  refusalEvents: false,
  leaderElectLeaseDuration: 15_000,
  leaderElectRenewDeadline: 10_000,
  leaderElectRetryPeriod: 2_000,
  workers: 2,
  qps: 0,
  burst: 1,
  enforce: 'on',
  untilReady: 'refuse',
  warnAt: [],
  apiserverRequestTimeout: 60_000,
  strictPaths: false,
  customQuotasPerNamespace: 64,
  customQuotaSources: 32,
  customQuotaSelectors: 16,
  customQuotaExpressions: 64,
} as const
const HOST = '127.0.0.1'

/** Runs the operator with one more system in its list. */
export async function startWith(system: OperatorSystem, { url, token }: BareServer): Promise<AsyncDisposable> {
  const access = {
    source: 'test',
    server: url,
    namespace: 'default',
    insecureSkipTlsVerify: true,
    credentials: { type: 'token', token },
  } as const
  const { client, close } = openKubeClient({ access, environment: {}, version: 'test', rate: { qps: 0, burst: 1 } })
  const settings = await readOperatorSettings(FLAGS, { host: HOST, server: url })
  const registry = new Registry()
  const clockSteps = clockStepsOf(Date.now)
  const expiry = new CertificateExpiry({ registry, logger: silentLogger, now: Date.now, clockSteps })
  const options = operatorOptions(settings, {
    client,
    logger: silentLogger,
    hosts: {
      webhooks: HOST,
      metrics: HOST,
      health: HOST,
      flags: { webhooks: '--host', metrics: '--host', health: '--host' },
    },
    metrics: { secured: false },
    noticeMs: 0,
    hasOneServer: false,
    identity: 'six',
    registry,
    history: new UsageHistory(OPERATOR_BOUNDS),
    clockSteps,
    expiry,
  })
  const operator = new Operator({ ...options, systems: [...options.systems, system] })
  await operator.start(new AbortController().signal)
  return {
    [Symbol.asyncDispose]: async () => {
      await operator.stop()
      expiry.stop()
      await close()
    },
  }
}
