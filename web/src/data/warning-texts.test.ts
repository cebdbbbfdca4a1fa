import { expect, test } from 'vitest'
import { warningValues } from '../../../src/runtime/http/warning-headers.ts'
import { warningTexts } from './warning-texts.ts'

test.each([[[]], [['the increase raises nothing']], [['a, b', 'say "x\\y", 299 - "z"', 'größer 😀', '\\', '"']]])(
  'the warnings that the server writes are read as they were: %j',
  (texts) => {
    expect(warningTexts(warningValues(texts).join(', '))).toEqual(texts)
  },
)
