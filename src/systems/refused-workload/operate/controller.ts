import { timeOf } from '../../../insight/explain/past-refusal.ts'
import { type AtRefusal, atRefusal, progress } from '../../../insight/refusal/progress.ts'
import { namedOwner, type RefusedMaker, refusedMaker } from '../../../insight/refusal/refused-maker.ts'
import { type RefusalNote, refusalNote } from '../../../insight/refusal/note.ts'
import { REFUSED_WORKLOAD_NEEDS } from '../../../install/rbac/system-needs.ts'
import { Reflector } from '../../../kube/cache/reflector.ts'
import type { ResourceKind } from '../../../kube/client/kube-client.ts'
import { missingAccess } from '../../../kube/client/missing-access.ts'
import type { EventSubject } from '../../../kube/events/event-object.ts'
import type { EventRecorder } from '../../../kube/events/event-recorder.ts'
import { pause } from '../../../kube/time/clock.ts'
import { RateLimit } from '../../../kube/time/rate-limit.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { textAt } from '../../../machinery/read.ts'
import { isFinal } from '../../../machinery/status.ts'
import type {
  Controller,
  ControllerSource,
  ReconcileRequest,
  ReconcileResult,
} from '../../../operator/shell/controller.ts'
import type { Parts } from '../../../operator/shell/dirty-set.ts'
import type { OperatorContext } from '../../../operator/system.ts'

const CORE_EVENTS: ResourceKind = { group: '', version: 'v1', resource: 'events', kind: 'Event', namespaced: true }
const FAILED_CREATE = 'reason=FailedCreate'
/** How many workloads are followed. A namespace with fewer takes a place of the one with the most. */
const MOST_WAITING = 5_000
/** How many workloads of one namespace are followed. */
const MOST_IN_NAMESPACE = 100
/** The least time between two Events about one workload, whatever their causes are. */
const TOLD_EACH_MS = 60_000
/** How many reads a namespace may cause. */
const READS = { qps: 1, burst: 50 } as const
/** How many Events a namespace may cause. */
const TELLS = { qps: 0.1, burst: 30 } as const
/** How many Events all namespaces may cause together. */
const ALL_TELLS = { qps: 0.5, burst: 150 } as const
/** How many Events quiet namespaces may cause besides. Both together are a tenth of what the recorder remembers. */
const QUIET_TELLS = { qps: 0.5, burst: 150 } as const
/** A namespace without an Event for so long is quiet. */
const QUIET_MS = 300_000
/** Namespaces whose budgets are remembered although nothing waits there. */
const MOST_IDLE = 1_000
/** The delay before the first look at a waiting workload. It doubles with each look. */
const FIRST_LOOK_MS = 2_000
/** The longest delay between two looks. */
const LONGEST_LOOK_MS = 120_000
/** The delay before an Event that the limits put off. */
const TELL_LATER_MS = 10_000
/** A workload without a refusal for so long is forgotten. Controllers try again within 20 minutes. */
const FORGOTTEN_MS = 3_600_000
/** The earlier leader told of refusals that are older than this when this process begins to lead. */
const JUST_BEFORE_MS = 300_000
const ASK_AGAIN_MS = 5_000
/** The delay before missing rights are checked again. */
const RIGHTS_AGAIN_MS = 600_000

/** A workload whose pods, Jobs or volumes were refused. No text of it is a part of the Event. */
interface Refused extends RefusedMaker {
  told: RefusalNote
  /** By the clock that does not jump. */
  refusedAt: number
  toldAt: number | undefined
  /** Is the note to be told yet? */
  isPending: boolean
  /** Refusals before this time ask for no look: there will be one. */
  quietUntil: number
  /** Undefined until the workload has been read. */
  before: AtRefusal | undefined
  /** Was it refused since it was read? */
  isFresh: boolean
  lookMs: number
}

/** The part of the bounds that a namespace has. */
interface Share {
  waiting: number
  readonly reads: RateLimit
  readonly tells: RateLimit
  /** When something was told of it last, by the clock that does not jump. */
  toldAt: number | undefined
}

type Context = Pick<OperatorContext, 'client' | 'clock' | 'logger'> & {
  readonly recorder: Pick<EventRecorder, 'record'>
}

/**
 * Follows the Events about pods that the controllers of workloads could not make, and tells them on the owners. A tenant can write Events
 * with any text about any object. So an Event counts only for a workload that exists in the same namespace, and seldom.
 */
