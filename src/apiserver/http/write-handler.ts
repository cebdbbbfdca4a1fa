import type { KubeObject } from '../../machinery/object.ts'
import type { Exchange } from '../../runtime/http/exchange.ts'
import { sliceFor } from '../../runtime/tasks/time-slice.ts'
import { negotiate, parseMediaType, type Rendering } from '../../runtime/http/media-type.ts'
import type { ObjectOperations } from '../operation/object-operations.ts'
import type { BodyDecoders } from '../decoding/body-decoders.ts'
import type { Outcome } from '../storing/outcome.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import { flag } from '../storing/list-options.ts'
import { assertAddressed } from '../operation/update.ts'
import type { Registry, Resource } from '../resource/registry.ts'
import { answerObject, warnings } from './answer/answer.ts'
import { mergedObject, readApplied, refuseDuplicates } from '../decoding/applied-body.ts'
import { bodyKind, kindProblem } from '../decoding/body-kind.ts'
import { checkCustomVersion } from '../decoding/custom-body.ts'
import { APPLY, patchedObject, patchForm, readPatch } from '../decoding/patch-body.ts'
import { readText, readValue, type ReadValue, toObject, unhandled } from '../decoding/read-object.ts'
import { patchOptions, writeOptions } from './request/write-options.ts'

/** The serverContext of writes. */
export interface WriteContext {
  readonly operations: Pick<ObjectOperations, 'apply' | 'create' | 'update'>
  readonly registry: Registry
  readonly decoders: BodyDecoders
  readonly now: () => number
}

/** A body of another kind is refused as such. Throws 400. */
function checkKind({ registry }: WriteContext, resource: Resource, value: unknown): void {
  const { served, apiVersion } = resource
  const sent = bodyKind(value)
  if (served.custom === true) return checkCustomVersion(resource, sent)
  const problem = kindProblem(registry, resource, sent)
  if (problem === undefined) return
  const version = (sent.apiVersion === '' ? apiVersion : sent.apiVersion).split('/').at(-1) ?? ''
  throw unhandled(sent.kind === '' ? served.kind : sent.kind, version, served.kind, problem)
}

/** POST to a collection. */
export async function handleCreate(context: WriteContext, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const { object, write, warnings, rendering } = await readWrite(context, exchange, request, 'CreateOptions')
  const outcome = await context.operations.create(write, object)
  if (write.slice !== undefined) await write.slice.next()
  answer(context, exchange, request.resource, outcome, warnings(), rendering)
}

/** PUT of an object or of one of its subresources. */
export async function handleUpdate(context: WriteContext, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const { object, write, warnings, rendering } = await readWrite(context, exchange, request, 'UpdateOptions')
  assertAddressed(request, object)
  const outcome = await context.operations.update(write, () => object, { wholeObject: true, sent: object })
  if (write.slice !== undefined) await write.slice.next()
  answer(context, exchange, request.resource, outcome, warnings(), rendering)
}

/** A create or an update, as it was read from the request. */
interface ReadWrite {
  readonly object: KubeObject
  readonly write: ObjectRequest
  /** Returns the warnings about the body and those that admission has added until now. */
  readonly warnings: () => readonly string[]
  readonly rendering: Rendering
}

/** Reads a whole object and the options of its write. Throws 400, 406, 413, 415 and 422 as the body and the options demand. */
async function readWrite(
  context: WriteContext,
  exchange: Exchange,
  request: ObjectRequest,
  kind: 'CreateOptions' | 'UpdateOptions',
): Promise<ReadWrite> {
  const rendering = negotiate(exchange.headers.accept)
  const { collected, warn } = warnings(exchange)
  const { resource } = request
  const { dryRun, validation, manager, options } = writeOptions(exchange, kind)
  const { value, duplicates, slice } = await readValue(context.decoders, exchange, validation, resource.served.kind)
  checkKind(context, resource, value)
  const { object, warnings: complaints } = toObject(resource, value, duplicates, validation)
  if (slice !== undefined) await slice.next()
  return {
    object,
    write: { ...request, slice, dryRun, manager, warn, options },
    warnings: () => [...complaints, ...collected],
    rendering,
  }
}

/** PATCH of an object or of one of its subresources, in one of the three classic forms. */
export async function handlePatch(context: WriteContext, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const rendering = negotiate(exchange.headers.accept)
  const { collected, warn } = warnings(exchange)
  const { resource } = request
  const { type } = parseMediaType(exchange.headers['content-type'] ?? '')
  if (type === APPLY) return await handleApply(context, exchange, request)
  const form = patchForm(type, resource)
  const text = await readText(exchange)
  const { dryRun, validation, manager, options } = patchOptions(exchange, false)
  // A missing object is reported before a broken patch.
  let patch: ReadValue | undefined
  let complaints: readonly string[] = []
  const slice = sliceFor(text.length, () => exchange.turn())
  const outcome = await context.operations.update(
    { ...request, slice, dryRun, manager, warn, options },
    async (current) => {
      patch ??= await readPatch(form, text, validation, resource.served.kind, slice)
      if (slice !== undefined) await slice.next()
      const read = patchedObject(context.registry, resource, form, current, patch, validation)
      complaints = read.warnings
      return read.object
    },
    { wholeObject: false },
  )
  answer(context, exchange, resource, outcome, [...complaints, ...collected], rendering)
}

/** PATCH with an applied configuration: server-side apply, in YAML or JSON. */
async function handleApply(context: WriteContext, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const rendering = negotiate(exchange.headers.accept)
  const { collected, warn } = warnings(exchange)
  const { resource } = request
  const text = await readText(exchange)
  const { dryRun, validation, manager, options } = patchOptions(exchange, true)
  const task = { text, withDuplicates: validation !== 'Ignore' }
  const slice = sliceFor(text.length, () => exchange.turn())
  const { applied, duplicates } = await readApplied(context.decoders, task, resource.served.kind, exchange)
  if (slice !== undefined) await slice.next()
  const outcome = await context.operations.apply(
    { ...request, slice, dryRun, warn, options },
    {
      applied,
      manager,
      force: flag(exchange.query, 'force'),
      toObject: (merged) => {
        if (validation === 'Strict') refuseDuplicates(duplicates)
        return mergedObject(resource, applied, merged)
      },
    },
  )
  answer(context, exchange, resource, outcome, [...duplicates, ...collected], rendering)
}

function answer(
  context: WriteContext,
  exchange: Exchange,
  resource: Resource,
  outcome: Outcome,
  complaints: readonly string[],
  rendering: ReturnType<typeof negotiate>,
): void {
  const all = [...complaints, ...(outcome.warnings ?? [])]
  answerObject(
    exchange,
    outcome.created === true ? 201 : 200,
    resource,
    withWarnings(outcome, all),
    rendering,
    context.now(),
  )
}

function withWarnings(outcome: Outcome, all: readonly string[]): Outcome {
  if (all.length === 0 || outcome.warnings === all) return outcome
  return { ...outcome, warnings: all }
}
