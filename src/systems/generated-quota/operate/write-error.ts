import { ApiError, hasCause } from '../../../machinery/status.ts'

/** Is an object more than the server, or the store behind it, takes? */
export const isTooLargeError = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.status.code === 413 || (error.status.code === 500 && /too large|larger than max/.test(error.message)))

/** Is it the object itself that the server refuses, as too large or invalid? Nothing but a change of the object helps then. */
export const isUnfit = (error: unknown): boolean =>
  isTooLargeError(error) || (error instanceof ApiError && error.status.code === 422)

/** Does what was refused work when it is tried again, without anybody doing anything about it? */
export const isPassing = (error: ApiError): boolean => {
  const { code } = error.status
  return code === 404 || code === 409 || code === 429 || (code >= 500 && !isTooLargeError(error))
}

/** Why a quota cannot be had, or undefined where the error says nothing of that. */
export function obstacleIn(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || isPassing(error) || isEndingNamespace(error)) return undefined
  return error.message
}

/** A namespace that ends needs no quota any more. */
export const isEndingNamespace = (error: unknown): boolean => hasCause(error, 'NamespaceTerminating')
