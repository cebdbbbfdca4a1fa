import { globSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { labelQuota } from './counted-quota/label-quota.ts'
import { labelQuotaSystem } from './counted-quota/label-quota-system.ts'
import { type BareServer, bareServers, representative } from './operated.ts'
import { startWith } from './start-with-system.ts'

const NAMESPACE = 'labelled'
const QUOTAS = `/apis/${labelQuota.apiVersion}/namespaces/${NAMESPACE}/labelquotas`
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`
const MOST = 8

for (const { name, start } of representative(bareServers))
  describe(`${name}: a further quota that counts objects`, () => {
    let server: BareServer
    let operator: AsyncDisposable
    beforeAll(async () => {
      server = await start()
      operator = await startWith(labelQuotaSystem, server)
      await server.send('POST', '/api/v1/namespaces', {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: NAMESPACE },
      })
    })
    afterAll(async () => {
      await operator[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    })

    const create = async (of: string, labels: object): Promise<{ readonly status: number; readonly text: string }> => {
      const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: of, labels } }
      for (;;) {
        const answer = await server.send('POST', MAPS, body)
        if (answer.status !== 429) return answer
      }
    }
    const uses = (used: string): Promise<unknown> =>
      server.until(`${QUOTAS}/few`, ({ json }) => (json as { status?: { used?: string } }).status?.used === used)

    test('counts what there is, lets as many in as fit, and gives room back', async () => {
      const counted = { counted: 'yes' }
      expect((await create('before', counted)).status).toBe(201)
      const made = await server.send('POST', QUOTAS, {
        apiVersion: labelQuota.apiVersion,
        kind: labelQuota.kind,
        metadata: { name: 'few' },
        spec: { kind: 'ConfigMap', label: 'counted', most: MOST },
      })
      expect(made.status).toBe(201)
      await uses('1')
      const answers = await Promise.all(Array.from({ length: 2 * MOST }, (_, at) => create(`m${at}`, counted)))
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(MOST - 1)
      const refused = answers.find(({ status }) => status === 403)
      expect(refused?.text).toContain('exceeded quota: few')
      expect((await create('other', { other: 'yes' })).status).toBe(201)
      await uses(String(MOST))
      expect((await server.send('DELETE', `${MAPS}/before`)).status).toBe(200)
      await uses(String(MOST - 1))
      expect((await create('after', counted)).status).toBe(201)
    })
  })

test('a further quota that counts objects takes at most 300 lines in a folder of its own', () => {
  const files = globSync('counted-quota/**/*.ts', { cwd: import.meta.dirname })
  const lines = files.flatMap((file) =>
    readFileSync(`${import.meta.dirname}/${file}`, 'utf8')
      .trimEnd()
      .split('\n'),
  )
  expect(lines.length).toBeLessThanOrEqual(300)
})
