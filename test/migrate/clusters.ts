import type { BareServer } from '../bare-server.ts'
import { assets, borrowRealServer } from '../differential/real-server.ts'
import { over } from '../operator/operated.ts'
import { startAllot } from '../start-allot.ts'

/** Servers whose Deployments make pods, without anything of allot in them. */
export const clusters: readonly {
  readonly name: string
  readonly available: boolean
  readonly start: () => Promise<BareServer>
}[] = [
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
