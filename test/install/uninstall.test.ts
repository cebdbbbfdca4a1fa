import { describe, expect, test } from 'vitest'
import { LEASE_NAME, WEBHOOK_KEY_SECRET } from '../../src/install/installed-names.ts'
import { printedNamespace } from '../../src/install/own-namespace.ts'
import { eventually } from '../eventually.ts'
import { runInProcess } from '../migrate/run-in-process.ts'
import { type BareServer, bareServers, startOperator } from '../operator/operated.ts'
import { accountWith, created } from '../operator/operator-account.ts'
import { MERGE } from '../operator/pool-objects.ts'
import { kubeconfigOf } from './pod-process.ts'

const PLACE = '/api/v1/namespaces/allot-system'
const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/allot-system/roles'
const CRD_GROUP = 'apiextensions.k8s.io'
const CRDS = `/apis/${CRD_GROUP}/v1/customresourcedefinitions`
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

/** Two kinds of one group that are served in different versions only. */
const ROUTES = [
  ['gates', 'v1'],
  ['grants', 'v1beta1'],
].map(([plural = '', version = '']) => ({
  metadata: { name: `${plural}.routes.example` },
  spec: {
    group: 'routes.example',
    scope: 'Namespaced',
    names: { plural, singular: plural.slice(0, -1), kind: `K${plural}`, listKind: `K${plural}List` },
    versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
}))

/** Puts objects of others into the namespace of allot. Gives the paths of those that hold it, by the names that the command has for them. */
async function fillNamespace(server: BareServer): Promise<ReadonlyMap<string, string>> {
  for (const crd of ROUTES)
    await created(server, CRDS, { ...crd, kind: 'CustomResourceDefinition', apiVersion: `${CRD_GROUP}/v1` })
  const role = await created(server, ROLES, { metadata: { name: 'of-others' }, rules: [] })
  const outside = (await server.send('GET', '/api/v1/namespaces/default')).json
  const owners = {
    'owned-there': ['rbac.authorization.k8s.io/v1', 'Role', role],
    'owned-outside': ['v1', 'Namespace', outside],
  }
  for (const [name, [apiVersion, kind, { metadata }]] of Object.entries(owners)) {
    const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid }]
    await created(server, `${PLACE}/configmaps`, { metadata: { name, ownerReferences } })
  }
  const grants = '/apis/routes.example/v1beta1/namespaces/allot-system/grants'
  const grant = { apiVersion: 'routes.example/v1beta1', kind: 'Kgrants', metadata: { name: 'one' } }
  await eventually(
    () => server.send('POST', grants, grant),
    ({ status }) => status === 201,
  )
  return new Map([
    ['roles/of-others', `${ROLES}/of-others`],
    ['configmaps/owned-outside', `${PLACE}/configmaps/owned-outside`],
    ['grants/one', `${grants}/one`],
  ])
}

