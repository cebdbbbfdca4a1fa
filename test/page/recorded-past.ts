import { setTimeout } from 'node:timers/promises'
import type { BareServer } from '../operator/operated.ts'
import { created } from '../operator/operator-account.ts'
import { podsIn } from '../operator/pool-objects.ts'

/** As long as the operator waits between two looks. */
const STEP_MS = 15_000
const STEPS = 32
/** With every so many steps some pods go again. */
const TIDE = 9

/** Lets minutes pass in which the usage of a namespace comes and goes, and grows: for pictures only, since nothing else waits for a time. */
export async function recordPast(server: BareServer, namespace: string): Promise<void> {
  const running: string[] = []
  for (let step = 1; step <= STEPS; step++) {
    const name = `barge-${step}`
    await created(server, podsIn(namespace), {
      metadata: { name },
      spec: {
        containers: [
          {
            name: 'barge',
            image: 'registry.example/barge',
            resources: { requests: { memory: '64Mi' }, limits: { cpu: '10m', memory: '64Mi' } },
          },
        ],
      },
    })
    running.push(name)
    if (step % TIDE === 0)
      for (const gone of running.splice(0, 4))
        await server.send('DELETE', `${podsIn(namespace)}/${gone}?gracePeriodSeconds=0`)
    await setTimeout(STEP_MS)
  }
}
