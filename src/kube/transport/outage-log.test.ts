import { expect, test } from 'vitest'
import { createLogger } from '../../runtime/process/logger.ts'
import { outageLog } from './outage-log.ts'
import { ServerUnreachable } from './server-unreachable.ts'

const away = (): ServerUnreachable => new ServerUnreachable('refused', 'https://x cannot be reached')

function setUp(level: 'debug' | 'info' = 'info') {
  const lines: Record<string, unknown>[] = []
  const target = createLogger(level, { write: (line) => void lines.push(JSON.parse(line)) })
  let now = 0
  return { lines, ...outageLog(target, () => now), pass: (ms: number) => (now += ms) }
}

test('an outage is one line when it begins, and one when it is over', () => {
  const { lines, logger, answered, pass } = setUp()
  logger.warn({ error: away() }, 'a watch ended')
  logger.child({ part: 'x' }).error({ error: new AggregateError([away(), away()]) }, 'some writes failed')
  logger.warn({ error: new Error('outer', { cause: away() }) }, 'the lease could not be renewed')
  pass(4000)
  answered()
  answered()
  expect(lines).toMatchObject([
    { level: 'warn', problem: 'https://x cannot be reached', advice: expect.any(String) },
    { level: 'info', seconds: 4, msg: 'the API server is back' },
  ])
  logger.warn({ error: away() }, 'a watch ended')
  expect(lines).toHaveLength(3)
  expect(JSON.stringify(lines)).not.toContain('"stack"')
})

test('a failure for another reason is logged as ever', () => {
  const { lines, logger } = setUp()
  logger.warn({ error: new Error('a bug') }, 'it failed')
  logger.warn({ error: new AggregateError([away(), new Error('a bug')]) }, 'some failed')
  logger.info({ a: 1 }, 'it goes on')
  expect(lines.map(({ msg }) => msg)).toEqual(['it failed', 'some failed', 'it goes on'])
})

test('the level debug also logs each failure, in a line each', () => {
  const { lines, logger } = setUp('debug')
  logger.warn({ error: away(), kind: 'pods' }, 'a watch ended')
  expect(lines).toMatchObject([
    { level: 'warn' },
    { level: 'debug', kind: 'pods', error: 'https://x cannot be reached' },
  ])
})
