import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Explanation } from '../../../src/insight/explain/explanation.ts'
import { eventually } from '../../eventually.ts'
import { kubeconfigOf } from '../../install/pod-process.ts'
import { runProgram } from '../../../src/cli/allot-program.ts'
import { runInProcess } from '../../migrate/run-in-process.ts'
import { forWorld, operatedServers } from '../../operator/operated.ts'
import { deployed } from '../../operator/karmada-quota/karmada-world.ts'
import { temporaryDirectory } from '../../start-allot.ts'
import { explained } from './asked-explanation.ts'
import { ARGS, makeTenantNamespace, openWorlds, WAITS } from './tenant-waits.ts'

for (const { name, available, start } of operatedServers)
  describe.skipIf(!available)(`${name}: a tenant with the role admin in one namespace`, () => {
    const suite = forWorld(() => start({ workloads: true, args: ARGS }), openWorlds)

    test.concurrent.each(WAITS.map((wait, index) => ({ ...wait, index })))(
      'understands with one command: $title',
      async ({ index, labels = {}, given, asked, cause, remedy }) => {
        const { server, world } = suite
        const namespace = `tenant-${index}`
        await makeTenantNamespace(server, namespace, labels)
        const kubeconfig = await kubeconfigOf(server, namespace, 'default')
        await given(world, namespace)
        const { code, said } = await eventually(
          () => explained(kubeconfig, ...asked),
          (one) => cause.test(one.said?.causes[0]?.text ?? ''),
          { what: `the cause ${cause.source}` },
        )
        expect([code, said?.causes.length]).toEqual([3, 1])
        if (remedy !== undefined) expect(said?.remedies.map(({ type }) => type)).toContain(remedy)
        // Nothing of another namespace is shown but what the refusal itself tells everybody.
        expect(JSON.stringify(said)).not.toContain(`${namespace}-other`)
      },
    )

    test('says how a custom quota on a field of a custom resource judges manifests, one after the other', async () => {
      const { world, server } = suite
      const namespace = 'fields'
      await world.custom.create('/api/v1/namespaces', { metadata: { name: namespace } })
      const source = { apiVersion: 'work.karmada.io/v1alpha2', kind: 'ResourceBinding', path: '.spec.replicas' }
      await world.custom.quota(namespace, 'berths', { limit: '10', sources: [source] })
      const file = join(temporaryDirectory(), 'bindings.yaml')
      const planned = ['first', 'second'].map((name) => ({
        apiVersion: source.apiVersion,
        kind: source.kind,
        metadata: { name },
        spec: deployed({ replicas: 7 }, name),
      }))
      writeFileSync(file, planned.map((one) => JSON.stringify(one)).join('\n---\n'))
      const of = [server.kubeconfig, '-n', namespace, '-f', file] as const
      const { code, said } = await explained<readonly Explanation[]>(...of)
      expect([code, said?.map(({ verdict }) => verdict)]).toEqual([3, ['clear', 'blocked']])
      expect(said?.[1]?.causes.map(({ text }) => text)).toEqual(['CustomQuota berths: 7 of 10 used, 7 more requested'])
      expect(said?.[1]?.wanted[0]?.costs).toEqual([
        { resource: 'CustomQuota berths', amount: '7', sources: [{ container: '', amount: '7', from: 'spec' }] },
      ])
    })

    test('reads on top what is used, nearest to the limit first, and the queue of a pool', async () => {
      const { kubeconfig } = suite.server
      const quotas = await eventually(
        () => runInProcess(kubeconfig, 'top', '-A', '-o', 'json'),
        ({ stdout }) => /"crew"/.test(stdout) && /"north"/.test(stdout) && /"federation"/.test(stdout),
        { what: 'the quotas of all systems' },
      )
      const rows = JSON.parse(quotas.stdout) as readonly { readonly fill: string; readonly name: string }[]
      const ranks = rows.map(({ fill }) => ['over', 'full', 'room', 'unknown'].indexOf(fill))
      expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
      expect(rows.find((row) => row.name === 'crew')).toMatchObject({ kind: 'CustomQuota', fill: 'full', percent: 100 })
      const pools = await runInProcess(kubeconfig, 'top', 'pools')
      expect(pools.stdout).toMatch(/pool tenant-5: claims with their amounts: 1, waiting: 2/)
      expect(pools.stdout).toMatch(/1 {6}tenant-5\/second +WaitingForRoom/)
      const claims = await runInProcess(kubeconfig, 'top', 'claims', '-n', 'tenant-5')
      expect(claims.stdout).toMatch(/tenant-5 +second +tenant-5 +waiting +no +pods 2 +1 /)
      const over = new AbortController()
      let printed = ''
      const watching = runProgram(['top', '-n', 'tenant-1', '--watch', '--interval', '20ms'], {
        out: (text) => void (printed += text),
        err: (text) => void (printed += text),
        environment: { KUBECONFIG: kubeconfig },
        stop: over.signal,
      })
      await eventually(
        () => printed,
        (text) => text.includes('3     3 '),
        { what: 'the first table' },
      )
      await suite.world.custom.patch('/apis/capsule.clastix.io/v1beta2/namespaces/tenant-1/customquotas/crew', {
        spec: { limit: '4000' },
      })
      await eventually(
        () => printed,
        (text) => /\n\nNAMESPACE[^]* 4k /.test(text),
        { what: 'a table with the new limit' },
      )
      over.abort()
      expect(await watching).toBe(0)
      const namespaces = await runInProcess(kubeconfig, 'top', 'namespaces')
      expect(namespaces.stdout).toMatch(/tenant-3 +1 +0 +ResourceQuota\/strict requests\.cpu +0 +2 +\[\.{20}\] 0 %/)
    })
  })
