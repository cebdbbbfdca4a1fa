import type { Namespace } from '../../builtin/core-v1.ts'
import { listOf, specOf } from '../../machinery/read.ts'
import { keepTimestamps } from '../../schema/apply/timestamps.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { unclassified } from '../../schema/patch/error.ts'
import { badRequest, conflict, invalid, notFound } from '../../machinery/status.ts'
import { invalid as invalidField } from '../../machinery/field-error.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import { StoreConflict } from '../../store/record/store-error.ts'
import type { StoredRecord } from '../../store/record/record.ts'
import { sliceFor } from '../../runtime/tasks/time-slice.ts'
import { authorizeCreate } from '../auth/authorize-create.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import { withManagersOf } from '../../kinds/strategy/lifecycle.ts'
import type { Strategy } from '../../kinds/strategy/strategy.ts'
import type { Access } from '../auth/access.ts'
import { assertWithin, create, type CreateContext } from './create.ts'
import { keyOf, type Outcome, outcomeOf } from '../storing/outcome.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import { withManagers } from './managed-fields.ts'
import { metadataErrors } from './metadata-errors.ts'
import { metadataForUpdate, ordered, withMetadata } from '../resource/metadata.ts'
import { assertDurable, isAbsent } from './await-durable.ts'
import { refusedKind } from '../../kinds/strategy/refused-kind.ts'
import { storageKey } from '../storing/storage-key.ts'
import { subresourceMerges } from './subresource.ts'

/** The serverContext of an update. It may create the object, where the caller may. */
export interface UpdateContext extends CreateContext {
  readonly access: Pick<Access, 'authorizer'>
}

/** How often an update that named no resourceVersion is computed anew when somebody else wrote in between. */
const ATTEMPTS = 64

/** Gives the object that should replace `current`. Its metadata.resourceVersion, where set, is the version it is based on. */
export type Transform = (current: KubeObject) => KubeObject | Promise<KubeObject>

export interface UpdateOptions {
  /** A whole object was sent: kinds that forbid it refuse one without a resourceVersion. */
  readonly wholeObject: boolean
  /** The whole object, where one was sent: it may name what it takes to be there. */
  readonly sent?: KubeObject
}

/**
 * Replaces an object, or with subresource `status` its status, by what `transform` makes of it. A write that names the
 * version it is based on fails with 409 when that is not current; one that does not is computed anew.
 */
export async function update(
  context: UpdateContext,
  request: ObjectRequest,
  transform: Transform,
  options: UpdateOptions,
): Promise<Outcome> {
  const { resource, namespace, name } = request
  for (let attempt = 1; ; attempt++) {
    request.deadline?.demand()
    const key = keyOf(resource, namespace, name)
    const record = context.store.latest(resource.bucket, key)
    if (record === undefined) {
      if (!(await isAbsent(context.store, resource.bucket, key))) continue
      const { sent } = options
      if (sent === undefined) throw notFound(resource.id, name)
      checkUid(request, sent, '')
      if (request.subresource !== '' || resource.strategy.allowCreateOnUpdate !== true)
        throw notFound(resource.id, name)
      authorizeCreate(context.access, request)
      return await create(context, request, unversioned(sent))
    }
    try {
      return await updateRecord(context, request, record, transform, options)
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
      if (attempt === ATTEMPTS) throw conflict(resource.id, name)
    }
  }
}

