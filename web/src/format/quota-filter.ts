import type { HistoryRow, QuotaRow } from '../data/answer.ts'

/** Is each of these words part of one of the names? */
export function hasWords(names: readonly string[], words: string): boolean {
  const text = names.join(' ').toLowerCase()
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

type NamedLimit = Pick<QuotaRow | HistoryRow, 'namespace' | 'kind' | 'name' | 'resource'>

/** Has the limit each of these words in one of its names? */
export const matches = ({ namespace = '', kind, name, resource }: NamedLimit, words: string): boolean =>
  hasWords([namespace, kind, name, resource], words)

/** Is the limit used to this percentage, or is nothing more to be had of it? */
export const isNear = ({ fill, percent = 0 }: QuotaRow, from: number): boolean =>
  fill === 'full' || fill === 'over' || (fill === 'room' && percent >= from)
