import { shownNamespace } from '../decide/found-ready.ts'
import type { Lack } from '../decide/quota-status.ts'
import { closedNamespaceText } from '../decide/refusal.ts'
import type { EventContent } from '../../../kube/events/event-object.ts'
import type { Unmeasured } from '../../counted/count/quota-count.ts'
import type { SourceTarget, TrackedQuota } from './tracking/tracked-quota.ts'

/** More namespaces than these are only counted. */
const MOST_NAMED = 10

/** Objects of one kind and namespace that a quota cannot measure. */
interface UnmeasuredOfKind extends Unmeasured {
  readonly target: SourceTarget
}

function unmeasuredOf({ resolution }: TrackedQuota): readonly UnmeasuredOfKind[] {
  return (resolution?.targets ?? []).flatMap((target) => target.count.unmeasured.map((one) => ({ ...one, target })))
}

/** Returns the reason and the message of the condition `Measured`; undefined where every object can be measured. */
export function unmeasuredCondition(tracked: TrackedQuota): Lack<'Measured'> | undefined {
  const all = unmeasuredOf(tracked)
  if (all.length === 0) return undefined
  const objects = all.reduce((sum, { count }) => sum + count, 0)
  const namespaces = [...new Set(all.map(({ namespace }) => namespace))].toSorted()
  const names = namespaces.slice(0, MOST_NAMED).map(shownNamespace)
  const more = namespaces.length > MOST_NAMED ? ` and ${namespaces.length - MOST_NAMED} more` : ''
  return {
    reason: 'UnmeasurableObjects',
    message: `the quota cannot measure ${objects} objects, and refuses what would use more in their namespaces: ${names.join(', ')}${more}; it decides as ever in all others`,
  }
}

/** More kinds and namespaces of one quota than these get no Event: their requests are answered with the same text. */
const MOST_EVENTS = 100

/** Records Events on objects that quotas cannot measure, for their owners, whenever there is something new to report. */
export class UnmeasuredEvents {
  readonly #recorder: { readonly record: (event: EventContent) => void }
  /** The notes that were recorded last, by the key of the quota. */
  readonly #reported = new Map<string, ReadonlySet<string>>()

  constructor(recorder: { readonly record: (event: EventContent) => void }) {
    this.#recorder = recorder
  }

  /** Forgets a quota that is gone. */
  forget(key: string): void {
    this.#reported.delete(key)
  }

  report(tracked: TrackedQuota): void {
    const before = this.#reported.get(tracked.key)
    const events = unmeasuredOf(tracked)
      .slice(0, MOST_EVENTS)
      .map((one) => eventOn(tracked, one))
    if (events.length === 0) return this.forget(tracked.key)
    for (const event of events) if (before?.has(event.note) !== true) this.#recorder.record(event)
    this.#reported.set(tracked.key, new Set(events.map(({ note }) => note)))
  }
}

function eventOn({ ref }: TrackedQuota, { target, namespace, name, problem, count }: UnmeasuredOfKind): EventContent {
  const { group, version, kind } = target.resource
  const uid = target.counted.objects.get(namespace, name)?.uid
  const others = count === 1 ? '' : ` (there are ${count} such objects of the kind)`
  return {
    type: 'Warning',
    reason: 'Unmeasurable',
    action: 'Counted',
    note: `${closedNamespaceText(ref, namespace, problem)}${others}`,
    regarding: {
      apiVersion: group === '' ? version : `${group}/${version}`,
      kind,
      metadata: { ...(namespace === '' ? {} : { namespace }), name, ...(uid === undefined ? {} : { uid }) },
    },
  }
}
