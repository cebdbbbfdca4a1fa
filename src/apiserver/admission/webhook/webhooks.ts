import { JsonTextError, parseJson } from '../../../machinery/json-text.ts'
import { jsonEqual } from '../../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { jsonPatch } from '../../../schema/patch/json-patch.ts'
import { PatchMiss } from '../../../schema/patch/error.ts'
import { ApiError, badRequest, forbidden, internalError } from '../../../machinery/status.ts'
import { TimeSlice } from '../../../runtime/tasks/time-slice.ts'
import type { StoredObjects } from '../../storing/stored-objects.ts'
import { bodyKind, kindProblem } from '../../decoding/body-kind.ts'
import { decodedObject } from '../../decoding/read-object.ts'
import { UnreadableBody } from '../../decoding/unreadable-body.ts'
import { objectOf } from '../../../machinery/read.ts'
import type { Registry, Resource } from '../../resource/registry.ts'
import { nameOf, type Review, type WriteReview } from '../../storing/review.ts'
import { ConfiguredHooks, type HookBucket, MUTATING, VALIDATING } from './configured-hooks.ts'
import { type Hook, isTakenBy } from './hook.ts'
import type { HookClient } from './hook-client.ts'
import { HookObstacles } from './hook-obstacle.ts'
import { denial, type HookAnswer, HookAnswerError, kindOf, readAnswer, reviewOf } from './hook-review.ts'
import type { MatchConditions } from './match-conditions.ts'

/** Webhooks are never asked about webhooks, lest one that is broken cannot be mended. */
const EXEMPT: ReadonlySet<string> = new Set([MUTATING, VALIDATING])

export interface WebhooksOptions {
  readonly store: StoredObjects
  readonly registry: Registry
  readonly client: HookClient
  readonly conditions: MatchConditions
  /** Called for webhooks that failed and have the failure policy `Ignore`. */
  readonly onIgnored: (hook: string, error: unknown) => void
}

/** The object after all mutating webhooks, and the webhooks that want to see it again when it changes. */
export interface Mutation {
  readonly object: KubeObject
  /** Runs the webhooks with reinvocationPolicy IfNeeded once more, each only if the object changed since it saw it. */
  readonly reinvoke: (object: KubeObject) => Promise<KubeObject>
}

/** Dynamic admission: asks the webhooks of the stored configurations. */
export class Webhooks {
  readonly #options: WebhooksOptions
  readonly #configured: ConfiguredHooks
  readonly #slice = new TimeSlice()
  /** The webhooks that block writes, for callers that wait for one. */
  readonly obstacles = new HookObstacles()

  constructor(options: WebhooksOptions) {
    this.#options = options
    this.#configured = new ConfiguredHooks(options.store)
  }

  /** Are there webhooks at all? */
  get any(): boolean {
    return this.#configured.any
  }

  /** Follows the stored configurations no more. */
  stop(): void {
    this.#configured.stop()
  }

