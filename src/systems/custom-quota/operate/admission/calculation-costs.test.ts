import { describe, expect, test } from 'vitest'
import { LATER, twoReplicas } from '../../../../../test/systems/counted/admission-set-up.ts'
import { creating } from '../../../../../test/systems/counted/scripted-ledger.ts'
import { quotaSpec } from '../../../../../test/systems/custom-quota/custom-quotas.ts'
import { ManualClock } from '../../../../../test/kube/manual-clock.ts'
import { reviewedRequest } from '../../../../../test/operator/reviewed-request.ts'
import { withReservationId } from '../../../counted/peers/charged-together.ts'
import { admitAll } from '../../../counted/protocol/admit-all.ts'
import { customQuota } from '../../api/custom-quota.ts'
import { compileQuota } from '../../decide/compile-quota.ts'
import { TrackedQuota } from '../tracking/tracked-quota.ts'
import { type CalculationOptions, raisedCosts } from './calculation-costs.ts'

const PODS = { group: '', version: 'v1', kind: 'Pod', resource: 'pods' }
const NEVER = new AbortController().signal

/** The warnings of a request for one more pod, of a limit of 100 that another replica has brought to `used` since this one last wrote. */
async function warned(used: number, warnAt: readonly number[], dryRun: boolean): Promise<readonly string[]> {
  const { first, second } = await twoReplicas([100])
  await first.ledger.open('')
  await first.ledger.reserve([creating('a', 'u1', 10)], LATER)
  await second.store.readLive()
  await second.ledger.reserve([creating('b', 'u2', used - 10)], LATER)
  await first.store.readLive()
  const spec = quotaSpec({ limit: 100, sources: [{ apiVersion: 'v1', kind: 'Pod', op: 'count' }] })
  const { apiVersion, kind } = customQuota
  const metadata = { namespace: 'n', name: 'q', uid: 'q', generation: 1 }
  const ready = { type: 'Ready', status: 'True', reason: 'Succeeded', message: '', lastTransitionTime: '' }
  const status = { observedGeneration: 1, conditions: [ready] }
  const tracked = new TrackedQuota(
    customQuota.read({ apiVersion, kind, metadata, spec, status }),
    compileQuota(spec, { strictPaths: false }),
  )
  const target = { kind: PODS, resource: { ...PODS, namespaced: true }, count: { countedAt: '1' } }
  tracked.resolution = { targets: [target as never], problems: [] }
  const options = {
    tracker: {
      kinds: { ofResource: () => target, quotasOf: () => [tracked] },
      finder: { crd: () => undefined },
      unresolved: [],
    } as never,
    client: {} as never,
    clock: new ManualClock(),
    ledgers: { of: () => ({ admission: first.ledger }) as never },
    exempt: new Set<string>(),
    isGenerated: () => false,
    untilReady: 'allow',
    warnAt,
  } as const satisfies CalculationOptions
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: 'n', name: 'c', uid: 'u3' } }
  const costs = await raisedCosts(reviewedRequest(PODS, { namespace: 'n', name: 'c', object: pod }), NEVER, options)
  if (costs.decided !== undefined) throw new Error(`it costs nothing: ${JSON.stringify(costs.decided)}`)
  await admitAll(withReservationId(costs.charges, 'c'), LATER, dryRun)
  return costs.warnings?.(dryRun) ?? []
}

describe.each([
  ['a request', false],
  ['a dry run', true],
])('%s', (_what, dryRun) => {
  test.each([
    ['that it passes', 79, [80, 95], ['CustomQuota n/q has reached 80 % of its limit: used 80 of 100']],
    ['that another replica passed before', 85, [80, 95], []],
    ['where none is wanted', 79, [], []],
  ])('is warned of the percentages of a limit %s', async (_, used, warnAt, expected) => {
    expect(await warned(used, warnAt, dryRun)).toEqual(expected)
  })
})
