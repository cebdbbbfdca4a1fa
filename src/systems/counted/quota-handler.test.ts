import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { creating } from '../../../test/systems/counted/scripted-ledger.ts'
import { NEVER_ABORTED } from '../../kube/time/clock.ts'
import type { AdmissionRequest } from '../../runtime/admission/request.ts'
import type { QuotaCharging } from './adapter.ts'
import { quotaHandler } from './quota-handler.ts'

test('a request is charged by its deadline, however long its costs, and those of other systems, took to find', async () => {
  const clock = new ManualClock()
  const deadlines: { readonly charged: number[]; readonly foreseenWithin: number[] } = {
    charged: [],
    foreseenWithin: [],
  }
  const reserve = async (_: unknown, deadline: number): Promise<void> => void deadlines.charged.push(deadline)
  const ref = { group: 'g', kind: 'Quota', namespace: '', name: 'young' }
  const ledger = { ref, reserve, consult: reserve, release: () => undefined }
  const costs = {
    charges: [{ ledger, charges: [creating('a', 'u1', 1)] }],
    target: { resource: {}, counted: { objects: new Map() } },
    reviewed: { operation: 'UPDATE', namespace: 'n', name: 'a', uid: 'u1' },
  }
  const costsOf = async (): Promise<unknown> => {
    await clock.sleep(4_000, NEVER_ABORTED)
    return costs
  }
  const handle = quotaHandler({
    client: { list: () => Promise.reject(new Error('is not read')) },
    clock,
    charging: { costsOf } as unknown as QuotaCharging,
    others: async () => {
      await clock.sleep(1_000, NEVER_ABORTED)
      return { charges: [] }
    },
    foresight: {
      of: async (_, { withinMs }) => {
        deadlines.foreseenWithin.push(withinMs)
        return undefined
      },
    },
  })
  const decided = handle({ dryRun: false } as AdmissionRequest, NEVER_ABORTED, 9_000)
  await clock.advance(5_000)
  expect(await decided).toMatchObject({ verdict: 'allowed' })
  expect(deadlines).toEqual({ charged: [9_000], foreseenWithin: [4_000] })
})
