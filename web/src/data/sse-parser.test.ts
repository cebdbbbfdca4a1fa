import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SseParser, type StreamEvent } from './sse-parser.ts'

const line = fc.string().map((text) => text.replaceAll(/[\r\n]/g, ''))
const event: fc.Arbitrary<StreamEvent> = fc.record({
  name: fc.constantFrom('change', 'watching', 'end'),
  data: fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n')),
})
const sent = ({ name, data }: StreamEvent, end: string): string =>
  [`event: ${name}`, ...data.split('\n').map((one) => `data: ${one}`), '', ''].join(end)

test('reads the events that were sent, in whatever pieces they come, with any line end', () => {
  fc.assert(
    fc.property(
      fc.array(event, { maxLength: 5 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 }),
      (events, end, sizes) => {
        const text = `: heartbeat${end}${end}${events.map((one) => sent(one, end)).join('')}`
        const parser = new SseParser()
        const read: StreamEvent[] = []
        for (let at = 0, turn = 0; at < text.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1
          read.push(...parser.push(text.slice(at, at + size)))
          at += size
        }
        // What ends in half a line end is ended by the next piece.
        read.push(...parser.push(end === '\r' ? ': end\n' : ''))
        expect(read).toEqual(events)
      },
    ),
  )
})

test('ignores comments, unknown fields and events without data', () => {
  expect(new SseParser().push(': a\nid: 1\nretry: 5\nevent: x\n\ndata\n\n')).toEqual([{ name: 'message', data: '' }])
})

test('keeps no more than a bounded part of what has no end', () => {
  const parser = new SseParser()
  for (let count = 0; count < 20; count++) parser.push('x'.repeat(200_000))
  expect(parser.push('\n\ndata: y\n\n')).toContainEqual({ name: 'message', data: 'y' })
})
