import { randomBytes } from 'node:crypto'
import { WEBHOOK_KEY_SECRET } from '../../../install/installed-names.ts'
import type { CallOptions, KubeClient } from '../../../kube/client/kube-client.ts'
import type { SystemContext } from '../../../kube/time/system-context.ts'
import { repeatedly } from '../../../runtime/time/repeatedly.ts'
import { readableSecret, type Secret, SECRETS } from '../../../kube/webhook-certificates/secret.ts'
import { isAlreadyExists, isConflict, isNotFound } from '../../../machinery/status.ts'
import type { Logger } from '../../../runtime/process/logger.ts'
import { guardedPath, PathOpener } from './guarded-path.ts'
import { isSealOf, sealOf } from './text-seal.ts'
import { afterKeyStep, type KeyStep, nextKeyStep } from './plan.ts'
import { acceptedKeys, keysIn, secretWith, type WebhookKeys } from './keys.ts'
import { KEY_BYTES, READ_EVERY_MS } from '../../cluster/shared-key.ts'

const PATIENCE_MS = 10_000

export interface WebhookKeyOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'update'>
  readonly context: Pick<SystemContext, 'now' | 'monotonic' | 'random' | 'sleep'>
  readonly logger: Logger
  readonly systemNamespace: string
}

/** The configurations that a leader writes. */
export interface KeyedConfigurations {
  /** Do they stand on the API server as they are to be? */
  readonly isWritten: () => boolean
  /** They are to carry another key from now on. */
  readonly refresh: () => void
}

const DONE = {
  announce: 'a new key of the webhooks was made known; their paths are made with it later',
  promote: 'the paths of the webhooks are made with a new key',
  retire: 'the former key of the webhooks opens nothing any more',
} as const satisfies Record<KeyStep, string>

const BROUGHT_BACK =
  'somebody deleted or damaged the keys of the webhooks: the ones that API servers use are stored again'

interface Read {
  readonly secret: Secret | undefined
  readonly keys: WebhookKeys | undefined
}

/**
 * The keys of the webhooks' paths, which all replicas share through a Secret. Any replica announces a new key; the one that leads makes
 * the paths with it, and retires the former one.
 */
export class WebhookKeyKeeper {
  readonly #options: WebhookKeyOptions
  readonly #abort = new AbortController()
  readonly #loop: Promise<void>
  readonly #opener = new PathOpener()
  #keys: WebhookKeys
  #nextSince = 0
  #writtenSince: number | undefined
  /** This process made the first key, and nobody has heard of it. */
  #isUntold: boolean
  #isSuspected = false
  #led: KeyedConfigurations | undefined
  #looking: Promise<void> = Promise.resolve()
  #complaint = ''

  private constructor(options: WebhookKeyOptions, keys: WebhookKeys, isUntold: boolean) {
    this.#options = options
    this.#keys = keys
    this.#isUntold = isUntold
    this.#nextSince = options.context.monotonic()
    this.#loop = repeatedly(options.context, READ_EVERY_MS, this.#abort.signal, () => this.#look())
  }

  /** Reads the keys, and makes the first one where there is none. Rejects as `KubeClient` does, and with StartupError where they are of a later version. */
  static async open(options: WebhookKeyOptions, signal: AbortSignal): Promise<WebhookKeyKeeper> {
    for (;;) {
      const { secret, keys } = await read(options, { signal })
      if (keys !== undefined) return new WebhookKeyKeeper(options, keys, false)
      const first = { current: randomBytes(KEY_BYTES), since: options.context.now() }
      if (await written(options, first, secret, { signal })) return new WebhookKeyKeeper(options, first, true)
    }
  }

