import type { Scale } from '../../../builtin/autoscaling-v1.ts'
import { objectOf } from '../../../machinery/read.ts'
import { applyPatch } from '../../../schema/apply/patch.ts'
import { conflictError } from '../../../schema/apply/manager/conflict-error.ts'
import { fieldSet } from '../../../schema/apply/field/field-set.ts'
import {
  managersOfScale,
  managersOfScaled,
  SCALE_VERSION,
  type ScaledObject,
} from '../../../schema/apply/manager/scale-managers.ts'
import { trackUpdate } from '../../../schema/apply/track-update.ts'
import { invalid as invalidField } from '../../../machinery/field-error.ts'
import { isObject, type JsonObject, type KubeObject } from '../../../machinery/object.ts'
import { type GroupResource, internalError, invalid, methodNotAllowed, notFound } from '../../../machinery/status.ts'
import type { Exchange } from '../../../runtime/http/exchange.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import type { ScaleRules } from '../../../kinds/strategy/strategy.ts'
import { negotiate, parseMediaType, type Rendering } from '../../../runtime/http/media-type.ts'
import type { ObjectOperations } from '../../operation/object-operations.ts'
import type { BodyDecoders } from '../../decoding/body-decoders.ts'
import type { StoredObjects } from '../../storing/stored-objects.ts'
import { keyOf, outcomeOf } from '../../storing/outcome.ts'
import type { AdmissionView, ObjectRequest } from '../../storing/object-request.ts'
import { flag } from '../../storing/list-options.ts'
import { withMetadata } from '../../resource/metadata.ts'
import { assertAddressed } from '../../operation/update.ts'
import type { Registry, Resource } from '../../resource/registry.ts'
import { answerInProtobuf } from '../../protobuf/answer.ts'
import type { MessageSet } from '../../protobuf/message-set.ts'
import { scaleColumns } from '../../table/scaling-columns.ts'
import { answerObject, warnings } from '../answer/answer.ts'
import { mergedObject, readApplied, refuseDuplicates } from '../../decoding/applied-body.ts'
import { sliceFor } from '../../../runtime/tasks/time-slice.ts'
import { APPLY, patchedObject, patchForm, readPatch } from '../../decoding/patch-body.ts'
import { type ReadValue, readText, readValue, toObject } from '../../decoding/read-object.ts'
import { patchOptions, type WriteOptions, writeOptions } from '../request/write-options.ts'

const SCALE = 'Scale'

/** The serverContext of reads of Scales. */
export interface ScaleReading {
  readonly store: Pick<StoredObjects, 'get'>
  readonly registry: Registry
  readonly protobuf: MessageSet
  readonly now: () => number
}

/** The serverContext of changes of Scales. */
export interface ScaleContext {
  readonly operations: Pick<ObjectOperations, 'update'>
  readonly registry: Registry
  readonly decoders: BodyDecoders
  readonly protobuf: MessageSet
  readonly now: () => number
}

/** A Scale as it should be, and its field owners then. */
interface Scaled {
  readonly scale: KubeObject
  readonly managedFields: readonly JsonObject[]
}

interface ScaleChange {
  readonly options: WriteOptions
  readonly wholeObject: boolean
  readonly make: (old: KubeObject) => Scaled | Promise<Scaled>
}

/** The facts that a change of a Scale depends on. */
interface Scaling extends ScaleContext {
  readonly exchange: Exchange
  readonly request: ObjectRequest
  /** Of Scales: their type, and whose they are. */
  readonly resource: Resource
}

/** Upstream's name for a missing Scale, where it is not the resource's name. */
const MISSING: Readonly<Record<string, GroupResource>> = {
  'deployments.apps': { group: 'apps', resource: 'deployments/scale' },
  'replicasets.apps': { group: 'apps', resource: 'replicasets/scale' },
  replicationcontrollers: { group: 'autoscaling', resource: 'replicationcontrollers/scale' },
}

