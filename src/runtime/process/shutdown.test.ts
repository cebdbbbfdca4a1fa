import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createLogger } from './logger.ts'
import { type Ending, shutDown } from './shutdown.ts'

function scene() {
  const log: string[] = []
  const ended: string[] = []
  const logger = createLogger('info', { write: (line) => void log.push(line) })
  const ending = (name: string, end: Ending['end'] = async () => undefined): Ending => ({
    name,
    end: async (signal) => {
      await end(signal)
      ended.push(name)
    },
  })
  return { log, ended, logger, ending }
}

test('a group ends after those before it, its members together', async () => {
  const { log, ended, logger, ending } = scene()
  let reviewsEnded: () => void
  const reviews = new Promise<void>((resolve) => (reviewsEnded = resolve))
  const groups = [
    [ending('reviews', () => reviews), ending('leadership', async () => reviewsEnded())],
    [ending('probes')],
  ]
  await shutDown({ groups, limitMs: 10_000, logger })
  expect(ended.slice(0, 2).toSorted()).toEqual(['leadership', 'reviews'])
  expect(ended[2]).toBe('probes')
  expect(log).toEqual([])
})

test('a part that fails keeps no other part from ending', async () => {
  const { log, ended, logger, ending } = scene()
  const broken = ending('broken', async () => {
    throw new Error('it broke')
  })
  await shutDown({ groups: [[broken, ending('good')], [ending('last')]], limitMs: 10_000, logger })
  expect(ended).toEqual(['good', 'last'])
  expect(log.join('')).toMatch(/it broke.*"part":"broken"/)
})

test('a part that does not end in time is given up by name, and the others get the signal that no time is left', async () => {
  const { log, ended, logger, ending } = scene()
  const groups = [
    [
      ending('stuck', () => new Promise(() => {})),
      ending('gentle', async (signal) => void (await once(signal, 'abort'))),
    ],
    [ending('last', async (signal) => expect(signal.aborted).toBe(true))],
  ]
  await shutDown({ groups, limitMs: 50, logger })
  expect(ended).toEqual(['gentle', 'last'])
  expect(log).toHaveLength(1)
  expect(log[0]).toContain('"parts":["stuck"]')
})
