import type { Counter } from '@prometheus-io/client'
import { quotaIncrease } from '../api/quota-increase.ts'
import { quotaServiceConfig } from '../api/quota-service-config.ts'
import { INCREASE_METRICS, increaseMetrics } from '../decide/increase-metrics.ts'
import { BASE_QUOTA_NEEDS } from '../../../install/rbac/system-needs.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { IdleLimitKeeper } from '../../generated-quota/operate/idle-limit-keeper.ts'
import { QuotaStatusKeeper } from '../../generated-quota/operate/quota-status-keeper.ts'
import { LimitCheck } from '../../../operator/shell/limit-check.ts'
import type { Controller } from '../../../operator/shell/controller.ts'
import { showGauges } from '../../../operator/shell/read-gauges.ts'
import type { Enqueue, RunningSystem } from '../../../operator/shell/running-system.ts'
import type { OperatorContext, OperatorSystem } from '../../../operator/system.ts'
import { BASE_QUOTA_STATUSES, IDLE_INCREASES, NAMESPACE_QUOTAS } from './increase-controllers.ts'
import { DefinitionsController, FollowedDefinitions } from './definitions-controller.ts'
import { DefinitionsRecord } from './definitions-record.ts'
import { type DefinitionsSource, openDefinitions } from './definitions-source.ts'
import { increaseLimits } from '../decide/idle-increase-limits.ts'
import { IncreaseCaches } from './increase-caches.ts'
import { increaseHooks, undefinedIncreasesHook } from './increase-hooks.ts'
import { NamespaceQuotaController } from './namespace-quota-controller.ts'
import { deletedIncreases, NamespaceWriter } from './namespace-quota-writer.ts'
import { type DefinitionsPlace, providerOf, type QuotaIncreaseOptions } from './options.ts'

/** Quota increases: base quotas of definitions, raised by QuotaIncreases. Without definitions nothing is done about them. */
export function quotaIncreaseSystem(options: QuotaIncreaseOptions): OperatorSystem {
  const { definitions: place } = options
  return {
    name: 'quota-increases',
    crds: [quotaIncrease.crd, quotaServiceConfig.crd] as unknown as readonly KubeObject[],
    needs: place === undefined ? [] : BASE_QUOTA_NEEDS,
    start: (context) => {
      if (place !== undefined) return new RunningIncreases(context, options, place)
      context.webhooks.set(undefinedIncreasesHook)
      return IDLE
    },
  }
}

const IDLE: RunningSystem = { controllers: () => [] }

class RunningIncreases implements RunningSystem {
  readonly #context: OperatorContext
  readonly #options: QuotaIncreaseOptions
  readonly #provider: string
  readonly #caches: IncreaseCaches
  readonly #source: DefinitionsSource
  readonly #limits: LimitCheck
  readonly #deleted: Counter
  /** Of this term; who does not lead follows nothing. */
  #followed = new FollowedDefinitions()

  constructor(context: OperatorContext, options: QuotaIncreaseOptions, place: DefinitionsPlace) {
    const { client, clock, registry, webhooks, ownName } = context
    this.#context = context
    this.#options = options
    this.#provider = providerOf(place)
    this.#source = openDefinitions(place, context)
    this.#caches = new IncreaseCaches(context.caches, this.#provider)
    this.#deleted = deletedIncreases(registry)
    const { increases, namespaces } = this.#caches
    showGauges(registry, INCREASE_METRICS, () =>
      increaseMetrics(increases.list(), namespaces.list(), this.#followed.held !== ''),
    )
    const limits = new LimitCheck({ client, clock })
    this.#limits = limits
    const guarded = {
      caches: this.#caches,
      provider: this.#provider,
      ownName,
      limits,
      definitions: () => this.#source.current.definitions,
    }
    const hook = (): void => webhooks.set(...increaseHooks(guarded))
    hook()
    // The name of the operator is heard with the first proof.
    webhooks.onLive(hook)
  }

  controllers(enqueue: Enqueue): readonly Controller[] {
    const context = this.#context
    const caches = this.#caches
    const provider = this.#provider
    const { prune, workers, systemNamespace } = this.#options
    const followed = new FollowedDefinitions()
    this.#followed = followed
    const writer = new NamespaceWriter({ context, caches, followed, provider, deleted: this.#deleted })
    const lookAt = (key: string): void => enqueue(NAMESPACE_QUOTAS, { key })
    const record = new DefinitionsRecord(context.client, systemNamespace, provider)
    return [
      new DefinitionsController({
        context,
        caches,
        source: this.#source,
        record,
        followed,
        limits: this.#limits,
        provider,
        prune,
        lookAt,
      }),
      new NamespaceQuotaController({ context, caches, followed, writer, provider, workers }),
      new QuotaStatusKeeper({ name: BASE_QUOTA_STATUSES, context, quotas: caches.quotas }),
      new IdleLimitKeeper({
        name: IDLE_INCREASES,
        context,
        kind: quotaIncrease,
        objects: caches.increases,
        limits: this.#limits,
        limitsOf: (increase) => increaseLimits(increase, undefined),
      }),
    ]
  }

  stop(): Promise<void> {
    return this.#source.stop()
  }
}
