// Covers kind.ts: lists and events in any order.
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { settled } from '../../../../test/kube/manual-clock.ts'
import { type ScriptedClient, UNREACHABLE } from '../../../../test/kube/scripted-client.ts'
import { at, holdLists, setUp, total } from '../../../../test/operator/counting/counted-things.ts'
import type { QuotaCount } from './quota-count.ts'

const nameOf = ({ namespace }: QuotaCount) => (namespace === undefined ? {} : { namespace })

/** Returns the result of a recount. */
const recount = (server: ScriptedClient, { namespace, selects }: { namespace?: string; selects?: string }): string =>
  String(
    [...server.state.values()]
      .filter(({ metadata }) => (namespace ?? selects ?? metadata.namespace) === metadata.namespace)
      .reduce((sum, { size }) => sum + Number(size), 0),
  )

describe('the count of a kind', () => {
  test('always comes to a recount, whatever happens in whatever order', async () => {
    const name = fc.constantFrom('a', 'b', 'c')
    const namespace = fc.constantFrom('m', 'n')
    const step = fc.oneof(
      fc.record({ type: fc.constant('put' as const), namespace, name, size: fc.integer({ min: 0, max: 2 }) }),
      fc.record({ type: fc.constant('remove' as const), namespace, name }),
      fc.record({ type: fc.constantFrom('list' as const, 'add' as const), namespace: fc.option(namespace) }),
      fc.record({
        type: fc.constantFrom('mute', 'deliver', 'cut', 'compact', 'settle', 'drop', 'time', 'hold', 'release', 'turn'),
      }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { server, clock, kind, add } = setUp()
        const held: (() => void)[] = []
        const release = (): void => held.splice(0).forEach((open) => open())
        const counts = [add(), add('n'), add(undefined, new Set(['m']))]
        kind.start()
        for (const one of steps) {
          if (one.type === 'put') server.put(at(one.namespace, one.name, one.size))
          else if (one.type === 'remove') server.remove(one)
          else if (one.type === 'list') kind.list(one.namespace ?? undefined).catch(() => undefined)
          else if (one.type === 'add') counts.push(add(one.namespace ?? undefined))
          else if (one.type === 'mute') server.muted = true
          else if (one.type === 'deliver') server.deliver()
          else if (one.type === 'cut') server.endWatches(UNREACHABLE)
          else if (one.type === 'compact') server.compact()
          else if (one.type === 'settle') await settled()
          else if (one.type === 'time') await clock.advance(1000)
          else if (one.type === 'turn') await Promise.resolve()
          else if (one.type === 'hold') held.push(holdLists(server))
          else if (one.type === 'release') release()
          else if (counts.length > 3) kind.drop(counts.pop() as QuotaCount)
        }
        release()
        server.muted = false
        server.deliver()
        await clock.advance(120_000)
        await vi.waitUntil(() => counts.every(({ countedAt }) => countedAt !== undefined))
        for (const [index, count] of counts.entries())
          expect(total(count)).toBe(recount(server, index === 2 ? { selects: 'm' } : { ...nameOf(count) }))
        expect(Number(kind.versionOf())).toBeLessThanOrEqual(Number(server.revision))
        await kind.stop()
      }),
      { numRuns: 300 },
    )
  })
})
