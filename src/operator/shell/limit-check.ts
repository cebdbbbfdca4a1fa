import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import { type IdleLimit, idleLimits, MOST_WARNINGS } from '../../charges/limit-names/idle-limits.ts'
import { type JudgedLimits, judgeLimits, type NamedLimits } from '../../charges/limit-names/judge-limits.ts'
import { OfferedResources } from '../../charges/limit-names/offered-resources.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import type { Clock } from '../../kube/time/clock.ts'
import type { FieldError } from '../../machinery/field-error.ts'
import type { GroupResource } from '../../machinery/status.ts'
import { offeredNow } from './offered-now.ts'

/** Asking takes a request for each group version, and any tenant may write limits. */
const ASK_AGAIN_MS = 2_000

/** Finds limits that limit nothing on the API server as it is now. */
export class LimitCheck {
  readonly #server: { readonly client: Pick<KubeClient, 'request'>; readonly clock: Pick<Clock, 'monotonic'> }
  #offered = new OfferedResources([])
  /** When the server was asked, on the monotonic clock. */
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(server: { readonly client: Pick<KubeClient, 'request'>; readonly clock: Pick<Clock, 'monotonic'> }) {
    this.#server = server
  }

  /** The idle ones. Before a limit is called idle, the server is asked anew, since a CRD may have come. Rejects as `KubeClient` does. */
  async idle({ names, requirements = [] }: NamedLimits, signal: AbortSignal): Promise<readonly IdleLimit[]> {
    const find = (offered: OfferedResources): readonly IdleLimit[] =>
      idleLimits(names, { evaluators: QUOTA_EVALUATORS, offered, requirements, most: MOST_WARNINGS })
    const idle = find(this.#offered)
    if (idle.length === 0) return idle
    await this.#ask(signal)
    return find(this.#offered)
  }

  /** Does the server offer a resource? Rejects as `KubeClient` does. */
  async offers(resource: GroupResource, signal: AbortSignal): Promise<boolean> {
    if (this.#offered.find(resource) === undefined) await this.#ask(signal)
    return this.#offered.find(resource) !== undefined
  }

  /** Those that limit nothing on this server are errors, and those that may come with a CRD warnings. */
  async judge(limits: readonly NamedLimits[], signal: AbortSignal): Promise<JudgedLimits> {
    const errors: FieldError[] = []
    const warnings: string[] = []
    for (const one of limits) {
      const judged = judgeLimits(one, await this.idle(one, signal))
      errors.push(...judged.errors)
      warnings.push(...judged.warnings)
    }
    return { errors, warnings }
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#server
    const now = clock.monotonic()
    if (now - this.#askedAt < ASK_AGAIN_MS) return
    this.#offered = await offeredNow(client, signal)
    this.#askedAt = now
  }
}
