import { describe, expect, test } from 'vitest'
import { inParallel } from '../../../src/runtime/tasks/in-parallel.ts'
import { eventually } from '../../eventually.ts'
import { operatedServers } from '../operated.ts'
import { condition, GROUP } from '../pool-objects.ts'
import {
  COUNTED_MAPS,
  DEFINITIONS,
  forQuotas,
  GLOBAL_QUOTAS,
  ledgersIn,
  map,
  MAPS,
  mapsIn,
  openDefinition,
  openVersions,
  quotasIn,
} from './quota-world.ts'

const RBAC = 'rbac.authorization.k8s.io/v1'
/** Only what tests make: real servers put a config map into every namespace. */
const scopeSelectors = [{ matchLabels: { counted: 'yes' } }]

for (const { name, available, share } of operatedServers)
  describe(`${name}: counting`, { concurrent: true, skip: !available }, () => {
    const suite = forQuotas(share)

    test('a quota counts what is there, what comes, what changes and what goes, and shows it', async () => {
      const { world } = suite
      await world.namespace('cq-count')
      await world.create(mapsIn('cq-count'), map('first', 3))
      await world.quota('cq-count', 'sizes', { limit: '10', sources: [MAPS], scopeSelectors })
      const path = `${quotasIn('cq-count')}/sizes`
      const { status } = await world.read(path)
      expect(status).toMatchObject({
        observedGeneration: 1,
        usage: { used: '3', available: '7' },
        claims: [{ group: '', version: 'v1', kind: 'ConfigMap', namespace: 'cq-count', name: 'first', usage: '3' }],
        targets: [{ group: '', version: 'v1', kind: 'ConfigMap', op: 'add', path: '.data.size', scope: 'namespace' }],
      })
      await world.create(mapsIn('cq-count'), map('second', 2))
      await world.used(path, '5')
      await world.patch(`${mapsIn('cq-count')}/second`, { data: { size: '4' } })
      await world.used(path, '7')
      await world.patch(`${mapsIn('cq-count')}/first`, { metadata: { labels: { counted: 'no' } } })
      await world.used(path, '4')
      await world.delete(`${mapsIn('cq-count')}/second`)
      await world.used(path, '0')
    })

    test('the ledger contains each create by the time it is answered, and the status follows', async () => {
      const { world } = suite
      await world.namespace('cq-read')
      await world.quota('cq-read', 'sizes', { limit: '100', sources: [MAPS], scopeSelectors })
      for (let at = 1; at <= 20; at++) {
        await world.create(mapsIn('cq-read'), map(`m${at}`, 2))
        const { status } = await world.read(`${ledgersIn('cq-read')}/sizes`)
        expect(Number(status.allocated)).toBeGreaterThanOrEqual(2 * at)
      }
      await world.used(`${quotasIn('cq-read')}/sizes`, '40')
    })

    test('a quota has a ledger that it owns, which is made again when the garbage collector deletes it', async () => {
      const { world, server } = suite
      await world.namespace('cq-ledger')
      await world.quota('cq-ledger', 'owner', { limit: '10', sources: [COUNTED_MAPS], scopeSelectors })
      const ledger = `${ledgersIn('cq-ledger')}/owner`
      const { metadata, spec } = await world.read(ledger)
      expect(metadata.labels).toMatchObject({ 'capsule.clastix.io/managed-by': 'controller' })
      expect(metadata.ownerReferences).toMatchObject([{ kind: 'CustomQuota', name: 'owner', controller: true }])
      expect(spec.targetRef).toMatchObject({ kind: 'CustomQuota', namespace: 'cq-ledger', name: 'owner' })
      // To compare each write field by field would cost the API server a third of its CPU for the write.
      expect(metadata.managedFields).toBeUndefined()
      const collector = { 'impersonate-user': 'system:serviceaccount:kube-system:generic-garbage-collector' }
      expect((await server.send('DELETE', ledger, undefined, collector)).status).toBe(200)
      await world.until(ledger, (again) => again.metadata.uid !== metadata.uid)
    })

    test('a global quota follows namespaces that come, change their labels and go', async () => {
      const { world } = suite
      await world.quota(undefined, 'cq-tenant', {
        limit: '10',
        sources: [MAPS],
        scopeSelectors,
        namespaceSelectors: [{ matchLabels: { pool: 'cq-tenant' } }],
      })
      const path = `${GLOBAL_QUOTAS}/cq-tenant`
      await world.namespace('cq-tenant-a', 'cq-tenant')
      await world.namespace('cq-tenant-b', 'cq-other')
      await world.until(path, ({ status }) => String(status.namespaces) === 'cq-tenant-a')
      await world.create(mapsIn('cq-tenant-a'), map('one', 2))
      await world.create(mapsIn('cq-tenant-b'), map('one', 3))
      await world.used(path, '2')
      await world.label('cq-tenant-b', 'cq-tenant')
      await world.used(path, '5')
      expect((await world.read(path)).status.namespaces).toEqual(['cq-tenant-a', 'cq-tenant-b'])
      await world.label('cq-tenant-a', 'cq-other')
      await world.used(path, '3')
      await world.label('cq-tenant-b', 'cq-other')
      await world.until(path, ({ status }) => status.namespaces === undefined && status.usage.used === '0')
    })

    test('a quota on a kind without a definition is not ready, and counts as soon as there is one', async () => {
      const { world } = suite
      await world.namespace('cq-later')
      await world.create(quotasIn('cq-later'), {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'CustomQuota',
        metadata: { name: 'widgets' },
        spec: {
          limit: '10',
          sources: [{ apiVersion: 'later.allot.test/v1', kind: 'Widget', op: 'add', path: '.spec.size' }],
        },
      })
      const path = `${quotasIn('cq-later')}/widgets`
      expect(await world.notReady(path, 'later.allot.test/v1, Kind=Widget')).toBe('Failed')
      await world.create(DEFINITIONS, openDefinition('later.allot.test', 'Widget', openVersions(['v1'])))
      await world.ready(path)
      await world.create('/apis/later.allot.test/v1/namespaces/cq-later/widgets', {
        apiVersion: 'later.allot.test/v1',
        kind: 'Widget',
        metadata: { name: 'big' },
        spec: { size: 4 },
      })
      await world.used(path, '4')
    })

    test('quotas that come one after another while many objects are listed count all of them', async () => {
      const { world } = suite
      const [group, kind] = ['many.allot.test', 'Grain']
      await world.create(DEFINITIONS, openDefinition(group, kind, openVersions(['v1'])))
      const namespaces = ['cq-many-a', 'cq-many-b', 'cq-many-c', 'cq-many-d']
      const apiVersion = `${group}/v1`
      for (const namespace of namespaces) {
        await world.namespace(namespace)
        const grains = `/apis/${apiVersion}/namespaces/${namespace}/grains`
        await world.until(grains, ({ items }) => items !== undefined)
        await inParallel(Array(200).keys(), 8, (index) =>
          world.create(grains, { apiVersion, kind, metadata: { name: `g${index}` } }),
        )
      }
      // The last namespace in a list of all is counted first; its list is the longest.
      for (const namespace of namespaces.toReversed())
        await world.create(quotasIn(namespace), {
          apiVersion: 'capsule.clastix.io/v1beta2',
          kind: 'CustomQuota',
          metadata: { name: 'grains' },
          spec: { limit: '200', sources: [{ apiVersion, kind, op: 'count' }] },
        })
      for (const namespace of namespaces) {
        await world.ready(`${quotasIn(namespace)}/grains`)
        const { status } = await world.read(`${quotasIn(namespace)}/grains`)
        expect([namespace, status.usage.used]).toEqual([namespace, '200'])
      }
    })

    test('the status of a quota counts objects with names of 200 kB, and goes on when they are many', async () => {
      const { world } = suite
      const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/cq-long-names/roles'
      const role = (roleName: string) => ({ apiVersion: RBAC, kind: 'Role', metadata: { name: roleName }, rules: [] })
      await world.namespace('cq-long-names')
      const sources = [{ apiVersion: RBAC, kind: 'Role', op: 'count' }]
      await world.quota('cq-long-names', 'roles', { limit: '100', sources })
      const path = `${quotasIn('cq-long-names')}/roles`
      for (let at = 1; at <= 8; at++) {
        await world.create(roles, role(`${'x'.repeat(200_000)}${at}`))
        await world.used(path, String(at))
      }
      await world.create(roles, role('short'))
      await world.used(path, '9')
      const { status } = await world.read(path)
      expect(status.claims).toMatchObject([{ name: 'short' }])
      expect(status.omittedClaims).toBe(8)
    })

    test('the annotation that asks for a new count is removed when it is done', async () => {
      const { world } = suite
      await world.namespace('cq-again')
      await world.quota('cq-again', 'again', { limit: '10', sources: [MAPS], scopeSelectors })
      const path = `${quotasIn('cq-again')}/again`
      const annotation = 'reconcile.projectcapsule.dev/requestedAt'
      await world.patch(path, { metadata: { annotations: { [annotation]: 'now' } } })
      const done = await world.until(path, ({ metadata }) => metadata.annotations?.[annotation] === undefined)
      expect(done.status.observedGeneration).toBe(done.metadata.generation)
    })

    test('an object that cannot be measured is named, and the others are counted', async () => {
      const { world } = suite
      await world.namespace('cq-odd')
      await world.create(mapsIn('cq-odd'), map('good', 2))
      await world.create(mapsIn('cq-odd'), { ...map('odd'), data: { size: 'many' } })
      await world.create(quotasIn('cq-odd'), {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'CustomQuota',
        metadata: { name: 'sizes' },
        spec: { limit: '10', sources: [MAPS], scopeSelectors },
      })
      const path = `${quotasIn('cq-odd')}/sizes`
      expect(await world.notReady(path, 'get usage from cq-odd/odd (/v1, Kind=ConfigMap)')).toBe('Failed')
      expect((await world.read(path)).status.usage.used).toBe('2')
      await world.delete(`${mapsIn('cq-odd')}/odd`)
      await world.ready(path)
    })

    test('an object that cannot be measured closes a global quota in its own namespace only, whose owner gets an Event, until a request mends it that fits', async () => {
      const { world } = suite
      const [own, other] = ['cq-cow', 'cq-herd']
      const annotated = (of: string, size: string) => ({
        ...map(of),
        metadata: { name: of, labels: { counted: own }, annotations: { size } },
      })
      for (const namespace of [own, other]) await world.namespace(namespace)
      for (const of of ['cow', 'calf']) await world.create(mapsIn(own), annotated(of, '1 cow'))
      await world.create(mapsIn(own), annotated('dog', '1'))
      await world.create(mapsIn(other), annotated('goose', '2'))
      await world.create(GLOBAL_QUOTAS, {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'GlobalCustomQuota',
        metadata: { name: own },
        spec: {
          limit: '10',
          sources: [{ apiVersion: 'v1', kind: 'ConfigMap', op: 'add', path: '.metadata.annotations.size' }],
          scopeSelectors: [{ matchLabels: { counted: own } }],
        },
      })
      const path = `${GLOBAL_QUOTAS}/${own}`
      expect(await world.notReady(path, `get usage from ${own}/calf (/v1, Kind=ConfigMap)`)).toBe('Failed')
      const { status } = await world.until(path, (quota) => condition(quota, 'Measured')?.status === 'False')
      expect(condition({ status }, 'Measured')).toMatchObject({
        reason: 'UnmeasurableObjects',
        message: expect.stringContaining(`"${own}"`),
      })
      // The others are decided as ever …
      await world.create(mapsIn(other), annotated('swan', '4'))
      const tooMany = await world.send('POST', mapsIn(other), annotated('ostrich', '4'))
      expect([tooMany.status, tooMany.text]).toEqual([403, expect.stringContaining('at most 3 would fit')])
      // … and the owner of the object learns what to do.
      const closed = await world.send('POST', mapsIn(own), annotated('cat', '1'))
      expect([closed.status, closed.text]).toEqual([429, expect.stringContaining('correct or delete that object')])
      await world.until(`/apis/events.k8s.io/v1/namespaces/${own}/events`, ({ items }) =>
        items.some(
          (event: { reason: string; regarding: { name: string }; note: string }) =>
            event.reason === 'Unmeasurable' &&
            ['cow', 'calf'].includes(event.regarding.name) &&
            event.note.includes(own),
        ),
      )
      await world.patch(`${mapsIn(own)}/cow`, { metadata: { labels: { seen: 'yes' } } })
      await world.patch(`${mapsIn(own)}/dog`, { metadata: { annotations: { size: '0' } } })
      expect(
        await world.refused('PATCH', `${mapsIn(own)}/cow`, { metadata: { annotations: { size: '5' } } }),
      ).toContain('at most 4 would fit')
      await world.patch(`${mapsIn(own)}/cow`, { metadata: { annotations: { size: '3' } } })
      expect((await world.send('POST', mapsIn(own), annotated('cat', '1'))).status).toBe(429)
      await world.delete(`${mapsIn(own)}/calf`)
      await world.ready(path)
      await world.used(path, '9')
      expect(condition(await world.read(path), 'Measured')).toBeUndefined()
      await world.create(mapsIn(own), annotated('cat', '1'))
    })

    test('sources that name a kind by group and version are stored with an apiVersion', async () => {
      const { world } = suite
      await world.namespace('cq-split')
      const { spec } = await world.create(quotasIn('cq-split'), {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'CustomQuota',
        metadata: { name: 'split' },
        spec: { limit: '10', sources: [{ group: 'apps', version: 'v1', kind: 'Deployment', op: 'count' }] },
      })
      expect(spec.sources).toEqual([{ apiVersion: 'apps/v1', kind: 'Deployment', op: 'count' }])
    })

    test('a quota with a mistake is refused with the field', async () => {
      const { world } = suite
      await world.namespace('cq-wrong')
      const quota = (spec: object) => ({
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'CustomQuota',
        metadata: { name: 'wrong' },
        spec,
      })
      const refused = await world.send('POST', quotasIn('cq-wrong'), quota({ limit: '0', sources: [MAPS] }))
      expect(refused.text).toContain('invalid spec.limit: quantity must not be negative or 0')
      const path = await world.send(
        'POST',
        quotasIn('cq-wrong'),
        quota({ limit: '1', sources: [{ ...MAPS, path: '.data[' }] }),
      )
      expect([path.status, path.text]).toEqual([403, expect.stringContaining('spec.sources[0].path')])
    })

    test('its author must be allowed to list what it counts [security/quota-authors]', async () => {
      const { world, server } = suite
      await world.namespace('cq-author')
      const role = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'author' }
      const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/cq-author'
      await world.create(`${roles}/roles`, {
        metadata: { name: 'author' },
        rules: [
          { apiGroups: ['capsule.clastix.io'], resources: ['customquotas'], verbs: ['*'] },
          { apiGroups: [''], resources: ['configmaps'], verbs: ['list'] },
        ],
      })
      await world.create(`${roles}/rolebindings`, {
        metadata: { name: 'author' },
        roleRef: role,
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
      })
      const asJane = { 'impersonate-user': 'jane' }
      await world.untilAllowed(quotasIn('cq-author'), asJane)
      const quota = (sources: readonly object[]) => ({
        apiVersion: GROUP.slice('/apis/'.length),
        kind: 'CustomQuota',
        metadata: { name: 'janes' },
        spec: { limit: '10', sources },
      })
      const secrets = { apiVersion: 'v1', kind: 'Secret', op: 'count' }
      const refused = await server.send('POST', quotasIn('cq-author'), quota([MAPS, secrets]), asJane)
      expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('verb list is missing on secrets')])
      expect(refused.text).toContain('spec.sources[1]')
      expect(refused.text).not.toContain('configmaps')
      const made = await server.send('POST', quotasIn('cq-author'), quota([MAPS]), asJane)
      expect(made.status).toBe(201)
      const merge = { 'content-type': 'application/merge-patch+json', ...asJane }
      const path = `${quotasIn('cq-author')}/janes`
      const changed = await server.send('PATCH', path, { spec: { sources: [secrets] } }, merge)
      expect([changed.status, changed.text]).toEqual([403, expect.stringContaining('verb list is missing on secrets')])
      const raised = await server.send('PATCH', path, { spec: { limit: '20' } }, merge)
      expect(raised.status).toBe(200)
    })

    test('the author of a global quota must be allowed to list what it counts in all namespaces', async () => {
      const { world, server } = suite
      const roles = '/apis/rbac.authorization.k8s.io/v1'
      const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'judy' }]
      const may = async (place: string, kind: string, role: string, rules: readonly object[]): Promise<void> => {
        await world.create(`${place}/${kind.toLowerCase()}s`, { metadata: { name: role }, rules })
        await world.create(`${place}/${kind.toLowerCase()}bindings`, {
          metadata: { name: role },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: role },
          subjects,
        })
      }
      const listMaps = { apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }
      await world.namespace('cq-judy')
      await may(`${roles}/namespaces/cq-judy`, 'Role', 'judy-lists', [listMaps])
      await may(roles, 'ClusterRole', 'judy-writes', [
        { apiGroups: ['capsule.clastix.io'], resources: ['globalcustomquotas'], verbs: ['*'] },
      ])
      const create = () =>
        server.send(
          'POST',
          GLOBAL_QUOTAS,
          {
            apiVersion: GROUP.slice('/apis/'.length),
            kind: 'GlobalCustomQuota',
            metadata: { name: 'cq-judy' },
            spec: {
              limit: '10',
              sources: [MAPS],
              scopeSelectors: [{ matchLabels: { quota: 'cq-judy' } }],
              namespaceSelectors: [{ matchLabels: { pool: 'cq-judy' } }],
            },
          },
          { 'impersonate-user': 'judy' },
        )
      // A real API server learns of new bindings a moment later.
      const refused = await eventually(create, ({ text }) => text.includes('verb list is missing'))
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining(
          'must be allowed to list what the quota counts in all namespaces; the verb list is missing on configmaps',
        ),
      ])
      await may(roles, 'ClusterRole', 'judy-lists', [listMaps])
      await eventually(create, ({ status }) => status === 201)
      await world.delete(`${GLOBAL_QUOTAS}/cq-judy`)
    })
  })
