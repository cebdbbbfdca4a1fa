import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { objectOf } from '../../machinery/read.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import type { AdmissionChain } from '../admission/chain.ts'
import type { Registry } from '../resource/registry.ts'
import type { ServerContext } from '../resource/server-context.ts'
import { assertWithin } from './create.ts'
import type { AdmissionView, ObjectRequest } from '../storing/object-request.ts'
import { withManagers } from './managed-fields.ts'
import { withMetadata } from '../resource/metadata.ts'

/** The serverContext of the admission of a body that is not stored. */
export interface SubresourceContext {
  readonly admission: Pick<AdmissionChain, 'reviewUnstored'>
  readonly registry: Pick<Registry, 'schemas'>
  readonly serverContext: Pick<ServerContext, 'now'>
}

/** The kind of a body that a client creates in a subresource and that is not stored, with the name of its type in the schemas. */
export interface SubresourceKind {
  readonly apiVersion: string
  readonly kind: string
  readonly type: string
}

export const BINDING: SubresourceKind = { apiVersion: 'v1', kind: 'Binding', type: 'io.k8s.api.core.v1.Binding' }
export const EVICTION: SubresourceKind = {
  apiVersion: 'policy/v1',
  kind: 'Eviction',
  type: 'io.k8s.api.policy.v1.Eviction',
}
export const TOKEN_REQUEST: SubresourceKind = {
  apiVersion: 'authentication.k8s.io/v1',
  kind: 'TokenRequest',
  type: 'io.k8s.api.authentication.v1.TokenRequest',
}

/**
 * Returns a body that a client creates in a subresource, as webhooks change it: they review it as a create of its kind. Its
 * metadata names its field manager, as for any create. Throws their refusal, and 400 for a body of another namespace.
 */
export async function admittedSubresourceBody(
  context: SubresourceContext,
  request: ObjectRequest,
  { apiVersion, kind, type }: SubresourceKind,
  body: JsonObject,
): Promise<KubeObject> {
  const version = typeof body['apiVersion'] === 'string' ? body['apiVersion'] : apiVersion
  const { managedFields: _sent, ...metadata } = objectOf(body['metadata'])
  assertWithin(request, { kind, apiVersion: version, metadata })
  const object: KubeObject = {
    ...body,
    kind,
    apiVersion: version,
    metadata: { ...metadata, ...(request.namespace === '' ? {} : { namespace: request.namespace }) },
  }
  const [group, of] = version.includes('/') ? version.split('/') : ['', version]
  const admissionView: AdmissionView = {
    subresource: request.subresource,
    kind: { group: group ?? '', version: of ?? '', kind },
    show: (shown) => shown,
    // The webhook was shown an object; what it made of it is read as one where it is used.
    take: (patched, before) => ({ ...before, ...patched }),
  }
  const merging = context.registry.schemas.type(type)
  const resource = { ...request.resource, merging, apiVersion: version }
  const owned = managed(context, { ...request, resource }, object)
  return await context.admission.reviewUnstored({
    ...request,
    admissionView,
    operation: 'CREATE',
    object: owned,
    oldObject: undefined,
  })
}

/** The same for a resource that clients can only create, such as a review. */
export async function admittedSubresourceObject(
  context: SubresourceContext,
  request: ObjectRequest,
  object: KubeObject,
): Promise<KubeObject> {
  const { namespace } = request
  assertWithin(request, object)
  const { managedFields: _sent, ...metadata } = object.metadata
  const within = withMetadata(object, namespace === '' ? metadata : { ...metadata, namespace })
  return await context.admission.reviewUnstored({
    ...request,
    name: object.metadata.name ?? '',
    operation: 'CREATE',
    object: managed(context, request, within),
    oldObject: undefined,
  })
}

const managed = ({ serverContext }: SubresourceContext, request: ObjectRequest, object: KubeObject): KubeObject =>
  withManagers(request, undefined, object, undefined, timestamp(serverContext.now()))
