import type { KubeObject } from '../machinery/object.ts'
import { ApiError } from '../machinery/status.ts'
import type { Clock } from '../kube/time/clock.ts'
import type { KubeClient, ResourceKind } from '../kube/client/kube-client.ts'
import { retryTimeout } from '../kube/transport/transient-error.ts'
import { type AdmissionDecision, allowed, denied, patched } from '../runtime/admission/admission-decision.ts'
import type { AdmissionRequest } from '../runtime/admission/admission-request.ts'
import type { Logger } from '../runtime/process/logger.ts'
import type { AnsweredHook, ProbeHooks, WebhookRules } from './shell/registered-webhooks.ts'
import type { HookPhase } from './webhook-configuration.ts'

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
const ADVICE =
  'API servers must reach this process by --webhook-url or --webhook-service, at the port that is served, and trust its certificate for that name'
const LOOK_AGAIN_MS = 100
/** While the rules are not live for long, something is wrong that takes time. */
const SLOWEST_MS = 5_000
/** It takes servers a second or two; after that people want to know what is wrong, and not all the time. */
const WARN_AFTER_MS = 5_000
const WARN_AGAIN_MS = 30_000

/** An object of a kind that nobody stores: its requests are led to the webhooks that answer probes. */
export interface ProbeSample {
  readonly kind: ResourceKind
  readonly object: KubeObject
}

/**
 * The webhooks that answer probes: the mutating one marks them and the validating one refuses what is marked. Their paths hold
 * the hash of the rules that they stand among, so that the answer says which rules the API server goes by. It also says by which
 * name the API server knows the client, because the probe of one replica may reach another one. Anybody may send probes.
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
   * Resolves as soon as the API server sends requests to the webhooks and gets their answers, whatever its rules are: servers
   * learn of configurations some time after they are written. Logs what keeps them from it when it takes long. Gives the hash
   * of the rules, where both webhooks answered with the same.
   */
  async answered(signal: AbortSignal): Promise<string | undefined> {
    const { clock, logger } = this.#options
    let warnAt = clock.monotonic() + WARN_AFTER_MS
    for (;;) {
      const { problem, isProof, hash } = await this.#ask(signal)
      if (isProof) return hash
      if (clock.monotonic() >= warnAt) {
        logger.warn({ problem, advice: ADVICE }, 'the API server does not get answers of the webhooks yet')
        warnAt = clock.monotonic() + WARN_AGAIN_MS
      }
      await clock.sleep(LOOK_AGAIN_MS, signal)
    }
  }

  /** Proves after every change that the API server goes by the rules as they are, until the signal aborts. */
  async prove(rules: WebhookRules, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    let wait = LOOK_AGAIN_MS
    const end = rules.onChange(() => (wait = LOOK_AGAIN_MS))
    try {
      while (!signal.aborted) {
        if (rules.isLive) await changed(rules, signal)
        else {
          const { hash } = await this.#ask(signal)
          // Where rules change all the time, the server goes by rules of a moment ago: these are proven meanwhile.
          if (hash !== undefined) rules.proveLive(hash)
          if (!rules.isLive) {
            await clock.sleep(wait, signal)
            wait = Math.min(2 * wait, SLOWEST_MS)
          }
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error
    } finally {
      end()
    }
  }

  async #ask(
    signal: AbortSignal,
  ): Promise<{ readonly problem: string; readonly isProof: boolean; readonly hash: string | undefined }> {
    const { client, sample, heard } = this.#options
    try {
      await client.create(sample.kind, this.#probe, { dryRun: true, signal })
      return { problem: 'it does not ask them', isProof: false, hash: undefined }
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ApiError) && retryTimeout(error) === 0) throw error
      const problem = error instanceof Error ? error.message : String(error)
      const [proof, name, first, second] = PROVEN.exec(problem) ?? []
      if (name !== undefined) heard(String(JSON.parse(name)))
      return { problem, isProof: proof !== undefined, hash: first === second ? first : undefined }
    }
  }
}

/** Resolves at the next change, or when the signal aborts. */
async function changed(rules: WebhookRules, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = rules.onChange(done)
    function done(): void {
      end()
      signal.removeEventListener('abort', done)
      resolve()
    }
    if (signal.aborted) done()
    else signal.addEventListener('abort', done, { once: true })
  })
}
