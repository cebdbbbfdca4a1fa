import { expect, test } from 'vitest'
import { RealServerPool } from '../differential/real-server-pool.ts'

interface PoolOptions {
  readonly unclean: readonly string[]
  readonly most: number
  readonly patienceMs: number
}

/** A pool of servers that are nothing but their names, and what was done to them, in order. */
function pool({ unclean = [], most = 9, patienceMs = 60_000 }: Partial<PoolOptions> = {}) {
  const done: string[] = []
  let started = 0
  const made = new RealServerPool({
    most,
    patienceMs,
    start: async () => {
      const directory = `s${++started}`
      done.push(`start ${directory}`)
      return {
        directory,
        pause: async (isPaused: boolean) => void done.push(`${isPaused ? 'pause' : 'resume'} ${directory}`),
        [Symbol.asyncDispose]: async () => void done.push(`stop ${directory}`),
      }
    },
    clean: async ({ directory }) => {
      done.push(`clean ${directory}`)
      if (unclean.includes(directory)) throw new Error('a namespace stays')
    },
  })
  return { made, done }
}

test('a server is lent again when it is clean, and takes no CPU time in between', async () => {
  const { made, done } = pool()
  made.takeBack((await made.lend()).directory)
  expect((await made.lend()).directory).toBe('s1')
  expect(done).toEqual(['start s1', 'clean s1', 'pause s1', 'resume s1'])
})

test('no server is lent to two at a time', async () => {
  const { made, done } = pool()
  const lent = [await made.lend(), await made.lend()].map(({ directory }) => directory)
  expect(lent).toEqual(['s1', 's2'])
  expect(() => made.takeBack('s3')).toThrow('no server was lent from s3')
  made.takeBack('s2')
  expect((await made.lend()).directory).toBe('s2')
  made.close()
  made.takeBack('s1')
  await made[Symbol.asyncDispose]()
  expect(done.filter((one) => /clean|stop/.test(one))).toEqual(['clean s2', 'stop s1', 'stop s2'])
})

test('a bare server is one that nobody has used, and others get it later', async () => {
  const { made, done } = pool()
  made.takeBack((await made.lend()).directory)
  made.takeBack((await made.lend({ isBare: true })).directory)
  await made.lend()
  await made.lend()
  expect(done.filter((one) => one.startsWith('start'))).toEqual(['start s1', 'start s2'])
})

test('servers that are in use at the end are stopped as they are, and only those that stand still go on before', async () => {
  const { made, done } = pool()
  await made.lend()
  made.takeBack((await made.lend()).directory)
  await made[Symbol.asyncDispose]()
  expect(done.slice(2)).toEqual(['clean s2', 'pause s2', 'resume s2', 'stop s1', 'stop s2'])
})

test('a server that cannot be cleaned is stopped and never lent again', async () => {
  const { made, done } = pool({ unclean: ['s1'] })
  made.takeBack((await made.lend()).directory)
  expect((await made.lend()).directory).toBe('s2')
  expect(done).toEqual(['start s1', 'clean s1', 'stop s1', 'start s2'])
})

test('where as many are lent as there may be, the next wait for one that comes back, in their order', async () => {
  const { made, done } = pool({ most: 1 })
  const first = await made.lend()
  const order: string[] = []
  const waiting = ['a', 'b'].map(async (who) => {
    const { directory } = await made.lend()
    order.push(`${who} ${directory}`)
    made.takeBack(directory)
  })
  made.takeBack(first.directory)
  await Promise.all(waiting)
  expect(order).toEqual(['a s1', 'b s1'])
  expect(done.filter((one) => one.startsWith('start'))).toEqual(['start s1'])
})

test('another is started where none comes back for long', async () => {
  const { made } = pool({ most: 1, patienceMs: 1 })
  expect([(await made.lend()).directory, (await made.lend()).directory]).toEqual(['s1', 's2'])
})

test('another is started where the one that comes back cannot be cleaned', async () => {
  const { made, done } = pool({ most: 1, unclean: ['s1'] })
  const first = await made.lend()
  const next = made.lend()
  made.takeBack(first.directory)
  expect((await next).directory).toBe('s2')
  expect(done).toEqual(['start s1', 'clean s1', 'stop s1', 'start s2'])
})
