import { constants } from 'node:os'
import { runProgram } from './allot-program.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Runs the command line `argv` (without the program's name) and ends the process with its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  const stop = new AbortController()
  for (const signal of SIGNALS)
    process.on(signal, () => {
      if (stop.signal.aborted) process.exit(128 + constants.signals[signal])
      stop.abort()
    })
  // The reader of our output may go away; that is not a reason to stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const code = await runProgram(argv, {
    out: (text) => process.stdout.write(text),
    isTerminal: process.stdout.isTTY,
    err: (text) => process.stderr.write(text),
    environment: process.env,
    stop: stop.signal,
  })
  // The rest that a slow reader of a pipe has not taken yet would be lost.
  await Promise.all([process.stdout, process.stderr].map((stream) => new Promise((done) => stream.write('', done))))
  process.exit(code)
}
