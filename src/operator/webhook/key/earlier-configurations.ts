import { CONFIGURATION_NAMES } from '../../../install/installed-names.ts'
import type { KubeClient } from '../../../kube/client/kube-client.ts'
import type { SystemContext } from '../../../kube/time/system-context.ts'
import { repeatedly } from '../../../runtime/time/repeatedly.ts'
import { isObject, type KubeObject } from '../../../machinery/object.ts'
import type { Logger } from '../../../runtime/process/logger.ts'
import { CONFIGURATION_KINDS } from '../../cluster/configuration-kinds.ts'
import { seemsGuarded } from './guarded-path.ts'
import { CHANGE_OVER_MS } from './plan.ts'

const LOOK_EVERY_MS = 10_000
/** They may have been replaced right after the last look but one. */
const IN_USE_MS = CHANGE_OVER_MS + 2 * LOOK_EVERY_MS
const PATIENCE_MS = 10_000

export interface EarlierConfigurationsOptions {
  readonly client: Pick<KubeClient, 'list'>
  readonly context: Pick<SystemContext, 'monotonic' | 'random' | 'sleep'>
  readonly logger: Logger
}

/**
 * Do the stored configurations lead to paths that anybody can guess? An operator of an earlier version writes such paths, for as long as it leads
 * beside replicas of this version. A user who may write configurations could have reviews answered by anybody, so they are believed.
 */
export class EarlierConfigurations {
  readonly #options: EarlierConfigurationsOptions
  readonly #abort = new AbortController()
  #loop: Promise<void> = Promise.resolve()
  /** When they were seen last. */
  #seen: number | undefined

  constructor(options: EarlierConfigurationsOptions) {
    this.#options = options
  }

  /** May API servers go by them still? */
  get mayBeInUse(): boolean {
    return this.#seen !== undefined && this.#options.context.monotonic() - this.#seen < IN_USE_MS
  }

  /** Looks for the first time, and goes on to look. Rejects as `KubeClient` does. */
  async start(signal: AbortSignal): Promise<void> {
    await this.#look(signal)
    this.#loop = repeatedly(this.#options.context, LOOK_EVERY_MS, this.#abort.signal, () => this.#lookAgain())
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    await this.#loop
  }

  /** An API server that is away is reported by those who need it. */
  async #lookAgain(): Promise<void> {
    await this.#look(AbortSignal.any([this.#abort.signal, AbortSignal.timeout(PATIENCE_MS)])).catch(() => undefined)
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { client, context, logger } = this.#options
    const lists = await Promise.all(
      Object.values(CONFIGURATION_KINDS).flatMap((kind) =>
        CONFIGURATION_NAMES.map((name) =>
          client.list<KubeObject>(kind, { fieldSelector: `metadata.name=${name}`, signal }),
        ),
      ),
    )
    if (!lists.some(({ items }) => items.some(isGuessable))) return
    if (this.#seen === undefined)
      logger.warn(
        {},
        'the webhook configurations are those of an earlier version: until they are replaced, webhooks answer at paths that anybody can guess',
      )
    this.#seen = context.monotonic()
  }
}

function isGuessable({ webhooks }: KubeObject): boolean {
  const configs = (Array.isArray(webhooks) ? webhooks.filter(isObject) : []).map((one) => one['clientConfig'])
  return configs.some((config) => {
    if (!isObject(config)) return false
    const { url, service } = config
    const place = isObject(service) ? service['path'] : url
    return typeof place !== 'string' || !seemsGuarded(place)
  })
}
