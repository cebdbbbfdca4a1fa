/** A controller that also aborts when `signal` does, until it is disposed of: `AbortSignal.any` would keep it until then. */
export function linkedAbort(signal?: AbortSignal): Disposable & { readonly controller: AbortController } {
  const controller = new AbortController()
  const follow = (): void => controller.abort(signal?.reason)
  if (signal?.aborted === true) follow()
  else signal?.addEventListener('abort', follow, { once: true })
  return { controller, [Symbol.dispose]: () => signal?.removeEventListener('abort', follow) }
}
