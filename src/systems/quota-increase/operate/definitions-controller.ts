import type { QuotaDefinitions } from '../decide/definitions.ts'
import { reasonsToHold } from '../decide/judge-definitions.ts'
import { sentence } from '../../../machinery/field-error.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import type { Controller, ControllerSource, ReconcileResult } from '../../../operator/shell/controller.ts'
import type { LimitCheck } from '../../../operator/shell/limit-check.ts'
import type { Parts } from '../../../operator/shell/dirty-set.ts'
import type { OperatorContext } from '../../../operator/system.ts'
import { DEFINITIONS } from './increase-controllers.ts'
import type { DefinitionsRecord } from './definitions-record.ts'
import type { DefinitionsSource } from './definitions-source.ts'
import { limitsOf } from '../decide/idle-increase-limits.ts'
import type { IncreaseCaches } from './increase-caches.ts'

/** The definitions that namespaces follow now. */
export class FollowedDefinitions {
  /** Undefined until it is known what is to be followed: then nothing is changed. */
  current: QuotaDefinitions | undefined
  /** Why newer definitions are not followed; empty where they are. */
  held = ''
}

export interface DefinitionsControllerOptions {
  readonly context: Pick<OperatorContext, 'logger'>
  readonly caches: IncreaseCaches
  readonly source: DefinitionsSource
  readonly record: DefinitionsRecord
  readonly followed: FollowedDefinitions
  readonly limits: Pick<LimitCheck, 'judge'>
  readonly provider: string
  /** Are definitions followed whatever they lack? */
  readonly prune: boolean
  /** Has a namespace looked at. */
  readonly lookAt: (namespace: string) => void
}

/** Namespaces may have gone meanwhile that still used what is missing. */
const AGAIN_MS = 30_000
const KEY = 'definitions'

/**
 * Decides which definitions are followed: those of their author, unless they look like an accident. What is followed is recorded
 * before anything is written that rests on it.
 */
export class DefinitionsController implements Controller {
  readonly name = DEFINITIONS
  readonly sources: readonly ControllerSource[]
  readonly #options: DefinitionsControllerOptions

  constructor(options: DefinitionsControllerOptions) {
    this.#options = options
    this.sources = [
      {
        follow: (_, enqueue) => {
          enqueue({ key: KEY })
          return options.source.onChange(() => enqueue({ key: KEY }))
        },
      },
    ]
  }

  /** Rejects as `KubeClient` does. */
  async reconcile(_: string, __: Parts, signal: AbortSignal): Promise<ReconcileResult> {
    const { source, record, followed } = this.#options
    const candidate = source.current
    const stored = await record.read(signal)
    const reason = candidate.problem ?? this.#reasonToHold(candidate.definitions, stored?.definitions)
    if (candidate.problem !== undefined || reason !== undefined) {
      this.#hold(reason ?? '')
      if (followed.current === undefined && stored !== undefined) this.#follow(stored.definitions)
      return { requeueAfter: AGAIN_MS }
    }
    await record.write(candidate.definitions, stored, signal)
    if (followed.held !== '') this.#options.context.logger.info({}, 'the definitions of quotas are followed again')
    followed.held = ''
    if (this.#follow(candidate.definitions)) await this.#reportIdle(candidate.definitions, signal)
    return {}
  }

  /** Some limits are known to limit nothing only when the API server has said what it offers. */
  async #reportIdle({ quotas }: QuotaDefinitions, signal: AbortSignal): Promise<void> {
    const { context, limits } = this.#options
    const { errors, warnings } = await limits.judge(limitsOf(quotas, 'quotas'), signal)
    for (const limit of [...errors.map(sentence), ...warnings])
      context.logger.warn({ limit }, 'a definition of quotas has a limit that limits nothing')
  }

  #reasonToHold(candidate: QuotaDefinitions, accepted: QuotaDefinitions | undefined): string | undefined {
    const { caches, provider, prune } = this.#options
    if (prune) return undefined
    const namespaces = caches.namespaces.list()
    const reasons = reasonsToHold({ candidate, accepted, provider, namespaces, inUse: caches.inUse() })
    return reasons.length === 0 ? undefined : reasons.join('; ')
  }

  #hold(reason: string): void {
    const { followed, context } = this.#options
    // A lasting reason is reported once.
    if (followed.held === reason) return
    followed.held = reason
    const advice = 'nothing was changed; mend them, or start with --prune where this is meant'
    context.logger.error({ reason, advice }, 'the definitions of quotas are not followed')
  }

  /** Says whether these are others than before. */
  #follow(definitions: QuotaDefinitions): boolean {
    const { followed, caches, lookAt } = this.#options
    if (followed.current !== undefined && jsonEqual(followed.current, definitions)) return false
    followed.current = definitions
    for (const { name } of caches.namespaces.list()) lookAt(name)
    return true
  }
}
