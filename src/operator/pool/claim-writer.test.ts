import { expect, test } from 'vitest'
import { resourcePoolClaim } from '../../api/resource-pool-claim/resource-pool-claim.ts'
import { strayOutcome } from '../../grants/pools/choose-pool.ts'
import { isNotFound, notFound } from '../../machinery/status.ts'
import { silentLogger } from '../../runtime/process/logger.ts'
import { ClaimWriter } from './claim-writer.ts'

const claim = resourcePoolClaim.read({
  apiVersion: resourcePoolClaim.apiVersion,
  kind: resourcePoolClaim.kind,
  metadata: { namespace: 'team', name: 'one', uid: 'u1', resourceVersion: '5' },
  spec: { pool: 'missing', claim: { pods: '1' } },
})
const outcome = strayOutcome(claim, [])

/** Writes the outcome to a server that finds nothing, while `seen` is what the operator knows of. */
async function written(seen: typeof claim | undefined): Promise<unknown> {
  const writer = new ClaimWriter(
    {
      client: { patch: () => Promise.reject(notFound(resourcePoolClaim, 'one')) },
      clock: { now: () => 0 },
      recorder: { record: () => undefined },
      logger: silentLogger,
    },
    { claims: { get: () => seen, observed: () => undefined } },
  )
  const [pending] = writer.pending([outcome], undefined)
  if (pending === undefined) throw new Error('there is nothing to write')
  return await writer.write(pending, new AbortController().signal).catch((error: unknown) => error)
}

test('a claim that is gone needs nothing', async () => {
  expect(await written(undefined)).toBeUndefined()
  expect(await written({ ...claim, metadata: { ...claim.metadata, uid: 'u2' } })).toBeUndefined()
})

test('a claim that the server does not find although it is there is not taken for gone: servers that start find none', async () => {
  expect(isNotFound(await written(claim))).toBe(true)
})
