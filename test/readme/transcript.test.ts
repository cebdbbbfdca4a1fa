import { describe, expect, test } from 'vitest'
import { shows, steps } from './transcript.ts'

describe('steps of a document', () => {
  test('are the commands of console blocks with the output below them', () => {
    const document = 'text\n```console\n$ one\na\nb\n$ two\n```\n```sh\n$ not this\n```\n'
    expect(steps(document)).toEqual([
      { command: 'one', output: 'a\nb', line: 3 },
      { command: 'two', output: '', line: 6 },
    ])
  })

  test('go on in the next line after a backslash', () => {
    expect(steps('```console\n$ one \\\n    --flag\nout\n```')).toEqual([
      { command: 'one \\\n    --flag', output: 'out', line: 2 },
    ])
  })

  test('go on to the end of a here-document', () => {
    const [step] = steps("```console\n$ cat <<'EOF'\na: 1\n$ b\nEOF\na: 1\n```")
    expect(step).toEqual({ command: "cat <<'EOF'\na: 1\n$ b\nEOF", output: 'a: 1', line: 2 })
  })

  test('cannot begin with output', () => {
    expect(() => steps('```console\nout\n```')).toThrow('line 2: output without a command')
  })
})

describe('a shown output', () => {
  test('is compared to the letter, but for trailing newlines', () => {
    expect(shows('a.c', 'a.c\n\n')).toBe(true)
    expect(shows('a.c', 'abc\n')).toBe(false)
    expect(shows('a', 'a\nb\n')).toBe(false)
    expect(shows('', '')).toBe(true)
    expect(shows('', 'something\n')).toBe(false)
  })

  test('may leave out text within a line', () => {
    expect(shows('AGE\n…s', 'AGE\n12s\n')).toBe(true)
    expect(shows('AGE\n…s', 'AGE\n12s\n13s\n')).toBe(false)
  })

  test('names the webhook of any set of namespaces, and no other webhook', () => {
    const refused = (name: string): string => `Error: admission webhook "${name}" denied the request: no`
    const shown = refused('calculation.custom-quotas.validating.projectcapsule.dev')
    expect(shows(shown, shown)).toBe(true)
    expect(shows(shown, refused('v2.calculation.custom-quotas.validating.projectcapsule.dev'))).toBe(true)
    expect(shows(shown, refused('v2.custom-quotas.validating.projectcapsule.dev'))).toBe(false)
  })

  test('may leave out whole lines, or none', () => {
    expect(shows('a\n…\nz', 'a\nb\nc\nz')).toBe(true)
    expect(shows('a\n…\nz', 'a\nz')).toBe(true)
    expect(shows('a\n…\nz', 'a\nb')).toBe(false)
  })
})
