import type { AnswerReader } from '../../kube/client/answer-reader.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { isAllowed } from '../../kube/client/missing-access.ts'
import { NEVER_ABORTED } from '../../kube/time/clock.ts'
import type { RateLimit } from '../../kube/time/rate-limit.ts'
import type { SystemContext } from '../../kube/time/system-context.ts'
import { ServedKinds } from '../../reading/served-kinds.ts'
import type { Account } from '../bounds/accounts.ts'
import { KeptAnswers } from './kept-answers.ts'

/** What is asked about a right. `namespace` is empty for all namespaces. */
export interface Right {
  readonly verb: string
  readonly group: string
  readonly resource: string
  readonly namespace: string
}

/** As long is a right believed where lists are filtered by it. */
const RIGHT_MS = 5_000
const MOST_RIGHTS = 1000
/** As long are the kinds of the API server taken to be the same. */
const KINDS_MS = 30_000

/** The clients of bearers of tokens, each of which acts as that bearer and as nobody else. */
export interface BearerAccess {
  /** `limit`: how fast requests may begin. `reader`: what counts and prunes that which is read. */
  readonly clientOf: (token: string, limit: RateLimit, reader?: AnswerReader) => KubeClient
  /** One whose requests wait for none of the others. */
  readonly reviewerOf: (token: string) => Pick<KubeClient, 'request'>
}

export interface ViewerOptions {
  /** Tells viewers apart, and tells nothing of their tokens. */
  readonly key: string
  readonly account: Account
  /** The namespace of a ServiceAccount; empty for others. */
  readonly ownNamespace: string
  readonly clientOf: (limit: RateLimit, reader?: AnswerReader) => KubeClient
  readonly reviewer: Pick<KubeClient, 'request'>
  readonly context: Pick<SystemContext, 'monotonic'>
}

/** The bearer of a token. Whatever is read for a viewer is read through the viewer's own clients. */
export class Viewer {
  readonly key: string
  readonly account: Account
  readonly ownNamespace: string
  /** For what does not grow with what somebody has stored. */
  readonly client: KubeClient
  readonly #options: ViewerOptions
  readonly #rights: KeptAnswers<boolean>
  readonly #kinds: KeptAnswers<ServedKinds>
  #underWay = 0

  constructor(options: ViewerOptions) {
    const { key, account, ownNamespace, clientOf, context } = options
    this.key = key
    this.account = account
    this.ownNamespace = ownNamespace
    this.client = clientOf(account.reading)
    this.#options = options
    this.#rights = new KeptAnswers(RIGHT_MS, MOST_RIGHTS, context)
    this.#kinds = new KeptAnswers(KINDS_MS, 1, context)
  }

  /** Is something of this viewer under way? */
  get isBusy(): boolean {
    return this.#underWay > 0
  }

  /** The client of one request: `reader` counts and prunes what it reads. */
  clientFor(reader: AnswerReader): KubeClient {
    return this.#options.clientOf(this.account.reading, reader)
  }

  /** Counts a request until it is disposed. Throws as `Account` does. */
  begin(): Disposable {
    return this.#busy(this.account.begin())
  }

  /** Counts a stream until it is disposed. Throws as `Account` does. */
  beginStream(end: () => void): Disposable {
    return this.#busy(this.account.beginStream(end))
  }

  #busy(counted: Disposable): Disposable {
    this.#underWay++
    return {
      [Symbol.dispose]: () => {
        this.#underWay--
        counted[Symbol.dispose]()
      },
    }
  }

  /** The kinds that the API server shows the viewer. Rejects as `KubeClient` does. */
  kinds(): Promise<ServedKinds> {
    return this.#kinds.of('', () => ServedKinds.read(this.client, NEVER_ABORTED))
  }

  /** May the viewer do this? The answer is at most five seconds old. Rejects as `KubeClient` does. */
  may(right: Right): Promise<boolean> {
    const { verb, group, resource, namespace } = right
    const question = [verb, group, resource, namespace].join(' ')
    return this.#rights.of(question, () => allowed(this.client, right, NEVER_ABORTED))
  }

  /** Asks whether the viewer may do this now. The question waits for no request of the viewer. Rejects as `KubeClient` does. */
  mayNow(right: Right, signal: AbortSignal): Promise<boolean> {
    return allowed(this.#options.reviewer, right, signal)
  }
}

const allowed = (client: Pick<KubeClient, 'request'>, right: Right, signal: AbortSignal): Promise<boolean> =>
  isAllowed(client, { ...right, subresource: '', name: '' }, signal)
