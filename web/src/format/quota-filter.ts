import type { QuotaRow } from '../data/answer.ts'

/** Has the row each of these words in one of its names? */
export function matches({ namespace, kind, name, resource }: QuotaRow, words: string): boolean {
  const wanted = words.toLowerCase().split(/\s+/)
  const names = `${namespace} ${kind} ${name} ${resource}`.toLowerCase()
  return wanted.every((word) => names.includes(word))
}

/** Is the limit used to this percentage, or is nothing more to be had of it? */
export const isNear = ({ fill, percent = 0 }: QuotaRow, from: number): boolean =>
  fill === 'full' || fill === 'over' || (fill === 'room' && percent >= from)
