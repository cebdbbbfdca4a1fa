import { Gauge, type Registry } from '@prometheus-io/client'
import type { Need } from '../required-access.ts'
import type { Controller } from '../shell/controller.ts'
import type { OperatorContext, OperatorSystem, RunningSystem } from '../system.ts'
import { type Enforcement, EnforcementProbe, isProbeQuota } from './enforcement-probe.ts'
import type { ResourceQuotaOptions } from './resource-quota-options.ts'
import { UsageController } from './usage-controller.ts'

const COUNTING_NEEDS: readonly Need[] = [
  { group: '', resource: 'resourcequotas', verbs: ['list', 'watch'] },
  { group: '', resource: 'resourcequotas', subresource: 'status', verbs: ['patch'] },
]

const probingNeeds = (namespace: string): readonly Need[] => [
  { group: '', resource: 'resourcequotas', verbs: ['get', 'create', 'delete'] },
  { group: '', resource: 'podtemplates', verbs: ['create'], namespace },
]

/** ResourceQuotas on clusters that lack the controller for them. `systemNamespace`: where the probe makes its quota. */
export function resourceQuotaSystem(options: ResourceQuotaOptions, systemNamespace: string): OperatorSystem {
  const { enforce } = options
  return {
    name: 'resource-quotas',
    definitions: [],
    needs: enforce === 'off' ? [] : [...COUNTING_NEEDS, ...(enforce === 'auto' ? probingNeeds(systemNamespace) : [])],
    start: (context) => (enforce === 'off' ? IDLE : new RunningResourceQuotas(context, options)),
  }
}

const IDLE: RunningSystem = { controllers: () => [] }

class RunningResourceQuotas implements RunningSystem {
  readonly #context: OperatorContext
  readonly #options: ResourceQuotaOptions
  readonly #enforcers: EnforcersMetric
  #found: Enforcement | undefined

  constructor(context: OperatorContext, options: ResourceQuotaOptions) {
    this.#context = context
    this.#options = options
    this.#enforcers = new EnforcersMetric(context.registry)
    if (options.enforce === 'controller') this.#enforcers.show('controller', 'allot')
  }

  controllers(): readonly Controller[] {
    const context = this.#context
    const { systemNamespace } = context
    const { enforce, requestTimeoutMs, workers } = this.#options
    const isIgnored = (quota: Parameters<typeof isProbeQuota>[0]): boolean => isProbeQuota(quota, systemNamespace)
    const usage = new UsageController({ context, requestTimeoutMs, workers, isIgnored })
    if (enforce !== 'auto') {
      usage.counts(true)
      return [usage]
    }
    const onFound = (found: Enforcement): void => {
      this.#report(found)
      usage.counts(!found.controller)
    }
    return [usage, new EnforcementProbe({ context, systemNamespace, onFound })]
  }

  #report(found: Enforcement): void {
    this.#enforcers.show('controller', found.controller ? 'cluster' : 'allot')
    this.#enforcers.show('admission', found.plugin ? 'cluster' : 'nobody')
    const isKnown = this.#found?.controller === found.controller && this.#found.plugin === found.plugin
    this.#found = found
    if (isKnown) return
    const { logger } = this.#context
    const fields = { ...found }
    if (found.controller) logger.info(fields, 'the cluster counts ResourceQuotas itself')
    else logger.info(fields, 'the cluster has no controller for ResourceQuotas; allot counts them')
    if (!found.plugin)
      logger.warn(
        fields,
        'the API server lacks the admission plugin ResourceQuota: nobody refuses what exceeds a quota',
      )
  }
}

type Part = 'admission' | 'controller'
type By = 'cluster' | 'allot' | 'nobody'

/** Shows Prometheus who does which part of enforcing ResourceQuotas. */
class EnforcersMetric {
  readonly #gauge: Gauge<'part' | 'by'>

  constructor(registry: Registry) {
    this.#gauge = new Gauge({
      name: 'allot_resourcequota_enforcement',
      help: 'Who does a part of enforcing ResourceQuotas: 1 for the one that does.',
      labelNames: ['part', 'by'],
      registers: [registry],
    })
  }

  show(part: Part, by: By): void {
    for (const one of ['cluster', 'allot', 'nobody'] as const) this.#gauge.set({ part, by: one }, one === by ? 1 : 0)
  }
}
