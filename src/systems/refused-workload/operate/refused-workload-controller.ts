import { type WorkloadKind, workloadKind } from '../../../insight/explain/workload-kinds.ts'
import { type RefusalNote, refusalNote } from '../../../insight/refusal/refusal-note.ts'
import { wholeNumber } from '../../../machinery/json-value.ts'
import { controllerOf, type KubeObject } from '../../../machinery/object.ts'
import { objectOf, objectsOf, textAt, valueAt } from '../../../machinery/read.ts'
import { isForbidden, isNotFound } from '../../../machinery/status.ts'
import { Reflector } from '../../../kube/cache/reflector.ts'
import type { ResourceKind } from '../../../kube/client/kube-client.ts'
import type { EventSubject } from '../../../kube/events/event-object.ts'
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
/** More workloads than these are not remembered; the one that was refused first is forgotten. */
const MOST_WAITING = 2_000
/** The same cause is told of an object no more often. */
const TOLD_EACH_MS = 60_000
/** A workload that waits is looked at after this time, and then after twice as long each time. */
const FIRST_LOOK_MS = 2_000
const LONGEST_LOOK_MS = 120_000
/** Controllers try again within 20 minutes; one that is refused no more for so long is not waited for. */
const FORGOTTEN_MS = 3_600_000

/** A workload whose pods, Jobs or volumes were refused. */
interface Refused extends RefusalNote {
  readonly maker: EventSubject
  readonly kind: WorkloadKind
  /** By the clock that does not jump. */
  refusedAt: number
  toldAt: number | undefined
  lookMs: number
}

/** Follows what the controllers of workloads say they could not make, and tells it on the owners. */
export class RefusedWorkloadController implements Controller {
  readonly name = 'refused-workloads'
  readonly sources: readonly ControllerSource[] = [{ follow: (_, enqueue) => this.#follow(enqueue) }]
  readonly #context: Pick<OperatorContext, 'client' | 'clock' | 'logger' | 'recorder'>
  /** By the uid of the workload. The one that was refused last stands last. */
  readonly #refused = new Map<string, Refused>()

  constructor(context: Pick<OperatorContext, 'client' | 'clock' | 'logger' | 'recorder'>) {
    this.#context = context
  }

  /** What happened before this process led was told by the leader before it. */
  #follow(enqueue: (request: ReconcileRequest) => void): () => void {
    const { client, clock, logger } = this.#context
    const end = new AbortController()
    const reflector = new Reflector({
      client,
      clock,
      logger,
      scope: { kind: CORE_EVENTS, fieldSelector: FAILED_CREATE },
      sink: {
        listBegins: () => undefined,
        page: () => undefined,
        listEnds: () => undefined,
        event: (type, event) => {
          const key = type === 'DELETED' ? undefined : this.#saw(event)
          if (key !== undefined) enqueue({ key })
        },
      },
    })
    reflector.run(end.signal).catch((error: unknown) => {
      if (!end.signal.aborted) logger.error({ error }, 'refusals are not told on owners any more')
    })
    return () => end.abort()
  }

  /** Gives the key of the workload, where there is something to be told of it. */
  #saw(event: KubeObject): string | undefined {
    const found = refusalNote(textAt(event, 'message'))
    const about = objectOf(event['involvedObject'])
    const [apiVersion, kind, uid] = [textAt(about, 'apiVersion'), textAt(about, 'kind'), textAt(about, 'uid')]
    const metadata = { namespace: textAt(about, 'namespace'), name: textAt(about, 'name'), uid }
    const maker = { apiVersion, kind, metadata }
    const workload = workloadKind(maker)
    if (found === undefined || workload === undefined || uid === '') return undefined
    const now = this.#context.clock.monotonic()
    const known = this.#refused.get(uid)
    this.#refused.delete(uid)
    // Of the same cause the same is said, so that it is one Event with a count.
    const refused: Refused =
      known?.cause === found.cause
        ? known
        : { ...found, maker, kind: workload, refusedAt: now, toldAt: undefined, lookMs: FIRST_LOOK_MS }
    refused.refusedAt = now
    if (refused.toldAt !== undefined && now - refused.toldAt >= TOLD_EACH_MS) refused.toldAt = undefined
    this.#refused.set(uid, refused)
    if (this.#refused.size > MOST_WAITING) this.#refused.delete(this.#refused.keys().next().value ?? '')
    return refused.toldAt === undefined ? uid : undefined
  }

  async reconcile(key: string, _: Parts, signal: AbortSignal): Promise<ReconcileResult> {
    const refused = this.#refused.get(key)
    if (refused === undefined) return {}
    const object = await this.#read(refused, signal)
    const { clock } = this.#context
    if (object?.metadata.uid !== key || clock.monotonic() - refused.refusedAt > FORGOTTEN_MS) {
      this.#forget(key, refused)
      return {}
    }
    if (refused.toldAt === undefined) {
      refused.toldAt = clock.monotonic()
      this.#tell(object, 'Warning', 'QuotaExceeded', `${shownAs(object)}${refused.note}`)
    } else if (goesOn(object, refused.kind)) {
      this.#forget(key, refused)
      this.#tell(object, 'Normal', 'QuotaRoom', `${shownAs(object)}the quotas have room again`)
      return {}
    }
    const requeueAfter = refused.lookMs
    refused.lookMs = Math.min(2 * refused.lookMs, LONGEST_LOOK_MS)
    return { requeueAfter }
  }

  #forget(key: string, refused: Refused): void {
    if (this.#refused.get(key) === refused) this.#refused.delete(key)
  }

  /** Undefined where it is gone, or must not be read. */
  async #read({ maker, kind }: Refused, signal: AbortSignal): Promise<KubeObject | undefined> {
    const { metadata, apiVersion } = maker
    const { namespace = '', name = '' } = metadata
    const version = apiVersion.split('/').at(-1) ?? ''
    const resource = { group: kind.group, version, resource: kind.resource, kind: maker.kind, namespaced: true }
    try {
      return await this.#context.client.get(resource, { namespace, name }, { signal })
    } catch (error) {
      if (isNotFound(error) || isForbidden(error)) return undefined
      throw error
    }
  }

