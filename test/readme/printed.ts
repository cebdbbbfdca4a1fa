import { setTimeout as sleep } from 'node:timers/promises'
import type { Result } from './shell.ts'
import type { Step } from './transcript.ts'

/** A command that reads, alone on its line, changes nothing when it runs again. */
const READS = /^kubectl( -n \S+)? (get|describe|top|explain|api-resources)\b(?!.*( -w\b|--watch|[|;&>]))[^\n]*$/
const PATIENCE_MS = 20_000
const PAUSE_MS = 100

/**
 * Returns what a step of a document prints: where it only reads, as soon as that is what the document shows, since controllers write
 * the status of an object after the write that changes it has been answered. Returns what was printed last when it never is.
 */
export async function printed(
  { command }: Step,
  run: (command: string) => Promise<Result>,
  isShown: (text: string) => boolean,
): Promise<string> {
  const deadline = performance.now() + (READS.test(command) ? PATIENCE_MS : 0)
  for (;;) {
    const { text } = await run(command)
    if (isShown(text) || performance.now() >= deadline) return text
    await sleep(PAUSE_MS)
  }
}
