import type { Store } from '../../../src/store/store.ts'

/** Commits of a store that wait until they are let go. */
export interface HeldCommits extends Disposable {
  /** Resolves when a commit waits. */
  readonly begun: Promise<void>
  /** Lets all of them go, and those that come later. */
  readonly release: () => void
}

/** Holds the commits of a store up until they are released, or the result is disposed of. */
export function holdCommits(store: Store): HeldCommits {
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const commit = store.commit.bind(store)
  store.commit = async (writes) => {
    begun.resolve()
    await held.promise
    return await commit(writes)
  }
  return {
    begun: begun.promise,
    release: () => held.resolve(),
    [Symbol.dispose]() {
      store.commit = commit
      held.resolve()
    },
  }
}
