import { expect, test } from 'vitest'
import { KeptAnswers } from './kept-answers.ts'

function kept(most = 2) {
  const state = { now: 0, asked: 0 }
  const answers = new KeptAnswers<number>(100, most, { monotonic: () => state.now })
  const ask = async (): Promise<number> => ++state.asked
  return { state, answers, ask }
}

test('an answer is asked for once while it is kept, and again afterwards', async () => {
  const { state, answers, ask } = kept()
  expect(await Promise.all([answers.of('a', ask), answers.of('a', ask), answers.of('b', ask)])).toEqual([1, 1, 2])
  state.now = 100
  expect(await answers.of('a', ask)).toBe(3)
})

test('a failure is not kept, and takes away no newer answer', async () => {
  const { state, answers, ask } = kept()
  const { promise, reject } = Promise.withResolvers<number>()
  const old = answers.of('a', () => promise)
  state.now = 100
  expect(await answers.of('a', ask)).toBe(1)
  reject(new Error('late'))
  await expect(old).rejects.toThrow('late')
  expect(await answers.of('a', ask)).toBe(1)
  await expect(answers.of('b', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await answers.of('b', ask)).toBe(2)
})

test('no more answers are kept than the bound', async () => {
  const { state, answers, ask } = kept(2)
  for (const question of ['a', 'b', 'c', 'c', 'b']) await answers.of(question, ask)
  expect(state.asked).toBe(3)
  await answers.of('a', ask)
  expect(state.asked).toBe(4)
})
