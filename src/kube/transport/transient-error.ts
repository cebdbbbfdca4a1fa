import { ApiError, isConflict } from '../../machinery/status.ts'
import { ServerUnreachable, type UnreachableCode } from './server-unreachable.ts'

/** An API server that is restarted is back within that time, as is what lies between it and us. */
const RESTART_MS = 60_000
/** Names that are new take a moment to be known; one that is mistyped never is. */
const NAME_MS = 10_000

/** How long it makes sense to try again when nothing could be reached; what is not here stays as it is. */
const UNREACHABLE: Readonly<Partial<Record<UnreachableCode, number>>> = {
  'name-unknown': NAME_MS,
  refused: RESTART_MS,
  'no-route': RESTART_MS,
  timeout: RESTART_MS,
  dropped: RESTART_MS,
  proxy: RESTART_MS,
  network: RESTART_MS,
}

const TOO_MANY_REQUESTS = 429
const SERVER_ERRORS = 500

/** For how many milliseconds it makes sense to do again what failed so; 0 where nobody but a person can mend it. */
export function retryTimeout(error: unknown): number {
  if (error instanceof ServerUnreachable) return UNREACHABLE[error.code] ?? 0
  if (!(error instanceof ApiError)) return 0
  const { code } = error.status
  return code === TOO_MANY_REQUESTS || code >= SERVER_ERRORS || isConflict(error) ? RESTART_MS : 0
}

/** For how many milliseconds the server asked to be left alone. */
export function askedToWaitMs(error: unknown): number {
  return error instanceof ApiError ? (error.status.details?.retryAfterSeconds ?? 0) * 1000 : 0
}
