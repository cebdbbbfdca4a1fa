import { Gauge, type Registry } from '@prometheus-io/client'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import type { LimitReading } from '../../../insight/history/limit-reading.ts'
import type { Need } from '../../../install/rbac/need.ts'
import { QUOTA_ADMISSION_NEEDS, QUOTA_PROBE_NEEDS, QUOTA_USAGE_NEEDS } from '../../../install/rbac/system-needs.ts'
import type { Controller } from '../../../operator/shell/controller.ts'
import type { RunningSystem } from '../../../operator/shell/running-system.ts'
import type { OperatorContext, OperatorSystem } from '../../../operator/system.ts'
import { type ClusterEnforcement, EnforcementProbe, isProbeQuota } from './enforcement-probe.ts'
import { allowed } from '../../../runtime/admission/decision.ts'
import { ENFORCEMENT_PATH } from './admission/quota-asking.ts'
import type { QuotaReservations } from './foresight/quota-reservations.ts'
import type { AdmittedUsage } from '../../generated-quota/operate/admitted-usage.ts'
import { LimitCheck } from '../../../operator/shell/limit-check.ts'
import { limitWarningsHook } from './limit-warnings.ts'
import { ResourceQuotaAdmission } from './admission/quota.ts'
import type { EnforceResourceQuota, ResourceQuotaOptions } from './options.ts'
import { showUsage } from './usage-gauges.ts'
import { UsageController } from './usage-controller.ts'

/** The parts that each setting may have to run. */
const NEEDS: Readonly<Record<EnforceResourceQuota, readonly Need[]>> = {
  off: [],
  auto: [...QUOTA_USAGE_NEEDS, ...QUOTA_ADMISSION_NEEDS, ...QUOTA_PROBE_NEEDS],
  admission: [...QUOTA_USAGE_NEEDS, ...QUOTA_ADMISSION_NEEDS],
  controller: QUOTA_USAGE_NEEDS,
  both: [...QUOTA_USAGE_NEEDS, ...QUOTA_ADMISSION_NEEDS],
}

/** The settings with which allot never refuses anything: API servers that go by the rules of an earlier process are answered so. */
const ALLOWS_ALL: ReadonlySet<EnforceResourceQuota> = new Set(['off', 'controller'])

/** The parts that the cluster has where nobody looks: those that allot does not take over. */
const PRESUMED: Readonly<Record<EnforceResourceQuota, ClusterEnforcement | undefined>> = {
  off: undefined,
  auto: undefined,
  admission: { plugin: false, controller: true },
  controller: { plugin: true, controller: false },
  both: { plugin: false, controller: false },
}

export interface ResourceQuotaPeers {
  /** Where the probe makes its quota. */
  readonly systemNamespace: string
  /** Get the admission, so that other systems know what it lets through, and reserve with it. */
  readonly admitted: Pick<AdmittedUsage, 'provide'>
  readonly reservations: Pick<QuotaReservations, 'provide'>
}

/** ResourceQuotas on clusters that lack the admission plugin or the controller for them. */
export function resourceQuotaSystem(options: ResourceQuotaOptions, peers: ResourceQuotaPeers): OperatorSystem {
  const { enforce, warns } = options
  return {
    name: 'resource-quotas',
    crds: [],
    needs: NEEDS[enforce],
    start: (context) => {
      if (warns) warnOfIdleLimits(context)
      const readings = showUsage(context, (quota) => isProbeQuota(quota, context.systemNamespace))
      if (ALLOWS_ALL.has(enforce))
        context.webhooks.answerAlways({ path: ENFORCEMENT_PATH, handle: async () => allowed() })
      return enforce === 'off'
        ? { controllers: () => [], readings }
        : new RunningResourceQuotas(context, options, peers, readings)
    },
  }
}

function warnOfIdleLimits({ client, clock, webhooks, ownName }: OperatorContext): void {
  const check = new LimitCheck({ client, clock })
  const hook = (): void => webhooks.set(limitWarningsHook(check, ownName()))
  hook()
  // The name of the operator is heard with the first proof.
  webhooks.onLive(hook)
}

