import { describe, expect, test } from 'vitest'
import type { LogLevel } from './log-level.ts'
import { createLogger } from './logger.ts'

function logged(
  level: LogLevel,
  log: (logger: ReturnType<typeof createLogger>) => void,
): readonly Record<string, unknown>[] {
  const lines: string[] = []
  log(createLogger(level, { write: (line: string) => void lines.push(line) }))
  return lines.map((line) => JSON.parse(line))
}

describe('the logger', () => {
  test('writes events as JSON with level, time, fields and message', () => {
    const [event] = logged('info', (logger) => logger.child({ controller: 'quota' }).warn({ key: 'a/b' }, 'slow'))
    expect(event).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      controller: 'quota',
      key: 'a/b',
      msg: 'slow',
    })
  })

  test('drops what is below its level', () => {
    const events = logged('warn', (logger) => {
      expect(logger.debugs).toBe(false)
      logger.debug({}, 'no')
      logger.info({}, 'no')
      logger.error({}, 'yes')
    })
    expect(events.map(({ msg }) => msg)).toEqual(['yes'])
  })

  test('writes errors with their causes', () => {
    const [event] = logged('error', (logger) =>
      logger.error({ error: new Error('outer', { cause: new Error('inner') }) }, 'failed'),
    )
    expect(event?.['error']).toMatchObject({ message: 'outer', cause: { message: 'inner' }, stack: expect.any(String) })
  })

  test('writes no character that a terminal obeys', () => {
    const texts = ['\u001b[2J\r\n', '\u007f\u009b31m', '\u202eevil\u2028\ufeff', '\u{e0001}', 'ä 中 😀']
    const lines: string[] = []
    createLogger('info', { write: (line: string) => void lines.push(line) }).info({ texts }, 'said')
    expect(lines).toEqual([expect.stringMatching(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+\n$/u)])
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ texts })
  })

  test('never writes secrets', () => {
    const fields = {
      token: 'sesame',
      headers: { authorization: 'Bearer sesame', cookie: 'sesame' },
      user: { password: 'sesame' },
    }
    expect(JSON.stringify(logged('info', (logger) => logger.info(fields, 'request')))).not.toContain('sesame')
  })
})