/** Answers a read with the `autoscaling/v1 Scale` of an object. */
export function readScale(context: ScaleReading, exchange: Exchange, request: ObjectRequest): void {
  const { store, registry, now } = context
  const { resource, namespace, name } = request
  const rules = rulesOf(resource)
  const rendering = scaleRendering(context, exchange)
  const record = store.get(resource.bucket, keyOf(resource, namespace, name))
  if (record === undefined) throw notFound(MISSING[resource.bucket] ?? resource.id, name)
  const { object } = outcomeOf(resource, record)
  const problem = rules.unreadable?.(object)
  if (problem !== undefined) throw internalError(problem)
  answerObject(exchange, 200, scaleResource(registry, resource), { object: scaleOf(rules, object) }, rendering, now())
}

/** Scales are of a built-in kind, whatever they are of. Throws 406. */
function scaleRendering({ protobuf }: Pick<ScaleReading, 'protobuf'>, exchange: Exchange): Rendering {
  answerInProtobuf(protobuf, exchange)
  return negotiate(exchange.headers.accept)
}

/** PUT of the Scale of an object. */
export const replaceScale = (context: ScaleContext, exchange: Exchange, request: ObjectRequest): Promise<void> =>
  changeScale(context, exchange, request, replaced)

/** PATCH of the Scale of an object, in one of the classic forms or as server-side apply. */
export const patchScale = (context: ScaleContext, exchange: Exchange, request: ObjectRequest): Promise<void> =>
  changeScale(context, exchange, request, patched)

function rulesOf({ strategy }: Resource): ScaleRules {
  if (strategy.scale === undefined) throw methodNotAllowed()
  return strategy.scale
}

async function changeScale(
  context: ScaleContext,
  exchange: Exchange,
  request: ObjectRequest,
  changeOf: (scaling: Scaling) => Promise<ScaleChange>,
): Promise<void> {
  const { resource } = request
  const rules = rulesOf(resource)
  const { operations, registry, now } = context
  const rendering = scaleRendering(context, exchange)
  const scaling = { ...context, exchange, request, resource: scaleResource(registry, resource) }
  const { options, wholeObject, make } = await changeOf(scaling)
  const admissionView: AdmissionView = {
    subresource: 'scale',
    kind: { group: 'autoscaling', version: 'v1', kind: SCALE },
    show: (object) => scaleOf(rules, object),
    take: (scale, object) => scaled(rules, object, scale),
  }
  const { collected, warn } = warnings(exchange)
  const paths = replicasPaths(registry, resource)
  const outcome = await operations.update(
    { ...request, subresource: '', dryRun: options.dryRun, options: options.options, admissionView, warn },
    async (current) => {
      const entries = current.metadata.managedFields ?? []
      const old = scaleOf(rules, current)
      const { scale, managedFields } = await make(
        withMetadata(old, { ...old.metadata, managedFields: managersOfScale(entries, paths) }),
      )
      assertAddressed(request, scale)
      const next = scaled(rules, current, scale)
      return withMetadata(next, {
        ...next.metadata,
        managedFields: managersOfScaled(entries, managedFields, paths),
      })
    },
    { wholeObject },
  )
  const answered = { object: scaleOf(rules, outcome.object), warnings: collected }
  answerObject(exchange, 200, scaling.resource, answered, rendering, now())
}

async function replaced(scaling: Scaling): Promise<ScaleChange> {
  const { decoders, exchange, request, resource } = scaling
  const options = writeOptions(exchange, 'UpdateOptions')
  const { value, duplicates } = await readValue(decoders, exchange, options.validation, SCALE)
  const { object } = toObject(resource, value, duplicates, options.validation)
  assertAddressed(request, object)
  return { options, wholeObject: true, make: (old) => tracked(scaling, options, old, object) }
}

async function patched(scaling: Scaling): Promise<ScaleChange> {
  const { registry, exchange, request, resource } = scaling
  const { type } = parseMediaType(exchange.headers['content-type'] ?? '')
  if (type === APPLY) return await applied(scaling)
  const form = patchForm(type, request.resource.type === undefined ? request.resource : resource)
  const text = await readText(exchange)
  const options = patchOptions(exchange, false)
  // A missing object is reported before a broken patch.
  let patch: ReadValue | undefined
  return {
    options,
    wholeObject: false,
    make: async (old) => {
      patch ??= await readPatch(
        form,
        text,
        options.validation,
        SCALE,
        sliceFor(text.length, () => exchange.turn()),
      )
      const { managedFields: _owners, ...metadata } = old.metadata
      const original = withMetadata(old, metadata)
      const { object } = patchedObject(registry, resource, form, original, patch, options.validation)
      return tracked(scaling, options, old, object)
    },
  }
}

