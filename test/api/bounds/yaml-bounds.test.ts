import { expect, test } from 'vitest'
import { YamlTextError } from '../../../src/machinery/yaml/text.ts'
import { YamlReader } from '../../../src/apiserver/decoding/yaml-reader.ts'

const read = (reader: YamlReader, text: string) => reader.read({ text, withDuplicates: true })
const list = (length: number): string => `a: [${'1,'.repeat(length)}]`
const PATIENCE_MS = 100_000

test('a text that takes too much memory is refused, and the one behind it is read', async () => {
  const reader = new YamlReader({ heap: 24, cpuMs: PATIENCE_MS })
  const large = read(reader, list(300_000))
  const sound = read(reader, list(9000))
  const refused = {
    code: 413,
    reason: 'RequestEntityTooLarge',
    message: 'the YAML body takes too much memory to read; send it as JSON',
  }
  await expect(large).rejects.toMatchObject({ status: refused })
  expect(await sound).toEqual({ value: { a: Array(9000).fill(1) }, duplicates: [] })
})

test('a text that takes too long is refused', async () => {
  const reader = new YamlReader({ heap: 512, cpuMs: 0 })
  await expect(read(reader, list(350_000))).rejects.toMatchObject({
    status: { code: 413, message: 'the YAML body takes too long to read; send it as JSON' },
  })
})

test('more than 17 large texts at once are put off', async () => {
  const reader = new YamlReader()
  const results = await Promise.allSettled(Array.from({ length: 18 }, () => read(reader, ']'.repeat(20_000))))
  const reasons = results.map((one) => (one.status === 'rejected' ? one.reason : undefined))
  expect(reasons.slice(0, 17).every((reason) => reason instanceof YamlTextError)).toBe(true)
  expect(reasons[17]).toMatchObject({ status: { code: 429 } })
})

test.each([10, 20_000])('of a text of %i items it reports the keys that are set twice', async (length) => {
  const { value, duplicates } = await read(new YamlReader(), `${list(length)}\nb: 1.0\nb: 9007199254740993\n`)
  expect(JSON.stringify(value)).toMatch(/\],"b":9007199254740993\}$/)
  expect(duplicates).toEqual(['line 3: key "b" already set in map'])
})

test('a text that nobody waits for any more is read no further, and one that waits for its turn not at all', async () => {
  const reader = new YamlReader({ heap: 512, cpuMs: PATIENCE_MS })
  const asker = { isAwaited: true }
  const task = { text: list(350_000), withDuplicates: true }
  const given = [reader.read(task, asker), reader.read(task, asker)]
  const behind = read(reader, list(9000))
  asker.isAwaited = false
  for (const reading of given)
    await expect(reading).rejects.toMatchObject({
      status: { message: 'the request ended before its YAML body was read' },
    })
  expect(await behind).toEqual({ value: { a: Array(9000).fill(1) }, duplicates: [] })
})

test('a text of too many items is refused before anything is made of them', async () => {
  // To read it would take more memory than it may.
  const reader = new YamlReader({ heap: 64, cpuMs: PATIENCE_MS })
  await expect(read(reader, list(1_000_000))).rejects.toMatchObject({
    status: { code: 413, message: 'the YAML body has too many values and characters of syntax; send it as JSON' },
  })
})
