import { expect, test } from 'vitest'
import { resourcePoolClaim } from '../api/claim.ts'
import { strayOutcome } from '../decide/choose-pool.ts'
import { isObject, type JsonObject } from '../../../machinery/object.ts'
import { isNotFound, notFound, tooLarge } from '../../../machinery/status.ts'
import { silentLogger } from '../../../runtime/process/logger.ts'
import { isTooLargeError } from '../../generated-quota/operate/write-error.ts'
import { ClaimWriter, type ClaimWriterContext } from './claim-writer.ts'

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
    { claims: { get: () => seen, observeWrite: (_, __, write) => write() } },
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

const POOL = { apiVersion: 'capsule.clastix.io/v1beta2', kind: 'ResourcePool', name: 'missing', uid: 'p' }

const held = resourcePoolClaim.read({
  ...claim,
  metadata: { ...claim.metadata, ownerReferences: [POOL] },
  status: { conditions: [], pool: { name: 'missing', uid: 'p' } },
})

/** The requests that are sent for a claim to a server that refuses what `refuses` says; an object that is taken counts as written. */
async function sent(refuses: (body: JsonObject, subresource: string) => boolean) {
  const bodies: [string, JsonObject][] = []
  const patch: ClaimWriterContext['client']['patch'] = async (_kind, _name, { body }, options) => {
    const [what, object] = [options?.subresource ?? '', body as JsonObject]
    bodies.push([what, object])
    if (refuses(object, what)) throw tooLarge(1)
    return held as never
  }
  const writer = new ClaimWriter(
    { client: { patch }, clock: { now: () => 0 }, recorder: { record: () => undefined }, logger: silentLogger },
    { claims: { get: () => held, observeWrite: (_, __, write) => write() } },
  )
  const [pending] = writer.pending([{ ...strayOutcome(held, []), owner: 'removed' }], undefined)
  if (pending === undefined) throw new Error('there is nothing to write')
  const error = await writer.write(pending, new AbortController().signal).catch((thrown: unknown) => thrown)
  return { error, bodies }
}

const resets = ({ metadata }: JsonObject): boolean => isObject(metadata) && metadata['managedFields'] !== undefined

test('the managed fields of a claim that is too large are reset, and only then', async () => {
  const { error, bodies } = await sent((body) => !resets(body))
  expect(error).toBeUndefined()
  expect(bodies.map(([what, body]) => [what, resets(body)])).toEqual([
    ['status', false],
    ['status', true],
    ['', false],
    ['', true],
  ])
  expect((await sent(() => false)).bodies.map(([, body]) => resets(body))).toEqual([false, false])
})

test('a claim whose status takes nothing more loses its pool all the same, and says that it could not be written', async () => {
  const { error, bodies } = await sent((_, what) => what === 'status')
  expect(isTooLargeError(error)).toBe(true)
  expect(bodies.at(-1)).toMatchObject(['', { metadata: { ownerReferences: [] } }])
})
