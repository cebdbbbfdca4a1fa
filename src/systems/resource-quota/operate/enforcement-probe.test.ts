import { expect, test } from 'vitest'
import { ManualClock } from '../../../../test/kube/manual-clock.ts'
import { ProbedCluster } from '../../../../test/operator/resource-quota/probed-cluster.ts'
import { type ClusterEnforcement, EnforcementProbe } from './enforcement-probe.ts'

const NEVER = new AbortController().signal

test.each([
  { plugin: true, controller: true },
  { plugin: true, controller: false },
  { plugin: false, controller: true },
  { plugin: false, controller: false },
])('a probe finds %o and leaves nothing behind', async (parts) => {
  const cluster = new ProbedCluster(parts)
  const clock = new ManualClock()
  const found: ClusterEnforcement[] = []
  const controller = new EnforcementProbe({
    context: { client: cluster.client, clock } as never,
    systemNamespace: 'system',
    onFound: (seen) => found.push(seen),
  })
  for (let tries = 0; found.length === 0 && tries < 1000; tries++) {
    const { requeueAfter = 0 } = await controller.reconcile('', undefined, NEVER)
    await clock.advance(requeueAfter)
  }
  expect({ found, left: cluster.quotas.size }).toEqual({ found: [parts], left: 0 })
})