  /** Asks the mutating webhooks about a deletion too, of which they can change nothing. */
  async mutateDeletion(review: Review): Promise<void> {
    for (const { hook, as } of this.#matching(MUTATING, review)) await this.#patchOf(hook, as, review)
  }

  /** Asks the mutating webhooks one after another, by the names of their configurations. */
  async mutate(review: WriteReview): Promise<Mutation> {
    let { object } = review
    const seen: { readonly hook: Hook; readonly as: Resource; object: KubeObject }[] = []
    for (const { hook, as } of this.#matching(MUTATING, review)) {
      object = await this.#mutateWith(hook, as, { ...review, object })
      if (hook.reinvoke) seen.push({ hook, as, object })
    }
    return {
      object,
      reinvoke: async (changed) => {
        let again = changed
        for (const entry of seen) {
          if (jsonEqual(entry.object, again)) continue
          again = await this.#mutateWith(entry.hook, entry.as, { ...review, object: again })
        }
        return again
      },
    }
  }

  /** Asks the validating webhooks at the same time; the first refusal in their order is reported. */
  async validate(review: Review): Promise<void> {
    const calls = this.#matching(VALIDATING, review).map(({ hook, as }) => this.#ask(hook, as, review, false))
    const results = await Promise.allSettled(calls)
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  async #mutateWith(hook: Hook, as: Resource, review: WriteReview): Promise<KubeObject> {
    const patch = await this.#patchOf(hook, as, review)
    if (patch === undefined) return review.object
    const shown = shownAs(review, as, review.object)
    return taken(this.#options.registry, review, as, applied(patch, shown))
  }

  /** The operations of the patch that a webhook answered with; undefined when it asks for no change. */
  async #patchOf(hook: Hook, as: Resource, review: Review): Promise<unknown> {
    const patch = (await this.#ask(hook, as, review, true))?.patch
    if (patch === undefined) return undefined
    const operations = parsedPatch(patch.text)
    if (Array.isArray(operations) && operations.length === 0) return undefined
    if (review.object === undefined)
      throw internalError(
        `admission webhook ${JSON.stringify(hook.name)} attempted to modify the object, which is not supported for this operation`,
      )
    if (patch.type === 'JSONPatch') return operations
    this.#fail(hook, new Error(`unsupported patch type ${JSON.stringify(patch.type)}`), true)
    return undefined
  }

  /** Undefined when the webhook is not to be asked, or failed and that is to be ignored. Throws its refusal. */
  async #ask(hook: Hook, as: Resource, review: Review, mutating: boolean): Promise<HookAnswer | undefined> {
    // Many webhooks with dear conditions must not keep everybody else waiting.
    for (let turn = this.#slice.next(); turn !== undefined; turn = this.#slice.next()) await turn
    const { object, oldObject, admissionView, resource, deadline } = review
    // Nobody waits for the answer any more.
    deadline?.demand()
    const asked = reviewOf(review, as, hook.reviewVersion ?? 'v1', {
      kind: admissionView?.kind ?? kindOf(as),
      subresource: admissionView?.subresource ?? review.subresource,
      object: object === undefined ? undefined : shownAs(review, as, object),
      oldObject: oldObject === undefined ? undefined : shownAs(review, as, oldObject),
    })
    const holds = this.#options.conditions.hold(hook, asked, review.caller)
    if (typeof holds !== 'boolean') {
      if (hook.failurePolicy === 'Ignore') return undefined
      throw forbidden(resource.id, nameOf(review), holds.message)
    }
    if (!holds) return undefined
    if (review.dryRun && !hook.supportsDryRun)
      throw badRequest(`admission webhook ${JSON.stringify(hook.name)} does not support dry run`)
    let answer: HookAnswer
    const answered = this.obstacles.asked(hook, mutating)
    try {
      answer = readAnswer(await this.#options.client.call(hook, asked, deadline), asked, mutating)
    } catch (error) {
      // Whatever the policy: it is the request whose time is over, not the webhook that failed.
      deadline?.demand()
      const message = error instanceof Error ? error.message : String(error)
      const where = error instanceof HookAnswerError ? 'received invalid webhook response' : 'failed to call webhook'
      return this.#fail(hook, new Error(`${where}: ${message}`), mutating)
    } finally {
      answered()
    }
    for (const warning of answer.warnings) review.warn?.(warning)
    if (!answer.allowed) throw this.obstacles.refused(hook, mutating, denial(hook, answer))
    return answer
  }

  /** Throws, unless the webhook's failures are to be ignored. */
  #fail(hook: Hook, error: Error, mutating: boolean): undefined {
    if (hook.failurePolicy === 'Fail') {
      const refusal = internalError(`failed calling webhook ${JSON.stringify(hook.name)}: ${error.message}`)
      throw this.obstacles.refused(hook, mutating, refusal)
    }
    this.#options.onIgnored(hook.name, error)
    return undefined
  }

  #matching(bucket: HookBucket, review: Review): readonly { readonly hook: Hook; readonly as: Resource }[] {
    if (EXEMPT.has(review.resource.bucket)) return []
    const found: { hook: Hook; as: Resource }[] = []
    for (const hook of this.#configured.of(bucket)) {
      const as = this.#versionFor(hook, review)
      if (as !== undefined && this.#isSelected(hook, review)) found.push({ hook, as })
    }
    return found
  }

  /** The version of the resource that a rule of the webhook names: the request's own, or an equivalent one. */
  #versionFor(hook: Hook, review: Review): Resource | undefined {
    const { resource, operation, admissionView } = review
    const subresource = admissionView?.subresource ?? review.subresource
    const takes = ({ served }: Resource): boolean =>
      hook.rules.some((rule) => isTakenBy(rule, { ...served, operation, subresource }))
    if (takes(resource)) return resource
    if (hook.matchPolicy === 'Exact') return undefined
    return this.#options.registry.inBucket(resource.bucket).find((other) => other !== resource && takes(other))
  }

  #isSelected(hook: Hook, { resource, namespace, name, object, oldObject, admissionView }: Review): boolean {
    // Webhooks see a Scale or a Binding without labels.
    const labels = [object, oldObject]
      .filter((one) => one !== undefined)
      .map(({ metadata }) => (admissionView === undefined ? metadata.labels : undefined))
    if (!labels.some((one) => hook.matchesObject(one))) return false
    if (resource.bucket === 'namespaces') return hook.matchesNamespace((object ?? oldObject)?.metadata.labels)
    const within = resource.served.namespaced ? namespace : ''
    if (within === '') return true
    return hook.matchesNamespace(this.#options.store.latest('namespaces', within || name)?.object.metadata.labels)
  }
}

/** An object as a webhook sees it whose rule names another version of the resource, or in its admissionView. */
const shownAs = ({ resource, admissionView }: Review, as: Resource, object: KubeObject): JsonObject =>
  admissionView === undefined ? inVersion(resource, as, object) : admissionView.show(object)

/** The object of the request with the changes that a webhook made to the object that it was shown. Throws 500 where the result is not an object. */
function taken(
  registry: Registry,
  { resource, admissionView, object }: WriteReview,
  as: Resource,
  patched: unknown,
): KubeObject {
  if (admissionView !== undefined) return admissionView.take(objectOf(patched), object)
  try {
    const problem = kindProblem(registry, as, bodyKind(patched))
    if (problem !== undefined) throw new UnreadableBody(problem)
    return inVersion(as, resource, decodedObject(as, patched, [], 'Ignore').object)
  } catch (error) {
    throw error instanceof Error ? internalError(error.message) : error
  }
}

function parsedPatch(text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw error instanceof JsonTextError ? internalError(error.message) : error
  }
}

function applied(patch: unknown, object: JsonObject): unknown {
  try {
    return jsonPatch(object, patch)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw internalError(error instanceof PatchMiss ? error.why : error.message)
  }
}

/** An object of one version of a resource as another version shows it. */
function inVersion(from: Resource, to: Resource, object: KubeObject): KubeObject {
  if (from === to) return object
  const { conversion } = from
  const stored = (conversion?.asStored ?? conversion?.toStored)?.(object) ?? object
  return to.conversion?.fromStored(stored) ?? { ...stored, apiVersion: to.apiVersion, kind: to.served.kind }
}
