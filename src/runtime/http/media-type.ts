import { failure, notAcceptable } from '../../machinery/status.ts'

/** One entry of an Accept header, or a Content-Type: `application/json;as=Table;v=v1`. */
export interface MediaType {
  readonly type: string
  readonly parameters: Readonly<Record<string, string>>
}

export function parseMediaType(text: string): MediaType {
  const [type = '', ...rest] = text.split(';')
  const parameters: Record<string, string> = {}
  for (const part of rest) {
    const [key = '', value = ''] = part.split('=', 2)
    parameters[key.trim().toLowerCase()] = value.trim().replaceAll('"', '')
  }
  return { type: type.trim().toLowerCase(), parameters }
}

/** How an object or list is answered: its encoding and the shape that the client asked for. */
export interface Rendering {
  readonly encoding: 'json' | 'yaml'
  readonly shape: 'object' | 'table' | 'metadata' | 'metadata-list'
  /** Of the group `meta.k8s.io`, for a value that is not an object of a kind of its own. */
  readonly version: 'v1' | 'v1beta1'
}

const PLAIN_JSON: Rendering = { encoding: 'json', shape: 'object', version: 'v1' }
const SHAPES: Readonly<Record<string, Rendering['shape']>> = {
  Table: 'table',
  PartialObjectMetadata: 'metadata',
  PartialObjectMetadataList: 'metadata-list',
}
const PROTOBUF = 'application/vnd.kubernetes.protobuf'
const OFFERED = ['application/json', 'application/yaml']
/** The media types that upstream lists when a client wants an offered encoding in an unknown form. */
const SUPPORTED = [...OFFERED, PROTOBUF]

/**
 * Picks the first acceptable media type. `shapes`: those that the answer can be given in, beside the object itself. Throws 406 when the client wants only what this server does not speak.
 */
export function negotiate(
  accept: string | undefined,
  shapes: readonly Rendering['shape'][] = Object.values(SHAPES),
): Rendering {
  if (accept === undefined || accept === '' || accept === '*/*' || accept === 'application/json') return PLAIN_JSON
  let encoded = false
  for (const { type, parameters } of byPreference(accept)) {
    const encoding =
      type === 'application/yaml'
        ? 'yaml'
        : type === 'application/json' || type === '*/*' || type === 'application/*'
          ? 'json'
          : undefined
    if (encoding === undefined) continue
    encoded = true
    const as = parameters['as']
    if (as === undefined) return { encoding, shape: 'object', version: 'v1' }
    const shape = Object.hasOwn(SHAPES, as) ? SHAPES[as] : undefined
    const version = parameters['v']
    if (
      shape !== undefined &&
      shapes.includes(shape) &&
      parameters['g'] === 'meta.k8s.io' &&
      (version === 'v1' || version === 'v1beta1')
    )
      return { encoding, shape, version }
  }
  if (encoded) throw notAcceptable(SUPPORTED)
  // The refusal of protobuf lists the alternatives; upstream's router refuses unknown types.
  throw accept.includes(PROTOBUF) ? notAcceptable(OFFERED) : failure(406, 'NotAcceptable', '406: Not Acceptable', {})
}

/** Returns the media types that a client accepts, the preferred one first. */
function byPreference(accept: string): readonly MediaType[] {
  const types = accept.split(',').map(parseMediaType)
  if (!accept.includes('q=')) return types
  const quality = ({ parameters: { q } }: MediaType): number => (q === undefined ? 1 : Number(q) || 0)
  return types.toSorted((a, b) => quality(b) - quality(a))
}