/** Has the holder of a Lease renew it. */
function renewed(server: BareServer, lease: string): Disposable {
  let renewals = 0
  const renew = () => server.send('PATCH', lease, { spec: { leaseTransitions: ++renewals } }, MERGE)
  const timer = setInterval(() => void renew().catch(() => undefined), 300)
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

async function applyNamespace(server: BareServer): Promise<void> {
  const headers = { 'content-type': 'application/apply-patch+yaml' }
  const path = `${PLACE}?fieldManager=kubectl&force=true`
  expect([200, 201]).toContain((await server.send('PATCH', path, printedNamespace('allot-system'), headers)).status)
}

async function namespaceIn(server: BareServer): Promise<number> {
  return (await server.send('GET', PLACE)).status
}

for (const { name, available, start } of bareServers)
  // Both wait most of the time.
  describe(`${name}: allot is uninstalled`, { concurrent: true, skip: !available }, () => {
    test('with exactly the rights that it names when it has none, and the namespace that it made goes once nothing of others is in it', async () => {
      await using server = await start({ isBare: true })
      const operator = await startOperator(server.kubeconfig, [
        '--leader-elect-lease-duration=2s',
        '--leader-elect-renew-deadline=1s',
        '--leader-elect-retry-period=200ms',
      ])
      await operator[Symbol.asyncDispose]()
      expect(await runInProcess(server.kubeconfig, 'uninstall')).toEqual({
        code: 1,
        stdout: '',
        stderr:
          'the webhook configurations are those of an allot that has its own objects in the namespace allot-system; name it with --system-namespace=allot-system; nothing was changed\n',
      })
      const ofOthers = await fillNamespace(server)

      // A tenant keeps a Lease of allot's name in a namespace of its own.
      const decoys = '/apis/coordination.k8s.io/v1/namespaces/decoys/leases'
      await created(server, '/api/v1/namespaces', { metadata: { name: 'decoys' } })
      await created(server, decoys, { metadata: { name: LEASE_NAME }, spec: { holderIdentity: 'decoy' } })
      using renewing = renewed(server, `${decoys}/allot`)

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
      const [, held = ''] = /^namespaces\/allot-system stays: it holds (.*)$/m.exec(first.stdout) ?? []
      expect(held.split(', ').toSorted()).toEqual([...ofOthers.keys()].toSorted())
      for (const path of ofOthers.values()) expect((await server.send('DELETE', path)).status).toBe(200)
      expect(await runInProcess(kubeconfig, ...ALL)).toEqual({
        code: 0,
        stdout: 'namespaces/allot-system deleted\n',
        stderr: '',
      })
      expect(await namespaceIn(server)).toBe(404)
      // Each look whether one is renewed takes seconds.
      renewing[Symbol.dispose]()
      expect((await server.send('DELETE', `${decoys}/${LEASE_NAME}`)).status).toBe(200)

      // One of a user, also where the user has then applied what `allot install` prints.
      await created(server, '/api/v1/namespaces', { metadata: { name: 'allot-system', annotations: { cost: '7' } } })
      await applyNamespace(server)
      expect((await runInProcess(server.kubeconfig, ...ALL)).stdout).toBe(
        'namespaces/allot-system freed of its labels\nnamespaces/allot-system stays: nothing shows that it came with allot; delete it if nothing else needs it\n',
      )
      const { labels = {}, annotations } = (await server.send('GET', PLACE)).json.metadata
      expect([labels, annotations]).toEqual([
        expect.not.objectContaining(printedNamespace('').metadata.labels),
        { cost: '7' },
      ])
      await server.send('DELETE', PLACE)
      await eventually(
        () => namespaceIn(server),
        (status) => status === 404,
      )
      await applyNamespace(server)
      expect(await runInProcess(server.kubeconfig, ...ALL)).toEqual({
        code: 0,
        stdout: 'namespaces/allot-system deleted\n',
        stderr: '',
      })
      expect(await namespaceIn(server)).toBe(404)
      // Somebody else holds an object of allot.
      await created(server, '/api/v1/namespaces', { metadata: { name: 'allot-system' } })
      const kept = await created(server, `${PLACE}/secrets`, {
        metadata: { name: WEBHOOK_KEY_SECRET, finalizers: ['others.example/keep'] },
      })
      const others = await runInProcess(server.kubeconfig, ...ALL)
      expect([others.code, others.stdout, others.stderr]).toEqual([
        1,
        expect.not.stringContaining(WEBHOOK_KEY_SECRET),
        `others keep objects of allot, which go with their finalizers: secrets/${kept.metadata.name} in allot-system (others.example/keep); look for the programs of these finalizers, and repeat the command\n`,
      ])
      await server.send('PATCH', `${PLACE}/secrets/${kept.metadata.name}`, { metadata: { finalizers: null } }, MERGE)
      expect((await runInProcess(server.kubeconfig, ...ALL)).code).toBe(0)
      for (const { metadata } of ROUTES) await server.send('DELETE', `${CRDS}/${metadata.name}`)
    })
  })