export class RefusedWorkloadController implements Controller {
  readonly name = 'refused-workloads'
  readonly sources: readonly ControllerSource[] = [{ follow: (_, enqueue) => this.#follow(enqueue) }]
  readonly #context: Context
  readonly #refused = new Map<string, Refused>()
  readonly #shares = new Map<string, Share>()
  readonly #tells: RateLimit
  readonly #quietTells: RateLimit

  constructor(context: Context) {
    this.#context = context
    this.#tells = new RateLimit(ALL_TELLS, context.clock)
    this.#quietTells = new RateLimit(QUIET_TELLS, context.clock)
  }

  #follow(enqueue: (request: ReconcileRequest) => void): () => void {
    const end = new AbortController()
    this.#run(enqueue, end.signal).catch((error: unknown) => {
      if (!end.signal.aborted) this.#context.logger.error({ error }, 'refusals are not told on owners any more')
    })
    return () => end.abort()
  }

  async #run(enqueue: (request: ReconcileRequest) => void, signal: AbortSignal): Promise<void> {
    const { client, clock, logger } = this.#context
    await this.#allowed(signal)
    if (signal.aborted) return
    const look = (key: string | undefined): void => {
      if (key !== undefined) enqueue({ key })
    }
    const reflector = new Reflector({
      client,
      clock,
      logger,
      scope: { kind: CORE_EVENTS, fieldSelector: FAILED_CREATE },
      sink: {
        listBegins: () => undefined,
        page: ({ items }) => {
          for (const event of items) if (this.#isRecent(event)) look(this.#saw(event, true))
        },
        listEnds: () => undefined,
        event: (type, event) => {
          if (type !== 'DELETED') look(this.#saw(event, false))
        },
      },
    })
    await reflector.run(signal)
  }

  /** Waits for the rights. Without them all else works. */
  async #allowed(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#context
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const missing = await this.#missing(signal)
      if (missing === undefined) return
      if (isFirst) logger.warn({ missing }, 'refusals are not told on owners: see --no-refusal-events')
      await pause(clock, RIGHTS_AGAIN_MS, signal)
    }
  }

  /** The rights that are missing. */
  async #missing(signal: AbortSignal): Promise<string | undefined> {
    const { client, clock, logger } = this.#context
    const ask = missingAccess(client, REFUSED_WORKLOAD_NEEDS, '', signal)
    while (!signal.aborted) {
      try {
        return await ask()
      } catch (error) {
        logger.debug({ error }, 'the rights to tell refusals could not be asked for; it is tried again')
        await pause(clock, ASK_AGAIN_MS, signal)
      }
    }
    return undefined
  }

  #isRecent(event: KubeObject): boolean {
    return Date.parse(timeOf(event)) >= this.#context.clock.now() - JUST_BEFORE_MS
  }

  /** Gives the key of the workload, where it is to be looked at. `isTold`: the leader before has told it. */
  #saw(event: KubeObject, isTold: boolean): string | undefined {
    const maker = refusedMaker(event)
    if (maker === undefined) return undefined
    const { namespace, name, uid, resource } = maker
    const key = `${namespace}/${resource.kind}/${name}/${uid}`
    const known = this.#refused.get(key)
    const share = this.#shareOf(namespace)
    if (known === undefined && share.waiting >= MOST_IN_NAMESPACE) return undefined
    const found = refusalNote(textAt(event, 'message'))
    if (found === undefined || (known === undefined && !share.reads.takeNow())) return undefined
    if (known === undefined && this.#refused.size >= MOST_WAITING && !this.#makesPlaceFor(share)) return undefined
    const now = this.#context.clock.monotonic()
    if (known === undefined) {
      share.waiting++
      this.#refused.set(key, {
        ...maker,
        told: found,
        refusedAt: now,
        toldAt: isTold ? now : undefined,
        isPending: !isTold,
        quietUntil: Infinity,
        before: undefined,
        isFresh: true,
        lookMs: FIRST_LOOK_MS,
      })
      return key
    }
    // A refusal that is listed again is known.
    if (isTold) return undefined
    // Of the same cause the same is said, so that it is one Event with a count.
    if (known.told.cause !== found.cause) known.told = found
    known.refusedAt = now
    known.isFresh = known.isPending = true
    if (now < known.quietUntil || !share.reads.takeNow()) return undefined
    known.quietUntil = Infinity
    return key
  }

  async reconcile(key: string, _: Parts, signal: AbortSignal): Promise<ReconcileResult> {
    const refused = this.#refused.get(key)
    if (refused === undefined) return {}
    const { clock } = this.#context
    if (clock.monotonic() - refused.refusedAt > FORGOTTEN_MS) return this.#forget(key, refused)
    const object = await this.#read(refused.resource, refused, refused.uid, signal)
    if (object === undefined) return this.#forget(key, refused)
    const { workload, isFresh } = refused
    const isFirst = refused.before === undefined
    refused.isFresh = false
    refused.before = refused.before === undefined || isFresh ? atRefusal(object, workload) : refused.before
    const state = progress(object, workload, refused.before)
    if (state === 'over') return this.#forget(key, refused)
    // The leader before has told of what goes on when it is first seen.
    if (state === 'goes-on' && (!isFresh || (isFirst && !refused.isPending))) {
      if (refused.toldAt !== undefined && !isFirst) await this.#tellRoom(object, refused, signal)
      return this.#forget(key, refused)
    }
    if (refused.isPending) await this.#tellRefusal(object, refused, signal)
    const now = clock.monotonic()
    // Room may come while there is something to be told yet.
    const untold = refused.isPending ? Math.max(FIRST_LOOK_MS, refused.quietUntil - now) : Infinity
    const requeueAfter = Math.min(untold, refused.lookMs)
    refused.lookMs = Math.min(2 * refused.lookMs, LONGEST_LOOK_MS)
    return { requeueAfter }
  }

  async #tellRefusal(object: KubeObject, refused: Refused, signal: AbortSignal): Promise<void> {
    const now = this.#context.clock.monotonic()
    const soonest = (refused.toldAt ?? -Infinity) + TOLD_EACH_MS
    if (soonest > now || !this.#mayTell(refused)) {
      refused.quietUntil = Math.max(soonest, now + TELL_LATER_MS)
      return
    }
    const note = refused.told.note
    await this.#tell(object, refused, { type: 'Warning', reason: 'QuotaExceeded', note }, signal)
    refused.toldAt = now
    refused.isPending = false
    refused.quietUntil = now + TOLD_EACH_MS
    refused.lookMs = FIRST_LOOK_MS
  }

  async #tellRoom(object: KubeObject, refused: Refused, signal: AbortSignal): Promise<void> {
    const note = 'the quotas have room again'
    if (this.#mayTell(refused)) await this.#tell(object, refused, { type: 'Normal', reason: 'QuotaRoom', note }, signal)
  }

  #mayTell({ namespace }: Refused): boolean {
    const share = this.#shareOf(namespace)
    const now = this.#context.clock.monotonic()
    const isQuiet = share.toldAt === undefined || now - share.toldAt >= QUIET_MS
    // One that is told of often never gets into the way of one that is not.
    const mayTell = share.tells.takeNow() && ((isQuiet && this.#quietTells.takeNow()) || this.#tells.takeNow())
    if (mayTell) share.toldAt = now
    return mayTell
  }

  /** Forgets the oldest workload of the namespace with the most, unless the one that asks would then have as many. */
  #makesPlaceFor({ waiting }: Share): boolean {
    let [most, fullest] = [waiting + 1, '']
    for (const [namespace, share] of this.#shares)
      if (share.waiting > most) [most, fullest] = [share.waiting, namespace]
    for (const [key, refused] of this.#refused) {
      if (refused.namespace !== fullest) continue
      this.#forget(key, refused)
      return true
    }
    return false
  }

  #forget(key: string, refused: Refused): ReconcileResult {
    if (this.#refused.get(key) === refused) {
      this.#refused.delete(key)
      this.#shareOf(refused.namespace).waiting--
    }
    return {}
  }

  #shareOf(namespace: string): Share {
    const known = this.#shares.get(namespace)
    if (known !== undefined) return known
    for (const [name, { waiting, reads, tells }] of this.#shares) {
      if (this.#shares.size < MOST_IDLE || waiting > 0 || !reads.isFull || !tells.isFull) break
      this.#shares.delete(name)
    }
    const { clock } = this.#context
    const share: Share = {
      waiting: 0,
      reads: new RateLimit(READS, clock),
      tells: new RateLimit(TELLS, clock),
      toldAt: undefined,
    }
    this.#shares.set(namespace, share)
    return share
  }

  /** Undefined where it is gone, is another one, or must not be read: trying again would not help. */
  async #read(
    resource: ResourceKind,
    { namespace, name }: { readonly namespace: string; readonly name: string },
    uid: string,
    signal: AbortSignal,
  ): Promise<KubeObject | undefined> {
    try {
      const object = await this.#context.client.get(resource, { namespace, name }, { signal })
      return object.metadata.uid === uid ? object : undefined
    } catch (error) {
      if (isFinal(error)) return undefined
      throw error
    }
  }

  /** On the object that made the workload, where one did: a Deployment or a CronJob. */
  async #tell(
    object: KubeObject,
    { namespace, name, uid, resource: { kind } }: Refused,
    what: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly note: string },
    signal: AbortSignal,
  ): Promise<void> {
    const owner = namedOwner(object, kind)
    const made =
      owner === undefined
        ? undefined
        : await this.#read(owner.resource, { namespace, name: owner.reference.name }, owner.reference.uid, signal)
    const regarding: EventSubject =
      owner === undefined || made === undefined
        ? { apiVersion: object.apiVersion, kind, metadata: { namespace, name, uid } }
        : {
            apiVersion: owner.reference.apiVersion,
            kind: owner.reference.kind,
            metadata: { namespace, name: owner.reference.name, uid: owner.reference.uid },
          }
    const note = made === undefined ? what.note : `${kind} ${name}: ${what.note}`
    this.#context.recorder.record({ ...what, note, regarding, namespace, action: 'Refused' })
  }
}
