import type { Pod } from '../../../builtin/core-v1.ts'
import type { BoundObjectReference, TokenRequestSpec } from '../../../builtin/authentication-v1.ts'
import { invalid as invalidField } from '../../../machinery/field-error.ts'
import { isObject, type JsonObject, type ObjectMeta } from '../../../machinery/object.ts'
import { badRequest, conflict, invalid, notFound } from '../../../machinery/status.ts'
import { decodeObject } from '../../../schema/type/decode.ts'
import type { Exchange } from '../../../runtime/http/exchange.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import { warnings } from '../answer/answer.ts'
import { readValue, shown, unhandled } from '../../decoding/read-object.ts'
import { answerVirtual, virtualRendering } from '../answer/virtual-answer.ts'
import { writeOptions } from '../request/write-options.ts'
import { numberOf, objectOf, specOf, textAt, textOf, textsOf } from '../../../machinery/read.ts'
import type { ObjectOperations } from '../../operation/object-operations.ts'
import type { BodyDecoders } from '../../decoding/body-decoders.ts'
import type { Access } from '../../auth/access.ts'
import type { Registry } from '../../resource/registry.ts'
import type { StoredObjects } from '../../storing/stored-objects.ts'
import { keyOf } from '../../storing/outcome.ts'
import type { ObjectRequest } from '../../storing/object-request.ts'
import { TOKEN_REQUEST } from '../../operation/subresource-body.ts'
import { type Bound, ISSUER } from '../../auth/identity/service-account-tokens.ts'

const TYPE = 'io.k8s.api.authentication.v1.TokenRequest'
const KIND = { version: 'v1', kind: 'TokenRequest' } as const
const KIND_ID = { group: 'authentication.k8s.io', kind: KIND.kind }
const API_VERSION = 'authentication.k8s.io/v1'
const DEFAULT_SECONDS = 3600
const LEAST_SECONDS = 600
const MOST_SECONDS = 2 ** 32

/** The serverContext that making tokens needs. */
export interface TokenContext {
  readonly access: Pick<Access, 'tokens'>
  readonly operations: Pick<ObjectOperations, 'admittedBody'>
  readonly store: Pick<StoredObjects, 'get'>
  readonly registry: Pick<Registry, 'schemas'>
  readonly decoders: BodyDecoders
  readonly now: () => number
}

/** POST to `serviceaccounts/<name>/token`: a new token for the account (upstream's `TokenREST`). */
export async function handleTokenRequest(
  context: TokenContext,
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  const rendering = virtualRendering(exchange, request.resource)
  const { validation, manager, options, dryRun } = writeOptions(exchange, 'CreateOptions')
  const { warn } = warnings(exchange)
  const { value } = await readValue(context.decoders, exchange, validation, KIND.kind)
  const { namespace, name, resource } = request
  const sent = decoded(context, value, request)
  const asked = await context.operations.admittedBody(
    { ...request, manager, options, dryRun, warn },
    TOKEN_REQUEST,
    sent,
  )
  const { spec, metadata } = asked
  checkNames(metadata, request)
  const account = context.store.get(resource.bucket, keyOf(resource, namespace, name))?.object
  if (account === undefined) throw notFound(resource.id, name)
  const { audiences, expirationSeconds, boundObjectRef: reference } = demandOf(objectOf(spec))
  const bound = reference === undefined ? undefined : boundObject(context, namespace, name, reference)
  const { token, expires } = context.access.tokens.issue({
    namespace,
    name,
    uid: account.metadata.uid ?? '',
    audiences,
    expirationSeconds,
    ...(bound === undefined ? {} : { bound }),
  })
  const granted = {
    kind: KIND.kind,
    apiVersion: API_VERSION,
    metadata: { ...metadata, name, namespace, creationTimestamp: timestamp(context.now()) },
    spec: { audiences, expirationSeconds, boundObjectRef: reference ?? null },
    status: { token, expirationTimestamp: timestamp(expires) },
  }
  answerVirtual(exchange, granted, rendering)
}

