import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { operatedServers } from '../operated.ts'
import { GROUP } from '../pool-objects.ts'
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

const scopeSelectors = [{ matchLabels: { counted: 'yes' } }]
const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/allot'
const SYSTEM = '/api/v1/namespaces/allot-system'

interface Configuration {
  readonly webhooks: readonly { readonly rules: readonly Readonly<Record<'apiGroups' | 'apiVersions', string[]>>[] }[]
}

/** The versions of a group that the webhooks of a configuration are asked about. */
const askedVersions = ({ webhooks }: Configuration, group: string): readonly string[] =>
  webhooks.flatMap(({ rules }) => rules.flatMap((rule) => (rule.apiGroups.includes(group) ? rule.apiVersions : [])))

for (const { name, available, share } of operatedServers)
  describe(`${name}: following`, { concurrent: true, skip: !available }, () => {
    const suite = forQuotas(share)

    test('a namespace that has just been made is decided on at once, and one that goes gives its room back', async () => {
      const { world } = suite
      await world.quota(undefined, 'cq-follow', {
        limit: '3',
        sources: [COUNTED_MAPS],
        scopeSelectors,
        namespaceSelectors: [{ matchLabels: { pool: 'cq-follow' } }],
      })
      for (const [index, status] of [201, 201, 201, 403].entries()) {
        await world.namespace(`cq-follow-${index}`, 'cq-follow')
        expect((await world.send('POST', mapsIn(`cq-follow-${index}`), map('one'))).status).toBe(status)
      }
      await world.label('cq-follow-0', 'cq-left')
      await world.used(`${GLOBAL_QUOTAS}/cq-follow`, '2')
      await world.create(mapsIn('cq-follow-3'), map('one'))
      // Objects that cannot be refused are counted all the same, and then nothing more fits.
      await world.label('cq-follow-0', 'cq-follow')
      await world.used(`${GLOBAL_QUOTAS}/cq-follow`, '4')
      expect((await world.send('POST', mapsIn('cq-follow-1'), map('two'))).status).toBe(403)
    })

    test('objects of a definition that came later are refused as soon as the quota is ready', async () => {
      const { world } = suite
      await world.namespace('cq-gadgets')
      await world.create(quotasIn('cq-gadgets'), {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'CustomQuota',
        metadata: { name: 'gadgets' },
        spec: {
          limit: '10',
          sources: [{ apiVersion: 'follow.allot.test/v1', kind: 'Gadget', op: 'add', path: '.spec.size' }],
        },
      })
      await world.notReady(`${quotasIn('cq-gadgets')}/gadgets`, 'follow.allot.test/v1, Kind=Gadget')
      await world.create(DEFINITIONS, openDefinition('follow.allot.test', 'Gadget', openVersions(['v1', 'v2'])))
      await world.ready(`${quotasIn('cq-gadgets')}/gadgets`)
      const gadget = (version: string, of: string, size: number) =>
        world.send('POST', `/apis/follow.allot.test/${version}/namespaces/cq-gadgets/gadgets`, {
          apiVersion: `follow.allot.test/${version}`,
          kind: 'Gadget',
          metadata: { name: of },
          spec: { size },
        })
      expect((await gadget('v1', 'a', 6)).status).toBe(201)
      // No other served version escapes.
      expect((await gadget('v2', 'b', 6)).status).toBe(403)
      expect((await gadget('v2', 'c', 4)).status).toBe(201)
      expect((await gadget('v1', 'd', 1)).status).toBe(403)
    })

    test(
      'a definition that is installed, changed and removed while a quota counts it is followed, and nothing more than the limit is stored',
      { timeout: 240_000 },
      async () => {
        const { world } = suite
        await world.namespace('cq-gizmos')
        const path = `${quotasIn('cq-gizmos')}/gizmos`
        await world.create(quotasIn('cq-gizmos'), {
          apiVersion: 'capsule.clastix.io/v1beta2',
          kind: 'CustomQuota',
          metadata: { name: 'gizmos' },
          spec: {
            limit: '10',
            sources: [{ apiVersion: 'gizmo.allot.test/v1', kind: 'Gizmo', op: 'add', path: '.spec.size' }],
          },
        })
        const definition = `${DEFINITIONS}/gizmos.gizmo.allot.test`
        const versions = (...served: readonly string[]) => openVersions(['v2', 'v1'], served)
        const install = (...served: readonly string[]) =>
          world.create(DEFINITIONS, openDefinition('gizmo.allot.test', 'Gizmo', versions(...served)))
        const gizmos = (version: string): string => `/apis/gizmo.allot.test/${version}/namespaces/cq-gizmos/gizmos`
        const gizmo = (version: string) => ({
          apiVersion: `gizmo.allot.test/${version}`,
          kind: 'Gizmo',
          metadata: { generateName: 'g-' },
          spec: { size: 3 },
        })
        /**
         * Creates until one is refused because of the limit alone, beside whatever happens to the definition. A create that the API server drops
         * after the review holds its room until it can no longer be stored.
         */
        const fill = async (version: string): Promise<void> => {
          const words = ['exceeds limit for CustomQuota', 'inflightReserved=0']
          await eventually(
            () => world.send('POST', gizmos(version), gizmo(version)),
            ({ status, text }) => status === 403 && words.every((one) => text.includes(one)),
            { patienceMs: 120_000 },
          )
        }
        const stored = async (version: string): Promise<number> =>
          (await world.read(gizmos(version))).items.reduce(
            (sum: number, { spec }: { spec: { size: number } }) => sum + spec.size,
            0,
          )

        await install('v1')
        await world.ready(path)
        await fill('v1')
        expect(await stored('v1')).toBe(9)
        await world.used(path, '9')

        // Another version does not escape, from the moment at which it is served.
        const filling = fill('v1')
        await world.patch(definition, { spec: { versions: versions('v1', 'v2') } })
        await Promise.all([filling, fill('v2')])
        expect(await stored('v2')).toBe(9)

        // The version that the quota reads goes and comes back.
        await world.patch(definition, { spec: { versions: versions('v2') } })
        expect(await world.notReady(path, 'gizmo.allot.test/v1, Kind=Gizmo')).toBe('Failed')
        // Meanwhile nothing can be counted, so nothing is stored in the version that is left.
        const closed = await eventually(
          () => world.send('POST', `${gizmos('v2')}?dryRun=All`, gizmo('v2')),
          ({ status }) => status !== 201,
        )
        expect([closed.status, closed.text]).toEqual([429, expect.stringContaining('is not ready')])
        for (let n = 0; n < 5; n++) expect((await world.send('POST', gizmos('v2'), gizmo('v2'))).status).toBe(429)
        await world.patch(definition, { spec: { versions: versions('v1', 'v2') } })
        await world.ready(path)
        await world.used(path, '9')
        await fill('v2')

        await world.delete(definition)
        expect(await world.notReady(path, 'gizmo.allot.test/v1, Kind=Gizmo')).toBe('Failed')
        await world.untilGone(definition)
        // The API server asks about any version by now, and no longer about the one that is counted.
        await world.until(WEBHOOKS, (one) => !askedVersions(one, 'gizmo.allot.test').includes('v1'))
        // These wait for the definition, and create from the moment at which it is served.
        const early = [fill('v1'), ...Array.from({ length: 4 }, () => fill('v2'))]
        await install('v1', 'v2')
        await world.ready(path)
        await Promise.all(early)
        expect(await stored('v1')).toBe(9)
        await world.used(path, '9')
        await world.delete(definition)
      },
    )

    test('a tenant may neither change nor delete a ledger, nor make one, and a change that gets in is put right [security/ledgers]', async () => {
      const { world, server } = suite
      await world.namespace('cq-tamper')
      await world.quota('cq-tamper', 'safe', { limit: '1', sources: [COUNTED_MAPS], scopeSelectors })
      const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/cq-tamper'
      await world.create(`${roles}/roles`, {
        metadata: { name: 'all' },
        rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
      })
      await world.create(`${roles}/rolebindings`, {
        metadata: { name: 'all' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'all' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'owner' }],
      })
      const asOwner = { 'impersonate-user': 'owner' }
      const merge = { ...asOwner, 'content-type': 'application/merge-patch+json' }
      const ledger = `${ledgersIn('cq-tamper')}/safe`
      const target = { kind: 'CustomQuota', name: 'other' }
      // A real API server learns of new bindings a moment later.
      await eventually(
        () => server.send('GET', ledger, undefined, asOwner),
        ({ status }) => status === 200,
      )
      for (const answer of [
        await server.send('DELETE', ledger, undefined, asOwner),
        await server.send('PATCH', ledger, { spec: { targetRef: target } }, merge),
        await server.send('PATCH', ledger, { metadata: { ownerReferences: null } }, merge),
        await server.send(
          'POST',
          ledgersIn('cq-tamper'),
          {
            apiVersion: GROUP.slice('/apis/'.length),
            kind: 'QuantityLedger',
            metadata: { name: 'other' },
            spec: { targetRef: target },
          },
          asOwner,
        ),
      ])
        expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('is kept by allot and cannot be')])
      expect((await world.send('POST', mapsIn('cq-tamper'), map('a'))).status).toBe(201)
      expect((await world.send('POST', mapsIn('cq-tamper'), map('b'))).status).toBe(403)
      const emptied = { status: { outstanding: '', reserved: '0', allocated: '0', reservations: [] } }
      const answer = await server.send('PATCH', `${ledger}/status`, emptied, merge)
      // Where the server knows no conditions the webhook would be asked at every request, so there is none.
      expect(answer.status).toBe(name === 'allot up' ? 403 : 200)
      expect([403, 429]).toContain((await world.send('POST', mapsIn('cq-tamper'), map('c'))).status)
      if (name === 'allot up') expect((await world.read(ledger)).status.outstanding).not.toContain('%s/')
      else await world.until(ledger, ({ status }) => status.outstanding.includes('%s/') && status.allocated === '1')
    })

    test('a quota whose ledger an earlier one of its name left behind says so, and is ready when that is gone', async () => {
      const { world, server } = suite
      await world.namespace('cq-stuck')
      const collector = {
        'content-type': 'application/merge-patch+json',
        'impersonate-user': 'system:serviceaccount:kube-system:generic-garbage-collector',
        'impersonate-group': 'system:masters',
      }
      const finalizers = async (names: readonly string[] | null): Promise<void> => {
        const answer = await server.send('PATCH', ledger, { metadata: { finalizers: names } }, collector)
        expect(answer.status, answer.text).toBe(200)
      }
      const path = `${quotasIn('cq-stuck')}/kept`
      const ledger = `${ledgersIn('cq-stuck')}/kept`
      await world.quota('cq-stuck', 'kept', { limit: '1', sources: [COUNTED_MAPS], scopeSelectors })
      await finalizers(['stuck.example/kept'])
      await world.delete(path)
      expect((await server.send('DELETE', ledger, undefined, collector)).status).toBe(200)
      await world.create(quotasIn('cq-stuck'), {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'CustomQuota',
        metadata: { name: 'kept' },
        spec: { limit: '1', sources: [COUNTED_MAPS], scopeSelectors },
      })
      await world.notReady(path, 'it must be gone first, with its finalizers')
      await finalizers(null)
      await world.ready(path)
    })

    test('a quota in a namespace of the cluster counts, and says that it refuses nothing there', async () => {
      const { world } = suite
      const only = [{ matchLabels: { exempt: 'yes' } }]
      await world.quota('allot-system', 'cq-exempt', { limit: '1', sources: [MAPS], scopeSelectors: only })
      const path = `${quotasIn('allot-system')}/cq-exempt`
      await world.create(`${SYSTEM}/configmaps`, map('cq-exempt', 5, { exempt: 'yes' }))
      await world.used(path, '5')
      const { status } = await world.read(path)
      expect(status.conditions).toMatchObject([{ type: 'Ready' }, { type: 'Enforced', reason: 'ExemptNamespace' }])
      // Its ledger leaves the name to a global quota.
      await world.quota(undefined, 'cq-exempt', { limit: '9', sources: [MAPS], scopeSelectors: only })
      await world.used(`${GLOBAL_QUOTAS}/cq-exempt`, '5')
      await world.delete(`${GLOBAL_QUOTAS}/cq-exempt`)
      await world.delete(path)
    })
  })
