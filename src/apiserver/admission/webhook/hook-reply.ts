import { mediaTypeProblem } from '../../../machinery/go/media-type.ts'
import { isObject } from '../../../machinery/object.ts'
import { JsonTextError, parseJson } from '../../../machinery/json-text.ts'
import { ApiError } from '../../../machinery/status.ts'
import { refuseHeavyText } from '../../../machinery/value-weight.ts'
import { bodyKind, unparsed } from '../../decoding/body-kind.ts'
import { UnreadableBody } from '../../decoding/unreadable-body.ts'
import { textOf } from '../../../machinery/read.ts'

/** The answer of a webhook's server. */
export interface HookReply {
  readonly code: number
  /** Its content type; `''` where it named none. */
  readonly type: string
  readonly text: string
}

/** A webhook that could not be reached, or whose answer could not be read. */
export class HookCallError extends Error {}

const KIND = 'AdmissionReview'
const VERSIONS = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1']
/** Where upstream makes the scheme that knows reviews; its messages name it. */
const SCHEME = 'k8s.io/apiserver/pkg/util/webhook/client.go:71'
const MOST_TEXT = 2048

/** How client-go words the codes that servers refuse with; the others are reported with the server's own text. */
const BY_CODE: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
}
/** Of these the server's text says it all. */
const BY_TEXT: ReadonlySet<number> = new Set([403, 406, 415])

/** The review that was answered, or nothing but its JSON's shape checked. Throws HookCallError in client-go's words. */
export function reviewIn({ code, type, text }: HookReply, askedVersion: string): Readonly<Record<string, unknown>> {
  checkWeight(text)
  const problem = type === '' ? undefined : mediaTypeProblem(type)
  if (problem !== undefined) throw new HookCallError(`Internal error occurred: ${problem}`)
  if (code < 200 || code > 206) throw new HookCallError(statusMessage(text) ?? refusal(code, type, text))
  if (text === '') throw new HookCallError(`0-length response with status code: ${code} and content type: ${type}`)
  try {
    const value = parsed(text)
    const { kind, apiVersion } = bodyKind(value)
    checkKind(kind || KIND, apiVersion || askedVersion, askedVersion)
    return isObject(value) ? value : {}
  } catch (error) {
    throw error instanceof UnreadableBody ? new HookCallError(error.message) : error
  }
}

/** Holds the answer of a webhook to the bounds of a client's body. Throws HookCallError. */
export function checkWeight(text: string): void {
  try {
    refuseHeavyText(text)
  } catch (error) {
    throw error instanceof ApiError ? new HookCallError(`the answer cannot be read: ${error.message}`) : error
  }
}

function checkKind(kind: string, version: string, asked: string): void {
  if (kind !== KIND || !VERSIONS.includes(version))
    throw new HookCallError(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(version)} in scheme ${JSON.stringify(SCHEME)}`,
    )
  if (version === asked) return
  const name = (of: string): string => `${of.slice(of.indexOf('/') + 1)}.${KIND}`
  throw new HookCallError(`converting (${name(version)}) to (${name(asked)}): unknown conversion`)
}

/** Text that is not JSON is read as YAML, where most texts are a string. */
function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error
    if (/^\s*[{["]/.test(text)) throw unparsed(error.message)
    return text
  }
}

/** A Status in the body says itself what was wrong. */
function statusMessage(text: string): string | undefined {
  try {
    const value = parseJson(text)
    if (!isObject(value) || value['kind'] !== 'Status' || value['status'] === 'Success') return undefined
    return textOf(value['message']) || undefined
  } catch {
    return undefined
  }
}

function refusal(code: number, type: string, text: string): string {
  const isText = type === '' || type.startsWith('text/')
  const shownText = isText ? text.slice(0, MOST_TEXT).trim() : 'unknown'
  if (BY_TEXT.has(code)) return shownText
  const known = BY_CODE[code]
  if (known !== undefined) return known
  return code >= 500
    ? `an error on the server (${JSON.stringify(shownText)}) has prevented the request from succeeding`
    : `the server responded with the status code ${code} but did not return more information`
}
