import { cutText, inOneLine } from '../../../machinery/text/shown.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import type { QuotaSource } from '../api/source.ts'

/** The step that failed for an object: selecting it by a source, or computing its cost. */
export type MeasuringStep = 'selectors' | 'amount'

/** The most characters of a reason, which may hold as much of an object as there is. */
const LONGEST_REASON = 1024

/** More people read quotas, Events and refusals than may read Secrets. */
const HIDDEN = 'the reason is left out, because it would show what the Secret holds'

/**
 * An object that a quota cannot measure. The message says why, in the words of JSONPath, CEL or quantities, which quote the object.
 * Of a Secret nothing is quoted.
 */
export class MeasureError extends Error {
  override readonly name = 'MeasureError'
  readonly measured: MeasuringStep
  /** The source, as the quota has it. */
  readonly source: QuotaSource

  constructor(measured: MeasuringStep, source: QuotaSource, object: KubeObject, message: string) {
    super(isSecret(object) ? HIDDEN : cutText(inOneLine(message), LONGEST_REASON))
    this.measured = measured
    this.source = source
  }
}

const isSecret = ({ apiVersion, kind }: KubeObject): boolean => apiVersion === 'v1' && kind === 'Secret'
