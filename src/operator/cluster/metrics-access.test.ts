import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { silentLogger } from '../../runtime/process/logger.ts'
import { MetricsAccess } from './metrics-access.ts'

const signal = new AbortController().signal

function setUp(user: object | undefined = { username: 'ann', groups: ['g'] }, allowed = true) {
  const clock = new ManualClock()
  const asked: string[] = []
  const answers = {
    fails: false,
    request: async (_method: string, path: string, body?: unknown): Promise<unknown> => {
      asked.push(path.split('/').at(-1) ?? '')
      if (answers.fails) throw new Error('away')
      if (path.endsWith('tokenreviews')) return { status: { authenticated: user !== undefined, user } }
      expect(body).toMatchObject({ spec: { user: 'ann', nonResourceAttributes: { path: '/metrics', verb: 'get' } } })
      return { status: { allowed } }
    },
  }
  const access = new MetricsAccess(answers, clock, silentLogger)
  const decide = (authorization?: string) => access.decide(authorization, '/metrics', signal)
  return { clock, asked, answers, decide }
}

test('a request without a bearer token is not reviewed', async () => {
  const { decide, asked } = setUp()
  for (const header of [undefined, '', 'Basic YTpi', 'Bearer', 'Bearer '])
    expect(await decide(header)).toBe('unauthenticated')
  expect(asked).toEqual([])
})

test('token and permission decide, as the API server says', async () => {
  expect(await setUp().decide('Bearer t')).toBe('allowed')
  expect(await setUp().decide('bearer  t')).toBe('allowed')
  expect(await setUp({ username: 'ann' }, false).decide('Bearer t')).toBe('forbidden')
})

test('an answer is kept for a while, by token', async () => {
  const { clock, decide, asked } = setUp()
  for (let at = 0; at < 3; at++) await decide('Bearer t')
  expect(asked).toEqual(['tokenreviews', 'subjectaccessreviews'])
  await decide('Bearer u')
  expect(asked).toHaveLength(4)
  await clock.advance(10_000)
  await decide('Bearer t')
  expect(asked).toHaveLength(6)
})

test('a failed review is tried again, and admits nobody', async () => {
  const { decide, answers } = setUp()
  answers.fails = true
  expect(await decide('Bearer t')).toBe('unknown')
  answers.fails = false
  expect(await decide('Bearer t')).toBe('allowed')
})

test('ever new tokens are not asked about without end', async () => {
  const { decide, asked } = setUp()
  const verdicts = await Promise.all(Array.from({ length: 40 }, (_, at) => decide(`Bearer ${at}`)))
  expect(verdicts.filter((verdict) => verdict === 'unknown')).toHaveLength(24)
  expect(asked).toHaveLength(32)
})
