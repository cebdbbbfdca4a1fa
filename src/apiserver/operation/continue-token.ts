import { badRequest } from '../../machinery/status.ts'
import { isObject } from '../../machinery/object.ts'
import { kindOf } from '../../schema/type/decode-error.ts'
import { JsonTextError, parseJson } from '../../machinery/json-text.ts'

/** Where the next page of a list starts, and the revision of the snapshot that all its pages show. */
export interface ContinueToken {
  /** Undefined: the present, at the price of pages that do not fit together. */
  readonly revision: number | undefined
  /** The last key that has been listed, within the namespace of the list. */
  readonly after: string
}

const VERSION = 'meta.k8s.io/v1'
/** Ends a key, so that the next one is the first behind it. */
const END = '\0'
const NOW = -1

export function encodeToken({ revision = NOW, after }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start: after + END })).toString('base64url')
}

/** Throws 400 for an invalid token. */
export function decodeToken(text: string): ContinueToken {
  const { v = '', rv = 0, start = '' } = tokenOf(text)
  const version = member('v', v, 'string')
  const revision = Number(member('rv', rv, 'number'))
  const key = String(member('start', start, 'string'))
  if (version !== VERSION) throw invalid(`server does not recognize this encoded version ${JSON.stringify(version)}`)
  if (revision === 0) throw invalid(`incorrect encoded start resourceVersion (version ${VERSION})`)
  if (key === '') throw invalid(`encoded start key empty (version ${VERSION})`)
  const path = key.startsWith('/') ? key.slice(1) : key
  // A key must not lead out of the list that was asked for.
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..')) throw invalid(key)
  return { revision: revision < 0 ? undefined : revision, after: path.endsWith(END) ? path.slice(0, -1) : path }
}

function tokenOf(text: string): Readonly<Record<string, unknown>> {
  const wrong = /[^\w-]/.exec(text)
  if (wrong !== null || text.length % 4 === 1)
    throw invalid(`illegal base64 data at input byte ${wrong?.index ?? text.length}`)
  const value = parsed(Buffer.from(text, 'base64url').toString())
  if (isObject(value)) return value
  if (value === null) return {}
  throw invalid(`json: cannot unmarshal ${kindOf(value)} into Go value of type storage.continueToken`)
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw error instanceof JsonTextError ? invalid(error.message) : error
  }
}

function member(name: string, value: unknown, type: 'string' | 'number'): unknown {
  if (typeof value === type) return value
  const wanted = type === 'number' ? 'int64' : type
  throw invalid(`json: cannot unmarshal ${kindOf(value)} into Go struct field continueToken.${name} of type ${wanted}`)
}

const invalid = (why: string): Error => badRequest(`invalid continue token: continue key is not valid: ${why}`)
