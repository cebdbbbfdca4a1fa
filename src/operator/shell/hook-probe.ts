import type { KubeObject } from '../../machinery/object.ts'
import { ApiError } from '../../machinery/status.ts'
import { type Clock, pause } from '../../kube/time/clock.ts'
import type { KubeClient, ResourceKind } from '../../kube/client/kube-client.ts'
import { retryTimeout } from '../../kube/transport/transient-error.ts'
import { type AdmissionDecision, allowed, denied, patched } from '../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../runtime/admission/request.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import type { AnsweredHook, ProbeHooks, WebhookRules } from './registered-webhooks.ts'
import { withTicket } from '../webhook/callers/probe-tickets.ts'
import type { HookPhase } from '../cluster/configuration-kinds.ts'

/** On an object that is never stored: asks the webhooks whether they are there. */
export const PROBE_ANNOTATION = 'allot.dev/probe'
/** The label of the same name leads such objects, and only them, to the webhooks that answer probes. */
export const PROBE_LABEL = 'allot.dev/probe'
/** The value of the annotation until the mutating webhook has seen the object. */
const ASKED = 'asked'
/** The text that the mutating webhook leaves on a probe, before its hash. */
const SEEN = 'seen by '
/** The refusal of the validating webhook when the mutating one was called before it. */
const PROOF = 'the webhooks of allot answer'
const PROVEN = /(?:("(?:[^"\\]|\\.)*"): )?the webhooks of allot answer(?: by rules ([0-9a-f]+) and ([0-9a-f]+))?$/
export const PROBE_PATH = '/probe'
/** Kubernetes' words for a webhook that cannot be called, before its URL. */
const CALL_FAILED = 'failed calling webhook'
const ADVICE =
  'API servers must reach this process by --webhook-url or --webhook-service, at the port that is served, and trust its certificate for that name'
const LOOK_AGAIN_MS = 100
/** While the rules are not live for long, something is wrong that takes time. */
const SLOWEST_MS = 5_000
/** It takes servers a second or two; after that people want to know what is wrong, and not all the time. */
const WARN_AFTER_MS = 5_000
const WARN_AGAIN_MS = 30_000
/** So often a leader looks whether the API server still gets answers: networks, names and certificates change without a word. */
const LOOK_STILL_MS = 30_000
const ONCE_MS = 3_000
/** Answers of an API server that has too much to do or is stopping. One that gets no answer of a webhook answers with 500. */
const UNDECIDED: ReadonlySet<number> = new Set([429, 503, 504])

/** An object of a kind that nobody stores: its requests are led to the webhooks that answer probes. */
export interface ProbeSample {
  readonly kind: ResourceKind
  readonly object: KubeObject
}

/**
 * The webhooks that answer probes: the mutating one marks them and the validating one refuses what is marked. Their
 * paths hold the hash of the configured rules. So the answer says which rules the API server uses. It also says by
 * which name the API server knows the client, because the probe of one replica may reach another one. Anybody may send
 * probes.
 */
export function probeHooks({ group, resource }: ResourceKind): ProbeHooks {
  const answer = (phase: HookPhase, hash: string) => async (request: AdmissionRequest) => {
    const mark = probeMark(request)
    return mark === undefined ? allowed() : marked(phase, hash, mark, request.userInfo.username)
  }
  const hook = (phase: HookPhase, hash: string): AnsweredHook => ({
    phase,
    name: `probe.${phase}.allot.dev`,
    path: `${PROBE_PATH}/${phase}/${hash}`,
    rules: [{ groups: [group], resources: [resource], operations: ['CREATE'] }],
    objectSelector: { matchExpressions: [{ key: PROBE_LABEL, operator: 'Exists' }] },
    handle: answer(phase, hash),
  })
  return {
    hooks: (hash) => [hook('mutating', hash), hook('validating', hash)],
    at: (path) => {
      const [, phase, hash = ''] = /^\/probe\/(mutating|validating)\/([0-9a-f]+)$/.exec(path) ?? []
      if (phase !== 'mutating' && phase !== 'validating') return undefined
      // Metrics are kept by path, and hashes come and go.
      return { path: `${PROBE_PATH}/${phase}`, handle: answer(phase, hash) }
    },
    isProbe: (request) =>
      request.resource.group === group && request.resource.resource === resource && probeMark(request) !== undefined,
  }
}

function marked(phase: HookPhase, hash: string, mark: string, username: string): AdmissionDecision {
  if (phase === 'mutating') {
    const path = `/metadata/annotations/${PROBE_ANNOTATION.replace('/', '~1')}`
    return patched([{ op: 'replace', path, value: `${SEEN}${hash}` }])
  }
  if (!mark.startsWith(SEEN)) return denied('only the validating webhook of allot answers')
  return denied(`${JSON.stringify(username)}: ${PROOF} by rules ${mark.slice(SEEN.length)} and ${hash}`)
}

function probeMark({ dryRun, operation, object }: AdmissionRequest): string | undefined {
  return dryRun && operation === 'CREATE' ? object?.metadata.annotations?.[PROBE_ANNOTATION] : undefined
}

export interface ProberOptions {
  readonly client: Pick<KubeClient, 'create'>
  readonly sample: ProbeSample
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly logger: Logger
  /** Called with the name by which the API server knows the operator, whichever replica answered. */
  readonly heard: (username: string) => void
  /** Called when the API server reports that it could not call a webhook, as it does to every client. */
  readonly unanswered: () => void
  /** Makes what shows the webhooks that a probe is of this operator; left out: probes do not show that. */
  readonly ticket?: (() => string) | undefined
}

