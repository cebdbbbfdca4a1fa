import { describe, expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { ServerUnreachable, type UnreachableCode } from '../../kube/transport/server-unreachable.ts'
import { conflict, failure, forbidden, unauthorized } from '../../machinery/status.ts'
import { type LogFields, type Logger, silentLogger } from '../../runtime/process/logger.ts'
import { StartupError } from '../../runtime/process/startup-error.ts'
import { retryWhileUnavailable } from './retry-while-unavailable.ts'

const unreachable = (code: UnreachableCode): Error => new ServerUnreachable(code, `the server: ${code}`)
const busy = (code: number, retryAfterSeconds?: number): Error =>
  failure(code, 'Busy', `busy ${code}`, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })

/** Work that fails so until a time, in milliseconds; how it went, and when. */
function trial(error: Error, until = Infinity) {
  const clock = new ManualClock()
  const warnings: LogFields[] = []
  const logger: Logger = { ...silentLogger, warn: (fields) => void warnings.push(fields) }
  const stop = new AbortController()
  const tries: number[] = []
  const result = { end: '', at: 0 }
  const over = (end: string): void => void Object.assign(result, { end, at: clock.monotonic() })
  void retryWhileUnavailable(
    async () => {
      tries.push(clock.monotonic())
      if (clock.monotonic() < until) throw error
      return 'done'
    },
    { clock, logger, signal: stop.signal },
  ).then(over, (reason: unknown) => over(String(reason)))
  return { clock, warnings, tries, result, stop }
}

describe('a temporary failure', () => {
  test.each([
    ...(['refused', 'no-route', 'timeout', 'dropped', 'proxy', 'network'] as const).map(unreachable),
    ...[429, 500, 502, 503, 504].map((code) => busy(code)),
    conflict({ group: '', resource: 'secrets' }, 's'),
  ])('is waited for: %s', async (error) => {
    const { clock, warnings, result } = trial(error, 20_000)
    await clock.advance(30_000)
    expect(result.end).toBe('done')
    // Not every try is logged.
    expect(warnings.length).toBeLessThan(5)
    expect(warnings[0]).toMatchObject({ problem: error.message, givesUpInSeconds: 60 })
  })

  test('is waited for a minute, and then it is what ends the start', async () => {
    const { clock, tries, result } = trial(unreachable('refused'))
    await clock.advance(120_000)
    expect(result.end).toContain('the server: refused')
    expect(result.at).toBeGreaterThan(50_000)
    expect(result.at).toBeLessThanOrEqual(60_000)
    const waits = tries.slice(1).map((at, index) => at - (tries[index] ?? 0))
    expect(waits).toEqual(waits.toSorted((a, b) => a - b))
    expect(tries.length).toBeLessThan(20)
  })

  test('is not waited for longer than it takes: a host name that nobody knows', async () => {
    const { clock, result } = trial(unreachable('name-unknown'))
    await clock.advance(120_000)
    expect(result.end).toContain('name-unknown')
    expect(result.at).toBeLessThanOrEqual(10_000)
  })

  test('is waited for as long as the server asks, and never in vain', async () => {
    const { clock, tries } = trial(busy(429, 20))
    await clock.advance(100_000)
    for (const [index, at] of tries.slice(1).entries()) expect(at - (tries[index] ?? 0)).toBeGreaterThanOrEqual(20_000)
    const long = trial(busy(429, 90))
    await long.clock.advance(1)
    expect(long.result).toEqual({ end: 'ApiError: busy 429', at: 0 })
  })

  test('is waited for until the process is asked to stop', async () => {
    const { clock, result, stop } = trial(unreachable('refused'))
    await clock.advance(5_000)
    stop.abort(new Error('stopped'))
    await clock.advance(0)
    expect(result).toEqual({ end: 'Error: stopped', at: 5_000 })
  })
})

test.each([
  unauthorized(),
  forbidden({ group: '', resource: 'namespaces' }, '', 'no'),
  failure(404, 'NotFound', 'nothing here'),
  failure(422, 'Invalid', 'no'),
  unreachable('certificate-untrusted'),
  unreachable('client-certificate-refused'),
  unreachable('no-api-server'),
  new StartupError('server-too-old', 'old'),
  new Error('a bug'),
])('a permanent failure ends the start at once: %s', async (error) => {
  const { clock, warnings, result } = trial(error)
  await clock.advance(1)
  expect(result).toEqual({ end: String(error), at: 0 })
  expect(warnings).toEqual([])
})
