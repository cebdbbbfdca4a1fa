import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from './logger.ts'

/** Something that has to end before the process does. */
export interface Ending {
  /** As logs name it. */
  readonly name: string
  /** Ends it in good order; the signal aborts when no time is left. */
  readonly end: (signal: AbortSignal) => Promise<void>
}

export interface ShutdownOptions {
  /** Parts that may end together form a group; a group waits for those before it. */
  readonly groups: readonly (readonly Ending[])[]
  /** How long all of it may take, in milliseconds. */
  readonly limitMs: number
  readonly logger: Logger
}

/** So that the last ones hear of the abort, and may do what takes no time. */
const LAST_WORDS_MS = 100

/**
 * Ends the parts of a process, group by group. A part that fails, or has not ended in time, is logged and keeps no other part from
 * ending; when the time is up the remaining groups are still asked to end, with an aborted signal. Never rejects.
 */
export async function shutDown({ groups, limitMs, logger }: ShutdownOptions): Promise<void> {
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), limitMs)
  for (const group of groups) {
    const running = new Set(group.map(({ name }) => name))
    const ended = Promise.all(
      group.map(async ({ name, end }) => {
        try {
          await end(limit.signal)
        } catch (error) {
          logger.error({ error, part: name }, 'a part did not end in good order')
        }
        running.delete(name)
      }),
    )
    await Promise.race([ended, timeUp(limit.signal)])
    if (running.size > 0) logger.error({ parts: [...running], limitMs }, 'parts did not end in time; they were stopped')
  }
  clearTimeout(timer)
}

async function timeUp(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  await sleep(LAST_WORDS_MS, undefined, { ref: false })
}

/** A check for `/readyz` that fails from the moment when the process gets a signal to stop. */
export const shutdownCheck = (stop: AbortSignal) => (): string | undefined =>
  stop.aborted ? 'the process is shutting down' : undefined
