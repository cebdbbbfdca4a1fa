import { CONFIGURATION_NAMES, SYSTEM_NAMESPACE_ANNOTATION } from '../../install/installed-names.ts'
import type { KubeObject, ObjectMeta } from '../../machinery/object.ts'
import type { Clock } from '../../kube/time/clock.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { WatchCache } from '../../kube/cache/watch-cache.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import { whenAborted } from '../../runtime/tasks/when-aborted.ts'
import { WorkQueue } from '../../runtime/tasks/work-queue.ts'
import { deepDerivative } from '../cluster/deep-derivative.ts'
import { CONFIGURATION_KINDS, type HookPhase } from '../cluster/configuration-kinds.ts'
import type { RulesState } from './complete-rules.ts'
import { type FollowingHook, formerHooks } from './former-hooks.ts'
import {
  type ConfigurationName,
  type HookAddress,
  leadsTo,
  type OperatorHook,
  webhookConfiguration,
} from './configuration.ts'

interface Configuration {
  readonly phase: HookPhase
  readonly name: ConfigurationName
}

const CONFIGURATIONS: ReadonlyMap<string, Configuration> = new Map(
  (Object.keys(CONFIGURATION_KINDS) as readonly HookPhase[]).flatMap((phase) =>
    CONFIGURATION_NAMES.map((name) => [`${phase}/${name}`, { phase, name }] as const),
  ),
)

/** How soon to look again whether all rules are known. */
const LOOK_AGAIN_MS = 20
/** … when they have not been for long. */
const LOOK_LATER_MS = 1_000

export interface ConfigurationKeeperOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly logger: Logger
  readonly systemNamespace: string
  /** As they are now, with those of an earlier replica that are to be kept. */
  readonly hooks: (former: readonly OperatorHook[]) => readonly OperatorHook[]
  /** The webhooks whose rules follow quotas. */
  readonly following: () => readonly FollowingHook[]
  /** How long API servers wait for their answers. */
  readonly timeoutSeconds: number
  readonly address: HookAddress
  /** PEM of the authorities that the API server is to trust, as of now. */
  readonly caBundle: () => string
  /** Do the rules hold all that quotas need? */
  readonly rulesState: () => RulesState
  /** Called after each write: the API server may go by another configuration from then on. */
  readonly onWritten: () => void
}

/** Keeps the webhook configurations on the API server as they are to be, and mends them when others change or delete them. */
export class ConfigurationKeeper {
  readonly #options: ConfigurationKeeperOptions
  readonly #queue: WorkQueue
  /** The configurations that have been seen on the API server since this keeper runs. */
  readonly #seen = new Set<string>()
  /** The webhooks that follow quotas as an earlier replica stored them, by configuration. */
  readonly #former = new Map<string, readonly OperatorHook[]>()
  /** Of each configuration, by its key in `CONFIGURATIONS`. */
  readonly #caches: ReadonlyMap<string, WatchCache<KubeObject>>

  constructor(options: ConfigurationKeeperOptions) {
    const { client, clock, logger } = options
    this.#options = options
    this.#queue = new WorkQueue({
      work: (key, signal) => this.#keep(key, signal),
      onError: (configuration, error) =>
        logger.warn({ error, configuration }, 'a webhook configuration could not be written'),
    })
    this.#caches = new Map(
      [...CONFIGURATIONS].map(([key, { phase, name }]) => [
        key,
        new WatchCache<KubeObject>({
          client,
          clock,
          logger,
          kind: CONFIGURATION_KINDS[phase],
          fieldSelector: `metadata.name=${name}`,
          keep: (object) => object,
        }),
      ]),
    )
  }

  /** Keeps them until the signal aborts; resolves when nothing is under way any more. */
  async run(signal: AbortSignal): Promise<void> {
    for (const [key, cache] of this.#caches) {
      cache.onChange(() => this.#queue.add(key))
      cache.start()
    }
    const filled = Promise.all([...this.#caches.values()].map((cache) => cache.whenSynced())).then(() => this.refresh())
    await Promise.race([filled, whenAborted(signal)])
    await whenAborted(signal)
    await Promise.all([this.#queue.stop(), ...[...this.#caches.values()].map((cache) => cache.stop())])
  }

  /** Call this when the desired configuration may have changed: its rules or authorities. */
  refresh(): void {
    for (const key of CONFIGURATIONS.keys()) this.#queue.add(key)
  }

  /** Do all of them stand on the API server as they are to be? */
  get isWritten(): boolean {
    return [...CONFIGURATIONS].every(([key, configuration]) => {
      const cache = this.#caches.get(key)
      const state = this.#options.rulesState()
      if (cache?.synced !== true || state === 'waiting') return false
      return isAsWanted(cache.get('', configuration.name), this.#wanted(key, configuration, state))
    })
  }

  #wanted(key: string, { phase, name }: Configuration, state: RulesState): ReturnType<typeof webhookConfiguration> {
    const { hooks, timeoutSeconds, address, caBundle, systemNamespace } = this.#options
    const former = state === 'complete' ? [] : (this.#former.get(key) ?? [])
    const timed = hooks(former).map((hook) => ({ ...hook, timeoutSeconds }))
    const configuration = webhookConfiguration(phase, timed, address, caBundle(), name)
    const annotations = { [SYSTEM_NAMESPACE_ANNOTATION]: systemNamespace }
    return { ...configuration, metadata: { ...configuration.metadata, annotations } }
  }

  async #keep(key: string, signal: AbortSignal): Promise<void> {
    const configuration = CONFIGURATIONS.get(key)
    if (configuration === undefined) return
    const { phase, name } = configuration
    const { client, address, logger, rulesState, following, onWritten } = this.#options
    const cache = this.#caches.get(key)
    if (cache?.synced !== true) return
    const stored = cache.get('', name)
    const state = rulesState()
    if (state !== 'complete') {
      if (stored !== undefined && !this.#former.has(key)) this.#former.set(key, formerHooks(stored, phase, following()))
      this.#queue.addAfter(key, state === 'waiting' ? LOOK_AGAIN_MS : LOOK_LATER_MS)
      if (state === 'waiting') return
    }
    const wanted = this.#wanted(key, configuration, state)
    const isLost = stored === undefined && this.#seen.has(key)
    if (stored !== undefined) this.#seen.add(key)
    if (isAsWanted(stored, wanted)) return
    const kind = CONFIGURATION_KINDS[phase]
    // Replaced as a whole: a webhook that somebody put in between goes.
    const written =
      stored === undefined
        ? await client.create(kind, wanted, { signal })
        : await client.update(kind, { ...wanted, metadata: mended(stored.metadata, wanted.metadata) }, { signal })
    cache.observed(written)
    if (isLost) logger.warn({ phase, name }, LOST)
    else if (stored === undefined || leadsTo(stored, address))
      logger.info({ phase, name }, 'the webhook configuration was written')
    else logger.warn({ phase, name, address }, 'the webhook configuration was written with another address than before')
    onWritten()
  }
}

const LOST =
  'somebody deleted a webhook configuration: it was written again, and what was created in between was not refused'

/** Annotations of others stay. */
const mended = (stored: ObjectMeta, wanted: ObjectMeta): ObjectMeta => ({
  ...stored,
  ...wanted,
  annotations: { ...stored.annotations, ...wanted.annotations },
})

/** Nothing stored is as good as no webhooks. */
const isAsWanted = (stored: KubeObject | undefined, wanted: ReturnType<typeof webhookConfiguration>): boolean =>
  stored === undefined ? wanted.webhooks.length === 0 : deepDerivative(stored, wanted)
