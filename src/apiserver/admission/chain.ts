import { jsonEqual } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { nameOf, type Review, type WriteReview } from '../storing/review.ts'
import { withSoundManagers } from './sound-managers.ts'
import type { Webhooks } from './webhook/webhooks.ts'

/** One admission plugin. It throws an ApiError to refuse. */
export interface AdmissionPlugin {
  readonly name: string
  /** Gives the object, changed or as it was. */
  readonly mutate?: (review: WriteReview) => KubeObject | Promise<KubeObject>
  readonly validate?: (review: Review) => void | Promise<void>
  /**
   * Asked once more in the turn in which the object is stored, after webhooks and other waits: does what the plugin found
   * still hold? It throws an ApiError to refuse. For plugins that look at other objects.
   */
  readonly holds?: (review: WriteReview) => void
}

type Mutating = AdmissionPlugin & Required<Pick<AdmissionPlugin, 'mutate'>>
type Holding = AdmissionPlugin & Required<Pick<AdmissionPlugin, 'holds'>>
type Validating = AdmissionPlugin & Required<Pick<AdmissionPlugin, 'validate'>>

/**
 * Plugins in their order: all mutations first, those of webhooks behind the built-in ones; then, on the object as it will be
 * stored, all validations. Changes of webhooks go through the built-in plugins once more, and changes of these through the
 * webhooks that ask for it.
 */
export class AdmissionChain {
  readonly #mutating: readonly Mutating[]
  readonly #validating: readonly Validating[]
  readonly #holding: readonly Holding[]
  readonly #webhooks: Webhooks

  constructor(plugins: readonly AdmissionPlugin[], webhooks: Webhooks) {
    this.#mutating = plugins.filter((plugin): plugin is Mutating => plugin.mutate !== undefined)
    this.#validating = plugins.filter((plugin): plugin is Validating => plugin.validate !== undefined)
    this.#holding = plugins.filter((plugin): plugin is Holding => plugin.holds !== undefined)
    this.#webhooks = webhooks
  }

  async mutate(review: WriteReview): Promise<KubeObject> {
    if (review.admitted === true) return review.object
    const object = await this.#builtIn(review)
    if (!this.#asks(review)) return object
    const mutation = await this.#webhooks.mutate({ ...review, object })
    if (jsonEqual(mutation.object, object)) return object
    const changed = await mutation.reinvoke(await this.#builtIn({ ...review, object: mutation.object }))
    return withSoundManagers(review.object, changed, review.warn)
  }

  /** Does what was found when admission was asked still hold now, when the object is about to be stored? */
  recheck(review: WriteReview): void {
    if (review.admitted === true) return
    for (const { holds } of this.#holding) holds(review)
  }

  async #builtIn(review: WriteReview): Promise<KubeObject> {
    let current: WriteReview = { ...review, name: nameOf(review) }
    for (const { mutate } of this.#mutating) {
      const mutated = mutate(current)
      // Most plugins answer at once and change nothing; a turn and a copy for each would cost every write.
      const object = mutated instanceof Promise ? await mutated : mutated
      if (object !== current.object) current = { ...current, object }
    }
    return current.object
  }

  /** Asks about what will be stored, or about a deletion. */
  async validate(review: Review): Promise<void> {
    if (review.admitted === true) return
    if (review.operation === 'DELETE' && this.#asks(review)) await this.#webhooks.mutateDeletion(review)
    for (const { validate } of this.#validating) {
      const validated = validate(review)
      if (validated instanceof Promise) await validated
    }
    if (this.#asks(review)) await this.#webhooks.validate(review)
  }

  #asks(review: Review): boolean {
    return review.unhooked !== true && this.#webhooks.any
  }

  /** Calls webhooks for an object that is created and not stored, such as a Binding. Returns it as they changed it. */
  async reviewUnstored(review: WriteReview): Promise<KubeObject> {
    if (!this.#webhooks.any) return review.object
    const mutation = await this.#webhooks.mutate(review)
    const object = withSoundManagers(review.object, mutation.object, review.warn)
    await this.#webhooks.validate({ ...review, object })
    return object
  }
}
