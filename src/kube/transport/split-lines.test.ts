import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitLines } from './split-lines.ts'

async function* pieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0
  for (const cut of [...cuts, bytes.length].toSorted((a, b) => a - b)) {
    yield bytes.subarray(from, cut)
    from = cut
  }
}

async function linesOf(bytes: Uint8Array, cuts: readonly number[]): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const { text, complete } of splitLines(pieces(bytes, cuts))) lines.push(complete ? text : `${text}…`)
  return lines
}

test('wherever chunks are cut, also within a character, the lines are the same', async () => {
  const bytes = Buffer.from('{"a":"héllo"}\n{"b":"世界 🚀"}\n\n{"c":1}\n')
  const property = fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 12 }), async (cuts) => {
    expect(await linesOf(bytes, cuts)).toEqual(['{"a":"héllo"}', '{"b":"世界 🚀"}', '{"c":1}'])
  })
  await fc.assert(property)
})

test('text after the last newline is reported as incomplete', async () => {
  expect(await linesOf(Buffer.from('one\ntwo'), [2])).toEqual(['one', 'two…'])
})

test('a long line in many chunks is put together', async () => {
  const bytes = Buffer.from(`${'x'.repeat(4_000_000)}\n`)
  const cuts = Array.from({ length: 4000 }, (_, at) => at * 1000)
  expect((await linesOf(bytes, cuts))[0]).toHaveLength(4_000_000)
})
