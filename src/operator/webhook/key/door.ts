import type { KubeClient } from '../../../kube/client/kube-client.ts'
import type { OperatorHook } from '../configuration.ts'
import { EarlierConfigurations } from './earlier-configurations.ts'
import { WebhookKeyKeeper, type WebhookKeyOptions } from './keeper.ts'

export interface WebhookDoorOptions extends WebhookKeyOptions {
  readonly client: Pick<KubeClient, 'get' | 'list' | 'create' | 'update'>
  /** Does the work again while the API server is away. */
  readonly retried: <T>(work: () => Promise<T>) => Promise<T>
}

/** Lets only callers in that know a path by which API servers ask for a webhook. */
export class WebhookDoor {
  readonly keys: WebhookKeyKeeper
  readonly #earlier: EarlierConfigurations

  private constructor(keys: WebhookKeyKeeper, earlier: EarlierConfigurations) {
    this.keys = keys
    this.#earlier = earlier
  }

  /** Rejects as `KubeClient` does, and as the signal says. */
  static async open(options: WebhookDoorOptions, signal: AbortSignal): Promise<WebhookDoor> {
    const { retried } = options
    const keys = await retried(() => WebhookKeyKeeper.open(options, signal))
    const earlier = new EarlierConfigurations(options)
    await retried(() => earlier.start(signal))
    return new WebhookDoor(keys, earlier)
  }

  /** The webhooks as they are to stand in the configurations. */
  guarded(hooks: readonly OperatorHook[]): readonly OperatorHook[] {
    return hooks.map((hook) => ({ ...hook, path: this.keys.guarded(hook.path) }))
  }

  /** Returns the path of the webhook that is called; undefined where the caller does not know enough. */
  opened(path: string): string | undefined {
    return this.keys.opened(path) ?? (this.#earlier.mayBeInUse ? path : undefined)
  }

  async stop(): Promise<void> {
    await Promise.all([this.keys.stop(), this.#earlier.stop()])
  }
}
