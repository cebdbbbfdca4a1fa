import { expect, test } from 'vitest'
import { withoutUnguessableParts } from './unguessable-part.ts'

const PART = '0123456789abcdef'.repeat(2)

test.each([
  [
    `failed calling webhook "a": failed to call webhook: Post "https://x.y.svc:443/calculations/${PART}?timeout=10s": EOF`,
    'failed calling webhook "a": failed to call webhook: Post "https://x.y.svc:443/calculations/…?timeout=10s": EOF',
  ],
  [`"https://x/a/${PART}" and https://x/${PART}${PART}`, '"https://x/a/…" and https://x/…'],
  [`/${PART}/a/${PART}/b`, '/…/a/…/b'],
  // Hashes of rules, names and identifiers of objects are no such parts.
  ['/probe/mutating/0123456789abcdef?timeout=1s', '/probe/mutating/0123456789abcdef?timeout=1s'],
  [`/configmaps/${PART}-data`, `/configmaps/${PART}-data`],
  ['/pods/6a0f61cb-7c11-4c2e-9d6b-2b7a5f0e1c3d', '/pods/6a0f61cb-7c11-4c2e-9d6b-2b7a5f0e1c3d'],
  [`image@sha256:${PART}`, `image@sha256:${PART}`],
])('of %s is shown %s', (text, shown) => {
  expect(withoutUnguessableParts(text)).toBe(shown)
})
