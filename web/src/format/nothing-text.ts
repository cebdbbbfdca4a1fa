import type { NotSeen } from '../data/answer.ts'
import { isRefused } from './missing-texts.ts'

/** So many kinds are named. */
const MOST = 3

/**
 * What to say where a list is empty: that nothing was found, such as `No quota was found.`, only to a viewer who was given all kinds behind the
 * list. `of`: these kinds, or what tells whether a kind is one of them.
 */
export function nothingText(
  found: string,
  notSeen: readonly NotSeen[],
  of: readonly string[] | ((resource: string) => boolean),
): string {
  const isBehind = typeof of === 'function' ? of : (resource: string): boolean => of.includes(resource)
  const unseen = notSeen.filter(({ resource }) => isBehind(resource))
  if (unseen.length === 0) return found
  return `Unknown: ${unseen.every(isRefused) ? 'you may not list' : 'the API server does not give'} ${kindsText(unseen)}.`
}

/** The first of the kinds by name, and how many more there are. */
export function kindsText(unseen: readonly NotSeen[]): string {
  const names = unseen.slice(0, MOST).map(({ resource }) => resource)
  return joined([...names, ...(unseen.length > MOST ? [moreText(unseen.length - MOST)] : [])])
}

const moreText = (count: number): string => `${count} more ${count === 1 ? 'kind' : 'kinds'}`

const joined = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`
