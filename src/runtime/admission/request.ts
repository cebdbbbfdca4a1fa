import { JsonTextError, parseJson } from '../../machinery/json-text.ts'
import { isTree } from '../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { badRequest } from '../../machinery/status.ts'
import type { GroupVersionKind, GroupVersionResource } from '../../machinery/group-version.ts'
import { givenTexts } from '../../machinery/read.ts'

/** The user, as the API server has authenticated it. */
export interface UserInfo {
  readonly username: string
  readonly uid: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

const OPERATIONS = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'] as const
export type Operation = (typeof OPERATIONS)[number]

/** The request of an API server to a webhook (`admission.k8s.io/v1`, `AdmissionRequest`); fields that are empty there are '' here. */
export interface AdmissionRequest {
  /** Of this one call: a repeated request has another. */
  readonly uid: string
  /** The version that the webhook's rule names, which `object` and `oldObject` are in. */
  readonly kind: GroupVersionKind
  readonly resource: GroupVersionResource
  readonly subResource: string
  /** As the client asked; servers before 1.15 do not send it, and then it is as above. */
  readonly requestKind: GroupVersionKind
  readonly requestResource: GroupVersionResource
  readonly requestSubResource: string
  /** '' where the server is yet to make one up. */
  readonly name: string
  /** '' for what is in none; a Namespace is in itself. */
  readonly namespace: string
  readonly operation: Operation
  readonly userInfo: UserInfo
  /** Undefined on DELETE. Objects without metadata, such as the options of `exec`, have empty metadata here. */
  readonly object: KubeObject | undefined
  /** Undefined on CREATE and CONNECT. */
  readonly oldObject: KubeObject | undefined
  readonly dryRun: boolean
  readonly options: JsonObject | undefined
}

const VERSIONS = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'] as const
export type ReviewVersion = (typeof VERSIONS)[number]

/** A review that was asked, and the version to answer in. */
export interface AskedReview {
  readonly apiVersion: ReviewVersion
  readonly request: AdmissionRequest
}

/** Reads the body of a call. Throws ApiError (400) with one sentence that names what is wrong with it. */
export function readReview(text: string): AskedReview {
  const review = parsed(text)
  const { apiVersion, kind, request } = review
  if (kind !== 'AdmissionReview') throw notReview(`its kind is ${shown(kind)}`)
  const version = VERSIONS.find((known) => known === apiVersion)
  if (version === undefined)
    throw notReview(`its apiVersion is ${shown(apiVersion)}, neither ${VERSIONS.join(' nor ')}`)
  if (!isTree(request)) throw notReview(`its request is ${shown(request)}`)
  return { apiVersion: version, request: requestIn(request) }
}

function parsed(text: string): JsonObject {
  if (text === '') throw notReview('it is empty')
  try {
    const value = parseJson(text)
    if (isTree(value)) return value
    throw notReview(`it is ${shown(value)}`)
  } catch (error) {
    throw error instanceof JsonTextError ? notReview(`invalid JSON (${error.message})`) : error
  }
}

function requestIn(request: JsonObject): AdmissionRequest {
  const operation = OPERATIONS.find((known) => known === request['operation'])
  if (operation === undefined) throw notReview(`request.operation is ${shown(request['operation'])}`)
  const uid = textIn(request, 'request', 'uid')
  if (uid === '') throw notReview('request.uid is missing')
  const kind = kindIn(request, 'kind')
  const resource = resourceIn(request, 'resource')
  const subResource = textIn(request, 'request', 'subResource')
  const asAsked = isTree(request['requestResource'])
  return {
    uid,
    kind,
    resource,
    subResource,
    requestKind: isTree(request['requestKind']) ? kindIn(request, 'requestKind') : kind,
    requestResource: asAsked ? resourceIn(request, 'requestResource') : resource,
    requestSubResource: asAsked ? textIn(request, 'request', 'requestSubResource') : subResource,
    name: textIn(request, 'request', 'name'),
    namespace: textIn(request, 'request', 'namespace'),
    operation,
    userInfo: userIn(treeIn(request, 'request', 'userInfo') ?? {}),
    object: objectIn(request, 'object'),
    oldObject: objectIn(request, 'oldObject'),
    dryRun: request['dryRun'] === true,
    options: treeIn(request, 'request', 'options'),
  }
}

function kindIn(request: JsonObject, field: string): GroupVersionKind {
  const of = treeIn(request, 'request', field) ?? {}
  const at = `request.${field}`
  return { group: textIn(of, at, 'group'), version: textIn(of, at, 'version'), kind: nameIn(of, at, 'kind') }
}

function resourceIn(request: JsonObject, field: string): GroupVersionResource {
  const of = treeIn(request, 'request', field) ?? {}
  const at = `request.${field}`
  return { group: textIn(of, at, 'group'), version: textIn(of, at, 'version'), resource: nameIn(of, at, 'resource') }
}

function userIn(user: JsonObject): UserInfo {
  const at = 'request.userInfo'
  const extra = Object.entries(treeIn(user, at, 'extra') ?? {})
  return {
    username: textIn(user, at, 'username'),
    uid: textIn(user, at, 'uid'),
    groups: givenTexts(user['groups']),
    extra: extra.length === 0 ? {} : Object.fromEntries(extra.map(([key, values]) => [key, givenTexts(values)])),
  }
}

function objectIn(request: JsonObject, field: string): KubeObject | undefined {
  const object = treeIn(request, 'request', field)
  if (object === undefined) return undefined
  const { apiVersion, kind, metadata } = object
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !isTree(metadata ?? {}))
    throw notReview(`request.${field} must be an object with apiVersion, kind and metadata`)
  // Readers check its members; the API server has decoded it before.
  return (metadata === undefined || metadata === null ? { ...object, metadata: {} } : object) as KubeObject
}

function treeIn(from: JsonObject, at: string, field: string): JsonObject | undefined {
  const value = from[field] ?? undefined
  if (value === undefined || isTree(value)) return value
  throw notReview(`${at}.${field} is ${shown(value)}`)
}

function textIn(from: JsonObject, at: string, field: string): string {
  const value = from[field] ?? ''
  if (typeof value === 'string') return value
  throw notReview(`${at}.${field} is ${shown(value)}`)
}

function nameIn(from: JsonObject, at: string, field: string): string {
  const name = textIn(from, at, field)
  if (name !== '') return name
  throw notReview(`${at}.${field} is missing`)
}

const MOST_SHOWN = 64

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'missing'
  if (typeof value === 'string') return JSON.stringify(value.slice(0, MOST_SHOWN))
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

const notReview = (why: string): Error => badRequest(`invalid AdmissionReview: ${why}`)
