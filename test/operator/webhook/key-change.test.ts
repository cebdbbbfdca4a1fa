import { afterAll, beforeAll, describe, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { COUNTED_MAPS, map, mapsIn, QuotaWorld } from '../custom-quota/quota-world.ts'
import { type BareServer, bareServers, startOperator, representative } from '../operated.ts'
import { freePort } from '../../free-ports.ts'
import { Anybody, forgetParts, reviewOf, type StoredHook, storedHooks } from './webhook-caller.ts'

const NAMESPACE = 'keys'
const BARE = '/quantityledgers/validating'
/** It may be asked at any time: it neither charges nor changes anything. */
const HARMLESS = reviewOf({
  kind: { group: 'capsule.clastix.io', version: 'v1beta2', kind: 'QuantityLedger' },
  resource: { group: 'capsule.clastix.io', version: 'v1beta2', resource: 'quantityledgers' },
  operation: 'DELETE',
  namespace: NAMESPACE,
  name: 'none',
  dryRun: true,
})
const CHANGE_MS = 120_000

for (const { name, start } of representative(bareServers))
  describe(`${name}: the keys of the webhooks`, { concurrent: true, timeout: 3 * CHANGE_MS }, () => {
    let server: BareServer
    let world: QuotaWorld
    const anybody = new Anybody()

    beforeAll(async () => {
      server = await start()
      world = new QuotaWorld(server)
    })
    afterAll(async () => {
      await anybody[Symbol.asyncDispose]()
      await server?.[Symbol.asyncDispose]()
    })

    const guard = async (): Promise<StoredHook | undefined> =>
      (await storedHooks(world)).find(({ bare, path }) => [bare, path].includes(BARE))

    test('change after an operator was away, and the configurations of an earlier version are replaced: all paths of before are closed, and no write is refused meanwhile [security/key-change]', async ({
      expect,
    }) => {
      const port = await freePort()
      const origin = `https://127.0.0.1:${port}`
      const flags = ['--webhook-port', String(port), '--webhook-url', origin, '--webhook-callers=proven']
      const status = async (path: string): Promise<number> => (await anybody.post(origin, path, HARMLESS)).status
      let before: StoredHook | undefined
      {
        await using earlier = await startOperator(server.kubeconfig, flags)
        expect(earlier.webhookPort).toBe(port)
        await world.namespace(NAMESPACE)
        await world.quota(NAMESPACE, 'all', { limit: '100000', sources: [COUNTED_MAPS] })
        before = await guard()
        expect(before?.path).toMatch(/^\/quantityledgers\/validating\/[0-9a-f]{32}$/)
      }
      await forgetParts(world)
      await using operator = await startOperator(server.kubeconfig, flags)
      // API servers may go by the paths of before still.
      expect([await status(BARE), await status(before?.path ?? '')]).toEqual([200, 200])
      expect(operator.logs()).toContain('webhooks answer at paths that anybody can guess')
      const answers = new Set<number>()
      let next = 0
      const paths = await eventually(
        async () => {
          answers.add((await world.send('POST', mapsIn(NAMESPACE), map(`m${next++}`))).status)
          const stored = await guard()
          // The path in the configuration is answered at any time.
          if (stored?.bare === BARE) answers.add((await status(stored.path)) === 200 ? 201 : 404)
          return { stored: stored?.path, codes: [await status(BARE), await status(before?.path ?? '')] }
        },
        ({ codes }) => codes.every((code) => code === 404),
        { patienceMs: CHANGE_MS },
      )
      expect(answers).toEqual(new Set([201]))
      expect(paths.stored).toMatch(/^\/quantityledgers\/validating\/[0-9a-f]{32}$/)
      expect(paths.stored).not.toBe(before?.path)
    })
  })
