import { afterEach, expect, test } from 'vitest'
import { CertificateKeeper, type ServingCertificate } from './keeper.ts'
import { createLogger } from '../process/logger.ts'

const named = (name: string): ServingCertificate => ({ certificate: name, key: `${name}-key`, bundle: `${name}-ca` })
const open: CertificateKeeper[] = []
afterEach(async () => {
  for (const keeper of open.splice(0)) await keeper.stop()
})

/** A keeper whose timer goes off when `tick` is called. */
async function scene() {
  const log: string[] = []
  const state: { answer: ServingCertificate | Error } = { answer: named('one') }
  let wake: (() => void) | undefined
  let sleeping: () => void
  let asleep = new Promise<void>((resolve) => (sleeping = resolve))
  const waits: number[] = []
  const steps = new Set<() => void>()
  const keeper = await CertificateKeeper.start(
    {
      read: async () => {
        if (state.answer instanceof Error) throw state.answer
        return { ...state.answer }
      },
      everyMs: 60_000,
      random: () => 0.5,
      sleep: (ms, signal) => {
        waits.push(ms)
        return new Promise((resolve, reject) => {
          wake = resolve
          signal.addEventListener('abort', () => reject(new Error('aborted')))
          sleeping()
        })
      },
      clockSteps: {
        subscribe: (listener) => {
          const step = (): void => listener(3_600_000)
          steps.add(step)
          return () => steps.delete(step)
        },
      },
      logger: createLogger('warn', { write: (line) => void log.push(line) }),
    },
    new AbortController().signal,
  )
  open.push(keeper)
  const tick = async (): Promise<void> => {
    await asleep
    asleep = new Promise((resolve) => (sleeping = resolve))
    wake?.()
    await asleep
  }
  /** The clock is set; resolves when what follows has been done. */
  const step = async (): Promise<void> => {
    await asleep
    asleep = new Promise((resolve) => (sleeping = resolve))
    for (const stepped of steps) stepped()
    await asleep
  }
  return { keeper, state, log, tick, waits, step, steps }
}

test('a change is reported once, whether the timer or a request finds it', async () => {
  const { keeper, state, tick, waits } = await scene()
  const seen: string[] = []
  keeper.onChange(({ certificate }) => void seen.push(certificate))
  expect(keeper.current).toEqual(named('one'))
  await tick()
  expect(seen).toEqual([])
  state.answer = named('two')
  await tick()
  expect(seen).toEqual(['two'])
  state.answer = { ...named('two'), bundle: 'other' }
  await Promise.all([keeper.refresh(), keeper.refresh()])
  expect(seen).toEqual(['two', 'two'])
  expect(keeper.current.bundle).toBe('other')
  expect(new Set(waits)).toEqual(new Set([60_000]))
})

test('after a step of the clock it is read at once, and soon again when that fails', async () => {
  const { keeper, state, step, tick, waits, steps } = await scene()
  state.answer = named('two')
  await step()
  expect(keeper.current).toEqual(named('two'))
  state.answer = new Error('not now')
  await step()
  await tick()
  await tick()
  state.answer = named('three')
  await tick()
  expect(keeper.current).toEqual(named('three'))
  expect(waits).toEqual([60_000, 60_000, 1000, 2000, 4000, 60_000])
  await keeper.stop()
  expect(steps.size).toBe(0)
})

test('an unreadable certificate leaves the last good one in use, and is logged once', async () => {
  const { keeper, state, log, tick } = await scene()
  state.answer = new Error('no such file')
  await tick()
  await tick()
  await expect(keeper.refresh()).rejects.toThrow('no such file')
  expect(keeper.current).toEqual(named('one'))
  expect(log).toHaveLength(1)
  state.answer = named('two')
  await tick()
  expect(keeper.current).toEqual(named('two'))
  state.answer = new Error('no such file')
  await tick()
  expect(log).toHaveLength(2)
})

test('a listener that cannot use it is called again', async () => {
  const { keeper, state, tick } = await scene()
  let fails = true
  const used: string[] = []
  keeper.onChange(({ certificate }) => {
    if (fails) throw new Error('not now')
    used.push(certificate)
  })
  state.answer = named('two')
  await tick()
  expect(keeper.current).toEqual(named('one'))
  fails = false
  await tick()
  expect(used).toEqual(['two'])
})

test('it does not start with what cannot be read', async () => {
  const options = {
    everyMs: 1,
    random: Math.random,
    sleep: async () => undefined,
    clockSteps: { subscribe: () => () => undefined },
    logger: createLogger('silent'),
  }
  const read = async (): Promise<never> => {
    throw new Error('no such file')
  }
  await expect(CertificateKeeper.start({ ...options, read }, new AbortController().signal)).rejects.toThrow(
    'no such file',
  )
})
