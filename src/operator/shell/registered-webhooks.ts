import { createHash } from 'node:crypto'
import { allowed } from '../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../runtime/admission/request.ts'
import type { AdmissionWebhook } from '../../runtime/admission/server.ts'
import { hooksFor } from '../webhook/asked/offered-hooks.ts'
import type { ExemptLabel, ServerFeatures } from '../webhook/server-features-list.ts'
import type { FollowingHook } from '../webhook/former-hooks.ts'
import { type OperatorHook, webhooksOf } from '../webhook/configuration.ts'

/** A webhook and the handler of its reviews. */
export interface AnsweredHook extends OperatorHook {
  readonly handle: AdmissionWebhook['handle']
  readonly withoutConditions?: readonly (NonNullable<OperatorHook['withoutConditions']>[number] & {
    readonly handle?: AdmissionWebhook['handle']
  })[]
}

/** The webhooks of a configuration that answer probes with its hash. */
export interface ProbeHooks {
  readonly hooks: (hash: string) => readonly AnsweredHook[]
  /** Returns the webhook that answers at a path of theirs, of whatever hash. */
  readonly at: (path: string) => AdmissionWebhook | undefined
  /** Reports whether a request is a probe. Probes are never stored. */
  readonly isProbe: (request: AdmissionRequest) => boolean
}

/** The rules of so many hashes are remembered: API servers go by one of the last, and rules may change many times a second. */
const MOST_REMEMBERED = 1000

/** The rules as the server can have them. */
interface Rendered {
  readonly hooks: readonly AnsweredHook[]
  readonly byPath: ReadonlyMap<string, AnsweredHook>
  readonly hash: string
}

/**
 * The webhooks of all systems, as they are now. Each system adds, changes and removes its webhooks while it runs. The
 * leader writes each change to the API server and proves that the server uses it.
 */
export class WebhookRules {
  readonly #probes: ProbeHooks | undefined
  readonly #hooks = new Map<string, AnsweredHook>()
  readonly #answered = new Map<string, AdmissionWebhook>()
  readonly #following: FollowingHook[] = []
  readonly #handlers = new Set<() => void>()
  readonly #liveHandlers = new Set<(version: number) => void>()
  readonly #outageHandlers = new Set<() => void>()
  /** The newest version of the rules with each hash, the oldest first. */
  readonly #versions = new Map<string, number>()
  #version = 0
  #features: ServerFeatures = { matchConditions: false, labelsNamespaces: false }
  #exemptLabel: ExemptLabel | undefined
  #rendered: Rendered | undefined
  #liveHash = ''
  #outage: string | undefined

  constructor(probes?: ProbeHooks) {
    this.#probes = probes
  }

  /** Adds a webhook, or changes the one of its phase and name. */
  set(...hooks: readonly AnsweredHook[]): void {
    for (const hook of hooks) this.#hooks.set(keyOf(hook), hook)
    this.#changed()
  }

