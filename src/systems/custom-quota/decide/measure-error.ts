import type { QuotaSource } from '../api/source.ts'

/** The step that failed for an object: selecting it by a source, or computing its cost. */
export type Measured = 'selectors' | 'amount'

/** An object that a quota cannot measure. The message says why, in the words of JSONPath, CEL or quantities. */
export class MeasureError extends Error {
  override readonly name = 'MeasureError'
  readonly measured: Measured
  /** The source, as the quota has it. */
  readonly source: QuotaSource

  constructor(measured: Measured, source: QuotaSource, message: string) {
    super(message)
    this.measured = measured
    this.source = source
  }
}
