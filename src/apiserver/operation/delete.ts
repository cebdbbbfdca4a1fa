import type { Int64 } from '../../machinery/json-value.ts'
import type { KubeObject, ObjectMeta } from '../../machinery/object.ts'
import { conflict, notFound } from '../../machinery/status.ts'
import { StoreConflict } from '../../store/record/store-error.ts'
import type { StoredRecord } from '../../store/record/record.ts'
import type { AdmissionChain } from '../admission/chain.ts'
import type { Resource } from '../resource/registry.ts'
import type { ServerContext } from '../resource/server-context.ts'
import type { PropagationPolicy } from './deletion-finalizers.ts'
import { markDeleted } from './deletion-mark.ts'
import type { CreateContext } from './create.ts'
import { keyOf, type Outcome, outcomeOf } from '../storing/outcome.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import { assertDurable, isAbsent } from './await-durable.ts'

/** The serverContext of a deletion. */
export interface DeleteContext extends Pick<CreateContext, 'store' | 'quotaAdmission'> {
  readonly admission: Pick<AdmissionChain, 'validate'>
  readonly serverContext: Pick<ServerContext, 'now'>
}

/** `metav1.DeleteOptions`, as far as they change what happens. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: Int64
  readonly uid?: string
  readonly resourceVersion?: string
  readonly propagationPolicy?: PropagationPolicy
}

/** The outcome for the object: it is gone, or it stays until its finalizers, its contents or its time are through. */
export interface Deletion extends Outcome {
  readonly gone: boolean
}

const ATTEMPTS = 64

/** Deletes an object, or marks it for deletion. Throws 404, and 409 when a precondition does not hold. */
export async function remove(
  context: DeleteContext,
  request: ObjectRequest,
  options: DeleteOptions,
): Promise<Deletion> {
  const { resource, namespace, name } = request
  for (let attempt = 1; ; attempt++) {
    request.deadline?.demand()
    const key = keyOf(resource, namespace, name)
    const record = context.store.latest(resource.bucket, key)
    if (record === undefined) {
      if (await isAbsent(context.store, resource.bucket, key)) throw notFound(resource.id, name)
      continue
    }
    checkPreconditions(request, record.object.metadata, options)
    try {
      return await removeRecord(context, request, record, options)
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
      if (attempt === ATTEMPTS || options.resourceVersion !== undefined) throw conflict(resource.id, name)
    }
  }
}

async function removeRecord(
  context: DeleteContext,
  request: ObjectRequest,
  record: StoredRecord,
  options: DeleteOptions,
): Promise<Deletion> {
  const { resource, namespace, name, dryRun } = request
  // Nobody is shown what is only cleared away, so its defaults are not worth their time.
  const now = context.serverContext.now()
  const isCleared = request.admitted === true && markDeleted(record.object, resource.bucket, options, now).gone
  const old = isCleared ? record.object : asServed(resource, record.object)
  await context.admission.validate({ ...request, operation: 'DELETE', object: undefined, oldObject: old })
  const { object, gone } = markDeleted(old, resource.bucket, options, now)
  const warnings = deletionWarnings(resource.bucket, options)
  if (dryRun) return { object: served(resource, object), gone, warnings }
  const write = {
    bucket: resource.bucket,
    key: keyOf(resource, namespace, name),
    object: isCleared ? object : asStored(resource, object),
    expect: { revision: record.revision },
  }
  if (object === old && !gone) {
    await assertDurable(context.store, record)
    return { ...outcomeOf(resource, record, { warnings }), gone }
  }
  const written = await context.quotaAdmission.commit(
    { ...request, operation: 'DELETE', object, oldObject: old },
    { type: gone ? 'delete' : 'put', ...write },
  )
  return { ...outcomeOf(resource, written ?? record, { warnings }), gone }
}

/** Returns a stored custom resource as its current schema reads it. */
const asServed = ({ served: { custom }, conversion }: Resource, object: KubeObject): KubeObject =>
  (custom === true ? conversion?.fromStored(object) : undefined) ?? object

const asStored = ({ served: { custom }, conversion }: Resource, object: KubeObject): KubeObject =>
  (custom === true ? (conversion?.asStored ?? conversion?.toStored)?.(object) : undefined) ?? object

const served = ({ conversion }: Resource, object: KubeObject): KubeObject => conversion?.fromStored(object) ?? object

/** A client that does not set a propagation policy for a job may not know that its pods stay (upstream `deleteOptionWarnings`). */
function deletionWarnings(bucket: string, { propagationPolicy }: DeleteOptions): readonly string[] {
  if (bucket !== 'jobs.batch' || propagationPolicy !== undefined) return []
  return [
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
  ]
}

/** A precondition that does not hold is a conflict; namespaces say so in other words than all other kinds. */
function checkPreconditions({ resource, name }: ObjectRequest, meta: ObjectMeta, options: DeleteOptions): void {
  const isNamespace = resource.bucket === 'namespaces'
  const id = isNamespace ? resource.id : { group: resource.served.group, resource: resource.served.kind }
  const check = (field: string, asked: string | undefined, actual: string | undefined, presumably: string): void => {
    if (asked === undefined || asked === actual) return
    throw conflict(
      id,
      name,
      isNamespace
        ? `Precondition failed: ${field} in precondition: ${asked}, ${field} in object meta: ${actual}`
        : `the ${field} in the precondition (${asked}) does not match the ${field} in record (${actual}). ${presumably}`,
    )
  }
  check('UID', options.uid, meta.uid, 'The object might have been deleted and then recreated')
  check('ResourceVersion', options.resourceVersion, meta.resourceVersion, 'The object might have been modified')
}