async function updateRecord(
  context: UpdateContext,
  given: ObjectRequest,
  record: StoredRecord,
  transform: Transform,
  options: UpdateOptions,
): Promise<Outcome> {
  // A small patch of a large object takes as long as the object.
  const slice = given.slice ?? sliceFor(record.text.length, given.turn)
  const request = slice === given.slice ? given : { ...given, slice }
  const { resource, namespace, name, subresource } = request
  const { strategy, served, conversion } = resource
  const old = conversion?.fromStored(record.object) ?? record.object
  const sent = await transform(old)
  if (slice !== undefined) await slice.next()
  checkIdentity(request, sent, old, options)
  const now = timestamp(context.serverContext.now())
  const review = { ...request, operation: 'UPDATE' as const, oldObject: old }
  const mutated = await admitted(context, request, sent, old, now)
  if (slice !== undefined) await slice.next()
  const prepared = prepare(request, mutated, old, now)
  const allocation = context.services.allocate(resource, prepared, { old, dryRun: request.dryRun })
  const complete = keepTimestamps(old, allocation?.object ?? prepared)
  try {
    const others = rulesFor(strategy, subresource)?.(complete, old) ?? []
    const found = metadataErrors(resource, subresource, complete.metadata, old.metadata, others)
    const errors = context.guards.errors({ ...review, object: complete }, found)
    if (errors.length > 0) throw invalid(refusedKind(strategy, complete), complete.metadata.name ?? name, errors)
    if (slice !== undefined) await slice.next()
    await context.admission.validate({ ...review, object: complete })
    const stored = conversion?.toStored(complete) ?? complete
    // A custom resource that is not stored as its CRD wants it now is written anew by an update that changes nothing.
    if (served.custom === true ? jsonEqual(stored, record.object) : jsonEqual(complete, old)) {
      allocation?.release()
      await assertDurable(context.store, record)
      return outcomeOf(resource, record)
    }
    if (slice !== undefined) await slice.next()
    const gone =
      complete.metadata.deletionTimestamp !== undefined &&
      (complete.metadata.finalizers ?? []).length === 0 &&
      finalized(complete, resource.bucket)
    const write = {
      bucket: resource.bucket,
      key: keyOf(resource, namespace, name),
      object: stored,
      expect: { revision: record.revision },
    }
    const written = await context.quotaAdmission.commit(
      { ...review, object: complete },
      gone ? { type: 'delete', ...write } : { type: 'put', ...write },
    )
    const warnings = subresource === 'status' ? [] : (strategy.warnings?.(complete, old) ?? [])
    return written === undefined
      ? { object: conversion?.fromStored(stored) ?? complete, warnings }
      : outcomeOf(resource, written, { warnings })
  } catch (error) {
    allocation?.release()
    throw error
  }
}

/** Returns the sent object after admission, with the metadata that it will have then. */
async function admitted(
  context: UpdateContext,
  request: ObjectRequest,
  sent: KubeObject,
  old: KubeObject,
  now: string,
): Promise<KubeObject> {
  const started = withMetadata(sent, metadataForUpdate(sent.metadata, old.metadata))
  const { managedFields } = withManagers(request, old, started, sent.metadata.managedFields, now).metadata
  if (request.slice !== undefined) await request.slice.next()
  const { managedFields: _sent, ...metadata } = sent.metadata
  const within = request.resource.served.namespaced ? { namespace: request.namespace } : {}
  const shown = withMetadata(
    sent,
    ordered({ ...metadata, ...within, ...(managedFields === undefined ? {} : { managedFields }) }),
  )
  const mutated = await context.admission.mutate({ ...request, operation: 'UPDATE', oldObject: old, object: shown })
  assertWithin(request, mutated)
  const { name, resourceVersion } = mutated.metadata
  if (resourceVersion !== shown.metadata.resourceVersion && resourceVersion !== old.metadata.resourceVersion)
    throw conflict(request.resource.id, request.name)
  const renamed = name === undefined || name === old.metadata.name ? {} : { name }
  return withMetadata(mutated, { ...metadataForUpdate(mutated.metadata, old.metadata), ...renamed })
}

function prepare({ resource, subresource }: ObjectRequest, sent: KubeObject, old: KubeObject, now: string): KubeObject {
  const { strategy, bucket } = resource
  if (subresource === '') return strategy.prepareForUpdate?.(sent, old, { now }) ?? sent
  if (subresource === 'status')
    return KEPT[strategy.statusKeeps ?? 'nothing'](
      (strategy.prepareForStatusUpdate ?? statusOnly)(sent, old, { now }),
      old,
    )
  return subresourceMerges[`${bucket}/${subresource}`]?.(sent, old, { now }) ?? sent
}

