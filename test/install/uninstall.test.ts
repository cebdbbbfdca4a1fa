import { describe, expect, test } from 'vitest'
import { LEASE_NAME } from '../../src/install/installed-names.ts'
import { eventually } from '../eventually.ts'
import { runInProcess } from '../migrate/run-in-process.ts'
import { type BareServer, bareServers, startOperator } from '../operator/operated.ts'
import { accountWith, created } from '../operator/operator-account.ts'
import { MERGE } from '../operator/pool-objects.ts'
import { kubeconfigOf } from './pod-process.ts'

const PLACE = '/api/v1/namespaces/allot-system'
const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/allot-system/roles'
const ALL = ['uninstall', '--system-namespace', 'allot-system', '--crds', '--generated-quotas', 'remove'] as const

/** The rules that allow exactly what a refusal names, and nothing else. */
function rulesFor(refusal: string): readonly object[] {
  const [, named = ''] =
    /^the API server does not allow to (.*); grant it to the account of the kubeconfig; nothing/.exec(refusal) ?? []
  return named.split(', ').map((right) => {
    const [, verbs = '', what = '', resourceName] = /^(\S+) (\S+?)(?: (\S+))??(?: in \S+)?$/.exec(right) ?? []
    const [resource = '', ...group] = what.split('.')
    const names = resourceName === undefined ? {} : { resourceNames: [resourceName] }
    return { apiGroups: [group.join('.')], resources: [resource], verbs: verbs.split('/'), ...names }
  })
}

/** Has the holder of a Lease renew it. */
function renewed(server: BareServer, lease: string): Disposable {
  let renewals = 0
  const renew = () => server.send('PATCH', lease, { spec: { leaseTransitions: ++renewals } }, MERGE)
  const timer = setInterval(() => void renew().catch(() => undefined), 300)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

async function namespaceIn(server: BareServer): Promise<number> {
  return (await server.send('GET', PLACE)).status
}

for (const { name, available, start } of bareServers)
  describe.skipIf(!available)(`${name}: allot is uninstalled`, () => {
    test('with exactly the rights that it names when it has none, and the namespace that it made goes once nothing of others is in it [30/made-namespace] [30/missing-rights]', async () => {
      await using server = await start({ isBare: true })
      const operator = await startOperator(server.kubeconfig, [
        '--leader-elect-lease-duration=2s',
        '--leader-elect-renew-deadline=1s',
        '--leader-elect-retry-period=200ms',
      ])
      await operator[Symbol.asyncDispose]()
      await created(server, ROLES, { metadata: { name: 'of-others' }, rules: [] })

      // A tenant keeps a Lease of allot's name in a namespace of its own.
      const decoys = '/apis/coordination.k8s.io/v1/namespaces/decoys/leases'
      await created(server, '/api/v1/namespaces', { metadata: { name: 'decoys' } })
      await created(server, decoys, { metadata: { name: LEASE_NAME }, spec: { holderIdentity: 'decoy' } })
      using _renewing = renewed(server, `${decoys}/allot`)

      const { role, user } = await accountWith(server, [])
      const kubeconfig = await kubeconfigOf(server, 'default', user.split(':').at(-1) ?? '')
      const refused = await runInProcess(kubeconfig, ...ALL)
      expect([refused.code, refused.stdout]).toEqual([1, ''])
      await server.send('PATCH', role, { rules: rulesFor(refused.stderr) }, MERGE)

      const first = await eventually(
        () => runInProcess(kubeconfig, ...ALL),
        ({ stderr }) => !stderr.startsWith('the API server does not allow'),
      )
      expect([first.code, first.stderr], first.stdout).toEqual([0, ''])
      expect(first.stdout).toContain('namespaces/allot-system stays: it holds roles/of-others\n')
      await server.send('DELETE', `${ROLES}/of-others`)
      expect(await runInProcess(kubeconfig, ...ALL)).toEqual({
        code: 0,
        stdout: 'namespaces/allot-system deleted\n',
        stderr: '',
      })
      await eventually(
        () => namespaceIn(server),
        (status) => status === 404,
      )

      await created(server, '/api/v1/namespaces', { metadata: { name: 'allot-system' } })
      expect((await runInProcess(server.kubeconfig, ...ALL)).stdout).toBe(
        'namespaces/allot-system stays: allot did not make it\n',
      )
    })
  })