class RunningResourceQuotas implements RunningSystem {
  readonly readings: () => Iterable<LimitReading>
  readonly #context: OperatorContext
  readonly #options: ResourceQuotaOptions
  readonly #enforcers: EnforcersMetric
  readonly #isIgnored: (quota: ResourceQuota) => boolean
  /** Undefined where allot never refuses anything. */
  readonly #admission: ResourceQuotaAdmission | undefined
  /** The parts of the cluster, once they are known. */
  #found: ClusterEnforcement | undefined

  constructor(
    context: OperatorContext,
    options: ResourceQuotaOptions,
    { admitted, reservations }: ResourceQuotaPeers,
    readings: () => Iterable<LimitReading>,
  ) {
    this.readings = readings
    const { enforce, requestTimeoutMs, workers, warnAt } = options
    this.#context = context
    this.#options = options
    this.#enforcers = new EnforcersMetric(context.registry)
    this.#isIgnored = (quota) => isProbeQuota(quota, context.systemNamespace)
    const isIgnored = this.#isIgnored
    if (!ALLOWS_ALL.has(enforce)) {
      this.#admission = new ResourceQuotaAdmission({
        context,
        requestTimeoutMs,
        workers,
        isIgnored,
        ...(warnAt && { warnAt }),
      })
      admitted.provide(this.#admission)
      reservations.provide(this.#admission)
    }
    const presumed = PRESUMED[enforce]
    if (presumed !== undefined) this.#take(presumed)
    if (enforce === 'admission') this.#enforcers.show('admission', 'allot')
    if (enforce === 'controller') this.#enforcers.show('controller', 'allot')
    if (enforce === 'both') this.#show(presumed)
  }

  controllers(): readonly Controller[] {
    const context = this.#context
    const { systemNamespace } = context
    const { enforce, requestTimeoutMs, workers } = this.#options
    const isIgnored = this.#isIgnored
    const usage = new UsageController({ context, requestTimeoutMs, workers, isIgnored, admission: this.#admission })
    const ledgers = this.#admission?.controller(
      () => this.#found?.controller === true,
      () => this.#termEnded(),
    )
    const enforcing = ledgers === undefined ? [usage] : [usage, ledgers]
    usage.counts(this.#found?.controller === false)
    if (enforce !== 'auto') return enforcing
    const onFound = (found: ClusterEnforcement): void => {
      this.#report(found)
      this.#take(found)
      usage.counts(!found.controller)
    }
    return [...enforcing, new EnforcementProbe({ context, systemNamespace, onFound })]
  }

  pendingRules(): string | undefined {
    return this.#admission?.pendingRules()
  }

  async stop(): Promise<void> {
    await this.#admission?.stop()
  }

  /** With `auto` the next leader looks. */
  #termEnded(): void {
    if (this.#options.enforce !== 'auto') return
    this.#found = undefined
    this.#admission?.follows()
  }

  /** A leader that did not know yet who does what has neither raised the usage of quotas nor deleted ledgers. */
  #take(found: ClusterEnforcement): void {
    const isNew = this.#found?.controller !== found.controller || this.#found.plugin !== found.plugin
    this.#found = found
    this.#admission?.enforces(!found.plugin)
    if (isNew) this.#admission?.reconcileAll()
  }

  #show(found: ClusterEnforcement | undefined): void {
    if (found === undefined) return
    this.#enforcers.show('controller', found.controller ? 'cluster' : 'allot')
    this.#enforcers.show('admission', found.plugin ? 'cluster' : 'allot')
  }

  #report(found: ClusterEnforcement): void {
    this.#show(found)
    if (this.#found?.controller === found.controller && this.#found.plugin === found.plugin) return
    const { logger } = this.#context
    const fields = { ...found }
    if (found.controller) logger.info(fields, 'the cluster counts ResourceQuotas itself')
    else logger.info(fields, 'the cluster has no controller for ResourceQuotas; allot counts them')
    if (found.plugin) logger.info(fields, 'the API server refuses what exceeds a ResourceQuota itself')
    else
      logger.info(fields, 'the API server lacks the admission plugin ResourceQuota; allot refuses what exceeds a quota')
  }
}

type Part = 'admission' | 'controller'
type By = 'cluster' | 'allot'

/**
 * Shows Prometheus who does which part of enforcing ResourceQuotas.
 *
 * @public for the reference of metrics
 */
export class EnforcersMetric {
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
    for (const one of ['cluster', 'allot'] as const) this.#gauge.set({ part, by: one }, one === by ? 1 : 0)
  }
}
