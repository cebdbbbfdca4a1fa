import { notAcceptable } from '../../machinery/status.ts'
import { parseMediaType } from '../../runtime/http/media-type.ts'

export type AggregatedVersion = 'v2' | 'v2beta1'

/** How to answer a request for `/api` or `/apis`. */
export interface DiscoveryNegotiation {
  /** The version of the aggregated form, or undefined: the plain form is asked for. */
  readonly aggregated: AggregatedVersion | undefined
  /** The Content-Type of the answer. Clients compare it as text, so its parameters come in the order g, v, as. */
  readonly contentType: string
}

const JSON_TYPE = 'application/json'
const PLAIN: DiscoveryNegotiation = { aggregated: undefined, contentType: JSON_TYPE }

/**
 * Reads the Accept header of a request for `/api` or `/apis`: the first clause that can be honoured counts. A clause that
 * asks for a form unknown here is passed over, since clients name the plain form behind it (client-go `acceptDiscoveryFormats`).
 * Throws 406 when nothing can be honoured.
 */
export function negotiateDiscovery(accept: string | undefined): DiscoveryNegotiation {
  if (accept === undefined || accept.trim() === '') return PLAIN
  for (const clause of accept.split(',')) {
    const { type, parameters } = parseMediaType(clause)
    if (type !== JSON_TYPE && type !== 'application/*' && type !== '*/*') continue
    const { g, v, as } = parameters
    if (as === undefined) return PLAIN
    if (as !== 'APIGroupDiscoveryList' || g !== 'apidiscovery.k8s.io') continue
    if (v === 'v2' || v === 'v2beta1')
      return { aggregated: v, contentType: `${JSON_TYPE};g=apidiscovery.k8s.io;v=${v};as=APIGroupDiscoveryList` }
  }
  throw notAcceptable([JSON_TYPE])
}
