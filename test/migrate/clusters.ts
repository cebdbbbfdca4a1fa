import type { BareServer } from '../bare-server.ts'
import { assets, borrowRealServer } from '../differential/real-server.ts'
import { soak } from '../seeded-random.ts'
import { over } from '../operator/operated.ts'
import { startAllot } from '../start-allot.ts'

interface Cluster {
  readonly name: string
  readonly available: boolean
  readonly start: () => Promise<BareServer>
}

/** Servers whose Deployments make pods, without anything of allot in them. */
const CLUSTERS: readonly Cluster[] = [
  {
    name: 'allot up',
    available: true,
    start: async () => {
      const allot = await startAllot({ workloads: true })
      return over({ ...allot, [Symbol.asyncDispose]: async () => void (await allot.stop()) })
    },
  },
  {
    name: 'a real API server',
    available: assets !== undefined,
    start: async () => over(await borrowRealServer({ isBare: true })),
  },
]

/** Those to move on: each in the long form, else the real one where there is one. */
export const clusters: readonly Cluster[] = CLUSTERS.filter(({ available }) => available).slice(soak ? 0 : -1)