function rulesFor(strategy: Strategy, subresource: string): Strategy['validateUpdate'] {
  if (subresource === '') return strategy.validateUpdate ?? strategy.validate
  if (subresource === 'status') return strategy.validateStatusUpdate
  return strategy.validateSubresource?.[subresource] ?? strategy.validate
}

/** A deleted object without finalizers goes, unless it still has time (pods), or is a namespace with contents. */
function finalized(object: KubeObject, bucket: string): boolean {
  if (bucket !== 'namespaces') return (object.metadata.deletionGracePeriodSeconds ?? 0) === 0
  return listOf(specOf<Namespace>(object).finalizers).length === 0
}

/** The metadata that an update of the status keeps; managed fields change in any case. */
const KEPT: Readonly<Record<'nothing' | 'labels' | 'metadata', (object: KubeObject, old: KubeObject) => KubeObject>> = {
  nothing: (object) => object,
  labels: (object, { metadata: { labels } }) => {
    const { labels: _sent, ...metadata } = object.metadata
    return withMetadata(object, labels === undefined ? metadata : { ...metadata, labels })
  },
  metadata: (object, old) => withMetadata(object, withManagersOf(old, object).metadata),
}

/** Where a kind says nothing else, only `status` is taken from an update of the status. */
const statusOnly = (object: KubeObject, old: KubeObject): KubeObject => ({
  ...old,
  metadata: object.metadata,
  status: object['status'],
})

/** Throws 400 for another name or namespace than that of the URL, by which the request was authorized. */
export function assertAddressed(request: ObjectRequest, object: KubeObject): void {
  const { name } = request
  const { name: sent = '' } = object.metadata
  assertWithin(request, object)
  if (sent === '')
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`)
  if (sent !== name) throw badRequest(`the name of the object (${sent}) does not match the name on the URL (${name})`)
}

function checkIdentity(request: ObjectRequest, sent: KubeObject, old: KubeObject, options: UpdateOptions): void {
  const { resource, name } = request
  assertAddressed(request, sent)
  // A patch that changes the uid is refused as a change; only a whole object names it to say which one it means.
  if (options.wholeObject) checkUid(request, sent, old.metadata.uid ?? '')
  const based = versionOf(sent)
  if (based === 0n && options.wholeObject && resource.strategy.allowUnconditionalUpdate === false)
    throw invalid({ group: resource.served.group, kind: resource.served.resource }, name, [
      invalidField('metadata.resourceVersion', 0, 'must be specified for an update'),
    ])
  if (based !== 0n && String(based) !== old.metadata.resourceVersion) throw conflict(resource.id, name)
}

/** Throws 409, in the words of a real server's store. */
function checkUid(request: ObjectRequest, { metadata }: KubeObject, uid: string): void {
  const { uid: sent = '' } = metadata
  if (sent === '' || sent === uid) return
  throw conflict(
    request.resource.id,
    request.name,
    `StorageError: invalid object, Code: 4, Key: ${storageKey(request)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${sent}, UID in object meta: ${uid}`,
  )
}

/** The object of an update that creates it: what version it was based on does not matter then, if it is one. Throws 500. */
export function unversioned(object: KubeObject): KubeObject {
  versionOf(object)
  const { resourceVersion: _version, ...metadata } = object.metadata
  return withMetadata(object, metadata)
}

/** The version that an object is based on; 0 for none. For an invalid number it throws the error of a real server. */
function versionOf({ metadata: { resourceVersion = '' } }: KubeObject): bigint {
  if (resourceVersion === '') return 0n
  if (/^\d+$/.test(resourceVersion)) return BigInt(resourceVersion)
  throw unclassified(`strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`)
}
