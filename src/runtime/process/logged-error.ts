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

/** What is shown of a DOMException, which inherits the constants of all its codes. */
const OF_DOM_EXCEPTION: ReadonlySet<string> = new Set(['type', 'name', 'message', 'stack', 'cause'])

/** An error as the log shows it, with its causes. Only a mistake in the program has a stack: for all else its message says what to know. */
export function loggedError(error: unknown): unknown {
  return error instanceof Error ? shown(stdSerializers.errWithCause(error), isMistake(error)) : error
}

function shown(logged: unknown, hasStacks: boolean): unknown {
  if (Array.isArray(logged)) return logged.map((one) => shown(one, hasStacks))
  // What else an error holds stays as it is.
  if (typeof logged !== 'object' || logged === null || !('type' in logged && 'stack' in logged)) return logged
  const isDomException = logged.type === DOMException.name
  return Object.fromEntries(
    Object.entries(logged)
      .filter(([name]) => (name !== 'stack' || hasStacks) && (!isDomException || OF_DOM_EXCEPTION.has(name)))
      .map(([name, value]) => [name, shown(value, hasStacks)]),
  )
}
