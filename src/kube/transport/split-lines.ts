const NEWLINE = 0x0a

/**
 * The lines of a stream of octets. Only whole lines are decoded, so no character is torn where chunks meet. Empty lines are left out; what
 * follows the last newline is given with `complete: false`.
 */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ readonly text: string; readonly complete: boolean }, void> {
  let pending: Uint8Array[] = []
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      // Most lines lie within a chunk, and are not copied.
      const text =
        pending.length === 0
          ? bytes.toString('utf8', start, end).trim()
          : decoded([...pending, bytes.subarray(start, end)])
      pending = []
      start = end + 1
      if (text !== '') yield { text, complete: true }
    }
    if (start < bytes.length) pending.push(bytes.subarray(start))
  }
  const rest = decoded(pending)
  if (rest !== '') yield { text: rest, complete: false }
}

const decoded = (pieces: readonly Uint8Array[]): string => Buffer.concat(pieces).toString('utf8').trim()
