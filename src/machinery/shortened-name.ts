import { textHash } from './text-hash.ts'

const NOT_IN_NAMES = /[^-.\w]+/g
const NOT_AT_AN_END = /^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g

/**
 * The beginning of a name and a hash of all of it, at most `max` characters together: stands for a name that is too long,
 * or that holds what it may not. Of a DNS subdomain it makes another one; whatever it makes may be the value of a label,
 * where `max` allows that.
 */
export function shortenedName(name: string, max: number): string {
  const hash = textHash(name)
  const length = max - hash.length - 1
  const head = name.replaceAll(NOT_IN_NAMES, '-').slice(0, length).replaceAll(NOT_AT_AN_END, '')
  return head === '' ? hash : `${head}-${hash}`
}
