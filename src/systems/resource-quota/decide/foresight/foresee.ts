import type { Charge, Denied } from '../../../../charges/decide.ts'
import type { Forecast, EndExpectations } from './seen-quotas.ts'

/** The outlook of a request before anything is reserved for it. */
export type Foreseen =
  /** The API server will refuse it: its ResourceQuotas did at a time while the request was here. */
  | { readonly type: 'refused'; readonly decision: Denied }
  | { readonly type: 'open'; readonly expectations: EndExpectations }

/** The quotas of the namespace of a request. */
export interface ForesightPort {
  /** Decides by the quotas as they are seen now. */
  readonly forecast: () => Forecast
  /** Reads the quotas from the API server and sees them from then on. Undefined where they do not refuse the request. */
  readonly confirm: () => Promise<Denied | undefined>
  /** From now on the request is expected to be charged. */
  readonly expect: (charges: readonly Charge[]) => EndExpectations
  /** Resolves when other quotas are seen; false where the request is not to wait any longer. */
  readonly change: () => Promise<boolean>
}

/** How often the quotas are read for one request. */
const MOST_READS = 2

/**
 * Predicts whether ResourceQuotas will refuse a request, before room of other quotas is reserved for it. Reads nothing
 * while the quotas, as they are seen, have room. A request that fits only beside pending ones waits for their outcome.
 * The API server decides on every request that is not refused here.
 */
export async function foresee(port: ForesightPort): Promise<Foreseen> {
  let reads = 0
  for (;;) {
    const forecast = port.forecast()
    if (forecast.type === 'fits') return { type: 'open', expectations: port.expect(forecast.charges) }
    if (forecast.type === 'too early') {
      if (await port.change()) continue
    } else if (reads++ < MOST_READS) {
      const decision = await port.confirm()
      if (decision === undefined) continue
      return { type: 'refused', decision }
    }
    return { type: 'open', expectations: port.expect([]) }
  }
}
