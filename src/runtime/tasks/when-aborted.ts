/** Resolves when the signal aborts; at once when it has. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** The work's result; rejects with the signal's reason when it aborts before there is one. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const abandoned = whenAborted(signal).then(() => Promise.reject<T>(signal.reason))
  return await Promise.race([work, abandoned])
}
