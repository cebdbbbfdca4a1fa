import { setTimeout as sleep } from 'node:timers/promises'
import type { Result } from './document-shell.ts'
import type { Step } from './transcript.ts'

/** The rest of a command: texts in quotes may hold what else would begin another command. */
const REST = String.raw`(?:'[^'\n]*'|"[^"\n$\x60]*"|[^'"|;&>\n])*`
/** A command that reads, alone on its line or with filters behind it, changes nothing when it runs again. */
const READS = new RegExp(
  String.raw`^kubectl(?: -n \S+)? (?:get|describe|top|explain|api-resources|wait|rollout status)\b(?!.*(?: -w\b|--watch))${REST}(?:\| (?:grep|head|sort|wc)\b${REST})*$`,
)
const PATIENCE_MS = 60_000
/** The first pause, by how much each is longer than the one before, and the longest: each look starts a process. */
const PAUSE = { firstMs: 250, factor: 1.5, mostMs: 1000 }

export const onlyReads = (command: string): boolean => READS.test(command)

/**
 * Returns what a step of a document prints: where it only reads, as soon as that is what the document shows, since controllers write
 * the status of an object after the write that changes it has been answered. Returns what was printed last when it never is.
 */
export async function printed(
  { command }: Step,
  run: (command: string) => Promise<Result>,
  isShown: (text: string) => boolean,
): Promise<string> {
  const deadline = performance.now() + (onlyReads(command) ? PATIENCE_MS : 0)
  for (let pauseMs = PAUSE.firstMs; ; pauseMs = Math.min(pauseMs * PAUSE.factor, PAUSE.mostMs)) {
    const { text } = await run(command)
    if (isShown(text) || performance.now() >= deadline) return text
    await sleep(pauseMs)
  }
}
