// One KarmadaQuota with many ResourceBindings: how long one binding's admission takes beyond that of a binding that no quota counts,
// one request at a time, and how long the operator takes until the quota is enforced. `allot up` with its operator, on disk.
// One JSON line per figure.
//
//   node bench/karmada-quotas.ts [bindings] [requests]
import { over } from '../test/operator/operated.ts'
import { bindingsIn, deployed, KarmadaWorld, kquotasIn } from '../test/operator/karmada-quota/karmada-world.ts'
import { startAllot } from '../test/start-allot.ts'
import { inParallel } from '../src/runtime/tasks/in-parallel.ts'

const [bindings = 10_000, requests = 1_000] = process.argv.slice(2, 4).map(Number)
const WRITERS = 16
const WARMING = 100
const POD = deployed({ requests: { cpu: '100m', memory: '128Mi' }, clusters: { a: 1 } })
const HARD = { cpu: '100000', memory: '1000Ti', pods: '1000000' }

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, number) => number)
const say = (figure: object): void => void process.stdout.write(`${JSON.stringify(figure)}\n`)

const allot = await startAllot({ operator: true })
await using server = over({ ...allot, [Symbol.asyncDispose]: async () => void (await allot.stop()) })
const world = new KarmadaWorld(server)
await world.define()
for (const namespace of ['free', 'limited']) {
  await world.namespace(namespace)
  await inParallel(numbers(bindings), WRITERS, async (number) => {
    const { status } = await world.bind(namespace, `web-${number}`, POD)
    if (status !== 201) throw new Error(`a binding was answered with ${status}`)
  })
}
const began = performance.now()
await world.quota('limited', 'q', HARD)
say({ figure: 'quota enforced', bindings, ms: Math.round(performance.now() - began) })

/** The milliseconds of each create, one after another. */
async function creates(namespace: string, prefix: string, count: number): Promise<readonly number[]> {
  const times: number[] = []
  for (const number of numbers(count)) {
    const at = performance.now()
    const { status } = await world.bind(namespace, `${prefix}-${number}`, POD)
    times.push(performance.now() - at)
    if (status !== 201) throw new Error(`a binding was answered with ${status}`)
  }
  return times.toSorted((a, b) => a - b)
}

for (const namespace of ['free', 'limited']) {
  await creates(namespace, 'warm', WARMING)
  const times = await creates(namespace, 'timed', requests)
  const at = (part: number): number => Number((times[Math.floor(part * (times.length - 1))] ?? 0).toFixed(2))
  say({ figure: 'create', namespace, requests, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) })
}
await world.used('limited', 'q', { pods: String(bindings + requests + WARMING) })
say({ figure: 'used', used: (await world.read(`${kquotasIn('limited')}/q`)).status.used, path: bindingsIn('limited') })
