import { expect, test } from 'vitest'
import { AnswerBounds } from './bounds.ts'

const MOST_WAITING = 200

test('a user with too many waiting requests is rejected, and others are not', async () => {
  const bounds = new AnswerBounds()
  const waiting = Array.from({ length: MOST_WAITING }, () => bounds.turn('jane'))
  await expect(bounds.turn('jane')).rejects.toMatchObject({ status: { code: 429 } })
  // The further pieces of an answer that has begun are made all the same.
  await Promise.all([...waiting, bounds.anyTurn('jane'), bounds.turn('jack')])
  await bounds.turn('jane')
})