  /** On the object that made the workload, where one did: a Deployment, a CronJob, or the object of an operator. */
  #tell(object: KubeObject, type: 'Normal' | 'Warning', reason: string, note: string): void {
    const owner = controllerOf(object)
    const { namespace = '' } = object.metadata
    const regarding =
      owner === undefined
        ? object
        : {
            apiVersion: owner.apiVersion,
            kind: owner.kind,
            metadata: { namespace, name: owner.name, uid: owner.uid },
          }
    this.#context.recorder.record({ regarding, type, reason, action: 'Refused', note })
  }
}

/** The workload, where the Event is about another object. */
const shownAs = (object: KubeObject): string =>
  controllerOf(object) === undefined ? '' : `${object.kind} ${object.metadata.name ?? ''}: `

/** Has the workload as many objects as it is to have? */
function goesOn(object: KubeObject, kind: WorkloadKind): boolean {
  const failed = objectsOf(valueAt(object, 'status', 'conditions')).some(
    ({ type, status }) => type === 'ReplicaFailure' && status === 'True',
  )
  return !failed && madeBy(object) >= kind.wanted(object, false)
}

const MADE: Readonly<Record<string, (object: KubeObject) => number>> = {
  DaemonSet: (set) => numberAt(set, 'currentNumberScheduled'),
  Job: (job) => numberAt(job, 'active'),
  CronJob: (cron) => objectsOf(valueAt(cron, 'status', 'active')).length,
}

const madeBy = (object: KubeObject): number => MADE[object.kind]?.(object) ?? numberAt(object, 'replicas')

const numberAt = (object: KubeObject, field: string): number =>
  Number(wholeNumber(valueAt(object, 'status', field)) ?? 0n)
