import { CommanderError } from 'commander'
import { AdvisingError } from '../machinery/advising-error.ts'
import { ApiError } from '../machinery/status.ts'
import { StoreError } from '../store/record/store-error.ts'
import type { CliContext } from './context.ts'
import { LeftOver } from './migrate/left-over.ts'
import { allotProgram, oneLine } from './program.ts'

/** The command could not do its work. */
const FAILED = 1
/** The command line makes no sense. */
const MISUSED = 2
/** The command did its work, and has said what it leaves to its caller. */
const LEFT_OVER = 3

/** Runs a command line and gives the exit code. Says in one line what is wrong; throws only for bugs. */
export async function runProgram(argv: readonly string[], context: CliContext): Promise<number> {
  const { err, stop } = context
  const program = allotProgram(context)
  try {
    await program.parseAsync(argv, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED
    if (error instanceof LeftOver) return LEFT_OVER
    if (stop.aborted && error === stop.reason) {
      err('it was interrupted: what was done stays done\n')
      return FAILED
    }
    const complaint = complaintOf(error)
    if (complaint === undefined) throw error
    err(oneLine(complaint))
    return FAILED
  }
}

/** The message for an expected error: the reason, and the remedy. */
function complaintOf(error: unknown): string | undefined {
  if (error instanceof StoreError) return `${error.message}. ${error.advice}`
  if (error instanceof ApiError) return `the API server refused: ${error.message}`
  return error instanceof AdvisingError ? `${error.message}; ${error.advice}` : undefined
}
