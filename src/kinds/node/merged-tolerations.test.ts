import { expect, test } from 'vitest'
import { mergedTolerations } from './merged-tolerations.ts'

const equal = { key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' }
const exists = { key: 'a', operator: 'Exists', effect: 'NoSchedule' }
const every = { operator: 'Exists' }
const brief = { key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }

test.each([
  ['two that differ', [equal], [{ ...equal, value: 'c' }], [equal, { ...equal, value: 'c' }]],
  ['one that is there twice', [equal], [equal], [equal]],
  ['a wider one that comes first', [exists], [equal], [exists]],
  ['a wider one that comes later', [equal], [exists], [exists]],
  ['one that tolerates everything', [equal, exists], [every], [every]],
  ['a longer stay', [{ ...brief, tolerationSeconds: 6 }], [brief], [{ ...brief, tolerationSeconds: 6 }]],
  [
    'a stay without end',
    [brief],
    [{ key: 'a', operator: 'Exists', effect: 'NoExecute' }],
    [{ key: 'a', operator: 'Exists', effect: 'NoExecute' }],
  ],
  ['one for every effect', [equal], [{ key: 'a', operator: 'Exists' }], [{ key: 'a', operator: 'Exists' }]],
  ['another effect', [exists], [{ ...equal, effect: 'NoExecute' }], [exists, { ...equal, effect: 'NoExecute' }]],
])('of %s those stay that no other covers', (_name, first, second, merged) => {
  expect(mergedTolerations(first, second)).toEqual(merged)
})
