import { isAlreadyExists, isConflict, isNotFound } from '../../machinery/status.ts'
import { certificatesIn, isIssuedFor } from '../../runtime/certificate/check.ts'
import { CertificateKeeper, type ServingCertificate } from '../../runtime/certificate/keeper.ts'
import type { ClockSteps } from '../../runtime/time/clock-steps.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import { Backoff } from '../time/backoff.ts'
import type { KubeClient, ObjectName } from '../client/kube-client.ts'
import type { SystemContext } from '../time/system-context.ts'
import { type CertificatePlan, needed, planCertificates, type SharedCertificates, stillValid } from './plan.ts'
import { newSecret, readableSecret, replacedSecret, SECRETS, type Secret, sharedIn } from './secret.ts'

export interface WebhookCertificateOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'update'>
  /** The Secret that all replicas share; its namespace must exist. */
  readonly secret: ObjectName
  /** DNS names and IP addresses that API servers reach the webhooks by. */
  readonly names: readonly string[]
  readonly context: Pick<SystemContext, 'now' | 'random' | 'sleep'>
  readonly clockSteps: Pick<ClockSteps, 'subscribe'>
  readonly logger: Logger
  /** How often the Secret is read. */
  readonly everyMs?: number
  /** How long a new authority is made known before certificates of it are presented; far more than `everyMs`. */
  readonly spreadMs?: number
}

const EVERY_MS = 15_000
const SPREAD_MS = 600_000
/** The one that is replaced most often; the authority lasts ten years. */
const SERVER_DAYS = 365
const MOST_ATTEMPTS = 10
const CONFLICT_WAITS = { firstMs: 10, lastMs: 1000 }

/**
 * A certificate for webhooks that all replicas share through a Secret. A replica that finds it missing, damaged or old renews it by
 * compare-and-swap. Rejects as `KubeClient` does, and with StartupError when the Secret is someone else's, or of a later version.
 */
export function keepWebhookCertificate(
  options: WebhookCertificateOptions,
  signal: AbortSignal,
): Promise<CertificateKeeper> {
  const { context, logger, clockSteps, everyMs = EVERY_MS } = options
  const { random, sleep } = context
  const memory: Memory = { shared: undefined }
  const read = async (signal: AbortSignal): Promise<ServingCertificate> => {
    memory.shared = await bringUpToDate(options, memory.shared, signal)
    return served(memory.shared)
  }
  return CertificateKeeper.start({ read, everyMs, random, sleep, clockSteps, logger }, signal)
}

/** The content of the Secret when it was read last. */
interface Memory {
  shared: SharedCertificates | undefined
}

/**
 * Reads the Secret, and writes it where there is something to do, until it is as it should be. Where it is gone, or nothing in it is of
 * use, what is `known` here comes back: API servers trust that already.
 */
async function bringUpToDate(
  options: WebhookCertificateOptions,
  known: SharedCertificates | undefined,
  signal: AbortSignal,
): Promise<SharedCertificates> {
  const { names, context, logger, secret: secretName, spreadMs = SPREAD_MS } = options
  const backoff = new Backoff(context.random, CONFLICT_WAITS)
  for (;;) {
    const secret = await readSecret(options, signal)
    const stored = secret === undefined ? undefined : sharedIn(secret)
    const now = context.now()
    const planned = <T extends SharedCertificates | undefined>(shared: T): Planned<T> => ({
      shared,
      plan: planCertificates(shared, names, now, spreadMs),
    })
    const ofStored = planned(stored)
    const ofKnown = known !== undefined && isUseless(ofStored.plan) ? planned(known) : undefined
    const isBroughtBack = ofKnown !== undefined && !isUseless(ofKnown.plan)
    const { shared, plan } = isBroughtBack ? ofKnown : ofStored
    if (plan.action === 'keep' && shared !== undefined && !isBroughtBack) return shared
    const next = await carriedOut(plan, shared ?? NOTHING, now)
    try {
      await write(options, secret, next, signal)
      if (isBroughtBack) logger.warn({ ...secretName }, BROUGHT_BACK)
      if (plan.action !== 'keep') logger.info({ ...secretName, action: plan.action }, DONE[doneBy(plan, shared)])
      return next
    } catch (error) {
      if (!isOvertaken(error, secret !== undefined) || backoff.failures >= MOST_ATTEMPTS) throw error
      await context.sleep(backoff.next(), signal)
    }
  }
}

