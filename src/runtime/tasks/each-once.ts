/**
 * Returns a step that does the work for all items at the same time. A repeated step does only the work that has failed,
 * because of many requests some may fail each time. The step waits for all, and rejects with the first failure.
 */
export function eachOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): () => Promise<void> {
  const left = new Set(items)
  return async () => {
    const outcomes = await Promise.allSettled(
      [...left].map(async (item) => {
        await work(item)
        left.delete(item)
      }),
    )
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  }
}
