import { expect, test } from 'vitest'
import type { BareServer } from '../operated.ts'
import type { Scenario, Step } from './pool-scenario.ts'
import { ScenarioPlayer } from './scenario-player.ts'

const pool = {
  kind: 'ResourcePool',
  metadata: { name: 'p', uid: 'u', finalizers: ['f'] },
  status: {
    namespaces: ['a', 'b'],
    allocation: { used: { 'requests.cpu': '1' } },
    conditions: [{ type: 'Ready', status: 'True', reason: 'Succeeded', message: 'x: a=1, y: b=2' }],
  },
}
/** A server that has one pool and takes and gives whatever it is asked. */
const server: Pick<BareServer, 'send'> = {
  send: async (method) => ({
    status: method === 'POST' ? 201 : 200,
    headers: {},
    text: JSON.stringify(pool),
    json: pool,
  }),
}

const play = (...steps: readonly Step[]): Promise<void> =>
  new ScenarioPlayer(server, 0).play({ name: 's', steps, expect: [] } satisfies Scenario)
const expectation = (more: object): Step => ({ expect: { kind: 'ResourcePool', name: 'p', ...more } })
const READY = { type: 'Ready', status: 'True' }

test.each<readonly [string, object]>([
  ['lists in any order', { 'status.namespaces': ['b', 'a'] }],
  ['parts of a message', { conditions: [{ ...READY, messagePartsAnyOrder: ['y.b=2', 'x.a=1'] }] }],
  ['the absence of a field', { 'spec.defaults': null, 'status.pool': {} }],
  ['amounts', { 'status.allocation': { used: { 'requests.cpu': '1' } }, exactQuantityStrings: true }],
])('the player of scenarios sees %s', async (_what, more) => {
  await expect(play(expectation(more))).resolves.toBeUndefined()
})

test.each<readonly [string, Step]>([
  ['an expectation that it does not know', expectation({ someday: true })],
  ['one of a condition that it does not know', expectation({ conditions: [{ ...READY, since: 1 }] })],
  ['a step that it does not know', { note: 'nothing else' } as Step],
  ['a word of a step that it does not know', { ...expectation({}), repeat: 2 } as Step],
  ['an outcome that it does not know', { delete: { kind: 'ResourcePool', name: 'p' }, outcome: 'delayed' }],
  ['another outcome', { delete: { kind: 'ResourcePool', name: 'p' }, outcome: 'denied' }],
  ['another order, where it matters', expectation({ 'status.namespaces': ['b', 'a'], namespacesOrderMatters: true })],
  ['another spelling of an amount', expectation({ 'status.allocation': { used: { 'requests.cpu': '1000m' } } })],
  ['an object that should not be', expectation({ exists: false })],
  ['a finalizer that should not be', expectation({ finalizersNotContain: 'f' })],
  ['a part that a message lacks', expectation({ conditions: [{ ...READY, messagePartsAnyOrder: ['x.a=2'] }] })],
  ['a claim that its pool does not have', expectation({ inPoolStatusClaims: true, pool: 'p' })],
])('the player of scenarios fails for %s', async (_what, step) => {
  await expect(play(step)).rejects.toThrow(/^step 1/)
})