interface Planned<T> {
  readonly shared: T
  readonly plan: CertificatePlan
}

/** Is nothing of it of use: neither its authority nor its certificate? */
const isUseless = (plan: CertificatePlan): boolean => plan.action === 'replace' && plan.names !== undefined

const BROUGHT_BACK =
  'somebody deleted or damaged the certificate of the webhooks: the one that API servers trust is stored again'

/** The log line for each plan that was carried out. */
const DONE = {
  issued: 'the shared certificate of the webhooks was issued',
  renewed: 'the shared certificate of the webhooks was renewed',
  announced: 'a new authority of the webhooks was made known; it signs their certificate later',
  pruned: 'authorities of the webhooks that nobody needs any more were taken away',
} as const

function doneBy(plan: CertificatePlan, before: SharedCertificates | undefined): keyof typeof DONE {
  if (plan.action === 'keep' || plan.action === 'prune') return 'pruned'
  if (plan.names === undefined) return 'announced'
  return before === undefined || before.server.certificate === '' ? 'issued' : 'renewed'
}

/** Has another written, or deleted, what this one had read? */
const isOvertaken = (error: unknown, existed: boolean): boolean =>
  isConflict(error) || isAlreadyExists(error) || (existed && isNotFound(error))

async function readSecret(
  { client, secret }: WebhookCertificateOptions,
  signal: AbortSignal,
): Promise<Secret | undefined> {
  try {
    return readableSecret(await client.get<Secret>(SECRETS, secret, { signal }))
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

async function write(
  { client, secret }: WebhookCertificateOptions,
  old: Secret | undefined,
  shared: SharedCertificates,
  signal: AbortSignal,
): Promise<void> {
  if (old === undefined) await client.create(SECRETS, newSecret(secret, shared), { signal })
  else await client.update(SECRETS, replacedSecret(old, shared), { signal })
}

/** Returns the data of the Secret once the plan is carried out. */
async function carriedOut(plan: CertificatePlan, shared: SharedCertificates, now: number): Promise<SharedCertificates> {
  const { makeAuthority, makeServerCertificate } = await import('../../runtime/certificate/certificates.ts')
  const issued = async (by: SharedCertificates, names: readonly string[]): Promise<SharedCertificates> => {
    const [authority = ''] = by.authorities
    const server = await makeServerCertificate(
      { certificate: authority, key: by.authorityKey },
      names,
      now,
      SERVER_DAYS,
    )
    const old = by.server.certificate
    const retired = isIssuedFor(old, authority, []) ? by.retired : [old, ...by.retired]
    return { ...by, server, retired }
  }
  const renewed = async (): Promise<SharedCertificates> => {
    if (plan.action === 'issue') return issued(shared, plan.names)
    if (plan.action !== 'replace') return shared
    const made = await makeAuthority(now)
    const authorities = [...certificatesIn(made.certificate), ...shared.authorities]
    const replaced = { ...shared, authorities, authorityKey: made.key }
    return plan.names === undefined ? replaced : issued(replaced, plan.names)
  }
  const next = await renewed()
  return { ...next, authorities: needed(next, now), retired: stillValid(next.retired, now) }
}

const NOTHING: SharedCertificates = {
  server: { certificate: '', key: '' },
  authorities: [],
  authorityKey: '',
  retired: [],
}

function served({ server, authorities, authorityKey }: SharedCertificates): ServingCertificate {
  const [authority = ''] = authorities
  const signs = isIssuedFor(server.certificate, authority, [])
  return {
    ...server,
    bundle: authorities.join(''),
    ...(signs ? { authority: { certificate: authority, key: authorityKey } } : {}),
  }
}
