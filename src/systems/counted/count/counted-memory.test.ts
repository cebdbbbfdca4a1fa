// Covers kind.ts and quota-count.ts: what they remember.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { ManualClock, settled } from '../../../../test/kube/manual-clock.ts'
import { THINGS } from '../../../../test/kube/scripted-caches.ts'
import { ScriptedClient } from '../../../../test/kube/scripted-client.ts'
import { parseJson } from '../../../machinery/json-text.ts'
import type { KubeObject } from '../../../machinery/object.ts'
import { silentLogger } from '../../../runtime/process/logger.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import type { Listed, KubeClient } from '../../../kube/client/kube-client.ts'
import { SharedReflector } from '../../../kube/cache/shared-reflector.ts'
import { CountedKind } from './kind.ts'
import { QuotaCount } from './quota-count.ts'

const OBJECTS = 30_000
const PAGE = 500
/** Name, uid and version as text, an entry and its place in a map. */
const MOST_BYTES = 400

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heap(): number {
  collect()
  return process.memoryUsage().heapUsed
}

/** Each page is parsed anew, as from an answer, and its objects are a few kilobytes each. */
async function* pages<T extends KubeObject>(): AsyncGenerator<Listed<T>> {
  for (let start = 0; start < OBJECTS; start += PAGE) {
    const items = Array.from({ length: PAGE }, (_, index) => {
      const at = String(start + index).padStart(12, '0')
      const metadata = {
        namespace: `team-${start % 7}`,
        name: `web-5d9c8b7f6c-${at}`,
        uid: `4b9d7c52-0f3e-4c51-9d3f-${at}`,
        resourceVersion: at.replace(/^0+/, '1'),
        annotations: { note: 'n'.repeat(2000) },
      }
      return { apiVersion: 'a.test/v1', kind: 'Thing', metadata, size: 1 }
    })
    yield parseJson(JSON.stringify({ items, resourceVersion: '1999999999999' })) as Listed<T>
    await settled()
  }
}

test('a counted object takes a few hundred bytes, however large it is itself', { timeout: 60_000 }, async () => {
  const client: KubeClient = Object.assign(new ScriptedClient(THINGS), { listPages: pages })
  const clock = new ManualClock()
  const shared = new SharedReflector({ client, clock, logger: silentLogger })
  const count = new QuotaCount(undefined, { has: () => true }, () => undefined)
  const cost = [{ count, amount: Quantity.of(1) }] as const
  const kind = new CountedKind({
    client,
    clock,
    kind: THINGS,
    follow: (of, sink) => shared.follow({ kind: of }, sink),
    measure: () => cost,
  })
  kind.add(count)
  const before = heap()
  kind.start()
  await expect.poll(() => count.countedAt, { timeout: 50_000 }).toBe('1999999999999')
  expect(count.total.value()).toBe(BigInt(OBJECTS))
  const bytes = (heap() - before) / OBJECTS
  await kind.stop()
  expect(bytes).toBeLessThan(MOST_BYTES)
})
