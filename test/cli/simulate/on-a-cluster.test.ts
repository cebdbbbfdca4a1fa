import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import type { Simulation } from '../../../src/insight/simulate/simulation.ts'
import { runInProcess } from '../../migrate/run-in-process.ts'
import { forSuite, operatedServers } from '../../operator/operated.ts'
import { claimsIn, POOLS, quotasIn } from '../../operator/pool-objects.ts'
import { temporaryDirectory } from '../../start-allot.ts'

const SCHEMA = readFileSync(new URL('../../../schemas/simulate.schema.json', import.meta.url), 'utf8')
const isSimulation = new Ajv2020().compile(JSON.parse(SCHEMA) as object)

const CHANGES = `
apiVersion: capsule.clastix.io/v1beta2
kind: ResourcePoolClaim
metadata: {name: second}
spec: {pool: planned, claim: {requests.cpu: "2"}}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: counted}
spec: {hard: {pods: "1"}}
---
apiVersion: v1
kind: Pod
metadata: {name: unmeasured}
spec: {containers: [{name: app, image: app}]}
`

for (const { name, available, share } of operatedServers)
  describe.skipIf(!available)(`${name}: allot simulate`, () => {
    const suite = forSuite(share)

    test('tells of a cluster what would come of changes, and writes nothing; a first test of it passes [32/simulate] [32/test]', async () => {
      const { world, server } = suite
      await world.namespace('planning', 'planned')
      await world.create(POOLS, {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'ResourcePool',
        metadata: { name: 'planned' },
        spec: { selectors: [{ matchLabels: { pool: 'planned' } }], quota: { hard: { 'requests.cpu': '3' } } },
      })
      await world.claim('planning', 'first', { 'requests.cpu': '2' }, 'planned')
      await world.until(`${claimsIn('planning')}/first`, ({ status }) => status?.pool?.name === 'planned')
      await world.until(
        `${quotasIn('planning')}/capsule-pool-planned`,
        ({ status }) => status?.hard?.['requests.cpu'] === '2',
      )
      const folder = temporaryDirectory()
      const file = join(folder, 'changes.yaml')
      writeFileSync(file, CHANGES)
      const { code, stdout, stderr } = await runInProcess(
        server.kubeconfig,
        'simulate',
        '-n',
        'planning',
        '-f',
        file,
        '-o',
        'json',
      )
      if (stdout === '') throw new Error(stderr)
      const said = JSON.parse(stdout) as Simulation
      expect([isSimulation(said), isSimulation.errors]).toEqual([true, null])
      expect([code, said.verdict, said.changes.map(({ result }) => result)]).toEqual([
        3,
        'refused',
        ['created', 'created', 'refused'],
      ])
      expect(said.changes[2]?.message).toContain(
        'failed quota: capsule-pool-planned: must specify requests.cpu for: app',
      )
      expect(said.claims).toMatchObject([{ name: 'second', after: { state: 'waiting', pool: 'planned', position: 1 } }])
      expect(said.quotas.map((one) => [one.name, one.change])).toContainEqual(['counted', 'created'])
      const { items } = (await world.read(quotasIn('planning'))) as { readonly items: readonly unknown[] }
      expect(items).toHaveLength(1)

      const tests = join(folder, 'planning')
      expect(await runInProcess(server.kubeconfig, 'test', '--init', tests, '-n', 'planning')).toMatchObject({
        code: 0,
      })
      expect(await runInProcess('/nowhere', 'test', tests)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('1 passed, 0 failed'),
      })
      expect(readFileSync(join(tests, 'quota-test.yaml'), 'utf8')).toContain('state: allocated')
      await world.delete(`${POOLS}/planned`)
    })
  })