/** The outcome of a probe. */
interface Answer {
  /** The answer of the API server, where the webhooks did not answer. */
  readonly problem: string
  /** Did the webhooks answer, by whatever rules? */
  readonly isProof: boolean
  /** Was the API server away, or did it ask for another try? */
  readonly isUndecided: boolean
  /** The hash of the rules, where both webhooks answered with the same. */
  readonly hash: string | undefined
}

/** Asks the API server, with objects that are never stored, which webhooks it calls. */
export class HookProber {
  readonly #options: ProberOptions
  readonly #probe: KubeObject

  constructor(options: ProberOptions) {
    const { metadata } = options.sample.object
    this.#options = options
    this.#probe = {
      ...options.sample.object,
      metadata: {
        ...metadata,
        labels: { ...metadata.labels, [PROBE_LABEL]: 'true' },
        annotations: { ...metadata.annotations, [PROBE_ANNOTATION]: ASKED },
      },
    }
  }

  /**
   * Resolves when the API server sends requests to the webhooks and gets answers, by any rules. Servers learn of
   * configurations some time after the write. If it takes long, logs the reason. Returns the hash of the rules if both
   * webhooks answered with the same hash.
   */
  async answered(signal: AbortSignal): Promise<string | undefined> {
    const { clock } = this.#options
    const silence = this.#silence()
    for (;;) {
      const answer = await this.#ask(signal)
      if (answer.isProof) return answer.hash
      silence.heard(answer)
      await clock.sleep(LOOK_AGAIN_MS, signal)
    }
  }

  /**
   * Proves that the API server uses the current rules and gets answers. Repeats this after every change and
   * periodically, until the signal aborts. Logs failures, and reports them to the rules.
   */
  async prove(rules: WebhookRules, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    const silence = this.#silence()
    let wait = LOOK_AGAIN_MS
    const end = rules.onChange(() => (wait = LOOK_AGAIN_MS))
    try {
      while (!signal.aborted) {
        const answer = await this.#ask(signal)
        // Where rules change all the time, the server goes by rules of a moment ago: these are proven meanwhile.
        if (answer.hash !== undefined) rules.proveLive(answer.hash)
        rules.report(silence.heard(answer))
        if (rules.isLive && answer.isProof) {
          wait = LOOK_AGAIN_MS
          await this.#changedOrLater(rules, signal)
        } else {
          await clock.sleep(wait, signal)
          wait = Math.min(2 * wait, SLOWEST_MS)
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      end()
      rules.report(undefined)
    }
  }

  /** Sends one probe, over a connection of its own. Gives false where it got no answer of the webhooks. */
  async once(signal: AbortSignal): Promise<boolean> {
    const within = AbortSignal.any([signal, AbortSignal.timeout(ONCE_MS)])
    return await this.#ask(within, true).then(
      ({ isProof }) => isProof,
      () => false,
    )
  }

  #silence(): Silence {
    const { clock, logger } = this.#options
    return new Silence(clock, (problem) =>
      logger.warn({ problem, advice: ADVICE }, 'the API server does not get answers of the webhooks yet'),
    )
  }

  /** Resolves at the next change of the rules, after some time without one, or when the signal aborts. */
  async #changedOrLater(rules: WebhookRules, signal: AbortSignal): Promise<void> {
    const over = new AbortController()
    const end = rules.onChange(() => over.abort())
    try {
      await pause(this.#options.clock, LOOK_STILL_MS, AbortSignal.any([signal, over.signal]))
    } finally {
      end()
    }
  }

  async #ask(signal: AbortSignal, single = false): Promise<Answer> {
    const { client, sample, heard, unanswered, ticket } = this.#options
    try {
      const probe = ticket === undefined ? this.#probe : withTicket(this.#probe, ticket())
      await client.create(sample.kind, probe, { dryRun: true, signal, ...(single ? { single } : {}) })
      return { problem: 'it does not ask them', isProof: false, isUndecided: false, hash: undefined }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ApiError) && retryTimeout(error) === 0) throw error
      const problem = error instanceof Error ? error.message : String(error)
      const [proof, name, first, second] = PROVEN.exec(problem) ?? []
      if (name !== undefined) heard(String(JSON.parse(name)))
      else if (problem.includes(CALL_FAILED)) unanswered()
      const isUndecided = !(error instanceof ApiError) || UNDECIDED.has(error.status.code)
      return { problem, isProof: proof !== undefined, isUndecided, hash: first === second ? first : undefined }
    }
  }
}

/** The time in which the API server has got no answers of the webhooks. */
class Silence {
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #warn: (problem: string) => void
  #since: number | undefined
  #warnAt = 0

  constructor(clock: Pick<Clock, 'monotonic'>, warn: (problem: string) => void) {
    this.#clock = clock
    this.#warn = warn
  }

  /** Takes what came of a probe, and gives the problem once it has lasted for longer than servers need to learn of a configuration. */
  heard({ problem, isProof, isUndecided }: Answer): string | undefined {
    const now = this.#clock.monotonic()
    if (isProof) {
      this.#since = undefined
      return undefined
    }
    if (this.#since === undefined) {
      this.#since = now
      this.#warnAt = now + WARN_AFTER_MS
    }
    if (now >= this.#warnAt) {
      this.#warn(problem)
      this.#warnAt = now + WARN_AGAIN_MS
    }
    // An API server that is away, or has too much to do, says nothing about the webhooks.
    return !isUndecided && now - this.#since >= WARN_AFTER_MS ? problem : undefined
  }
}
