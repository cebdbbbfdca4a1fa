import { afterEach, expect, test } from 'vitest'
import { ManualClock, settled } from '../../../../test/kube/manual-clock.ts'
import { reviewedRequest } from '../../../../test/operator/reviewed-request.ts'
import { NEVER_ABORTED } from '../../../kube/time/clock.ts'
import { silentLogger } from '../../../runtime/process/logger.ts'
import { CallerGate } from './gate.ts'
import { TICKET_ANNOTATION } from './probe-tickets.ts'

const things = { group: 'example.test', version: 'v1', kind: 'Thing', resource: 'things' }
const PATIENCE_MS = 5000
const open: CallerGate[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.stop()
})

/** A gate; `arrives` gives the address from which the next probe comes, or nothing where no API server gets answers. */
function gated(arrives: () => string | undefined) {
  const clock = new ManualClock()
  const seen = { probes: 0, unprovable: 0, lines: [] as string[] }
  const probe = async (): Promise<boolean> => {
    seen.probes++
    await clock.sleep(10, NEVER_ABORTED)
    const from = arrives()
    if (from === undefined) return false
    const annotations = { [TICKET_ANNOTATION]: 'ticket' }
    const object = { apiVersion: 'example.test/v1', kind: 'Thing', metadata: { annotations } }
    return gate.isProbe(reviewedRequest(things, { object }), from, '/probe')
  }
  const gate = new CallerGate({
    tickets: { use: () => 'first' },
    isProbe: () => true,
    probe,
    clock,
    logger: { ...silentLogger, warn: (_, message) => void seen.lines.push(message) },
    onUnprovable: () => void seen.unprovable++,
  })
  open.push(gate)
  return { gate, clock, seen }
}

/** The answer to a call, and how long it waited. */
async function decided(clock: ManualClock, call: Promise<boolean>) {
  const began = clock.monotonic()
  const answers: boolean[] = []
  void call.then((admitted) => answers.push(admitted))
  await settled()
  while (answers.length === 0) await clock.advance(10)
  return { answer: answers[0], ms: clock.monotonic() - began }
}

test('the first review of an API server waits for one probe, and the next ones for none', async () => {
  const { gate, clock, seen } = gated(() => 'api server')
  const calls = Array.from({ length: 100 }, () => gate.admits('api server', PATIENCE_MS, NEVER_ABORTED))
  expect(
    await decided(
      clock,
      Promise.all(calls).then((all) => all.every(Boolean)),
    ),
  ).toEqual({ answer: true, ms: 10 })
  expect(seen.probes).toBe(1)
  expect(await gate.admits('api server', PATIENCE_MS, NEVER_ABORTED)).toBe(true)
  expect(seen).toEqual({ probes: 1, unprovable: 0, lines: [] })
})

test('an API server that a balancer chooses seldom is believed, also while strangers ask all the time', async () => {
  let turn = 0
  const { gate, clock, seen } = gated(() => (turn++ % 5 === 4 ? 'fifth' : 'first'))
  expect(await decided(clock, gate.admits('a pod', PATIENCE_MS, NEVER_ABORTED))).toMatchObject({ answer: false })
  expect(await decided(clock, gate.admits('fifth', PATIENCE_MS, NEVER_ABORTED))).toEqual({ answer: true, ms: 0 })
  expect(seen.unprovable).toBe(0)
})

test('an API server that comes up is learnt by its first review, after strangers have asked, whatever time they had', async () => {
  let servers = ['first']
  let turn = 0
  const { gate, clock } = gated(() => servers[turn++ % servers.length])
  expect((await decided(clock, gate.admits('a pod', PATIENCE_MS, NEVER_ABORTED))).answer).toBe(false)
  // A client that gives its writes no time has the address of the new one refused, and only for itself.
  expect((await decided(clock, gate.admits('second', 1, NEVER_ABORTED))).answer).toBe(false)
  servers = ['first', 'second']
  const { answer, ms } = await decided(clock, gate.admits('second', PATIENCE_MS, NEVER_ABORTED))
  expect(answer).toBe(true)
  expect(ms).toBeLessThan(2000)
})

test('strangers make the operator probe at a bounded rate, and log a line a minute', async () => {
  const { gate, clock, seen } = gated(() => 'api server')
  await decided(clock, gate.admits('api server', PATIENCE_MS, NEVER_ABORTED))
  let admitted = 0
  let asked = 0
  const until = clock.monotonic() + 60_000
  while (clock.monotonic() < until) {
    for (let pod = 0; pod < 20; pod++)
      void gate.admits(`pod ${asked++}`, PATIENCE_MS, NEVER_ABORTED).then((is) => (admitted += Number(is)))
    await clock.advance(100)
  }
  expect(admitted).toBe(0)
  expect(seen.probes).toBeLessThan(60 * 35)
  expect(seen.lines.length).toBeLessThanOrEqual(2)
})

test('where no probe comes back, callers wait once and are all answered, until probes come', async () => {
  let isAnswered = false
  const { gate, clock, seen } = gated(() => (isAnswered ? 'api server' : undefined))
  expect(await decided(clock, gate.admits('a pod', PATIENCE_MS, NEVER_ABORTED))).toEqual({ answer: true, ms: 4000 })
  expect(await decided(clock, gate.admits('another', PATIENCE_MS, NEVER_ABORTED))).toEqual({ answer: true, ms: 0 })
  expect(seen.unprovable).toBe(2)
  expect(seen.lines).toEqual([expect.stringContaining('wherever they come from')])
  isAnswered = true
  // Nobody waits meanwhile.
  for (let second = 0; second < 60; second++) {
    await decided(clock, gate.admits('another', PATIENCE_MS, NEVER_ABORTED))
    await clock.advance(1000)
  }
  expect((await decided(clock, gate.admits('another', PATIENCE_MS, NEVER_ABORTED))).answer).toBe(false)
  expect((await decided(clock, gate.admits('api server', PATIENCE_MS, NEVER_ABORTED))).answer).toBe(true)
})

test('so many callers wait, and no more: what is beyond is decided at once', async () => {
  const { gate, clock } = gated(() => 'api server')
  expect((await decided(clock, gate.admits('a pod', PATIENCE_MS, NEVER_ABORTED))).answer).toBe(false)
  const answers: boolean[] = []
  for (let pod = 0; pod < 1100; pod++)
    void gate.admits(`pod ${pod}`, PATIENCE_MS, NEVER_ABORTED).then((is) => answers.push(is))
  await settled()
  expect(answers).toEqual(Array.from({ length: 76 }, () => false))
  const gone = new AbortController()
  gone.abort()
  expect((await decided(clock, gate.admits('gone', PATIENCE_MS, gone.signal))).answer).toBe(false)
})

test('proofs are renewed while nobody asks', async () => {
  const { gate, clock } = gated(() => 'api server')
  gate.start()
  await clock.advance(3_600_000)
  expect(gate.provenAddresses).toBe(1)
  expect(gate.isProven('api server')).toBe(true)
})
