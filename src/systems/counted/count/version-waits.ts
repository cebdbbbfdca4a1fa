interface Wait {
  readonly isOver: () => boolean
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

/** Waits of callers for a condition that only `look` can check. */
export class VersionWaits {
  readonly #waits = new Set<Wait>()

  /** Resolves as soon as the condition holds. Rejects with the signal's reason, or with what `fail` gives. */
  wait(isOver: () => boolean, signal: AbortSignal): Promise<void> {
    if (isOver()) return Promise.resolve()
    if (signal.aborted) return Promise.reject(signal.reason as Error)
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#waits.delete(wait)
        signal.removeEventListener('abort', abandoned)
      }
      const abandoned = (): void => wait.reject(signal.reason)
      const wait: Wait = {
        isOver,
        resolve: () => (end(), resolve()),
        reject: (error) => (end(), reject(error)),
      }
      this.#waits.add(wait)
      signal.addEventListener('abort', abandoned, { once: true })
    })
  }

  look(): void {
    for (const wait of this.#waits) if (wait.isOver()) wait.resolve()
  }

  fail(error: unknown): void {
    for (const wait of this.#waits) wait.reject(error)
  }
}
