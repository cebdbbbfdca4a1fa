import fc from 'fast-check'
import { expired, forbidden, internalError, tooManyRequests } from '../../src/machinery/status.ts'
import type { ManualClock } from './manual-clock.ts'
import { THINGS } from './scripted-caches.ts'
import { type ScriptedClient, UNREACHABLE } from './scripted-client.ts'

const SWITCHES = [
  'mute',
  'unmute',
  'deliver',
  'bookmark',
  'end watches',
  'cut watches',
  'expire watches',
  'compact',
  'hold lists',
  'release lists',
] as const

const switching = fc.record({ do: fc.constantFrom(...SWITCHES) })
const removing = fc.record({ do: fc.constant('remove' as const), name: fc.constantFrom('a', 'b', 'c', 'd') })
const failing = fc.record({
  do: fc.constant('fail' as const),
  verb: fc.constantFrom('list' as const, 'watch' as const),
  error: fc.constantFrom(
    UNREACHABLE,
    expired('too old'),
    tooManyRequests('slow down', 2),
    internalError('x'),
    forbidden(THINGS, '', 'no'),
  ),
})
const waiting = fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 1, 100, 5000, 200_000) })

/** The steps of a scripted server and its clock that any cache or reflector has to endure. */
export const watchStep = fc.oneof(
  { weight: 5, arbitrary: switching },
  { weight: 4, arbitrary: removing },
  { weight: 2, arbitrary: failing },
  { weight: 4, arbitrary: waiting },
)
export type WatchStep = typeof watchStep extends fc.Arbitrary<infer S> ? S : never

/** Plays these steps on one server and clock. */
export class WatchPlay {
  readonly #server: ScriptedClient
  readonly #clock: ManualClock
  #release = (): void => {}

  constructor(server: ScriptedClient, clock: ManualClock) {
    this.#server = server
    this.#clock = clock
  }

  async take(step: WatchStep): Promise<void> {
    const server = this.#server
    switch (step.do) {
      case 'remove':
        return server.remove({ namespace: 'n', name: step.name })
      case 'mute':
      case 'unmute':
        server.muted = step.do === 'mute'
        return
      case 'deliver':
        return server.deliver()
      case 'bookmark':
        return server.bookmark()
      case 'end watches':
        return server.endWatches()
      case 'cut watches':
        return server.endWatches(UNREACHABLE)
      case 'expire watches':
        return server.endWatches(expired('too old'))
      case 'compact':
        return server.compact()
      case 'hold lists':
        server.listGate ??= new Promise((resolve) => (this.#release = resolve))
        return
      case 'release lists':
        return this.#releaseLists()
      case 'fail':
        return server.failNext(step.verb, step.error)
      case 'wait':
        return await this.#clock.advance(step.ms)
    }
  }

  /** Ends every fault of the server. */
  heal(): void {
    this.#server.outage = undefined
    this.#server.failNoMore()
    this.#server.muted = false
    this.#releaseLists()
    this.#server.deliver()
  }

  #releaseLists(): void {
    this.#server.listGate = undefined
    this.#release()
  }
}
