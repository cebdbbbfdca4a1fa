import type { NotSeen } from '../data/answer.ts'

/** What an answer says of a part that it lacks. */
export interface Lacking {
  readonly notSeen?: readonly NotSeen[]
  /** False: rows are left out. */
  readonly isWhole?: boolean
}

/** May the viewer not list it? */
export const isRefused = ({ reason }: NotSeen): boolean => reason.startsWith('you may not')

/**
 * What a viewer would take to be there, and is not: objects that could not be read although the viewer may list them, and rows that are left out.
 * `rows`: what these are, such as `refusals`.
 */
export function missingTexts({ notSeen = [], isWhole = true }: Lacking, rows: string): readonly string[] {
  const unread = notSeen.filter((one) => !isRefused(one)).map(({ resource, reason }) => `${resource}: ${reason}`)
  return [...unread, ...(isWhole ? [] : [`there are more ${rows} than one answer holds`])]
}
