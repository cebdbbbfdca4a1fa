import type { LogFields, Logger } from '../../runtime/process/logger.ts'
import { ServerUnreachable } from './server-unreachable.ts'

/** Hears of the answers of an API server. */
export interface OutageLog {
  /** Says of an outage that it began and that it ended, a line each, whatever all the parts of a process log of it. */
  readonly logger: Logger
  /** The API server has answered. */
  readonly answered: () => void
}

/**
 * Logs an outage of the API server in one line. The first failure says what is wrong and what to do. The others are
 * logged for `debug` only, until the server has answered.
 */
export function outageLog(target: Logger, monotonic: () => number): OutageLog {
  let since: number | undefined
  const report = (error: ServerUnreachable): void => {
    if (since !== undefined) return
    since = monotonic()
    target.warn({ problem: error.message, advice: error.advice }, 'the API server gives no answers; it is tried again')
  }
  const wrap = (logger: Logger): Logger => {
    const filtered = (level: 'warn' | 'error') => (fields: LogFields, message: string) => {
      const cause = outageIn(fields['error'])
      if (cause === undefined) return logger[level](fields, message)
      report(cause)
      logger.debug({ ...fields, error: cause.message }, message)
    }
    return {
      debug: (fields, message) => logger.debug(fields, message),
      info: (fields, message) => logger.info(fields, message),
      warn: filtered('warn'),
      error: filtered('error'),
      child: (fields) => wrap(logger.child(fields)),
      debugs: logger.debugs,
    }
  }
  return {
    logger: wrap(target),
    answered: () => {
      if (since === undefined) return
      const seconds = Math.round((monotonic() - since) / 1000)
      since = undefined
      target.info({ seconds }, 'the API server is back')
    },
  }
}

/** The outage that an error is about, or all that it is made of. */
function outageIn(error: unknown): ServerUnreachable | undefined {
  if (error instanceof ServerUnreachable) return error
  if (error instanceof AggregateError) {
    const causes = error.errors.map(outageIn)
    return causes.every((cause) => cause !== undefined) ? causes[0] : undefined
  }
  return error instanceof Error ? outageIn(error.cause) : undefined
}