  /** Removes the webhook of this phase and name, if there is one. */
  remove(hook: Pick<OperatorHook, 'phase' | 'name'>): void {
    if (this.#hooks.delete(keyOf(hook))) this.#changed()
  }

  /** Adds a webhook whose rules follow quotas. A replica that starts does not know all these rules at once. */
  follows(hook: FollowingHook): void {
    this.#following.push(hook)
  }

  /** The webhooks whose rules follow quotas. */
  get following(): readonly FollowingHook[] {
    return this.#following
  }

  /**
   * Answers at the path of a webhook and below it, even if no rule leads there. An API server may still use rules of
   * this process or of an earlier one, until the leader has changed them.
   */
  answerAlways(webhook: AdmissionWebhook): void {
    this.#answered.set(webhook.path, webhook)
  }

  /**
   * Says what the server offers: without `matchConditions`, for example, other webhooks take their place. `exemptLabel`: the label that exempt
   * namespaces have by now where the server does not label namespaces with their names.
   */
  serverOffers(features: ServerFeatures, exemptLabel?: ExemptLabel): void {
    this.#features = features
    this.#exemptLabel = exemptLabel
    this.#changed()
  }

  /** The webhooks as the server can have them, with those that answer probes. */
  get hooks(): readonly AnsweredHook[] {
    return this.#current().hooks
  }

  /** The webhook that answers at a path, if there is one. */
  at(path: string): AdmissionWebhook | undefined {
    const own = this.#current().byPath.get(path) ?? this.#answeredAt(path)
    if (this.#probes === undefined) return own
    return own === undefined ? this.#probes.at(path) : allowing(this.#probes, own)
  }

  #answeredAt(path: string): AdmissionWebhook | undefined {
    return this.#answered.values().find((one) => path === one.path || path.startsWith(`${one.path}/`))
  }

  /** Identifies the current rules. The address of the webhooks and the trusted certificate are not part of the hash. */
  get hash(): string {
    return this.#current().hash
  }

  /** Counts the changes of the rules. */
  get version(): number {
    return this.#version
  }

  /** Whether the API server is proven to use the current rules. */
  get isLive(): boolean {
    return this.#liveHash === this.hash
  }

  /**
   * A probe has shown that the API server goes by the rules of this hash, as they are now or were a while ago. Rules that this process
   * never had prove nothing.
   */
  proveLive(hash: string): void {
    if (this.#liveHash === hash) return
    this.#liveHash = hash
    const version = hash === this.hash ? this.#version : this.#versions.get(hash)
    if (version !== undefined) for (const handler of this.#liveHandlers) handler(version)
  }

  /** The API server may not go by the rules any more, as when they have another address: they must be proven again. */
  doubt(): void {
    if (this.#liveHash === '') return
    this.#liveHash = ''
    for (const handler of this.#handlers) handler()
  }

  /** Why the API server gets no answers of the webhooks; undefined while it gets them, or nobody knows. */
  get outage(): string | undefined {
    return this.#outage
  }

  /** The API server gets no answers of the webhooks, or gets them again (undefined). The first reason stays: others may differ in a port only. */
  report(outage: string | undefined): void {
    if ((outage === undefined) === (this.#outage === undefined)) return
    this.#outage = outage
    for (const handler of this.#outageHandlers) handler()
  }

  /** Calls a handler when the API server gets no answers of the webhooks, and when it gets them again. Gives what ends it. */
  onOutage(handler: () => void): () => void {
    this.#outageHandlers.add(handler)
    return () => void this.#outageHandlers.delete(handler)
  }

  /** Calls a handler after every change. Gives what ends it. */
  onChange(handler: () => void): () => void {
    this.#handlers.add(handler)
    return () => void this.#handlers.delete(handler)
  }

  /** Calls a handler with the version of the rules whenever other rules are proven to be live. Gives what ends it. */
  onLive(handler: (version: number) => void): () => void {
    this.#liveHandlers.add(handler)
    return () => void this.#liveHandlers.delete(handler)
  }

  #current(): Rendered {
    this.#rendered ??= this.#render()
    return this.#rendered
  }

  #render(): Rendered {
    const ours = hooksFor([...this.#hooks.values()], this.#features, this.#exemptLabel)
    const text = JSON.stringify(webhooksOf(ours))
    const hash = createHash('sha256').update(text).digest('hex').slice(0, 16)
    const hooks = [...ours, ...(this.#probes?.hooks(hash) ?? [])]
    this.#remember(hash)
    return { hooks, byPath: new Map(ours.map((hook) => [hook.path, hook])), hash }
  }

  #remember(hash: string): void {
    this.#versions.delete(hash)
    this.#versions.set(hash, this.#version)
    const [oldest] = this.#versions.keys()
    if (this.#versions.size > MOST_REMEMBERED && oldest !== undefined) this.#versions.delete(oldest)
  }

  #changed(): void {
    this.#version++
    this.#rendered = undefined
    // Rules that come back must be proven again: meanwhile the API server may have gone by others.
    if (this.#liveHash !== '' && this.#liveHash !== this.hash) this.#liveHash = ''
    for (const handler of this.#handlers) handler()
  }
}

/**
 * Lets a webhook allow probes. The webhook of a quota refuses requests until its rules are proven. If it refused
 * probes, too, no rules could be proven.
 */
const allowing = ({ isProbe }: ProbeHooks, { path, handle }: AdmissionWebhook): AdmissionWebhook => ({
  path,
  handle: async (request, signal, withinMs) => (isProbe(request) ? allowed() : await handle(request, signal, withinMs)),
})

/** Says to people that the API server gets no answers, for the reason that `outage` gives. */
export const outageText = (outage: string): string => `the API server does not get answers of the webhooks: ${outage}`

const keyOf = ({ phase, name }: Pick<OperatorHook, 'phase' | 'name'>): string => `${phase}/${name}`
