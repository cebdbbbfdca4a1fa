import { EXEMPT_LABEL } from '../../install/installed-names.ts'
import type { Clock } from '../../kube/time/clock.ts'
import type { KubeClient, Patch } from '../../kube/client/kube-client.ts'
import { WatchCache } from '../../kube/cache/watch-cache.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { ApiError, isNotFound } from '../../machinery/status.ts'
import { type AdmissionDecision, allowed, denied } from '../../runtime/admission/decision.ts'
import type { AdmissionRequest } from '../../runtime/admission/request.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import { whenAborted } from '../../runtime/tasks/when-aborted.ts'
import { WorkQueue } from '../../runtime/tasks/work-queue.ts'
import { NAMESPACES } from '../cluster/keep-namespace.ts'
import type { LedgerSeal } from '../cluster/ledger-seal.ts'
import type { ExemptLabel } from '../webhook/server-features-list.ts'
import type { AnsweredHook } from './registered-webhooks.ts'

export interface ExemptLabelsOptions {
  readonly client: KubeClient
  readonly clock: Clock
  readonly logger: Logger
  /** The exempt namespaces. */
  readonly exempt: ReadonlySet<string>
  readonly seal: Pick<LedgerSeal, 'secretName'>
}

/**
 * Keeps a label on the exempt namespaces, by which webhooks leave them out. No other namespace can have it: each value
 * follows from a key and fits one namespace. A webhook refuses the label elsewhere. A label that gets in while the
 * webhook is away is removed at once.
 */
export class ExemptLabels {
  readonly label: ExemptLabel
  readonly #options: ExemptLabelsOptions

  constructor(options: ExemptLabelsOptions) {
    const { exempt, seal } = options
    this.#options = options
    this.label = {
      key: EXEMPT_LABEL,
      values: new Map([...exempt].map((name) => [name, seal.secretName(`exempt namespace ${name}`)])),
    }
  }

  /** Labels the namespaces that there are, so that rules can leave them out from the first moment on. Rejects while the server does not answer. */
  async set(signal: AbortSignal): Promise<void> {
    const { client, logger } = this.#options
    for (const name of this.label.values.keys())
      try {
        const { metadata } = await client.get<KubeObject>(NAMESPACES, { namespace: '', name }, { signal })
        await this.#mend(name, metadata.labels?.[EXEMPT_LABEL], signal)
      } catch (error) {
        if (isNotFound(error)) continue
        // The webhook of an earlier process may be asked, which does not answer any more. The replica that leads tries again.
        if (!(error instanceof ApiError)) throw error
        logger.warn({ error, namespace: name }, 'an exempt namespace could not be labelled yet')
      }
  }

  /** The webhook that refuses the label on other namespaces. The API server asks it only about namespaces with the label. */
  hook(): AnsweredHook {
    return {
      phase: 'validating',
      name: 'exempt-namespaces.validating.allot.dev',
      path: '/exempt-namespaces/validating',
      rules: [
        {
          groups: [''],
          versions: ['v1'],
          resources: ['namespaces'],
          operations: ['CREATE', 'UPDATE'],
          scope: 'Cluster',
        },
      ],
      objectSelector: { matchExpressions: [{ key: EXEMPT_LABEL, operator: 'Exists' }] },
      handle: async (request) => this.#review(request),
    }
  }

  /** Puts the label back where it is missing and takes it away elsewhere, until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { client, clock, logger } = this.#options
    const cache = new WatchCache<{ readonly name: string; readonly value: string | undefined }>({
      client,
      clock,
      logger,
      kind: NAMESPACES,
      keep: ({ metadata: { name = '', labels } }) => ({ name, value: labels?.[EXEMPT_LABEL] }),
    })
    const queue = new WorkQueue({
      work: async (name, working) => {
        const known = cache.get('', name)
        if (known !== undefined) await this.#mend(name, known.value, working)
      },
      onError: (namespace, error) =>
        logger.warn({ error, namespace }, `the label ${EXEMPT_LABEL} of a namespace could not be put right`),
    })
    cache.onChange((_, current) => {
      if (current !== undefined && current.value !== this.label.values.get(current.name)) queue.add(current.name)
    })
    cache.start()
    await whenAborted(signal)
    await Promise.all([queue.stop(), cache.stop()])
  }

  #review({ object }: AdmissionRequest): AdmissionDecision {
    const { name = '', labels } = object?.metadata ?? {}
    const value = labels?.[EXEMPT_LABEL]
    if (value === undefined || value === this.label.values.get(name)) return allowed()
    return denied(
      `only allot sets the label ${EXEMPT_LABEL}, and not on the namespace ${JSON.stringify(name)}: remove it`,
    )
  }

  async #mend(name: string, value: string | undefined, signal: AbortSignal): Promise<void> {
    const { client, logger } = this.#options
    const wanted = this.label.values.get(name)
    if (value === wanted) return
    const body = { metadata: { labels: { [EXEMPT_LABEL]: wanted ?? null } } }
    const patch: Patch = { type: 'merge', body }
    await client.patch<KubeObject>(NAMESPACES, { namespace: '', name }, patch, { signal })
    if (wanted === undefined || value !== undefined)
      logger.warn(
        { namespace: name },
        `somebody had changed the label ${EXEMPT_LABEL} of a namespace; it was put right`,
      )
  }
}
