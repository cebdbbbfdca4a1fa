import type { Exchange } from '../../runtime/exchange.ts'
import { negotiate, parseMediaType } from '../../runtime/media-type.ts'
import { apply as serverSideApply } from '../operation/apply.ts'
import { create } from '../operation/create.ts'
import type { Engine } from '../operation/engine.ts'
import type { Outcome } from '../storing/outcome.ts'
import type { ObjectRequest } from '../storing/object-request.ts'
import { flag } from '../storing/list-options.ts'
import { assertAddressed, update } from '../operation/update.ts'
import type { Resource } from '../resource/registry.ts'
import { answerObject, warnings } from './answer.ts'
import { mergedObject, readApplied, refuseDuplicates } from '../decoding/applied-body.ts'
import { bodyKind, kindProblem } from '../decoding/body-kind.ts'
import { checkCustomVersion } from '../decoding/custom-body.ts'
import { APPLY, patchedObject, patchForm, readPatch } from '../decoding/patch-body.ts'
import { readText, readValue, type ReadValue, toObject, unhandled } from '../decoding/read-object.ts'
import { patchOptions, writeOptions } from './write-options.ts'

/** A body of another kind is refused as such. Throws 400. */
function checkKind({ registry }: Engine, resource: Resource, value: unknown): void {
  const { served, apiVersion } = resource
  const sent = bodyKind(value)
  if (served.custom === true) return checkCustomVersion(resource, sent)
  const problem = kindProblem(registry, resource, sent)
  if (problem === undefined) return
  const version = (sent.apiVersion === '' ? apiVersion : sent.apiVersion).split('/').at(-1) ?? ''
  throw unhandled(sent.kind === '' ? served.kind : sent.kind, version, served.kind, problem)
}

/** POST to a collection. */
export async function handleCreate(engine: Engine, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const rendering = negotiate(exchange.headers.accept)
  const { told, warn } = warnings(exchange)
  const { resource } = request
  const { dryRun, validation, manager, options } = writeOptions(exchange, 'CreateOptions')
  const { value, duplicates } = await readValue(engine, exchange, validation, resource.served.kind)
  checkKind(engine, resource, value)
  const { object, warnings: complaints } = toObject(resource, value, duplicates, validation)
  answer(
    engine,
    exchange,
    resource,
    await create(engine, { ...request, dryRun, manager, warn, options }, object),
    [...complaints, ...told],
    rendering,
  )
}

/** PUT of an object or of one of its subresources. */
export async function handleUpdate(engine: Engine, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const rendering = negotiate(exchange.headers.accept)
  const { told, warn } = warnings(exchange)
  const { resource } = request
  const { dryRun, validation, manager, options } = writeOptions(exchange, 'UpdateOptions')
  const { value, duplicates } = await readValue(engine, exchange, validation, resource.served.kind)
  checkKind(engine, resource, value)
  const { object, warnings: complaints } = toObject(resource, value, duplicates, validation)
  assertAddressed(request, object)
  const outcome = await update(engine, { ...request, dryRun, manager, warn, options }, () => object, {
    wholeObject: true,
    sent: object,
  })
  answer(engine, exchange, resource, outcome, [...complaints, ...told], rendering)
}

/** PATCH of an object or of one of its subresources, in one of the three classic forms. */
export async function handlePatch(engine: Engine, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const rendering = negotiate(exchange.headers.accept)
  const { told, warn } = warnings(exchange)
  const { resource } = request
  const { type } = parseMediaType(exchange.headers['content-type'] ?? '')
  if (type === APPLY) return await handleApply(engine, exchange, request)
  const form = patchForm(type, resource)
  const text = await readText(exchange)
  const { dryRun, validation, manager, options } = patchOptions(exchange, false)
  // A missing object is told before a broken patch.
  let patch: ReadValue | undefined
  let complaints: readonly string[] = []
  const outcome = await update(
    engine,
    { ...request, dryRun, manager, warn, options },
    (current) => {
      patch ??= readPatch(form, text, validation)
      const read = patchedObject(engine.registry, resource, form, current, patch, validation)
      complaints = read.warnings
      return read.object
    },
    { wholeObject: false },
  )
  answer(engine, exchange, resource, outcome, [...complaints, ...told], rendering)
}

/** PATCH with an applied configuration: server-side apply, in YAML or JSON. */
async function handleApply(engine: Engine, exchange: Exchange, request: ObjectRequest): Promise<void> {
  const rendering = negotiate(exchange.headers.accept)
  const { told, warn } = warnings(exchange)
  const { resource } = request
  const text = await readText(exchange)
  const { dryRun, validation, manager, options } = patchOptions(exchange, true)
  const task = { text, withDuplicates: validation !== 'Ignore' }
  const { applied, duplicates } = await readApplied(engine, task, exchange)
  const outcome = await serverSideApply(
    engine,
    { ...request, dryRun, warn, options },
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
  answer(engine, exchange, resource, outcome, [...duplicates, ...told], rendering)
}

function answer(
  engine: Engine,
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
    engine.surroundings.now(),
  )
}

function withWarnings(outcome: Outcome, all: readonly string[]): Outcome {
  if (all.length === 0 || outcome.warnings === all) return outcome
  return { ...outcome, warnings: all }
}
