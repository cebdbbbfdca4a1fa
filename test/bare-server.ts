import type { Answer } from './start-allot.ts'

/** An API server, with a client that asks it as the administrator. */
export interface BareServer extends AsyncDisposable {
  readonly url: string
  /** An administrator's. */
  readonly token: string
  readonly kubeconfig: string
  /** The end of the log of its controller manager, where that is another process. */
  readonly managerLog?: () => string
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

/** The words of a wait that failed, with the end of the log of the controller manager, where it was to make a ServiceAccount. */
export const withManagerLog = (words: string, { managerLog }: Pick<BareServer, 'managerLog'>): string =>
  managerLog !== undefined && /serviceaccount/.test(words)
    ? `${words}\nThe controller manager:\n${managerLog()}`
    : words
