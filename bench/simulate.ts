// How long a simulation of 500 manifests takes on a cluster of 10,000 objects: `node bench/simulate.ts [MANIFESTS] [OBJECTS] [NAMESPACES]`.
import { simulateOn } from '../test/cli/simulate/large-cluster.ts'

const [manifests = 500, objects = 10_000, namespaces = 100] = process.argv.slice(2).map(Number)
const began = performance.now()
const cpu = process.cpuUsage()
const { changes, workloads, claims } = simulateOn({ manifests, objects, namespaces })
const { user, system } = process.cpuUsage(cpu)
console.log(
  JSON.stringify({
    bench: 'simulate',
    manifests,
    objects,
    namespaces,
    milliseconds: Math.round(performance.now() - began),
    cpuMilliseconds: Math.round((user + system) / 1000),
    refused: changes.filter(({ result }) => result === 'refused').length,
    stalled: workloads.filter(({ verdict }) => verdict === 'stalls').length,
    waiting: claims.filter(({ after }) => after?.state === 'waiting').length,
  }),
)
