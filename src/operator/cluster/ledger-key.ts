import { randomBytes } from 'node:crypto'
import { LEASE_NAME, LEDGER_KEY_SECRET } from '../../install/installed-names.ts'
import type { CallOptions, KubeClient, ObjectName } from '../../kube/client/kube-client.ts'
import { holderOf, type Lease, LEASES } from '../../kube/election/lease-record.ts'
import type { SystemContext } from '../../kube/time/system-context.ts'
import { repeatedly } from '../../runtime/time/repeatedly.ts'
import { readableSecret, type Secret, secretMetadata, SECRETS } from '../../kube/webhook-certificates/secret.ts'
import { isAlreadyExists, isNotFound } from '../../machinery/status.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import { LedgerSeal } from './ledger-seal.ts'
import { namedNamespaces } from './operator-namespaces.ts'
import { KEY_BYTES, READ_EVERY_MS } from './shared-key.ts'

const FIELD = 'key'
const PATIENCE_MS = 10_000
/** A replica that runs has put a key back by then. */
const AWAIT_MS = 2 * READ_EVERY_MS
const LOOK_MS = 500

export interface LedgerKeyOptions {
  readonly client: Pick<KubeClient, 'get' | 'list' | 'create' | 'update'>
  readonly context: Pick<SystemContext, 'monotonic' | 'random' | 'sleep'>
  readonly logger: Logger
  readonly systemNamespace: string
}

const BROUGHT_BACK = 'somebody deleted or damaged the key of the ledgers: the one that seals them is stored again'

const ADOPTED =
  'somebody replaced the key of the ledgers: the new one is used, and quotas are closed until their ledgers are made again'
const AWAITED = 'the key of the ledgers is missing: other replicas have some seconds to store it again'

/** The key that replicas share. `done` says what this process did for it: nothing, store it in a damaged Secret, or make the Secret. */
interface SharedKey {
  readonly key: Buffer
  readonly done: 'nothing' | 'mended' | 'created'
}

/**
 * Keeps the key with which all replicas seal ledgers in a shared Secret. The first replica creates the key, and every
 * replica restores a lost one.
 */
export class LedgerKeyKeeper {
  readonly seal: LedgerSeal
  /** No replica has sealed anything in this cluster before. */
  readonly isFirst: boolean
  readonly #options: LedgerKeyOptions
  readonly #abort = new AbortController()
  readonly #loop: Promise<void>
  #complaint = ''

  private constructor(options: LedgerKeyOptions, key: Buffer, isFirst: boolean) {
    this.#options = options
    this.isFirst = isFirst
    this.seal = new LedgerSeal(key, (known) => this.#read(known), options.context)
    this.#loop = repeatedly(options.context, READ_EVERY_MS, this.#abort.signal, () => this.#look())
  }

  /** Rejects as `KubeClient` does, and with StartupError where the key is of a later version. */
  static async open(options: LedgerKeyOptions, signal: AbortSignal): Promise<LedgerKeyKeeper> {
    const hadOthers = await awaitOthers(options, signal)
    const { key, done } = await sharedKey(options, randomBytes(KEY_BYTES), { signal })
    return new LedgerKeyKeeper(options, key, done === 'created' && !hadOthers)
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    await this.#loop
  }

  async #read(known: Buffer): Promise<Buffer> {
    const call = { signal: AbortSignal.any([this.#abort.signal, AbortSignal.timeout(PATIENCE_MS)]) }
    const { key, done } = await sharedKey(this.#options, known, call)
    const { logger, systemNamespace: namespace } = this.#options
    if (done !== 'nothing') logger.warn({ namespace, name: LEDGER_KEY_SECRET }, BROUGHT_BACK)
    else if (!key.equals(known)) logger.warn({ namespace, name: LEDGER_KEY_SECRET }, ADOPTED)
    return key
  }

  /** A failure is logged once. */
  async #look(): Promise<void> {
    try {
      await this.seal.refresh()
      this.#complaint = ''
    } catch (error) {
      if (this.#abort.signal.aborted) return
      const complaint = String(error)
      if (complaint !== this.#complaint)
        this.#options.logger.error({ error }, 'the key of the ledgers could not be read: the last one stays in use')
      this.#complaint = complaint
    }
  }
}

/**
 * Waits if the key is missing although other replicas may run, until one of them could have stored its key. Returns
 * whether other replicas may have run in this cluster.
 */
async function awaitOthers(options: LedgerKeyOptions, signal: AbortSignal): Promise<boolean> {
  const { context, logger, systemNamespace: namespace } = options
  const isThere = async (): Promise<boolean> =>
    (await storedKey(options, { signal }).catch(unlessMissing)) !== undefined
  if (await isThere()) return true
  if (!(await mayHaveOthers(options, signal))) return false
  logger.warn({ namespace, name: LEDGER_KEY_SECRET }, AWAITED)
  const until = context.monotonic() + AWAIT_MS
  while (context.monotonic() < until && !(await isThere())) await context.sleep(LOOK_MS, signal)
  return true
}

/** A Lease with a holder shows it, and so do webhook configurations, which go with allot. */
async function mayHaveOthers(
  { client, systemNamespace: namespace }: LedgerKeyOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const lease = await client.get<Lease>(LEASES, { namespace, name: LEASE_NAME }, { signal }).catch(unlessMissing)
  return holderOf(lease) !== '' || (await namedNamespaces(client, signal)).has(namespace)
}

function unlessMissing(error: unknown): undefined {
  if (!isNotFound(error)) throw error
}

/** The key that replicas share; where there is none it is this one from now on. */
async function sharedKey(
  { client, systemNamespace: namespace }: LedgerKeyOptions,
  own: Buffer,
  options: CallOptions,
): Promise<SharedKey> {
  const place = { namespace, name: LEDGER_KEY_SECRET }
  const data = { [FIELD]: own.toString('base64') }
  try {
    const secret = await read(client, place, options)
    const key = keyIn(secret)
    if (key !== undefined) return { key, done: 'nothing' }
    await client.update<Secret>(SECRETS, { ...secret, data: { ...secret.data, ...data } }, options)
    return { key: own, done: 'mended' }
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  try {
    const metadata = secretMetadata(place)
    await client.create<Secret>(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata, type: 'Opaque', data }, options)
    return { key: own, done: 'created' }
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
    return { key: keyIn(await read(client, place, options)) ?? own, done: 'nothing' }
  }
}

const storedKey = async (
  { client, systemNamespace: namespace }: LedgerKeyOptions,
  options: CallOptions,
): Promise<Buffer | undefined> => keyIn(await read(client, { namespace, name: LEDGER_KEY_SECRET }, options))

const read = async (client: Pick<KubeClient, 'get'>, place: ObjectName, options: CallOptions): Promise<Secret> =>
  readableSecret(await client.get<Secret>(SECRETS, place, options))

function keyIn({ data }: Secret): Buffer | undefined {
  const key = Buffer.from(data?.[FIELD] ?? '', 'base64')
  return key.length >= KEY_BYTES ? key : undefined
}
