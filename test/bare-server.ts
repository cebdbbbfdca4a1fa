import type { Answer } from './start-allot.ts'

/** An API server, with a client that asks it as the administrator. */
export interface BareServer extends AsyncDisposable {
  readonly url: string
  /** An administrator's. */
  readonly token: string
  readonly kubeconfig: string
  /** Sends JSON as the administrator and reads the answer. */
  readonly send: (
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Answer>
  /** Asks until the answer satisfies `test`; fails after a while with the last answer. */
  readonly until: (path: string, test: (answer: Answer) => boolean) => Promise<Answer>
}
