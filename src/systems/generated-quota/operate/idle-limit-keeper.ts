import { type Condition, EFFECTIVE, MAX_MESSAGE, withCondition, withoutCondition } from '../../../api/condition.ts'
import { idleWarning } from '../../../charges/limit-names/idle-limits.ts'
import { sharedLines } from '../../../machinery/text/shown.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import type { ResourceKind } from '../../../kube/client/kube-client.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { isConflict, isNotFound } from '../../../machinery/status.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import {
  type Controller,
  type ControllerSource,
  type ReconcileRequest,
  type ReconcileResult,
  watches,
} from '../../../operator/shell/controller.ts'
import type { Parts } from '../../../operator/shell/dirty-set.ts'
import type { LimitCheck } from '../../../operator/shell/limit-check.ts'
import type { NamedLimits } from '../../../charges/limit-names/judge-limits.ts'
import type { CacheView } from '../../../operator/shell/shared-watch.ts'
import type { OperatorContext } from '../../../operator/system.ts'

export interface IdleLimitKeeperOptions<T extends KubeObject> {
  /** Of the controller. */
  readonly name: string
  readonly context: Pick<OperatorContext, 'client' | 'clock' | 'recorder'>
  readonly kind: ResourceKind
  readonly objects: Pick<CacheView<T>, 'get' | 'onChange' | 'observeWrite'>
  readonly limits: Pick<LimitCheck, 'idle'>
  /** The limits that an object holds. */
  readonly limitsOf: (object: T) => readonly NamedLimits[]
  /** The conditions of an object, undefined before anything was written to its status; left out: its kind has none, and an Event says it. */
  readonly conditionsOf?: (object: T) => readonly Condition[] | undefined
  /** Is the object to be left as it is, since a later version of allot keeps it? */
  readonly leaves?: (object: T) => boolean
}

/** The reason of the condition and of the Event. */
const LIMITS_NOTHING = 'LimitsNothing'
/** A CRD that comes is noticed this soon. */
const LOOK_AGAIN_MS = 60_000
/** While the controller of the object writes its status. */
const OTHERS_WRITE_MS = 1_000

/**
 * Says on an object which of its limits limit nothing now. The condition `Effective` is there while there are such limits. A kind without
 * conditions gets an Event. Webhooks refuse limits that never limit anything; a CRD may bring the resource of the others.
 */
export class IdleLimitKeeper<T extends KubeObject> implements Controller {
  readonly name: string
  readonly sources: readonly ControllerSource[]
  readonly #options: IdleLimitKeeperOptions<T>
  /** The last texts of Events, by uid. */
  readonly #said = new Map<string, string>()

  constructor(options: IdleLimitKeeperOptions<T>) {
    this.#options = options
    this.name = options.name
    this.sources = [
      watches(options.objects, (old, object, { namespace, name }) => {
        if (object === undefined) this.#said.delete(old?.metadata.uid ?? '')
        return this.#requests(old, object, namespace === '' ? name : `${namespace}/${name}`)
      }),
    ]
  }

  /** `key`: `namespace/name` of the object, or its name. Rejects as `KubeClient` does. */
  async reconcile(key: string, _: Parts, signal: AbortSignal): Promise<ReconcileResult> {
    const { objects } = this.#options
    const [name = '', namespace = ''] = key.split('/').toReversed()
    const object = objects.get(namespace, name)
    if (object === undefined || object.metadata.deletionTimestamp !== undefined || this.#leaves(object)) return {}
    const idle = await this.#idle(object, signal)
    if (this.#options.conditionsOf === undefined) this.#record(object, idle)
    else if (!(await this.#write(object, idle, signal))) return { requeueAfter: OTHERS_WRITE_MS }
    return idle === '' ? {} : { requeueAfter: LOOK_AGAIN_MS }
  }

  /** Only another spec has other limits. A status may change many times a second. */
  #requests(old: T | undefined, object: T | undefined, key: string): readonly ReconcileRequest[] {
    if (object === undefined) return []
    const isSame = old !== undefined && this.#leaves(old) === this.#leaves(object)
    return isSame && jsonEqual(old['spec'] ?? {}, object['spec'] ?? {}) ? [] : [{ key }]
  }

  #leaves(object: T): boolean {
    return this.#options.leaves?.(object) === true
  }

  /** A line for each limit that limits nothing now. */
  async #idle(object: T, signal: AbortSignal): Promise<string> {
    const { limits, limitsOf } = this.#options
    const lines: string[] = []
    for (const one of limitsOf(object))
      for (const limit of await limits.idle(one, signal))
        if (!(limit.isOutOfScope && one.toleratesScopes === true)) lines.push(idleWarning(one.path, limit))
    return sharedLines(lines, MAX_MESSAGE)
  }

  #record(object: T, idle: string): void {
    const { uid = '' } = object.metadata
    if (idle === (this.#said.get(uid) ?? '')) return
    this.#said.set(uid, idle)
    if (idle === '') return
    const { recorder } = this.#options.context
    recorder.record({ regarding: object, type: 'Warning', reason: LIMITS_NOTHING, action: 'Reconciled', note: idle })
  }

  /** Returns whether the condition is as it should be. It is not while the controller that writes the rest of the status is first. */
  async #write(object: T, idle: string, signal: AbortSignal): Promise<boolean> {
    const { context, kind, objects, conditionsOf } = this.#options
    const before = conditionsOf?.(object)
    if (before === undefined) return idle === ''
    const set = { type: EFFECTIVE, status: 'False', reason: LIMITS_NOTHING, message: idle } as const
    const conditions =
      idle === '' ? withoutCondition(before, EFFECTIVE) : withCondition(before, set, timestamp(context.clock.now()))
    if (conditions === before) return true
    const { namespace = '', name = '', resourceVersion } = object.metadata
    // With a version a merge patch is compare-and-swap.
    const body = { metadata: { resourceVersion }, status: { conditions: conditions.map((one) => ({ ...one })) } }
    try {
      await objects.observeWrite({ namespace, name }, this.name, () =>
        context.client.patch<T>(kind, { namespace, name }, { type: 'merge', body }, { subresource: 'status', signal }),
      )
      return true
    } catch (error) {
      if (isNotFound(error)) return true
      if (!isConflict(error)) throw error
      return false
    }
  }
}
