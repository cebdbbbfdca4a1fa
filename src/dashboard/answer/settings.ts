import type { Responder } from './question.ts'

/** Reviews of rights need no list, which may be too long to be read. */
const ALL_QUOTAS = { verb: 'list', group: '', resource: 'resourcequotas', namespace: '' }

/** What the page needs to know of this allot and of its viewer: from which percentages of a limit on usage is warned of, and whether to ask about all namespaces. */
export const settings =
  ({ warnAt }: { readonly warnAt: readonly number[] }): Responder =>
  async ({ viewer }) => ({
    code: 200,
    value: { format: 1, warnAt: warnAt.toSorted((a, b) => a - b), seesAll: await viewer.may(ALL_QUOTAS) },
  })
