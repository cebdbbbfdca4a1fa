import type { ApiError } from '../../../machinery/status.ts'
import type { Hook } from './hook.ts'

/** A webhook that keeps writes from happening. */
export interface HookObstacle {
  /** The kind of its configuration, … */
  readonly kind: 'MutatingWebhookConfiguration' | 'ValidatingWebhookConfiguration'
  /** … its name, … */
  readonly configuration: string
  /** … and what the webhook did. */
  readonly problem: string
}

/** Remembers which webhook refused a write last, and which have not answered yet. */
export class HookObstacles {
  readonly #waiting = new Set<HookObstacle>()
  readonly #byError = new WeakMap<object, HookObstacle>()
  #last: HookObstacle | undefined

  /** The webhook that refused last; else the one that has been waited for longest. */
  get current(): HookObstacle | undefined {
    return this.#last ?? this.#waiting.values().next().value
  }

  /** Returns the webhook that caused this error, if one did. */
  of(error: unknown): HookObstacle | undefined {
    return typeof error === 'object' && error !== null ? this.#byError.get(error) : undefined
  }

  /** Call what is given when the webhook has answered. */
  asked(hook: Hook, mutating: boolean): () => void {
    const waiting = obstacle(hook, mutating, `webhook ${JSON.stringify(hook.name)} has not answered yet`)
    this.#waiting.add(waiting)
    return () => this.#waiting.delete(waiting)
  }

  /** Gives the error back. */
  refused(hook: Hook, mutating: boolean, error: ApiError): ApiError {
    this.#last = obstacle(hook, mutating, error.message)
    this.#byError.set(error, this.#last)
    return error
  }
}

const obstacle = ({ configuration }: Hook, mutating: boolean, problem: string): HookObstacle => ({
  kind: mutating ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
  configuration,
  problem,
})
