import type { SeededRandom } from '../seeded-random.ts'

/** Makes text wrong as bytes go wrong: most of its results are invalid JSON, or JSON of an odd kind. */
export function damaged(text: string, random: SeededRandom): string | Buffer {
  const way = random.pick(WAYS)
  return way(text, random)
}

type Way = (text: string, random: SeededRandom) => string | Buffer

/** A copy with something put at a random place, over so many characters. */
const spliced = (text: string, random: SeededRandom, piece: string, over = 0): string => {
  const at = random.between(0, text.length)
  return text.slice(0, at) + piece + text.slice(at + over)
}

/** A copy in which one value of the JSON text is another text. */
function withValue(text: string, random: SeededRandom, value: string): string {
  const places = [...text.matchAll(/:(?="[^"]*"|-?\d|true|false|null)/g)]
  const place = places[random.between(0, places.length - 1)]
  if (place === undefined) return value
  const from = place.index + 1
  const old = /^(?:"(?:[^"\\]|\\.)*"|[^,}\]]*)/.exec(text.slice(from))?.[0] ?? ''
  return text.slice(0, from) + value + text.slice(from + old.length)
}

const STRANGE_NUMBERS = [
  '9'.repeat(400),
  '-' + '1'.repeat(40),
  '1e400',
  '1e-400',
  '0.1e5',
  '-0',
  '1.0',
  '00',
  '1e',
  '.5',
  '0x10',
  'NaN',
  '18446744073709551616',
  '9007199254740993',
] as const
const STRANGE_TEXTS = [
  String.raw`"\ud800"`,
  String.raw`"a\udc00b"`,
  String.raw`"\u0000"`,
  String.raw`"\x41"`,
  '"\t"',
  '"\u2028"',
  `"${'é'.repeat(300)}"`,
  '"unclosed',
  "'single'",
] as const

const WAYS: readonly Way[] = [
  (text, random) => text.slice(0, random.between(0, text.length)),
  (text, random) => {
    const bytes = Buffer.from(text)
    for (let n = random.between(1, 8); n > 0; n--)
      if (bytes.length > 0) bytes.writeUInt8(random.between(0, 255), random.between(0, bytes.length - 1))
    return bytes
  },
  (text, random) => spliced(text, random, random.pick(['{', '}', '[', ']', ',', ':', '"', '\\', '/*', '\0'])),
  (text, random) => spliced(text, random, '', random.between(1, 20)),
  (text, random) => withValue(text, random, random.pick(STRANGE_NUMBERS)),
  (text, random) => withValue(text, random, random.pick(STRANGE_TEXTS)),
  (text, random) => {
    const depth = random.pick([30, 200, 999, 1001, 12_000])
    return withValue(text, random, random.chance(0.5) ? `${'['.repeat(depth)}${']'.repeat(depth)}` : nested(depth))
  },
  (text) => text.replace(/"([a-z]\w*)":/i, (key) => `${key}1,${key}`),
  (text) => `{${text.slice(1, -1)},${text.slice(1, -1)}}`,
  (text) => `\ufeff${text}`,
  (text) => Buffer.from(text, 'utf16le'),
  (text, random) =>
    Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([random.pick([0xff, 0xc0, 0xed, 0x80])])]),
  (text) => text + text,
  (text) => text.replaceAll('"', ''),
  () => '',
]

const nested = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)
