import { flatText } from '../../machinery/flat-text.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { label1035Name, labelName, type NameRule, pathSegmentName, subdomainName } from '../../machinery/names.ts'
import { validateObjectMeta } from '../../machinery/object-meta.ts'
import { unclassified } from '../../schema/patch/error.ts'
import { alreadyExists, type ApiError, badRequest, failure, invalid } from '../../machinery/status.ts'
import { StoreConflict } from '../../store/record/store-error.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import type { Strategy } from '../../kinds/strategy/strategy.ts'
import type { StoredObjects } from '../storing/stored-objects.ts'
import type { AdmissionChain } from '../admission/chain.ts'
import type { StrategyGuards } from '../auth/guard/strategies.ts'
import type { QuotaAdmission } from '../resource-quota/quota-admission.ts'
import type { ServerContext } from '../resource/server-context.ts'
import type { ServiceAllocator } from '../storing/service-allocator.ts'
import { keyOf, type Outcome, outcomeOf } from '../storing/outcome.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import { withManagers } from './managed-fields.ts'
import { finalizerErrors } from './metadata-errors.ts'
import { generatedName, metadataForCreate, ordered, withMetadata } from '../resource/metadata.ts'
import { isAbsent } from './await-durable.ts'
import { refusedKind } from '../../kinds/strategy/refused-kind.ts'

/** The serverContext of a create. */
export interface CreateContext {
  readonly store: Pick<StoredObjects, 'get' | 'latest' | 'whenFlushed'>
  readonly admission: Pick<AdmissionChain, 'mutate' | 'validate'>
  readonly guards: StrategyGuards
  readonly services: ServiceAllocator
  readonly quotaAdmission: Pick<QuotaAdmission, 'commit'>
  readonly serverContext: ServerContext
}

/** How often a name that was made from `generateName` and exists already is made anew (as Kubernetes since 1.30). */
const NAME_ATTEMPTS = 8

const NAME_RULES: Readonly<Record<NonNullable<Strategy['nameRule']>, NameRule>> = {
  subdomain: subdomainName,
  label: labelName,
  label1035: label1035Name,
  pathSegment: pathSegmentName,
}

/**
 * Creates `object` (decoded and defaulted). Throws the ApiErrors of a real server: 404 without its namespace, 409 when the
 * name exists, 422 when fields are wrong, 403 when admission refuses.
 */
export async function create(context: CreateContext, request: ObjectRequest, object: KubeObject): Promise<Outcome> {
  const mutated = await admitted(context, request, object)
  const { metadata } = mutated
  const generated = (metadata.name ?? '') === '' && (metadata.generateName ?? '') !== ''
  for (let attempt = 1; ; attempt++) {
    request.deadline?.demand()
    const name = generated
      ? generatedName(metadata.generateName ?? '', context.serverContext.random)
      : (metadata.name ?? '')
    try {
      return await createNamed(context, { ...request, name }, mutated)
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
      const { resource, namespace } = request
      const last = attempt === NAME_ATTEMPTS
      if (!generated && (last || !(await isAbsent(context.store, resource.bucket, keyOf(resource, namespace, name)))))
        throw exists(context, request, name)
      if (last) throw nameNotUnique(request, name)
    }
  }
}

/** Returns the object after admission; before, it has neither its uid yet nor, where that is to be generated, its name. */
async function admitted(context: CreateContext, request: ObjectRequest, object: KubeObject): Promise<KubeObject> {
  const { resource, namespace } = request
  assertWithin(request, object)
  const { metadata } = object
  const within = resource.served.namespaced ? namespace : undefined
  const started = withMetadata(object, ordered({ ...metadata, namespace: within }))
  const now = timestamp(context.serverContext.now())
  const owned = withManagers(request, undefined, started, object.metadata.managedFields, now)
  if (request.slice !== undefined) await request.slice.next()
  const named = { ...request, name: metadata.name ?? '' }
  const mutated = await context.admission.mutate({ ...named, operation: 'CREATE', oldObject: undefined, object: owned })
  assertWithin(request, mutated)
  if (request.slice !== undefined) await request.slice.next()
  return mutated
}

/** The namespace on the URL counts. Throws 400 for an object that names another. */
export function assertWithin(
  { resource, namespace }: ObjectRequest,
  { metadata: { namespace: asked = '' } }: KubeObject,
): void {
  if (resource.served.namespaced && asked !== '' && asked !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request')
}

async function createNamed(context: CreateContext, request: ObjectRequest, object: KubeObject): Promise<Outcome> {
  const { resource, namespace, name, dryRun } = request
  const { strategy, served } = resource
  const now = timestamp(context.serverContext.now())
  const started = withMetadata(
    object,
    metadataForCreate(object.metadata, {
      name,
      namespace: served.namespaced ? namespace : '',
      uid: flatText(context.serverContext.uuid()),
      creationTimestamp: now,
    }),
  )
  const review = { ...request, operation: 'CREATE' as const, oldObject: undefined }
  const prepared = strategy.prepareForCreate?.(started, { now, caller: request.caller }) ?? started
  const allocation = context.services.allocate(resource, prepared, { dryRun })
  const complete = allocation?.object ?? prepared
  try {
    const found = [
      ...validateObjectMeta(complete.metadata, {
        namespaced: served.namespaced,
        nameRule: NAME_RULES[strategy.nameRule ?? 'subdomain'],
      }),
      ...finalizerErrors(resource, complete.metadata),
      ...(strategy.validate?.(complete) ?? []),
    ]
    const errors = context.guards.errors({ ...review, object: complete }, found)
    if (errors.length > 0) throw invalid(refusedKind(strategy, complete), name, errors)
    if (request.slice !== undefined) await request.slice.next()
    await context.admission.validate({ ...review, object: complete })
    if (!dryRun && /^0*[1-9]\d*$/.test(object.metadata.resourceVersion ?? ''))
      throw unclassified('resourceVersion should not be set on objects to be created')
    const stored = resource.conversion?.toStored(complete) ?? complete
    if (request.slice !== undefined) await request.slice.next()
    const record = await context.quotaAdmission.commit(
      { ...review, object: complete },
      { type: 'put', bucket: resource.bucket, key: keyOf(resource, namespace, name), object: stored, expect: 'absent' },
    )
    const warnings = strategy.warnings?.(complete) ?? []
    return record === undefined
      ? { object: resource.conversion?.fromStored(stored) ?? complete, created: true, warnings }
      : outcomeOf(resource, record, { created: true, warnings })
  } catch (error) {
    allocation?.release()
    throw error
  }
}

/** 409, which says whether the existing object is being deleted. */
function exists({ store }: CreateContext, { resource, namespace }: ObjectRequest, name: string): ApiError {
  const error = alreadyExists(resource.id, name)
  const current = store.get(resource.bucket, keyOf(resource, namespace, name))?.object
  if (current?.metadata.deletionTimestamp === undefined) return error
  const { status } = error
  return failure(status.code, 'AlreadyExists', `object is being deleted: ${status.message}`, status.details)
}

function nameNotUnique(request: ObjectRequest, name: string): ApiError {
  const { status } = alreadyExists(request.resource.id, name)
  return failure(
    409,
    'AlreadyExists',
    `${status.message}, the server was not able to generate a unique name for the object`,
    { ...status.details, retryAfterSeconds: 1 },
  )
}