async function applied({ decoders, now, exchange, resource }: Scaling): Promise<ScaleChange> {
  const text = await readText(exchange)
  const options = patchOptions(exchange, true)
  const task = { text, withDuplicates: options.validation !== 'Ignore' }
  const { applied: body, duplicates } = await readApplied(decoders, task, SCALE, exchange)
  return {
    options,
    wholeObject: false,
    make: (live) => {
      const result = applyPatch({
        ...trackingOf(now, resource),
        live,
        applied: body,
        manager: options.manager,
        force: flag(exchange.query, 'force'),
        kind: SCALE,
      })
      if ('conflicts' in result) throw conflictError(result.conflicts)
      if (options.validation === 'Strict') refuseDuplicates(duplicates)
      return { scale: mergedObject(resource, body, result.object), managedFields: result.managedFields }
    },
  }
}

function tracked({ now, resource }: Scaling, { manager }: WriteOptions, live: KubeObject, updated: KubeObject): Scaled {
  return { scale: updated, managedFields: trackUpdate({ ...trackingOf(now, resource), live, updated, manager }) }
}

const trackingOf = (
  now: () => number,
  { merging }: Resource,
): {
  readonly type: Resource['merging']
  readonly apiVersion: string
  readonly subresource: string
  readonly time: string
} => ({
  type: merging,
  apiVersion: SCALE_VERSION,
  subresource: 'scale',
  time: timestamp(now()),
})

/** Scales as a resource, as far as their bodies are concerned. */
function scaleResource({ schemas }: Registry, { served, id, columns }: Resource): Resource {
  const type = schemas.type('io.k8s.api.autoscaling.v1.Scale')
  return {
    served: { ...served, group: 'autoscaling', version: 'v1', kind: SCALE, custom: false },
    id,
    apiVersion: SCALE_VERSION,
    bucket: '',
    strategy: {},
    columns: served.custom === true ? columns : scaleColumns,
    type,
    decoding: type,
    merging: type,
    versions: () => new Set([SCALE_VERSION]),
  }
}

/** Where each served version of a resource has its replicas. */
function replicasPaths(registry: Registry, { apiVersion, bucket }: Resource): ScaledObject {
  const versions = registry.inBucket(bucket)
  return {
    apiVersion,
    paths: new Map(
      versions.map((one) => {
        const { scale } = one.strategy
        return [one.apiVersion, scale === undefined ? undefined : fieldSet(scale.replicasPath)]
      }),
    ),
  }
}

/** The object with the replicas of a Scale, based on the same version and uid as that. Throws 422. */
function scaled(rules: ScaleRules, current: KubeObject, scale: JsonObject): KubeObject {
  const replicas = replicasIn(scale)
  if (replicas < 0 && rules.isValidated !== true)
    throw invalid({ group: 'autoscaling', kind: SCALE }, current.metadata.name ?? '', [
      invalidField('spec.replicas', replicas, 'must be greater than or equal to 0'),
    ])
  const next = rules.withReplicas(current, replicas)
  const { resourceVersion, uid } = isObject(scale['metadata']) ? scale['metadata'] : {}
  return withMetadata(next, {
    ...next.metadata,
    ...(typeof resourceVersion === 'string' && resourceVersion !== '' ? { resourceVersion } : {}),
    ...(typeof uid === 'string' && uid !== '' ? { uid } : {}),
  })
}

const replicasIn = ({ spec }: Partial<Scale>): number => {
  const { replicas } = objectOf(spec)
  return typeof replicas === 'number' ? replicas : 0
}

function scaleOf(rules: ScaleRules, object: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata
  const selector = rules.selector(object)
  const replicas = rules.specReplicas(object)
  return {
    kind: SCALE,
    apiVersion: SCALE_VERSION,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    // Zero is left out, because an absent number means zero.
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: rules.statusReplicas(object), ...(selector === '' ? {} : { selector }) },
  }
}
