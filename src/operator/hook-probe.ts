import type { KubeObject } from '../machinery/object.ts'
import { ApiError } from '../machinery/status.ts'
import type { Clock } from '../kube/clock.ts'
import type { KubeClient, ResourceKind } from '../kube/kube-client.ts'
import { patienceWith } from '../kube/passing-failure.ts'
import { denied, patched } from '../runtime/admission-decision.ts'
import type { AdmissionRequest } from '../runtime/admission-request.ts'
import type { Logger } from '../runtime/logger.ts'
import type { AnsweredHook } from './system.ts'

/** On an object that is never stored: asks the webhooks whether they are there. */
export const PROBE_ANNOTATION = 'allot.dev/probe'
const SEEN = 'seen'
/** What the validating webhook refuses with when the mutating one was there before it. */
const PROOF = 'the webhooks of allot answer'
const ADVICE =
  'API servers must reach this process by --webhook-url or --webhook-service, at the port that is served, and trust its certificate for that name'
const LOOK_AGAIN_MS = 100
/** It takes servers a second or two; after that people want to know what is wrong, and not all the time. */
const TELL_AFTER_MS = 5_000
const TELL_AGAIN_MS = 30_000

/**
 * The webhook, which answers probes besides: the mutating one marks them and the validating one refuses what is marked.
 * `heard` is told by which name the API server knows the operator: that of who sends a probe with its `token`, which nobody
 * else knows. Anybody may send probes.
 */
export function answersProbes(hook: AnsweredHook, token: string, heard: (username: string) => void): AnsweredHook {
  return {
    ...hook,
    handle: async (request, signal) => {
      const mark = probeMark(request)
      if (mark === undefined) return await hook.handle(request, signal)
      if (mark === token) heard(request.userInfo.username)
      if (hook.phase === 'mutating')
        return patched([
          { op: 'replace', path: `/metadata/annotations/${PROBE_ANNOTATION.replace('/', '~1')}`, value: SEEN },
        ])
      return denied(mark === SEEN ? PROOF : 'only the validating webhook of allot answers')
    },
  }
}

function probeMark({ dryRun, operation, object }: AdmissionRequest): string | undefined {
  return dryRun && operation === 'CREATE' ? object?.metadata.annotations?.[PROBE_ANNOTATION] : undefined
}

/** An object of a kind whose webhooks of both phases the operator answers. */
export interface ProbeSample {
  readonly kind: ResourceKind
  readonly object: KubeObject
}

/**
 * Resolves as soon as the API server sends the kind's requests to the webhooks and gets their answers: servers learn of
 * configurations some time after they are written. Asks with an object that is never stored, and logs what keeps them from
 * it when it takes long.
 */
export async function webhooksAnswer(
  client: Pick<KubeClient, 'create'>,
  { kind, object: sample }: ProbeSample,
  token: string,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  let tellAt = clock.monotonic() + TELL_AFTER_MS
  const annotations = { ...sample.metadata.annotations, [PROBE_ANNOTATION]: token }
  const object = { ...sample, metadata: { ...sample.metadata, annotations } }
  for (;;) {
    let problem = 'it does not ask them'
    try {
      await client.create(kind, object, { dryRun: true, signal })
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof ApiError) && patienceWith(error) === 0) throw error
      problem = error instanceof Error ? error.message : String(error)
      if (problem.endsWith(PROOF)) return
    }
    if (clock.monotonic() >= tellAt) {
      logger.warn({ problem, advice: ADVICE }, 'the API server does not get answers of the webhooks yet')
      tellAt = clock.monotonic() + TELL_AGAIN_MS
    }
    await clock.sleep(LOOK_AGAIN_MS, signal)
  }
}
