import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { LocalPairs } from './local-pairs.ts'

let pairs: LocalPairs | undefined
afterEach(() => pairs?.close())

test('the two ends of each of many pairs that are made at once belong together', async () => {
  const made = (pairs = new LocalPairs())
  const all = await Promise.all(Array.from({ length: 50 }, () => made.open()))
  for (const [index, { outer, inner }] of all.entries()) {
    outer.end(`out ${index}`)
    inner.end(`in ${index}`)
    const [[out], [back]] = await Promise.all([once(inner, 'data'), once(outer, 'data')])
    expect([String(out), String(back)]).toEqual([`out ${index}`, `in ${index}`])
    outer.destroy()
    inner.destroy()
  }
})

test('somebody else who finds the port gets no pair, and nothing is taken from those that are made meanwhile', async () => {
  pairs = new LocalPairs(100)
  const { outer: first } = await pairs.open()
  const stranger = connect(first.remotePort ?? 0, '127.0.0.1')
  stranger.on('error', () => undefined)
  await once(stranger, 'connect')
  stranger.write('I am the client')
  const { outer, inner } = await pairs.open()
  outer.write('the client')
  expect(String((await once(inner, 'data'))[0])).toBe('the client')
  await once(stranger.resume(), 'close')
  for (const socket of [first, outer, inner]) socket.destroy()
})

test('after the end no pair is made', async () => {
  pairs = new LocalPairs()
  pairs.close()
  await expect(pairs.open()).rejects.toThrow('no more pairs')
})
