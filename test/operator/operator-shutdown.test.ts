import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { soak } from '../seeded-random.ts'
import { eventually } from '../eventually.ts'
import { type BareServer, bareServers, type OperatorProcess, startOperator, representative } from './operated.ts'
import { claimsIn, PoolWorld } from './pool-objects.ts'
import { freePort } from '../free-ports.ts'
import { makeService, TcpBalancer } from './tcp-balancer.ts'

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/allot-system/leases/allot'
const SERVICE = { namespace: 'front', name: 'allot' }
const ROUNDS = soak ? 20 : 1
const CLIENTS = 4
/** How long a Service may go on leading to a replica that is ending. */
const NOTICED_MS = 1000

interface Replica {
  readonly operator: OperatorProcess
  readonly port: number
}

for (const { name, start } of representative(bareServers))
  describe(`${name}: SIGTERM under load`, { concurrent: true }, () => {
    let server: BareServer
    let world: PoolWorld
    let balancer: TcpBalancer
    const running = new Set<Replica>()

    beforeAll(async () => {
      balancer = await TcpBalancer.start()
      server = await start()
      world = new PoolWorld(server)
      await makeService(world, SERVICE, balancer)
    })
    afterAll(async () => {
      await Promise.all([...running].map(({ operator }) => operator.kill9()))
      await balancer?.[Symbol.asyncDispose]()
      await server?.[Symbol.asyncDispose]()
    })

    const join = async (): Promise<void> => {
      const port = await freePort()
      if (running.size === 0) balancer.ports = [port]
      const service = `${SERVICE.namespace}/${SERVICE.name}:${balancer.port}`
      const flags = ['--webhook-service', service, '--webhook-port', String(port), '--shutdown-delay-duration=3s']
      running.add({ operator: await startOperator(server.kubeconfig, flags), port })
      balancer.ports = [...running].map((replica) => replica.port)
    }

    /** The replica that leads ends in good order, and the Service learns of it a little later. */
    const endLeader = async (): Promise<void> => {
      const leader = await leaderOf(running)
      const { holderIdentity } = (await world.read(LEASE)).spec
      running.delete(leader)
      const ended = leader.operator[Symbol.asyncDispose]()
      const noticed = setTimeout(() => (balancer.ports = [...running].map(({ port }) => port)), NOTICED_MS)
      await server.until(LEASE, ({ json }) => json.spec.holderIdentity !== holderIdentity)
      await ended
      // One that does not end in 20 seconds is killed, as by a kubelet after 30, and has no such exit code.
      expect(await leader.operator.exited).toBe(0)
      expect(leader.operator.logs()).not.toContain('"level":"error"')
      clearTimeout(noticed)
    }

    test('the lead goes over, no review is lost, and the process ends in time', async () => {
      await join()
      await join()
      await world.namespace('team')
      await world.pool('team', { 'requests.cpu': '100' })
      const failures: string[] = []
      const stop = new AbortController()
      const clients = Array.from({ length: CLIENTS }, async (_, client) => {
        for (let n = 0; !stop.signal.aborted; n++) {
          const claim = `c-${client}-${n}`
          try {
            await world.claim('team', claim, { 'requests.cpu': '1' })
            await world.delete(`${claimsIn('team')}/${claim}`)
          } catch (error) {
            failures.push(String(error))
          }
        }
      })
      for (let round = 0; round < ROUNDS; round++) {
        await endLeader()
        await join()
      }
      stop.abort()
      await Promise.all(clients)
      expect(failures).toEqual([])
    })
  })

async function leaderOf(replicas: Iterable<Replica>): Promise<Replica> {
  const leads = async ({ operator }: Replica): Promise<boolean> => {
    const { body } = await request(`http://127.0.0.1:${operator.metricsPort}/metrics`)
    return /^allot_leader 1$/m.test(await body.text())
  }
  const [leader] = await eventually(
    async () => {
      const found: Replica[] = []
      for (const replica of replicas) if (await leads(replica)) found.push(replica)
      return found
    },
    ({ length }) => length === 1,
  )
  if (leader === undefined) throw new Error('nobody leads')
  return leader
}
