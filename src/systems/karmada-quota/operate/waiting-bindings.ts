import { QUOTA_EXCEEDED } from '../api/names.ts'
import { isUnplaced, scheduledCondition } from '../decide/binding-placement.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { listOf, textAt, valueAt } from '../../../machinery/read.ts'
import { compareText } from '../../../machinery/text/compare.ts'

/** A binding that Karmada's scheduler could not place because of a quota. */
export interface WaitingBinding {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly version: string
  /** RFC 3339. */
  readonly createdAt: string
}

/** The bindings that wait for room in quotas, as they were last seen. Those that are gone may be among them. */
export class WaitingBindings {
  readonly #namespaces = new Map<string, Map<string, WaitingBinding>>()

  /** Takes a state of a binding. Says whether it waits now and did not before. */
  saw(binding: KubeObject): boolean {
    const { namespace = '', name = '', uid = '', resourceVersion = '', creationTimestamp = '' } = binding.metadata
    if (!isWaiting(binding)) {
      this.forget(namespace, name)
      return false
    }
    const there = this.#namespaces.get(namespace) ?? new Map<string, WaitingBinding>()
    this.#namespaces.set(namespace, there)
    const isKnown = there.get(name)?.uid === uid
    there.set(name, { namespace, name, uid, version: resourceVersion, createdAt: creationTimestamp })
    return !isKnown
  }

  forget(namespace: string, name: string): void {
    const there = this.#namespaces.get(namespace)
    there?.delete(name)
    if (there?.size === 0) this.#namespaces.delete(namespace)
  }

  forgetAll(namespace: string): void {
    this.#namespaces.delete(namespace)
  }

  /** Those of a namespace, the oldest first. */
  in(namespace: string): readonly WaitingBinding[] {
    return [...(this.#namespaces.get(namespace)?.values() ?? [])].toSorted(
      (a, b) => compareText(a.createdAt, b.createdAt) || compareText(a.name, b.name),
    )
  }
}

/** Does the binding run nowhere because a quota refused it? */
export function isWaiting(binding: KubeObject): boolean {
  if (binding.metadata.deletionTimestamp !== undefined) return false
  if (listOf(valueAt(binding, 'spec', 'clusters')).length > 0) return false
  const scheduled = scheduledCondition(binding)
  return isUnplaced(binding) && scheduled !== undefined && textAt(scheduled, 'reason') === QUOTA_EXCEEDED
}
