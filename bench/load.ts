import { cpuMs } from './process/process-cpu.ts'
import { acceptedConnections } from './accepted-connections.ts'
import { RawConnection, rawRequest } from './raw-connection.ts'

/** A server under load, and who asks. */
export interface Target {
  readonly url: string
  readonly token: string
  /** Of its process on this machine, or of all that serve it. */
  readonly pid?: number | readonly number[]
}

export interface Load {
  readonly namespace: string
  readonly connections: number
  readonly seconds: number
  /** Called with a pod that was not created; without it the load throws. */
  readonly refused?: (code: number, text: string) => void
}

export interface Reached {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Milliseconds of CPU that the server's processes spent on 1,000 pods; NaN where they are not known. */
  readonly cpu: number
  /** The same of each process, in the order of the target. */
  readonly cpuOf: readonly number[]
  /** Connections that all processes of this machine accepted meanwhile, for each pod. */
  readonly accepted: number
}

const resources = { requests: { cpu: '10m', memory: '16Mi' }, limits: { cpu: '20m', memory: '32Mi' } }
const NAME = 'load-00000000'
let serial = 0

/** A pod of a given name. */
export function podNamed(name: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: 'load' } },
    spec: { containers: [{ name: 'main', image: 'registry.test/app:1', resources }] },
  }
}

/** Creates pods as fast as it goes, one after another over each connection. */
export async function createPods(target: Target, { namespace, connections, seconds, refused }: Load): Promise<Reached> {
  const path = `/api/v1/namespaces/${namespace}/pods`
  const template = rawRequest(target, 'POST', path, JSON.stringify(podNamed(NAME)))
  const [before = '', after = ''] = template.split(NAME)
  const open = await Promise.all(Array.from({ length: connections }, () => RawConnection.open(target.url)))
  const latencies: number[] = []
  const spent = (): readonly number[] => (target.pid === undefined ? [NaN] : [target.pid].flat().map(cpuMs))
  const spentBefore = spent()
  const acceptedBefore = acceptedConnections()
  const started = performance.now()
  const end = started + seconds * 1000
  await Promise.all(
    open.map(async (connection) => {
      for (let sent = performance.now(); sent < end;) {
        const name = `load-${String(serial++).padStart(NAME.length - 5, '0')}`
        const { code, body } = await connection.send(before + name + after)
        if (code !== 201 && refused === undefined) throw new Error(`${target.url} answered ${code}: ${body.toString()}`)
        if (code !== 201) refused?.(code, body.toString())
        const now = performance.now()
        latencies.push(now - sent)
        sent = now
      }
    }),
  )
  const accepted = (acceptedConnections() - acceptedBefore) / latencies.length
  const cpuOf = spent().map((ms, index) => ((ms - (spentBefore[index] ?? 0)) / latencies.length) * 1000)
  const cpu = cpuOf.reduce((sum, ms) => sum + ms, 0)
  const took = (performance.now() - started) / 1000
  for (const connection of open) connection.close()
  latencies.sort((a, b) => a - b)
  const quantile = (part: number): number => Number((latencies[Math.floor(latencies.length * part)] ?? 0).toFixed(2))
  return {
    perSecond: Math.round(latencies.length / took),
    p50: quantile(0.5),
    p99: quantile(0.99),
    cpu,
    cpuOf,
    accepted,
  }
}
