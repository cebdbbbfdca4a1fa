/**
 * Does the work for each item, at most `limit` at a time, and waits for all, also when some fail. Throws the only error, or
 * an AggregateError of all.
 */
export async function inParallel<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]()
  const errors: unknown[] = []
  const worker = async (): Promise<void> => {
    for (let next = left.next(); next.done !== true; next = left.next()) {
      try {
        await work(next.value)
      } catch (error) {
        errors.push(error)
      }
    }
  }
  await Promise.all(Array.from({ length: limit }, worker))
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} of the writes failed`)
}
