import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { backoffMs } from './backoff.ts'
import { reloadPauseMs } from './reload-pause.ts'
import type { Server } from './server.ts'
import { useSession } from './session.ts'

/** What has come of a question; an earlier answer stays while it is asked again, and when that fails. */
export interface Asked<T> {
  readonly value?: T
  readonly problem?: string
  /** Of the answer, where it was no success. */
  readonly code?: number
  /** Does the page ask again by itself? */
  readonly isRetried?: boolean
  /** When the value was answered, where that was to another view and it is being asked for anew. */
  readonly isOf?: Date
}

/** What has come of one question of one viewer. */
interface Known<T> {
  readonly server: Server | undefined
  readonly path: string | undefined
  readonly asked: Asked<T>
}

/** Of a viewer who may not read it any more, or of what is gone. */
export const NOT_FOUND = 404
const GONE: readonly number[] = [403, NOT_FOUND]
/** What may be over soon: no answer, too many requests, and what is the fault of a server. */
const isPassing = (code: number): boolean => code === 0 || code === 429 || code >= 500

/**
 * Asks, and asks again when one of the resources changes; without names: when anything does. `everyMs`: also that often, where the answer changes
 * with time.
 */
export function useAnswer<T>(path: string | undefined, resources: readonly string[] = [], everyMs = 0): Asked<T> {
  const session = useSession()
  const server = session.viewer.value?.server
  const known = useSignal<Known<T>>({ server, path, asked: earlier(server, path) })
  useEffect(() => {
    known.value = { server, path, asked: earlier(server, path) }
    if (path === undefined || server === undefined) return undefined
    const over = new AbortController()
    let failures = 0
    let retry: ReturnType<typeof setTimeout> | undefined
    const loop = new ReloadLoop(async () => {
      try {
        const value = await server.get<T>(path, over.signal, known.value.asked.value === undefined)
        if (over.signal.aborted) return
        failures = 0
        server.held.hold(path, value)
        known.value = { server, path, asked: { value } }
      } catch (error) {
        if (over.signal.aborted) return
        session.failed(error, server)
        const problem = error instanceof Error ? error.message : String(error)
        const code = error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : 0
        const isGone = GONE.includes(code)
        if (isGone) server.held.drop(path)
        const { value } = isGone ? {} : known.value.asked
        const isRetried = isPassing(code)
        known.value = { server, path, asked: { ...(value === undefined ? {} : { value }), problem, code, isRetried } }
        if (isRetried) retry = setTimeout(() => loop.ask(), backoffMs(++failures, Math.random()))
      }
    }, over.signal)
    const end = session.live.listen((changed, isOwn) => {
      if (isOwn) loop.endRest()
      if (changed.length === 0 || resources.length === 0 || changed.some((one) => resources.includes(one))) loop.ask()
    })
    const onVisible = (): void => loop.wake()
    document.addEventListener('visibilitychange', onVisible)
    const timer = everyMs === 0 ? undefined : setInterval(() => loop.ask(), everyMs)
    loop.ask()
    return () => {
      end()
      clearInterval(timer)
      clearTimeout(retry)
      document.removeEventListener('visibilitychange', onVisible)
      over.abort()
    }
  }, [path, server, resources.join(' ')])
  // The effect comes after the paint: until then the answer is that to the question before.
  return known.value.server === server && known.value.path === path ? known.value.asked : earlier(server, path)
}

/** What the page already holds, so that a view need not wait for what another has shown. */
function earlier<T>(server: Server | undefined, path: string | undefined): Asked<T> {
  const held = path === undefined ? undefined : server?.held.get(path)
  return held === undefined ? {} : { value: held.answer as T, isOf: held.at }
}

/** Loads when it is asked to, once at a time, and rests in between; a page that nobody sees loads nothing. */
class ReloadLoop {
  readonly #load: () => Promise<void>
  readonly #over: AbortSignal
  #isWanted = false
  #isLoading = false
  #resting: number | undefined

  constructor(load: () => Promise<void>, over: AbortSignal) {
    this.#load = load
    this.#over = over
    over.addEventListener('abort', () => this.endRest())
  }

  ask(): void {
    this.#isWanted = true
    this.wake()
  }

  endRest(): void {
    clearTimeout(this.#resting)
    this.#resting = undefined
  }

  wake(): void {
    if (this.#isLoading || this.#resting !== undefined || !this.#isWanted || document.hidden || this.#over.aborted)
      return
    this.#isLoading = true
    this.#isWanted = false
    const started = performance.now()
    void this.#load().then(() => {
      this.#isLoading = false
      if (this.#over.aborted) return
      this.#resting = window.setTimeout(
        () => {
          this.#resting = undefined
          this.wake()
        },
        reloadPauseMs(performance.now() - started),
      )
    })
  }
}
