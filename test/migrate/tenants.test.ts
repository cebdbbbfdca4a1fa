import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readManifests } from '../../src/migrate/read-manifests.ts'
import { eventually } from '../eventually.ts'
import { kubeconfigOf } from '../install/pod-process.ts'
import { DEFINITIONS, openDefinition, openVersions } from '../operator/custom-quota/quota-world.ts'
import { forSuite, operatedServers } from '../operator/operated.ts'
import { claimsIn, GROUP, isTrue, MERGE, podsIn, POOLS, type PoolWorld, quotasIn } from '../operator/pool-objects.ts'
import { temporaryDirectory } from '../start-allot.ts'
import { runInProcess } from './run-in-process.ts'

const TENANTS = `${GROUP}/tenants`
const HARD = { 'requests.cpu': '2', 'requests.memory': '2Gi' }

/** The definition of Tenants, as far as their quotas need it. */
const definition = () => {
  const [version] = openVersions(['v1beta2'])
  const { spec, ...rest } = openDefinition('capsule.clastix.io', 'Tenant', [])
  return { ...rest, spec: { ...spec, scope: 'Cluster', versions: [{ ...version, subresources: { status: {} } }] } }
}

/** Makes a Tenant with its namespaces, and the ResourceQuotas that Capsule would keep there. */
async function makeTenant(
  world: PoolWorld,
  name: string,
  scope: string,
  items: readonly object[],
): Promise<readonly string[]> {
  const namespaces = ['dev', 'prod'].map((stage) => `${name}-${stage}`)
  await world.server.send('POST', DEFINITIONS, definition())
  const tenant = {
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'Tenant',
    metadata: { name },
    spec: { resourceQuotas: { items, scope } },
  }
  await eventually(
    () => world.server.send('POST', TENANTS, tenant),
    ({ status }) => status === 201,
  )
  await world.server.send('PATCH', `${TENANTS}/${name}/status`, { status: { namespaces } }, MERGE)
  for (const namespace of namespaces) {
    await world.create('/api/v1/namespaces', {
      metadata: { name: namespace, labels: { 'capsule.clastix.io/tenant': name } },
    })
    for (const [index, spec] of items.entries())
      await world.create(quotasIn(namespace), { metadata: { name: `capsule-${name}-${index}` }, spec })
  }
  return namespaces
}

const usedOf = (world: PoolWorld, namespace: string, quota: string, resource: string, amount: string) =>
  world.until(`${quotasIn(namespace)}/${quota}`, ({ status }) => status?.used?.[resource] === amount)