/** The TokenRequest that was sent. Throws 400. */
function decoded(context: TokenContext, value: unknown, { namespace }: ObjectRequest): JsonObject {
  const given = isObject(value) ? value : {}
  const { kind = KIND.kind, apiVersion = API_VERSION } = given
  if (kind !== KIND.kind || apiVersion !== API_VERSION)
    throw unhandled(
      shown(kind),
      versionOf(apiVersion),
      KIND.kind,
      `converting (${versionOf(apiVersion)}.${shown(kind)}) to (authentication.TokenRequest): unknown conversion`,
    )
  const sent = objectOf(decodeObject(context.registry.schemas.type(TYPE), given, KIND).object)
  const within = textAt(sent, 'metadata', 'namespace')
  if (within !== '' && within !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
  return { ...sent, spec: { expirationSeconds: DEFAULT_SECONDS, ...objectOf(sent['spec']) } }
}

const versionOf = (apiVersion: unknown): string => shown(apiVersion).split('/').at(-1) ?? ''

/** The body need not name the account; if it does, it names this one. Throws 422. */
function checkNames({ name: sent = '' }: ObjectMeta, { name }: ObjectRequest): void {
  if (sent !== '' && sent !== name)
    throw invalid(KIND_ID, name, [
      invalidField('metadata.name', sent, 'must match the service account name if specified'),
    ])
}

interface Demand {
  readonly audiences: readonly string[]
  readonly expirationSeconds: number
  readonly boundObjectRef: BoundObjectReference | undefined
}

/** Returns the requested token, with defaults. Throws 422. */
function demandOf(spec: TokenRequestSpec): Demand {
  const expirationSeconds = numberOf(spec.expirationSeconds) ?? DEFAULT_SECONDS
  const sentence =
    expirationSeconds < LEAST_SECONDS
      ? 'may not specify a duration less than 10 minutes'
      : expirationSeconds > MOST_SECONDS
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined
  if (sentence !== undefined)
    throw invalid(KIND_ID, '', [invalidField('spec.expirationSeconds', spec.expirationSeconds, sentence)])
  const asked = textsOf(spec.audiences)
  return {
    audiences: asked.length === 0 ? [ISSUER] : asked,
    expirationSeconds,
    boundObjectRef: isObject(spec.boundObjectRef) ? objectOf(spec.boundObjectRef) : undefined,
  }
}

const BINDABLE = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' } as const

/** Returns the object that the token ends with. Throws 404 when it does not exist, 409 when another object has taken its name. */
function boundObject(
  context: TokenContext,
  namespace: string,
  account: string,
  reference: BoundObjectReference,
): Bound {
  const [group = '', version = ''] = textOf(reference.apiVersion).includes('/')
    ? textOf(reference.apiVersion).split('/')
    : ['', textOf(reference.apiVersion)]
  const kind = (['Pod', 'Secret', 'Node'] as const).find((one) => one === reference.kind)
  if (kind === undefined || group !== '' || version !== 'v1')
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${textOf(reference.kind)}`)
  const name = textOf(reference.name)
  const resource = BINDABLE[kind]
  const object = context.store.get(resource, kind === 'Node' ? name : `${namespace}/${name}`)?.object
  if (object === undefined) throw notFound({ group: '', resource }, name)
  if (kind === 'Pod' && textOf(specOf<Pod>(object).serviceAccountName) !== account)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    )
  const uid = object.metadata.uid ?? ''
  const asked = textOf(reference.uid)
  if (asked !== '' && asked !== uid)
    throw conflict(
      { group: '', resource: kind },
      name,
      `the UID in the bound object reference (${asked}) does not match the UID in record. The object might have been deleted and then recreated`,
    )
  const node = kind === 'Pod' ? textOf(specOf<Pod>(object).nodeName) : ''
  return {
    kind,
    name,
    uid,
    ...(node === '' ? {} : { node: { name: node, uid: context.store.get('nodes', node)?.object.metadata.uid ?? '' } }),
  }
}
