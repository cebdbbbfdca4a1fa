import { expect, test } from 'vitest'
import { TokenFile } from './token-file.ts'

function tokenFile(text: string | undefined) {
  const state = { text, now: 0, reads: 0 }
  const file = new TokenFile('/token', {
    monotonic: () => state.now,
    readText: () => {
      state.reads++
      if (state.text === undefined) throw Object.assign(new Error('gone'), { code: 'ENOENT' })
      return state.text
    },
  })
  return { file, state }
}

test('a token is kept for a minute and then read again', async () => {
  const { file, state } = tokenFile('one\n')
  expect(await file.current()).toEqual({ authorization: 'Bearer one' })
  state.text = 'two'
  state.now = 59_999
  expect(await file.current()).toEqual({ authorization: 'Bearer one' })
  state.now = 60_000
  expect(await file.current()).toEqual({ authorization: 'Bearer two' })
})

test('a token that is refused is read again at once', async () => {
  const { file, state } = tokenFile('one')
  const old = await file.current()
  state.text = 'two'
  expect([file.refused(old), await file.current()]).toEqual([true, { authorization: 'Bearer two' }])
  // Another request that had the old one need not read it again.
  expect([file.refused(old), state.reads]).toEqual([true, 2])
})

test('a refused token that has not changed is not used again', async () => {
  const { file } = tokenFile('one')
  expect(file.refused(await file.current())).toBe(false)
})

test.each([undefined, ' \n'])('while the file holds nothing (%j) the old token is used', async (text) => {
  const { file, state } = tokenFile('one')
  const old = await file.current()
  state.text = text
  state.now = 60_000
  expect(await file.current()).toEqual({ authorization: 'Bearer one' })
  expect(file.refused(old)).toBe(false)
})

test.each([
  [undefined, 'the token file /token cannot be read: it does not exist'],
  ['', 'the token file /token is empty'],
])('a file that never held one (%j) is reported', async (text, message) => {
  await expect(tokenFile(text).file.current()).rejects.toThrow(message)
})
