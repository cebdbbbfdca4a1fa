import { Registry } from '@prometheus-io/client'
import { CallerMetrics } from '../../src/operator/webhook/callers/open.ts'
import { showOutages } from '../../src/operator/shell/outage-metric.ts'
import { EXHAUSTION_METRICS } from '../../src/insight/history/exhaustion-metrics.ts'
import { THRESHOLD_METRICS } from '../../src/operator/shell/warning-thresholds.ts'
import type { Gauges } from '../../src/machinery/gauge.ts'
import { showGauges } from '../../src/operator/shell/read-gauges.ts'
import { ReconcileMetrics } from '../../src/operator/shell/reconcile-metrics.ts'
import { AdmissionMetrics } from '../../src/runtime/admission/metrics.ts'
import { CertificateExpiry } from '../../src/runtime/certificate/expiry.ts'
import { showBuild } from '../../src/runtime/process/build-info.ts'
import { silentLogger } from '../../src/runtime/process/logger.ts'
import { Metrics } from '../../src/runtime/process/metrics.ts'
import { lostLedgersTotal } from '../../src/systems/counted/replica/lost-ledgers.ts'
import { CUSTOM_QUOTA_METRICS } from '../../src/systems/custom-quota/decide/quota-metrics.ts'
import { limitGauges } from '../../src/systems/generated-quota/decide/limit-metrics.ts'
import { KARMADA_QUOTA_METRICS } from '../../src/systems/karmada-quota/operate/system.ts'
import { INCREASE_METRICS } from '../../src/systems/quota-increase/decide/increase-metrics.ts'
import { deletedIncreases } from '../../src/systems/quota-increase/operate/namespace-quota-writer.ts'
import { CLAIM_METRICS, POOL_METRICS } from '../../src/systems/resource-pool/decide/pool-metrics.ts'
import { EnforcersMetric } from '../../src/systems/resource-quota/operate/system.ts'
import { RESOURCE_QUOTA_METRICS } from '../../src/systems/resource-quota/operate/usage-gauges.ts'
import { code, sentence, table } from './markdown.ts'

const INTRODUCTION = `# All metrics

Every metric of allot by name, with its type, its labels and its help text. [Metrics](metrics.md) says where they are served, what the values of labels mean, and which
metrics are there only with certain flags. The metrics of the process (\`process_…\`, \`nodejs_…\`) are those of every program on Node.`

/** Registers the metrics of one part. */
type Register = (registry: Registry) => void

const gauges =
  (...all: readonly Gauges[]): Register =>
  (registry) => {
    for (const one of all) showGauges(registry, one, () => [])
  }

const SECTIONS: readonly (readonly [title: string, ...parts: readonly Register[]])[] = [
  ['Of the process', (registry) => showBuild(registry, ''), showExpiry],
  ['Of the API server', (registry) => void new Metrics(registry)],
  [
    'Of the operator',
    (registry) => void new ReconcileMetrics(registry),
    (registry) => void new AdmissionMetrics(registry),
    (registry) => showOutages(registry, { outage: undefined, onOutage: () => () => undefined }),
    (registry) => void new CallerMetrics(registry, { provenAddresses: 0, refusesStrangers: false }),
    (registry) => void lostLedgersTotal(registry),
  ],
  ['Of ResourceQuotas', gauges(limitGauges(RESOURCE_QUOTA_METRICS)), (registry) => void new EnforcersMetric(registry)],
  ['Of resource pools', gauges(POOL_METRICS, CLAIM_METRICS)],
  ['Of custom quotas', gauges(CUSTOM_QUOTA_METRICS)],
  ['Of quota increases', gauges(INCREASE_METRICS), (registry) => void deletedIncreases(registry)],
  ['Of KarmadaQuotas', gauges(limitGauges(KARMADA_QUOTA_METRICS))],
  ['Of the time until a limit is used up', gauges(EXHAUSTION_METRICS)],
  ['Of warnings', gauges(THRESHOLD_METRICS)],
]

/** Every metric, as it is registered. */
export async function metricsPage(): Promise<string> {
  const sections = await Promise.all(
    SECTIONS.map(async ([title, ...parts]) => {
      const registry = new Registry()
      for (const register of parts) register(registry)
      return `## ${title}\n\n${table(['Metric', 'Type', 'Labels', 'Meaning'], await rowsOf(registry))}`
    }),
  )
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`
}

async function rowsOf(registry: Registry): Promise<readonly (readonly string[])[]> {
  const metrics = await registry.getMetricsAsJSON()
  return metrics.map(({ name, type, help }) => {
    // The library types no names of labels, though each metric has them.
    const { labelNames = [] } = (registry.getSingleMetric(name) ?? {}) as { readonly labelNames?: readonly string[] }
    return [code(name), type, labelNames.map(code).join(', '), sentence(help)]
  })
}

function showExpiry(registry: Registry): void {
  const clockSteps = { subscribe: () => () => undefined }
  const { now } = Date
  new CertificateExpiry({ registry, logger: silentLogger, now, clockSteps }).stop()
}
