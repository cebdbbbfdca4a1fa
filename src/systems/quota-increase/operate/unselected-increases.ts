import type { QuotaIncrease } from '../api/quota-increase.ts'
import { UNSELECTED_TEXT } from '../decide/increase-status.ts'
import type { EventRecorder } from '../../../kube/events/event-recorder.ts'

/** Says once of each increase, in an Event, that no definition selects its namespace. The quota operator leaves such increases as they are. */
export class UnselectedIncreases {
  readonly #recorder: Pick<EventRecorder, 'record'>
  /** The uids of those of which it was said, by namespace. */
  readonly #said = new Map<string, ReadonlySet<string>>()

  constructor(recorder: Pick<EventRecorder, 'record'>) {
    this.#recorder = recorder
  }

  /** `increases`: all of the namespace, where no definition selects it; else none. */
  report(namespace: string, increases: readonly QuotaIncrease[]): void {
    const said = this.#said.get(namespace)
    for (const increase of increases) {
      if (said?.has(increase.metadata.uid ?? '') === true) continue
      this.#recorder.record({
        regarding: increase,
        type: 'Warning',
        reason: 'Unselected',
        action: 'Reconciled',
        note: UNSELECTED_TEXT,
      })
    }
    if (increases.length === 0) this.#said.delete(namespace)
    else this.#said.set(namespace, new Set(increases.map(({ metadata: { uid = '' } }) => uid)))
  }
}
