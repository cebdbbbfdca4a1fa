import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FrameReader } from './frame-reader.ts'

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const TYPES = { data: 0, headers: 1, reset: 3, settings: 4, windowUpdate: 8, continuation: 9 } as const
const END_HEADERS = 4

function frame(type: number, flags: number, length: number): Buffer {
  const bytes = Buffer.alloc(9 + length)
  bytes.writeUIntBE(length, 0, 3)
  bytes.writeUInt8(type, 3)
  bytes.writeUInt8(flags, 4)
  return bytes
}

/** The ends of all portions, and what they cost together. */
function portions(
  pieces: readonly Buffer[],
  most: number,
): { readonly ends: readonly number[]; readonly points: number } {
  const reader = new FrameReader()
  const ends: number[] = []
  let [before, points] = [0, 0]
  for (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const portion = reader.portion(piece, at, most)
      expect(portion.to).toBeGreaterThan(at)
      at = portion.to
      points += portion.points
      ends.push(before + at)
    }
    before += piece.length
  }
  return { ends, points }
}

const frames = fc.array(
  fc
    .record({
      type: fc.constantFrom(...Object.values(TYPES)),
      flags: fc.constantFrom(0, 1, END_HEADERS, 5),
      length: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1000, max: 16_384 })),
    })
    .map(({ type, flags, length }) => frame(type, flags, length)),
  { minLength: 1, maxLength: 12 },
)

test('frames cost the same in whatever pieces they come, but for what is rounded, and every byte goes through once', () => {
  fc.assert(
    fc.property(
      frames,
      fc.array(fc.nat(), { maxLength: 12 }),
      fc.integer({ min: 1, max: 2000 }),
      (sent, cuts, most) => {
        const bytes = Buffer.concat([PREFACE, ...sent])
        const places = [...new Set(cuts.map((cut) => cut % bytes.length))].toSorted((a, b) => a - b)
        const pieces = [0, ...places].map((from, n) => bytes.subarray(from, places[n] ?? bytes.length))
        const whole = portions([bytes], Infinity)
        const cut = portions(pieces, most)
        expect(cut.ends.at(-1)).toBe(bytes.length)
        expect(cut.points).toBeLessThanOrEqual(whole.points)
        expect(cut.points).toBeGreaterThanOrEqual(whole.points - cut.ends.length)
      },
    ),
  )
})

test('a portion ends with the head of a request, which may make the client known', () => {
  const opening = [PREFACE, frame(TYPES.settings, 0, 6), frame(TYPES.headers, 0, 100)]
  const end = frame(TYPES.continuation, END_HEADERS, 10)
  const bytes = Buffer.concat([...opening, end, frame(TYPES.headers, END_HEADERS, 0), frame(TYPES.windowUpdate, 0, 4)])
  const first = Buffer.concat([...opening, end]).length
  expect(portions([bytes], Infinity).ends).toEqual([first, first + 9, bytes.length])
})

test('a portion has not many more points than it may, whatever is in it', () => {
  const MOST = 500
  // The dearest frame.
  const EXCESS = 200
  fc.assert(
    fc.property(frames, (sent) => {
      const reader = new FrameReader()
      const bytes = Buffer.concat([PREFACE, ...sent])
      for (let at = 0; at < bytes.length;) {
        const { to, points } = reader.portion(bytes, at, MOST)
        expect(points).toBeLessThan(MOST + EXCESS)
        at = to
      }
    }),
  )
})
