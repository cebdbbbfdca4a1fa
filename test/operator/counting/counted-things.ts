import { onTestFinished } from 'vitest'
import { CountedKind } from '../../../src/systems/counted/count/kind.ts'
import { QuotaCount } from '../../../src/systems/counted/count/quota-count.ts'
import { SharedReflector } from '../../../src/kube/cache/shared-reflector.ts'
import type { KubeObject } from '../../../src/machinery/object.ts'
import { Quantity } from '../../../src/quantity/quantity.ts'
import { silentLogger } from '../../../src/runtime/process/logger.ts'
import { ManualClock } from '../../kube/manual-clock.ts'
import { thing, THINGS } from '../../kube/scripted-caches.ts'
import { ScriptedClient } from '../../kube/scripted-client.ts'

const EVERYWHERE = { has: () => true }
export const REMEMBERED = 100

/** The count of a kind on a scripted server, which ends with its test. `dearMs`: how long it takes to measure an object. */
export function setUp(dearMs = 0) {
  const server = new ScriptedClient(THINGS)
  const clock = new ManualClock()
  const counts: QuotaCount[] = []
  const shared = new SharedReflector({ client: server, clock, logger: silentLogger })
  const kind = new CountedKind({
    client: server,
    clock,
    kind: THINGS,
    remembered: REMEMBERED,
    follow: (of, sink) => shared.follow({ kind: of }, sink),
    measure: ({ metadata: { namespace }, size }) => {
      for (const until = performance.now() + dearMs; performance.now() < until;);
      return Number(size) === 0
        ? []
        : counts
            .filter((count) => !count.isDropped && (count.namespace ?? namespace) === namespace)
            .map((count) => ({ count, amount: Quantity.of(Number(size)) }))
    },
  })
  onTestFinished(() => kind.stop())
  const add = (namespace?: string, selected: { has(one: string): boolean } = EVERYWHERE): QuotaCount => {
    const count = new QuotaCount(namespace, selected, () => void seen.push(String(kind.problem)))
    counts.push(count)
    kind.add(count)
    return count
  }
  /** The problem of the kind each time that a count has changed. */
  const seen: string[] = []
  return { server, clock, kind, add, seen }
}

export const at = (namespace: string, name: string, size: number): KubeObject => ({
  ...thing(name, size),
  metadata: { namespace, name },
})

export const total = ({ total: sum }: QuotaCount): string => sum.toString()

/** Lists that are read from now on wait until the returned function lets them go on. */
export function holdLists(server: ScriptedClient): () => void {
  const gate = Promise.withResolvers<void>()
  server.listGate = gate.promise
  return () => {
    gate.resolve()
    if (server.listGate === gate.promise) server.listGate = undefined
  }
}
