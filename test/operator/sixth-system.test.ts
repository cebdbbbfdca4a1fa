import { globSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gauge } from './sixth-system/api/gauge.ts'
import { gaugeSystem } from './sixth-system/operator/gauge-system.ts'
import { type BareServer, bareServers, representative } from './operated.ts'
import { startWith } from './start-with-system.ts'

const GAUGES = `/apis/${gauge.apiVersion}/gauges`
const MAPS = '/api/v1/namespaces/default/configmaps'
const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/allot'

for (const { name, start } of representative(bareServers))
  describe(`${name}: a sixth system`, () => {
    let server: BareServer
    let operator: AsyncDisposable
    beforeAll(async () => {
      server = await start()
      operator = await startWith(gaugeSystem, server)
    })
    afterAll(async () => {
      await operator[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    })

    const of = (operations: readonly string[]) => ({
      apiVersion: gauge.apiVersion,
      kind: gauge.kind,
      metadata: { name: 'small' },
      spec: { most: 10, operations },
    })
    const map = (named: string, size: number) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: named, labels: { 'sixth.allot.dev/gauge': 'small' } },
      data: { size: String(size) },
    })
    const statusIs = async (status: object): Promise<void> => {
      const path = `${GAUGES}/small`
      await server.until(path, ({ json }) => {
        const now = (json as { readonly status?: object }).status
        return (
          JSON.stringify(now, Object.keys(now ?? {}).toSorted()) ===
          JSON.stringify(status, Object.keys(status).toSorted())
        )
      })
    }

    test('enforces a rule that changes while it runs, proves that it is live, and takes it back', async () => {
      expect((await server.send('POST', GAUGES, of(['CREATE']))).status).toBe(201)
      await statusIs({ used: 0, enforced: ['CREATE'] })
      expect((await server.send('POST', MAPS, map('first', 6))).status).toBe(201)
      // This system keeps no ledger: it refuses by what its watch has shown, as the status says.
      await statusIs({ used: 6, enforced: ['CREATE'] })
      const refused = await server.send('POST', MAPS, map('second', 6))
      expect(refused.text).toContain(
        'small.gauges.sixth.allot.dev\\" denied the request: the sizes come to 12, and 10 is the most',
      )
      expect((await server.send('PUT', `${MAPS}/first`, map('first', 7))).status).toBe(200)
      await statusIs({ used: 7, enforced: ['CREATE'] })

      const both = { spec: { operations: ['CREATE', 'UPDATE'] } }
      const headers = { 'content-type': 'application/merge-patch+json' }
      expect((await server.send('PATCH', `${GAUGES}/small`, both, headers)).status).toBe(200)
      await statusIs({ used: 7, enforced: ['CREATE', 'UPDATE'] })
      expect((await server.send('PUT', `${MAPS}/first`, map('first', 11))).status).toBe(403)
      expect((await server.send('PUT', `${MAPS}/first`, map('first', 10))).status).toBe(200)

      expect((await server.send('DELETE', `${GAUGES}/small`)).status).toBe(200)
      await server.until(HOOKS, ({ text }) => !text.includes('small.gauges'))
    })
  })

test('a sixth system takes less than 150 lines in a folder of its own', () => {
  const files = globSync('sixth-system/**/*.ts', { cwd: import.meta.dirname })
  const lines = files.flatMap((file) =>
    readFileSync(`${import.meta.dirname}/${file}`, 'utf8')
      .trimEnd()
      .split('\n'),
  )
  expect(lines.length).toBeLessThan(150)
})
