import { destination, pino, type DestinationStream, type Logger as PinoLogger } from 'pino'
import type { LogLevel } from './log-level.ts'
import { loggedError } from './logged-error.ts'

/** The fields of a log line. An `error` among them is written with its type, message and causes, and with its stack where it is a mistake in the program. */
export type LogFields = Readonly<Record<string, unknown>>

/** Structured events: `message` names the event and is the same every time, what varies goes into the fields. */
export interface Logger {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
  /** A logger whose every event carries these fields too. */
  child(fields: LogFields): Logger
  /** Would a `debug` event be written? For fields that cost something to collect. */
  readonly debugs: boolean
}

/** JSON leaves these as they are, though terminals obey them: controls of eight bits, formats such as the direction of writing, ends of lines. */
const HIDDEN = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu

/** Fields that are never written, wherever one of them stands in the first two levels of an event. */
const SECRET = ['token', 'password', 'authorization', 'cookie', 'privateKey', 'secret']
const REDACTED = SECRET.flatMap((name) => [name, `*.${name}`])

/** Writes JSON lines of `level` and above to `output`, by default standard error: standard output belongs to people. */
export function createLogger(level: LogLevel, output: DestinationStream = destination({ fd: 2, sync: true })): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { error: loggedError },
    redact: { paths: REDACTED, censor: '[redacted]' },
  }
  return wrap(pino(options, { write: (line) => output.write(line.replaceAll(HIDDEN, inJson)) }))
}

/** A character as texts in JSON may have it; they are all that is not ASCII in a line. */
const inJson = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')

/**
 * Drops everything.
 *
 * @public for tests and benchmarks
 */
export const silentLogger: Logger = wrap(pino({ level: 'silent' }))

function wrap(target: PinoLogger): Logger {
  return {
    debug: (fields, message) => target.debug(fields, message),
    info: (fields, message) => target.info(fields, message),
    warn: (fields, message) => target.warn(fields, message),
    error: (fields, message) => target.error(fields, message),
    child: (fields) => wrap(target.child(fields)),
    debugs: target.isLevelEnabled('debug'),
  }
}
