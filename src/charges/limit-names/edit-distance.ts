/** How many characters have to be added, left out, replaced or exchanged with the next to make one word of the other. */
export function editDistance(a: string, b: string): number {
  let beforeLast: readonly number[] = []
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      const isExchanged = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + (isSame ? 0 : 1),
          isExchanged ? at(beforeLast, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    beforeLast = last
    last = current
  }
  return at(last, b.length)
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY

/** A longer word is no misspelling of a name. It bounds what a comparison costs. */
const LONGEST = 100

/** The one of these words that a misspelled one is nearest to; undefined where more than two characters, or a third of them, differ. */
export function nearestWord(word: string, words: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined
  let nearest: string | undefined
  let least = Math.min(2, Math.floor(word.length / 3)) + 1
  for (const one of words) {
    if (Math.abs(one.length - word.length) >= least) continue
    const distance = editDistance(word, one)
    if (distance >= least) continue
    least = distance
    nearest = one
  }
  return nearest
}
