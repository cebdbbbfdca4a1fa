import { expect, test } from 'vitest'
import { eachCase, vectors } from '../../test/load-vectors.ts'
import { sentence } from './field-error.ts'
import { ANNOTATIONS_LIMIT, validateAnnotations, validateLabels } from './label-map.ts'

const FILE = 'kubernetes/selectors.json'

interface Case {
  readonly labels: Readonly<Record<string, string>>
  readonly observedErrors?: readonly string[]
  readonly valid: boolean
}

eachCase(
  FILE,
  vectors<{ label_labels: readonly Case[] }>(FILE).label_labels,
  (c) => `label_labels ${JSON.stringify(c.labels)}`,
  (c) => {
    const errors = validateLabels(c.labels, 'field').map(sentence)
    expect(errors.length === 0).toBe(c.valid)
    if (c.observedErrors !== undefined) expect(errors).toEqual(c.observedErrors)
  },
)

test('the prefix of an annotation’s key may be in capitals', () => {
  expect(validateAnnotations({ 'Example.COM/Key': 'any {text}' }, 'metadata.annotations')).toEqual([])
  expect(validateLabels({ 'Example.COM/Key': 'a' }, 'metadata.labels')).toHaveLength(1)
})

/** One annotation that leaves so many bytes of the limit free. */
function fill(text: string, free: number): Readonly<Record<string, string>> {
  return { k: text.repeat((ANNOTATIONS_LIMIT - free) / Buffer.byteLength(text)) }
}

test('annotations take 256 KiB in all, keys included', () => {
  expect(validateAnnotations(fill('a', 1), 'p')).toEqual([])
  expect(validateAnnotations({ ...fill('é', 2), a: '' }, 'p')).toEqual([])
  expect(validateAnnotations({ ...fill('a', 1), l: '' }, 'metadata.annotations').map(sentence)).toEqual([
    'metadata.annotations: Too long: may not be more than 262144 bytes',
  ])
  expect(validateAnnotations({ ...fill('é', 2), ab: '' }, 'p')).toHaveLength(1)
})
