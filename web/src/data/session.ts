import { type Signal, signal } from '@preact/signals'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Settings } from './answer.ts'
import { Live } from './live.ts'
import { AnswerError, Server } from './server.ts'
import { namespaceOfUser, userIn } from './token.ts'

/** Somebody who has signed in. */
export interface Viewer {
  readonly server: Server
  /** As the token says it; undefined where it does not. */
  readonly user: string | undefined
  readonly settings: Settings
  /** May the viewer list the ResourceQuotas of all namespaces? */
  readonly seesAll: boolean
}

const UNKNOWN = 'The API server does not know this token, or not any more.'

/** Who looks at the page, and at what. Nothing of it outlives the page. */
export class Session {
  readonly viewer = signal<Viewer | undefined>(undefined)
  /** The namespace that the start page and the quotas show; empty: all. */
  readonly scope = signal('')
  readonly isSigningIn = signal(false)
  /** Signs in with the same token, where nobody has said that it is unknown. */
  readonly tryAgain = signal<(() => void) | undefined>(undefined)
  /** Why somebody has to sign in again. */
  readonly problem = signal('')
  /** Said to those who do not see the page. */
  readonly said = signal('')
  /** What views keep by name until the viewer signs out, such as the words of a filter. */
  readonly kept = new Map<string, Signal<unknown>>()
  readonly live = new Live(() => this.signOut(UNKNOWN))
  /** Of the token that is being tried: the answer to an earlier one comes too late. */
  #tried: Server | undefined

  /** Never rejects: what is wrong is the problem. */
  async signIn(token: string): Promise<void> {
    await this.#enter(new Server(token), userIn(token))
  }

  async #enter(server: Server, user: string | undefined): Promise<void> {
    this.signOut()
    this.#tried = server
    this.isSigningIn.value = true
    try {
      const settings = await server.get<Settings>('/api/v1/settings')
      if (this.#tried !== server) return
      const { seesAll } = settings
      this.scope.value = seesAll ? '' : (namespaceOfUser(user) ?? '')
      this.viewer.value = { server, user, settings, seesAll }
      this.said.value = 'Signed in'
    } catch (error) {
      if (this.#tried !== server) return
      this.problem.value = isUnknown(error) ? UNKNOWN : String(error instanceof Error ? error.message : error)
      // The token may be right, and came perhaps with an address that is gone.
      if (!isUnknown(error)) this.tryAgain.value = () => void this.#enter(server, user)
    }
    this.isSigningIn.value = false
  }

  signOut(problem = ''): void {
    this.live.stop()
    this.kept.clear()
    this.#tried = undefined
    this.isSigningIn.value = false
    this.tryAgain.value = undefined
    this.viewer.value = undefined
    this.problem.value = problem
    this.said.value = problem
  }

  /** Signs out where a token is not known any more, unless somebody else has signed in meanwhile. */
  failed(error: unknown, server: Server | undefined): void {
    if (isUnknown(error) && server === this.viewer.value?.server) this.signOut(UNKNOWN)
  }
}

const isUnknown = (error: unknown): boolean => error instanceof AnswerError && error.code === 401

const SessionContext = createContext<Session | undefined>(undefined)
export const SessionProvider = SessionContext.Provider

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === undefined) throw new Error('the page has no session')
  return session
}

/** The viewer, where somebody has signed in: only then are there views. */
export function useViewer(): Viewer {
  const { viewer } = useSession()
  if (viewer.value === undefined) throw new Error('nobody has signed in')
  return viewer.value
}
