import { expect, test } from 'vitest'
import { parseYaml } from './text.ts'

/** The message of go.yaml.in/yaml/v2 for each text. */
test.each([
  ['\ta: 1\n', 'found character that cannot start any token'],
  ['a: 1\n\tb: 2\n', 'line 2: found a tab character that violates indentation'],
  ['a:\n\tb: 2\n', 'line 2: found character that cannot start any token'],
  ['a:\n  b: 1\n \tc: 2\n', 'line 3: found a tab character that violates indentation'],
  ['a: |\n\tb\n', 'line 2: found a tab character where an indentation space is expected'],
  ['a: "x"\n\tb: 2\n', 'line 2: found character that cannot start any token'],
  ['a: {b: c\nd: {}\n', "line 1: did not find expected ',' or '}'"],
  ['{"a":"b"', "line 1: did not find expected ',' or '}'"],
  ['{"a" "b"}', "did not find expected ',' or '}'"],
  ['a: [b, c\nd: e\n', "line 1: did not find expected ',' or ']'"],
  ['a: ]\n', 'did not find expected node content'],
  ['a: "b\n', 'line 2: found unexpected end of stream'],
  [String.raw`a: "b\q"`, 'found unknown escape character'],
  [String.raw`a: "\u12"`, 'did not find expected hexdecimal number'],
  ['a: b\n  c: d\n', 'line 2: mapping values are not allowed in this context'],
  ['a: b: c\n', 'mapping values are not allowed in this context'],
  ['a: b\nc\nd: e\n', "line 3: could not find expected ':'"],
  ['c\na: b\n', 'line 2: mapping values are not allowed in this context'],
  ['a:\n   b: 1\n  c: 2\n', 'line 2: did not find expected key'],
  ['- a\nb: c\n', "line 1: did not find expected '-' indicator"],
  ['a: 1\n- b\n', 'line 1: did not find expected key'],
  ['a:\n  - b\n  c: d\n', "line 2: did not find expected '-' indicator"],
  ['a:\n- b\n c: d\n', 'line 3: mapping values are not allowed in this context'],
  ['@x', 'found character that cannot start any token'],
  ['%x', 'found unknown directive name'],
  ['a: *b\n', "unknown anchor 'b' referenced"],
  ['a: |x\n', 'did not find expected comment or line break'],
  ['a: - b\n', 'block sequence entries are not allowed in this context'],
  ['- - a\n  b\n', "line 3: could not find expected ':'"],
  ['spec:\n  containers:\n  - name: a\n   image: b\n', 'line 3: did not find expected key'],
  ['a: "b" c\n', 'did not find expected key'],
  ['a: !!str !!str b\n', 'did not find expected key'],
  ['a: &a !b &c d\n', 'did not find expected key'],
  ['x: 1\na: !a !a !a !a !a !a b\n', 'line 1: did not find expected key'],
  ['<<: 1\n', 'map merge requires map or sequence of maps as the value'],
])('%j is refused as Go refuses it', (text, message) => {
  expect(() => parseYaml(text)).toThrow(`yaml: ${message}`)
})
