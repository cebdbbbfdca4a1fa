import { stdSerializers } from 'pino'
import { systemCode } from './startup-error.ts'

/** The classes of JavaScript itself: nobody throws one for something that was expected. */
const BUILT_IN: ReadonlySet<unknown> = new Set([
  Error,
  TypeError,
  RangeError,
  ReferenceError,
  SyntaxError,
  URIError,
  EvalError,
])

/**
 * Is an error a mistake in the program, so that its stack says where? Errors with a class of their own are expected, those of the system with a
 * code, too, and one that gathers others if all of them are.
 */
export function isMistake(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError) return error.errors.some(isMistake)
  if (!BUILT_IN.has(error.constructor)) return false
  return error.constructor !== Error || systemCode(error) === ''
}

/** An error as the log shows it, with its causes. Only a mistake in the program has a stack: for all else its message says what to know. */
export function loggedError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const logged: unknown = stdSerializers.errWithCause(error)
  return isMistake(error) ? logged : withoutStacks(logged)
}

function withoutStacks(logged: unknown): unknown {
  if (Array.isArray(logged)) return logged.map(withoutStacks)
  if (typeof logged !== 'object' || logged === null) return logged
  return Object.fromEntries(
    Object.entries(logged).flatMap(([name, value]) => (name === 'stack' ? [] : [[name, withoutStacks(value)]])),
  )
}
