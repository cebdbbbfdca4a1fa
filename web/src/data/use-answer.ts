import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { reloadPauseMs } from './reload-pause.ts'
import type { Server } from './server.ts'
import { useSession } from './session.ts'

/** What has come of a question; an earlier answer stays while it is asked again, and when that fails. */
export interface Asked<T> {
  readonly value?: T
  readonly problem?: string
  /** Of the answer, where it was no success. */
  readonly code?: number
  /** Was the value answered to another view, and is it being asked for anew? */
  readonly isEarlier?: boolean
}

/** Of a viewer who may not read it any more, or of what is gone. */
const GONE: readonly number[] = [403, 404]

/** Asks, and asks again when one of the resources changes; without names: when anything does. */
export function useAnswer<T>(path: string | undefined, resources: readonly string[] = []): Signal<Asked<T>> {
  const session = useSession()
  const server = session.viewer.value?.server
  const asked = useSignal<Asked<T>>(earlier(server, path))
  useEffect(() => {
    asked.value = earlier(server, path)
    if (path === undefined || server === undefined) return undefined
    const over = new AbortController()
    const loop = new ReloadLoop(async () => {
      try {
        const value = await server.get<T>(path, over.signal, asked.value.value === undefined)
        if (over.signal.aborted) return
        server.held.hold(path, value)
        asked.value = { value }
      } catch (error) {
        if (over.signal.aborted) return
        session.failed(error)
        const problem = error instanceof Error ? error.message : String(error)
        const code = error instanceof Error && 'code' in error && typeof error.code === 'number' ? error.code : 0
        if (GONE.includes(code)) server.held.drop(path)
        const { value } = asked.value
        asked.value = { ...(value === undefined ? {} : { value }), problem, code }
      }
    }, over.signal)
    const end = session.live.listen((changed, isOwn) => {
      if (isOwn) loop.endRest()
      if (changed.length === 0 || resources.length === 0 || changed.some((one) => resources.includes(one))) loop.ask()
    })
    const onVisible = (): void => loop.wake()
    document.addEventListener('visibilitychange', onVisible)
    loop.ask()
    return () => {
      end()
      document.removeEventListener('visibilitychange', onVisible)
      over.abort()
    }
  }, [path, server, resources.join(' ')])
  return asked
}

/** What the page already holds, so that a view need not wait for what another has shown. */
function earlier<T>(server: Server | undefined, path: string | undefined): Asked<T> {
  const value = path === undefined ? undefined : server?.held.get(path)
  return value === undefined ? {} : { value: value as T, isEarlier: true }
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