  /** The path at which API servers are to call a webhook now. */
  guarded(path: string): string {
    return guardedPath(path, this.#keys.current)
  }

  /** Returns the path of the webhook that is called; undefined where the caller does not know a key. */
  opened(path: string): string | undefined {
    return this.#opener.opened(path, acceptedKeys(this.#keys))
  }

  /** The seal of a text, which replicas make and nobody else. */
  sealed(text: string): string {
    return sealOf(text, this.#keys.current)
  }

  isSealed(text: string, seal: string): boolean {
    return isSealOf(text, seal, acceptedKeys(this.#keys))
  }

  /**
   * Somebody may have read a path: API servers quote the URL of a webhook that does not answer in the error for their client. A new key is
   * made as soon as the change under way, if any, is over.
   */
  suspect(): void {
    this.#isSuspected = true
  }

  /** This replica writes the configurations until what is given is called. */
  async lead(configurations: KeyedConfigurations): Promise<() => void> {
    // The leader before may have been away for a while.
    if (!this.#isUntold) this.suspect()
    this.#isUntold = false
    await this.#look()
    this.#led = configurations
    this.#writtenSince = undefined
    return () => (this.#led = undefined)
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    await this.#loop
  }

  /** Reads the keys and does the next step, behind the look that is under way. */
  #look(): Promise<void> {
    this.#looking = this.#looking.then(() => this.#step())
    return this.#looking
  }

  /** A failure is logged once, and the step is done the next time. */
  async #step(): Promise<void> {
    const { context, logger, systemNamespace: namespace } = this.#options
    const call = { signal: AbortSignal.any([this.#abort.signal, AbortSignal.timeout(PATIENCE_MS)]) }
    try {
      const { secret, keys } = await read(this.#options, call)
      if (keys !== undefined) this.#use(keys)
      // Lost or damaged: what is known here comes back.
      else if (await written(this.#options, this.#keys, secret, call)) logger.warn({ namespace }, BROUGHT_BACK)
      else return
      const step = this.#nextStep()
      this.#complaint = ''
      if (step === undefined || secret === undefined) return
      const next = afterKeyStep(step, this.#keys, context.now(), () => randomBytes(KEY_BYTES))
      if (keys === undefined || !(await written(this.#options, next, secret, call))) return
      this.#use(next)
      logger.info({ namespace, name: WEBHOOK_KEY_SECRET }, DONE[step])
    } catch (error) {
      if (this.#abort.signal.aborted) return
      const complaint = String(error)
      if (complaint !== this.#complaint)
        logger.error({ error }, 'the keys of the webhooks could not be read or changed: the last ones stay in use')
      this.#complaint = complaint
    }
  }

  #nextStep(): KeyStep | undefined {
    const { now, monotonic } = this.#options.context
    const at = monotonic()
    if (this.#led?.isWritten() !== true) this.#writtenSince = undefined
    else this.#writtenSince ??= at
    return nextKeyStep({
      keys: this.#keys,
      now: now(),
      isLeading: this.#led !== undefined,
      isSuspected: this.#isSuspected,
      nextKnownMs: at - this.#nextSince,
      writtenMs: this.#writtenSince === undefined ? 0 : at - this.#writtenSince,
    })
  }

  #use(keys: WebhookKeys): void {
    const { current, next } = this.#keys
    this.#keys = keys
    if (keys.next !== undefined) {
      // The key that somebody may know is about to go.
      this.#isSuspected = false
      if (next === undefined || !keys.next.equals(next)) this.#nextSince = this.#options.context.monotonic()
    }
    if (keys.current.equals(current)) return
    this.#writtenSince = undefined
    this.#led?.refresh()
  }
}

async function read({ client, systemNamespace: namespace }: WebhookKeyOptions, call: CallOptions): Promise<Read> {
  try {
    const secret = readableSecret(await client.get<Secret>(SECRETS, { namespace, name: WEBHOOK_KEY_SECRET }, call))
    return { secret, keys: keysIn(secret) }
  } catch (error) {
    if (!isNotFound(error)) throw error
    return { secret: undefined, keys: undefined }
  }
}

/** False where another replica was faster. */
async function written(
  { client, systemNamespace: namespace }: WebhookKeyOptions,
  keys: WebhookKeys,
  old: Secret | undefined,
  call: CallOptions,
): Promise<boolean> {
  const secret = secretWith(keys, { namespace, name: WEBHOOK_KEY_SECRET }, old)
  try {
    await (old === undefined ? client.create(SECRETS, secret, call) : client.update(SECRETS, secret, call))
    return true
  } catch (error) {
    if (isAlreadyExists(error) || isConflict(error) || (old !== undefined && isNotFound(error))) return false
    throw error
  }
}
