import { describe, expect, test } from 'vitest'
import { bareServers, forWorld, startOperator } from '../operated.ts'
import { MERGE, podsIn } from '../pool-objects.ts'
import { COUNTED_MAPS, map, mapsIn, quotasIn, QuotaWorld } from './quota-world.ts'

const CONFIGURATION = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/allot'
const EXEMPT = ['kube-system', 'allot-system']
const LABEL = 'allot.dev/exempt'
const count = (apiVersion: string, kind: string) => ({ apiVersion, kind, op: 'count' })
const COUNTED_PODS = count('v1', 'Pod')
/** Kinds that every server has. Not those that another test needs to be asked about in few namespaces: rules stay for some seconds. */
const KINDS = [
  ...['ConfigMap', 'ServiceAccount', 'Endpoints', 'Pod', 'PersistentVolumeClaim'].map((kind) => count('v1', kind)),
  ...['ReplicationController', 'PodTemplate', 'LimitRange', 'ResourceQuota'].map((kind) => count('v1', kind)),
  ...['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'ControllerRevision'].map((kind) =>
    count('apps/v1', kind),
  ),
  ...['Role', 'RoleBinding'].map((kind) => count('rbac.authorization.k8s.io/v1', kind)),
]
const CHANGES = 60

const open = (name: string, start: (typeof bareServers)[number]['start']) =>
  forWorld(start, async (server) => {
    const operator = await startOperator(server.kubeconfig)
    return { operator, world: new QuotaWorld(server), isOld: !name.startsWith('allot up') }
  })

for (const { name, available, start } of bareServers)
  describe(`${name}: what webhooks are asked about`, { skip: !available }, () => {
    const suite = open(name, start)
    const generation = async (): Promise<number> => (await suite.world.world.read(CONFIGURATION)).metadata.generation

    test('quotas on ever other kinds that come and go in one namespace change rules seldom, and a quota of another is ready meanwhile [security/rule-changes]', async () => {
      const { server } = suite
      const { world } = suite.world
      for (const one of ['noisy', 'calm']) await world.namespace(one)
      const before = await generation()
      const began = performance.now()
      for (let at = 0; at < CHANGES; at++) {
        const sources = [KINDS[at % KINDS.length]]
        const quota = { apiVersion: 'capsule.clastix.io/v1beta2', kind: 'CustomQuota', metadata: { name: `q${at}` } }
        await world.create(quotasIn('noisy'), { ...quota, spec: { limit: '5', sources } })
        if (at === CHANGES - 20) await world.quota('calm', 'maps', { limit: '1', sources: [COUNTED_MAPS] })
        expect((await server.send('DELETE', `${quotasIn('noisy')}/q${at}`)).status).toBe(200)
      }
      const seconds = (performance.now() - began) / 1000
      // Of one namespace eight at once, then one every two seconds; what is needless goes every five seconds; and one of the other.
      expect((await generation()) - before).toBeLessThan(10 + seconds / 2 + seconds / 5 + 2)
      await server.send('POST', mapsIn('calm'), map('first'))
      expect((await server.send('POST', mapsIn('calm'), map('second'))).status).toBe(403)
    })

    test('nobody but allot has namespaces left out [security/left-out]', async () => {
      const { server } = suite
      const { world, isOld } = suite.world
      const labelOf = async (of: string): Promise<string | undefined> =>
        (await world.read(`/api/v1/namespaces/${of}`)).metadata.labels?.[LABEL]
      await world.namespace('forging')
      if (!isOld) return expect(await labelOf('kube-system')).toBeUndefined()
      const value = await labelOf('kube-system')
      expect(value).toMatch(/^[0-9a-f]{32}$/)
      expect(await labelOf('allot-system')).not.toBe(value)
      const forged = { metadata: { labels: { [LABEL]: value } } }
      const refused = await server.send('PATCH', '/api/v1/namespaces/forging', forged, MERGE)
      expect([refused.status, refused.json.message]).toEqual([403, expect.stringContaining(`the label ${LABEL}`)])
      const made = { ...forged, apiVersion: 'v1', kind: 'Namespace', metadata: { ...forged.metadata, name: 'forged' } }
      expect((await server.send('POST', '/api/v1/namespaces', made)).status).toBe(403)
      await world.patch('/api/v1/namespaces/kube-system', { metadata: { labels: { [LABEL]: null } } })
      await world.until('/api/v1/namespaces/kube-system', ({ metadata }) => metadata.labels?.[LABEL] === value)
    })

    test('while no operator answers, what no quota counts goes on, and so do the namespaces of the cluster and of allot [security/uncounted-goes-on]', async () => {
      const { server } = suite
      const { world, operator, isOld } = suite.world
      for (const one of ['counted', 'other', 'selected']) await world.namespace(one)
      await world.quota('counted', 'pods', { limit: '5', sources: [COUNTED_PODS] })
      const selecting = { namespaceSelectors: [{ matchLabels: { pool: 'selected' } }] }
      await world.quota(undefined, 'maps-where-selected', {
        limit: '5',
        sources: [count('v1', 'Secret')],
        ...selecting,
      })
      await world.quota(undefined, 'services', { limit: '50', sources: [count('v1', 'Service')] })
      for (const one of [...EXEMPT, 'counted', 'other']) await world.pod(one, 'before', {})
      const stolen = (await world.read('/api/v1/namespaces/kube-system')).metadata.labels?.[LABEL]
      await operator.kill9()

      const answers: Record<string, number> = {}
      const create = async (path: string, object: object): Promise<void> => {
        answers[path] = (await server.send('POST', path, { metadata: { name: 'late' }, ...object })).status
      }
      const pod = { spec: { containers: [{ name: 'c', image: 'i' }] } }
      for (const one of [...EXEMPT, 'counted', 'other']) await create(podsIn(one), pod)
      for (const one of [...EXEMPT, 'other', 'selected']) await create(`/api/v1/namespaces/${one}/secrets`, {})
      for (const one of [...EXEMPT, 'other'])
        await create(`/api/v1/namespaces/${one}/services`, { spec: { ports: [{ port: 80 }] } })
      await create(mapsIn('other'), map('late'))
      const [stored, failed] = [201, 500]
      expect(answers).toEqual({
        ...Object.fromEntries(EXEMPT.map((one) => [podsIn(one), stored])),
        [podsIn('counted')]: failed,
        // Before 1.21 a namespace cannot be selected by its name.
        [podsIn('other')]: isOld ? failed : stored,
        ...Object.fromEntries([...EXEMPT, 'other'].map((one) => [`/api/v1/namespaces/${one}/secrets`, stored])),
        '/api/v1/namespaces/selected/secrets': failed,
        ...Object.fromEntries(EXEMPT.map((one) => [`/api/v1/namespaces/${one}/services`, stored])),
        '/api/v1/namespaces/other/services': failed,
        [mapsIn('other')]: isOld ? failed : stored,
      })
      if (!isOld) return
      const forged = { metadata: { labels: { [LABEL]: stolen } } }
      expect((await server.send('PATCH', '/api/v1/namespaces/other', forged, MERGE)).status).toBe(failed)
    })
  })
