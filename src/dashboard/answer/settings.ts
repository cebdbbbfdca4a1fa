import type { Responder } from './question.ts'

/** What the page needs to know of this allot: from which percentages of a limit on usage is warned of. */
export const settings =
  ({ warnAt }: { readonly warnAt: readonly number[] }): Responder =>
  async () => ({ code: 200, value: { format: 1, warnAt: warnAt.toSorted((a, b) => a - b) } })
