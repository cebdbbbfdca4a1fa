import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { ENFORCEMENT_PROBE_QUOTA } from '../../../install/installed-names.ts'
import type { ResourceKind } from '../../../kube/client/kube-client.ts'
import { ApiError, isAlreadyExists, isNotFound } from '../../../machinery/status.ts'
import { RESOURCE_QUOTAS } from '../../generated-quota/operate/resource-quotas.ts'
import type { Controller, ControllerSource, ReconcileResult } from '../../../operator/shell/controller.ts'
import type { Parts } from '../../../operator/shell/dirty-set.ts'
import type { OperatorContext } from '../../../operator/system.ts'

/** The controller, as logs and metrics name it. */
export const ENFORCEMENT_PROBE = 'resourcequota-probe'

/** The parts of a cluster that enforce ResourceQuotas. */
export interface ClusterEnforcement {
  /** Does its API server refuse what exceeds a quota (the admission plugin ResourceQuota)? */
  readonly plugin: boolean
  /** Does a controller fill the status of quotas? */
  readonly controller: boolean
}

export interface EnforcementProbeOptions {
  readonly context: Pick<OperatorContext, 'client' | 'clock' | 'logger'>
  readonly systemNamespace: string
  /** Called with each finding. */
  readonly onFound: (found: ClusterEnforcement) => void
}

/** A kind that hardly anybody uses, and never the operator. */
const PROBED: ResourceKind = {
  group: '',
  version: 'v1',
  resource: 'podtemplates',
  kind: 'PodTemplate',
  namespaced: true,
}
const LIMIT = `count/${PROBED.resource}`
/** How long a part of the cluster has to act, in milliseconds. */
const PATIENCE_MS = 10_000
const LOOK_MS = 250
/** A cluster may get another control plane while the operator runs. */
const PROBE_AGAIN_MS = 300_000

/** Is this the quota that the probe makes for itself? */
export const isProbeQuota = ({ metadata }: ResourceQuota, systemNamespace: string): boolean =>
  metadata.namespace === systemNamespace && metadata.name === ENFORCEMENT_PROBE_QUOTA

type Step = (signal: AbortSignal) => Promise<ReconcileResult>

/**
 * Finds out which parts of a cluster enforce ResourceQuotas. It makes a quota of its own that allows no PodTemplate. It
 * checks whether the status is filled, and whether the dry run of a PodTemplate is refused.
 */
export class EnforcementProbe implements Controller {
  readonly name = ENFORCEMENT_PROBE
  readonly sources: readonly ControllerSource[] = [
    {
      follow: (_, enqueue) => {
        enqueue({ key: ENFORCEMENT_PROBE_QUOTA })
        return () => undefined
      },
    },
  ]
  readonly #options: EnforcementProbeOptions
  #step: Step = (signal) => this.#begin(signal)
  #deadline = 0
  #controller = false

  constructor(options: EnforcementProbeOptions) {
    this.#options = options
  }

  async reconcile(_: string, __: Parts, signal: AbortSignal): Promise<ReconcileResult> {
    try {
      return await this.#step(signal)
    } catch (error) {
      this.#step = (again) => this.#begin(again)
      throw error
    }
  }

  get #name(): { readonly namespace: string; readonly name: string } {
    return { namespace: this.#options.systemNamespace, name: ENFORCEMENT_PROBE_QUOTA }
  }

  get #now(): number {
    return this.#options.context.clock.monotonic()
  }

  #next(step: Step, requeueAfter: number): ReconcileResult {
    this.#step = step
    return { requeueAfter }
  }

  async #begin(signal: AbortSignal): Promise<ReconcileResult> {
    await this.#remove(signal)
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: this.#name, spec: { hard: { [LIMIT]: '0' } } }
    try {
      await this.#options.context.client.create(RESOURCE_QUOTAS, quota, { signal })
    } catch (error) {
      if (!isAlreadyExists(error)) throw error
    }
    this.#deadline = this.#now + PATIENCE_MS
    return this.#next((next) => this.#awaitController(next), LOOK_MS)
  }

  async #awaitController(signal: AbortSignal): Promise<ReconcileResult> {
    const { client } = this.#options.context
    const { status, metadata } = await client.get<ResourceQuota>(RESOURCE_QUOTAS, this.#name, { signal })
    this.#controller = status?.hard?.[LIMIT] !== undefined
    if (!this.#controller) {
      if (this.#now < this.#deadline) return { requeueAfter: LOOK_MS }
      // The plugin goes by the status, which nobody else has filled.
      const body = {
        metadata: { resourceVersion: metadata.resourceVersion },
        status: { hard: { [LIMIT]: '0' }, used: { [LIMIT]: '0' } },
      }
      await client.patch(RESOURCE_QUOTAS, this.#name, { type: 'merge', body }, { subresource: 'status', signal })
    }
    this.#deadline = this.#now + PATIENCE_MS
    return this.#next((next) => this.#awaitPlugin(next), 0)
  }

  async #awaitPlugin(signal: AbortSignal): Promise<ReconcileResult> {
    const isRefused = await this.#isRefused(signal)
    if (!isRefused && this.#now < this.#deadline) return { requeueAfter: LOOK_MS }
    await this.#remove(signal)
    this.#options.onFound({ plugin: isRefused, controller: this.#controller })
    return this.#next((next) => this.#begin(next), PROBE_AGAIN_MS)
  }

  async #isRefused(signal: AbortSignal): Promise<boolean> {
    const { namespace } = this.#name
    const template = {
      apiVersion: PROBED.version,
      kind: PROBED.kind,
      metadata: { namespace, name: ENFORCEMENT_PROBE_QUOTA },
      template: { spec: { containers: [{ name: 'probe', image: 'probe' }] } },
    }
    try {
      await this.#options.context.client.create(PROBED, template, { dryRun: true, signal })
      return false
    } catch (error) {
      if (
        error instanceof ApiError &&
        error.status.code === 403 &&
        error.message.includes(`exceeded quota: ${ENFORCEMENT_PROBE_QUOTA}`)
      )
        return true
      throw error
    }
  }

  async #remove(signal: AbortSignal): Promise<void> {
    try {
      await this.#options.context.client.delete(RESOURCE_QUOTAS, this.#name, { signal })
    } catch (error) {
      if (!isNotFound(error)) throw error
    }
  }
}
