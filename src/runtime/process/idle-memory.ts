import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The measurements of a process. */
export interface OwnProcess {
  /** Milliseconds that never go back. */
  readonly monotonic: () => number
  /** Milliseconds of CPU so far. */
  readonly cpuMs: () => number
  /** Octets that the heap occupies, garbage and room included. */
  readonly heapBytes: () => number
  /** Gives the system all that is not needed; nothing else is done meanwhile. */
  readonly collect: () => void
}

/** How often it is looked. */
const LOOK_MS = 5_000
/** A process that uses less than this part of a core is idle. */
const IDLE = 0.03
/** The memory that is worth a stop of some hundred milliseconds. */
const WORTH_BYTES = 16 * 2 ** 20

/**
 * Gives memory back once work is done: V8 collects garbage only when it needs room, and an idle process needs none, so that it
 * would hold for hours what one busy minute took. Gives what ends it.
 */
export function giveBackIdleMemory(own: OwnProcess = ownProcess()): () => void {
  let before = { at: own.monotonic(), cpuMs: own.cpuMs() }
  let needed = WORTH_BYTES
  const timer = setInterval(() => {
    const now = { at: own.monotonic(), cpuMs: own.cpuMs() }
    const isIdle = now.cpuMs - before.cpuMs < IDLE * (now.at - before.at)
    before = now
    if (!isIdle || own.heapBytes() < needed + WORTH_BYTES) return
    own.collect()
    needed = own.heapBytes()
    before = { at: own.monotonic(), cpuMs: own.cpuMs() }
  }, LOOK_MS).unref()
  return () => clearInterval(timer)
}

interface Collection {
  readonly type: 'major'
  readonly execution: 'sync'
  /** Shrinks the heap too. */
  readonly flavor: 'last-resort'
}

function ownProcess(): OwnProcess {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (how: Collection) => void
  return {
    monotonic: () => performance.now(),
    cpuMs: () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1000
    },
    heapBytes: () => process.memoryUsage().heapTotal,
    collect: () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
  }
}
