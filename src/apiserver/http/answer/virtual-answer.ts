import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import type { Exchange } from '../../../runtime/http/exchange.ts'
import { negotiate, type Rendering } from '../../../runtime/http/media-type.ts'
import type { Resource } from '../../resource/registry.ts'
import { answerValue } from './answer.ts'
import { checkShape, metadataOnly } from './table.ts'

/**
 * How the answer to a create of a virtual resource is written: a review, a token, a binding or an eviction, of which nothing
 * is stored and which has no columns. Throws 406 before anything is done for a client that takes a Table only.
 */
export function virtualRendering({ headers }: Exchange, resource: Resource): Rendering {
  const rendering = negotiate(headers.accept, ['metadata', 'metadata-list'])
  checkShape(rendering, resource, false)
  return rendering
}

/** Answers with a virtual object. A Status is a Status in every shape. */
export function answerVirtual(exchange: Exchange, value: JsonObject, { shape, encoding, version }: Rendering): void {
  const asked =
    shape === 'metadata' && value['kind'] !== 'Status'
      ? metadataOnly({ metadata: {}, ...value } as KubeObject, version)
      : value
  answerValue(exchange, 201, asked, encoding)
}
