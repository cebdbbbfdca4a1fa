import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Document, parseDocument, stringify } from 'yaml'
import { composeYaml, YamlProblemError } from './document.ts'

const OPTIONS = { version: '1.1', merge: true, uniqueKeys: false, logLevel: 'silent', prettyErrors: false } as const

/** Returns the value of a text, or its first problem. */
function outcome(text: string, compose: (text: string) => Document.Parsed): object {
  try {
    const document = compose(text)
    const [problem] = document.errors
    return problem === undefined
      ? { value: document.toJS({ mapAsMap: true }), start: document.contents?.range[0] }
      : { code: problem.code, message: problem.message, offset: problem.pos[0] }
  } catch (error) {
    if (error instanceof YamlProblemError) return error.problem
    return { thrown: String(error) }
  }
}

const both = (text: string): readonly [object, object] => [
  outcome(text, (one) => composeYaml(one, OPTIONS)),
  outcome(text, (one) => parseDocument(one, OPTIONS)),
]
function same(text: string): void {
  const [ours, theirs] = both(text)
  expect(ours).toEqual(theirs)
}

const WORDS = ['a', 'b: c', 'x y', '1', '-', '- ', '? ', ': ', 'k:', 'k: |', 'k: >+2', '|', '"q"', "'s'"]
const MARKS = [
  '[',
  ']',
  '{',
  '}',
  ',',
  '&a ',
  '*a',
  '!!str ',
  '!t ',
  '<<: ',
  '---',
  '...',
  // Of %YAML less is taken than the library takes (text.test.ts).
  '%TAG !t! t:',
  '@',
  '#',
  ' # c',
]
const BREAKS = [
  '\n',
  '\n',
  '\n  ',
  '\n    ',
  '\r\n',
  '\n\n',
  '\n \n',
  '\n# c\n',
  '\n   # c\n',
  '\n\t',
  '\n- ',
  '\n  - ',
  '\n#\n#\n',
]
const ROWS = [
  '\n'.repeat(20),
  '\n#'.repeat(20),
  '\n  # c'.repeat(20) + '\n',
  '\n  \n    # c\n'.repeat(10),
  '\n \t'.repeat(20),
]
const noise = (...more: readonly string[]) =>
  fc
    .array(fc.constantFrom(...WORDS, ...MARKS, ...BREAKS, ...BREAKS, ...more), { maxLength: 24 })
    .map((parts) => parts.join(''))
    // Five tags and anchors in a row are refused before the library finds out, and a second document is nobody's concern.
    .filter((text) => !/(?:[&!]\S*\s*){5}|\.\.\.[^]*%/.test(text))

test('of any text it says what the library says of it as a whole', () => {
  fc.assert(fc.property(noise(), same), { numRuns: 500 })
})

/** After a comment the library takes a line of nothing but a tab for an indented one. It is blank. */
const hasTabLineAfterComment = (text: string): boolean => /#[^]*\n *\t\s*(?:\n|$)/.test(text)

test('of a text with long rows of comments and blank lines too, only that a problem may lie elsewhere', () => {
  const texts = noise(...ROWS, ...ROWS).filter((text) => !hasTabLineAfterComment(text))
  fc.assert(
    fc.property(texts, (text) => {
      const [ours, theirs] = both(text)
      if ('value' in theirs) expect(ours).toMatchObject({ value: theirs.value })
      else expect(ours).not.toHaveProperty('value')
    }),
    { numRuns: 500 },
  )
})

/** Lines that say nothing, before any line: of a text too, where they are a part of it. */
const filler = fc.constantFrom('', ' ', '# c', '   # c: [', '\t# c', '      ')
const fillers = fc.oneof(
  { weight: 5, arbitrary: fc.array(filler, { maxLength: 3 }) },
  fc.array(filler, { minLength: 18, maxLength: 40 }),
)
const values = fc.jsonValue({ maxDepth: 4 })

test('of a sound text with comments and blank lines as well', () => {
  fc.assert(
    fc.property(values, fc.infiniteStream(fillers), fc.constantFrom('\n', '\r\n'), (value, lines, end) => {
      const filled = stringify(value, { version: '1.1' })
        .split('\n')
        .flatMap((line) => [...(lines.next().value ?? []), line])
      same(filled.join(end))
    }),
    { numRuns: 500 },
  )
})

test('stops at the first of many problems, and where a text nests too deep', () => {
  const problemOf = (text: string): unknown => outcome(text, (one) => composeYaml(one, OPTIONS))
  expect(problemOf(String.raw`"${String.raw`\q`.repeat(100_000)}"`)).toMatchObject({ code: 'BAD_DQ_ESCAPE', offset: 1 })
  expect(problemOf(']'.repeat(100_000))).toMatchObject({ code: 'UNEXPECTED_TOKEN', offset: 0 })
  expect(problemOf('!a '.repeat(100_000))).toMatchObject({ code: 'MULTIPLE_TAGS' })
  for (const one of ['[', '{a: ', '- ', '? ', '- [{a: '])
    expect(problemOf(one.repeat(100_000))).toMatchObject({ code: 'RESOURCE_EXHAUSTION' })
})

test.each(['- !!map &a\n  !!str &b k: v\n', 'k: !!null &a\n!!str &b l: v\n'])(
  'takes an anchor and a tag for each of two nodes that begin in one place: %j',
  (text) => {
    const [ours, theirs] = both(text)
    expect(ours).toEqual(theirs)
    expect(ours).toHaveProperty('value')
  },
)