for (const { name, available, share } of operatedServers)
  describe.skipIf(!available)(`${name}: Tenants that move to pools`, () => {
    const suite = forSuite(share)
    const migrate = (...args: readonly string[]) => runInProcess(suite.server.kubeconfig, 'migrate', 'tenants', ...args)

    test('keep what they use, and let go of their quotas only when the pools hold it', async () => {
      const { world } = suite
      const [dev = '', prod = ''] = await makeTenant(world, 'moving', 'Tenant', [
        { hard: HARD },
        { hard: { pods: '7' } },
      ])
      for (const pod of ['a', 'b', 'c']) await world.pod(dev, pod, { cpu: '125m', memory: '128Mi' })
      await world.pod(prod, 'a', { cpu: '1', memory: '1Gi' })
      await usedOf(world, dev, 'capsule-moving-1', 'pods', '3')
      await usedOf(world, dev, 'capsule-moving-0', 'requests.cpu', '375m')
      await usedOf(world, prod, 'capsule-moving-0', 'requests.cpu', '1')
      await usedOf(world, prod, 'capsule-moving-1', 'pods', '1')

      const early = await migrate('moving', '--finish')
      expect([early.code, early.stderr.split('\n').length]).toEqual([1, 2])
      expect(early.stderr).toContain('there is no ResourcePool moving-compute')

      const planned = await migrate('moving', '--headroom', '20%', '--dry-run')
      expect(planned.code).toBe(0)
      const claims = readManifests('stdout', planned.stdout).filter(({ kind }) => kind === 'ResourcePoolClaim')
      expect(claims.map(({ metadata, spec }) => [metadata.namespace, metadata.name, spec])).toEqual([
        [dev, 'compute', { pool: 'moving-compute', claim: { 'requests.cpu': '450m', 'requests.memory': '461Mi' } }],
        [prod, 'compute', { pool: 'moving-compute', claim: { 'requests.cpu': '1200m', 'requests.memory': '1229Mi' } }],
        [dev, 'pods', { pool: 'moving-size', claim: { pods: '4' } }],
        [prod, 'pods', { pool: 'moving-size', claim: { pods: '2' } }],
      ])
      expect((await suite.server.send('GET', `${POOLS}/moving-compute`)).status).toBe(404)

      await world.claim(prod, 'pods', { services: '1' }, 'moving-size')
      const moved = await migrate('moving', '--headroom', '20%')
      expect([moved.code, moved.stderr]).toEqual([0, ''])
      expect(moved.stdout).toContain(`resourcepoolclaim.capsule.clastix.io/pods in ${prod} changed`)
      expect((await world.read(`${claimsIn(prod)}/pods`)).spec).toEqual({ pool: 'moving-size', claim: { pods: '2' } })
      expect(moved.stdout).toContain(`resourcepoolclaim.capsule.clastix.io/compute in ${dev} created`)
      for (const namespace of [dev, prod])
        for (const claim of ['compute', 'pods'])
          await world.until(`${claimsIn(namespace)}/${claim}`, (one) => isTrue(one, 'Bound') === true)
      const again = await migrate('moving', '--headroom', '50%')
      expect([again.code, /created|changed/.test(again.stdout)]).toEqual([0, false])
      await world.until(
        `${quotasIn(dev)}/capsule-pool-moving-compute`,
        ({ status }) => status?.hard?.['requests.cpu'] === '450m' && status.used['requests.cpu'] === '375m',
      )

      const size = (pods: string) => world.patch(`${POOLS}/moving-size`, { spec: { quota: { hard: { pods } } } })
      await size('50')
      const difference =
        'spec.quota.hard of the ResourcePool moving-size has pods=50, but items[1] of the Tenant needs 7'
      const differing = await migrate('moving')
      expect([differing.code, differing.stdout]).toEqual([3, expect.stringContaining(`  ! ${difference}\n`)])
      expect(differing.stdout).toContain('resourcepool.capsule.clastix.io/moving-size differs\n')
      const refused = await migrate('moving', '--finish')
      expect([refused.code, refused.stdout, refused.stderr]).toEqual([1, '', expect.stringContaining(difference)])
      await size('7')

      const done = await eventually(
        () => migrate('moving', '--finish'),
        ({ code }) => code === 0,
      )
      expect(done.stdout).toContain('its resourceQuotas are emptied')
      expect((await world.read(`${TENANTS}/moving`)).spec).toEqual({ resourceQuotas: { scope: 'Tenant' } })
      expect(await migrate('moving', '--finish')).toEqual({
        code: 0,
        stdout: 'Tenant moving has no resourceQuotas: nothing is left to do\n',
        stderr: '',
      })
      // As Capsule does then.
      for (const quota of ['capsule-moving-0', 'capsule-moving-1']) await world.delete(`${quotasIn(dev)}/${quota}`)
      const large = { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m', memory: '1Mi' } } }] }
      const exceeding = await suite.server.send('POST', podsIn(dev), { metadata: { name: 'large' }, spec: large })
      expect([exceeding.status, exceeding.json.message]).toEqual([
        403,
        expect.stringContaining('exceeded quota: capsule-pool-moving-compute'),
      ])
    })

    test('with scope Namespace give each namespace the amounts by itself', async () => {
      const { world } = suite
      const [dev = '', prod = ''] = await makeTenant(world, 'each', 'Namespace', [{ hard: { pods: '2' } }])
      await world.pod(dev, 'a', { cpu: '1' })
      await usedOf(world, dev, 'capsule-each-0', 'pods', '1')
      await usedOf(world, prod, 'capsule-each-0', 'pods', '0')
      const moved = await migrate('each')
      expect([moved.code, moved.stderr]).toEqual([0, ''])
      const done = await eventually(
        () => migrate('each', '--finish'),
        ({ code }) => code === 0,
      )
      expect(done.stdout).toContain('its resourceQuotas are emptied')
      const later = 'each-later'
      await world.create('/api/v1/namespaces', {
        metadata: { name: later, labels: { 'capsule.clastix.io/tenant': 'each' } },
      })
      for (const namespace of [dev, prod, later])
        await world.until(`${quotasIn(namespace)}/capsule-pool-each-size`, ({ status }) => status?.hard?.pods === '2')
    })

    test('are refused in a sentence where a name is taken, unknown or forbidden, and nothing is written', async () => {
      const { world, server } = suite
      await makeTenant(world, 'taken', 'Tenant', [{ hard: { pods: '2' } }])
      await world.pool('taken-size', { pods: '5' })
      for (const step of [[], ['--finish']]) {
        const foreign = await migrate('taken', ...step)
        expect([foreign.code, foreign.stderr]).toEqual([
          1,
          'there is a ResourcePool taken-size already, which selects other namespaces; rename it, or move the Tenant by hand\n',
        ])
      }
      expect(await migrate('nobody')).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('there is no Tenant nobody'),
      })
      await makeTenant(world, 'strayed', 'Tenant', [{ hard: { pods: '2' } }])
      await world.patch('/api/v1/namespaces/strayed-prod', {
        metadata: { labels: { 'capsule.clastix.io/tenant': null } },
      })
      const strayed = await migrate('strayed', '--dry-run')
      expect(strayed.code).toBe(3)
      expect(strayed.stderr).toContain('! strayed-prod has no label capsule.clastix.io/tenant=strayed')
      await world.create('/api/v1/namespaces/taken-dev/serviceaccounts', { metadata: { name: 'guest' } })
      const kubeconfig = await kubeconfigOf(server, 'taken-dev', 'guest')
      const forbidden = await runInProcess(kubeconfig, 'migrate', 'tenants', 'taken')
      expect([forbidden.code, forbidden.stdout]).toEqual([1, ''])
      expect(forbidden.stderr).toBe(
        'the API server does not allow to list tenants.capsule.clastix.io, list namespaces, list resourcequotas, list/create resourcepools.capsule.clastix.io, list/create/patch resourcepoolclaims.capsule.clastix.io; grant it to the account of the kubeconfig; nothing was changed\n',
      )
    })
  })

const UNREADABLE = `apiVersion: capsule.clastix.io/v1beta2
kind: Tenant
metadata: {name: t}
spec: {resourceQuotas: {items: [{hard: {pods: many}}]}}
`

describe('a migration from files', () => {
  test.for([
    ['tenants', '-f'],
    ['crq', ''],
    ['hrq', ''],
  ])(
    'of %s refuses a file that holds nothing of it, or is no manifest, in a sentence',
    async ([command = '', flag = '']) => {
      const home = temporaryDirectory()
      const write = (text: string): string => {
        const file = join(home, `${text.length}.yaml`)
        writeFileSync(file, text)
        return file
      }
      const run = (file: string) => runInProcess('', 'migrate', command, ...(flag === '' ? [] : [flag]), file)
      for (const file of [
        join(home, 'missing.yaml'),
        write('a: [\n'),
        write('just: a map\n'),
        write('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\n'),
        ...(command === 'tenants' ? [write(UNREADABLE)] : []),
      ]) {
        const { code, stdout, stderr } = await run(file)
        expect([code, stdout, stderr.split('\n').length]).toEqual([1, '', 2])
      }
    },
  )
})
