import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { hasKubectl } from '../../kubectl/kubectl.ts'
import { type Answer, temporaryDirectory } from '../../start-allot.ts'
import { type BareServer, forSuite, operatedServers } from '../operated.ts'
import type { Condition } from '../../../src/api/condition.ts'
import { increasesIn, quotasIn } from '../quota-increase/increase-world.ts'
import { kquotasIn } from '../karmada-quota/karmada-world.ts'

const POOLS = '/apis/capsule.clastix.io/v1beta2/resourcepools'
const claimsIn = (namespace: string): string =>
  `/apis/capsule.clastix.io/v1beta2/namespaces/${namespace}/resourcepoolclaims`

const MERGE = { 'content-type': 'application/merge-patch+json' }

/** The warnings of an answer, without their code. */
const warningsOf = ({ headers }: Answer): readonly string[] =>
  [headers['warning'] ?? []].flat().flatMap((header) => {
    const texts = [...header.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)]
    return texts.map(([, text = '']) => text.replaceAll(/\\(.)/g, '$1'))
  })

const hardOf = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, '1']))

/** A limit that limits nothing and the one that was meant. */
const MEANT = {
  'count/services.loadbalancers': 'services.loadbalancers',
  'count/deployment.apps': 'count/deployments.apps',
  'count/ingresses.extensions': 'count/ingresses.networking.k8s.io',
  'count/serviceaccount': 'count/serviceaccounts',
  'nvidia.com/gpu': 'requests.nvidia.com/gpu',
  'limits.nvidia.com/gpu': 'requests.nvidia.com/gpu',
  'fast.storageclass.storage.k8s.io/requests.io': 'fast.storageclass.storage.k8s.io/requests.storage',
} as const

/** Those that mean nothing on any server. */
const { 'count/ingresses.extensions': _, ...CERTAIN } = MEANT

for (const { name: on, available, share, start } of operatedServers)
  describe.skipIf(!available)(`${on}: limits that can limit nothing`, () => {
    describe('of a ResourceQuota', () => {
      const suite = forSuite(share)
      const quota = (name: string, spec: object) => ({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name },
        spec,
      })
      const made = async (name: string, spec: object): Promise<Answer> => {
        const answer = await suite.server.send('POST', quotasIn('idle-limits'), quota(name, spec))
        expect(answer.status, answer.text).toBe(201)
        return answer
      }

      /** Old servers have the group that is gone. */
      let wrong: readonly string[] = []
      beforeAll(async () => {
        await suite.world.namespace('idle-limits')
        const { status } = await suite.server.send('GET', '/apis/extensions')
        wrong = Object.keys(MEANT).filter((name) => status === 404 || !name.endsWith('.extensions'))
      })

      test('are said in warnings that name what was meant, and the quota is stored', async () => {
        const warnings = warningsOf(await made('wrong', { hard: hardOf(...wrong, 'pods', 'count/pods') }))
        expect(warnings).toHaveLength(wrong.length)
        for (const [name, meant] of Object.entries(MEANT).filter(([one]) => wrong.includes(one)))
          expect(warnings).toContainEqual(
            expect.stringMatching(
              RegExp(`^spec\\.hard\\[${name}\\]: limits nothing: .*; ${meant} was probably meant$`),
            ),
          )
        expect(warningsOf(await made('right', { hard: hardOf(...Object.values(MEANT)) }))).toEqual([])
      })

      test('are said of names under scopes that no object meets', async () => {
        const scoped = await made('scoped', { hard: hardOf('count/secrets', 'pods'), scopes: ['NotTerminating'] })
        expect(warningsOf(scoped)).toEqual([
          'spec.hard[count/secrets]: limits nothing: no object that it counts can be in the scope NotTerminating of this quota; a quota without it was probably meant',
        ])
        const matchExpressions = ['a', 'b'].map((one) => ({
          scopeName: 'PriorityClass',
          operator: 'In',
          values: [one],
        }))
        const contradiction = await made('never', { hard: hardOf('pods'), scopeSelector: { matchExpressions } })
        expect(warningsOf(contradiction)).toHaveLength(1)
      })

      test('are said again when the limits change, and not when only the metadata does', async () => {
        await made('changed', { hard: hardOf('nvidia.com/gpu') })
        const path = `${quotasIn('idle-limits')}/changed`
        const patch = (body: object) =>
          suite.server.send('PATCH', path, body, { 'content-type': 'application/merge-patch+json' })
        expect(warningsOf(await patch({ metadata: { labels: { a: 'b' } } }))).toEqual([])
        expect(warningsOf(await patch({ spec: { hard: { pods: '1' } } }))).toHaveLength(1)
      })

      test('may limit something once a CRD has come, and then nothing is said', async () => {
        const group = 'idle.limits.test'
        const spec = { hard: hardOf(`count/gizmos.${group}`) }
        expect(warningsOf(await made('early', spec))).toEqual([
          `spec.hard[count/gizmos.${group}]: limits nothing now: the API server serves no resource "gizmos.${group}"`,
        ])
        await suite.world.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: `gizmos.${group}` },
          spec: {
            group,
            scope: 'Namespaced',
            names: { plural: 'gizmos', kind: 'Gizmo', shortNames: ['gz'] },
            versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
          },
        })
        await suite.server.until(`/apis/${group}/v1/gizmos`, ({ status }) => status === 200)
        let serial = 0
        await eventually(
          () => made(`late-${serial++}`, spec),
          (answer) => warningsOf(answer).length === 0,
          { what: 'no warning' },
        )
        expect(warningsOf(await made('short', { hard: hardOf(`count/gz.${group}`) }))).toEqual([
          `spec.hard[count/gz.${group}]: limits nothing: the API server serves no resource "gz.${group}"; count/gizmos.${group} was probably meant`,
        ])
      })

      test.skipIf(!hasKubectl)('of the public reports are printed by kubectl', () => {
        const file = new URL('../../fixtures/limits-that-limit-nothing.yaml', import.meta.url)
        const { status, stderr } = spawnSync('kubectl', ['--kubeconfig', suite.server.kubeconfig, 'apply', '-f', '-'], {
          input: readFileSync(file),
          encoding: 'utf8',
        })
        expect(status, stderr).toBe(0)
        const warned = stderr.split('\n').filter((line) => /^Warning: spec\.hard\[.*\]: limits nothing/.test(line))
        expect(warned).toHaveLength(wrong.some((name) => name.endsWith('.extensions')) ? 7 : 6)
      })
    })

    describe('of a pool, a claim, an increase and a KarmadaQuota', () => {
      const suite = forSuite(share)
      const refused = async (path: string, object: object): Promise<string> => {
        const answer = await suite.server.send('POST', path, object)
        expect([answer.status, answer.json.reason], answer.text).toEqual([422, 'Invalid'])
        return answer.json.message
      }

      test('are refused with the name that was meant', async () => {
        await suite.world.namespace('idle-claims')
        const capsule = (kind: string, spec: object) => ({
          apiVersion: 'capsule.clastix.io/v1beta2',
          kind,
          metadata: { name: 'idle' },
          spec,
        })
        for (const [name, meant] of Object.entries({ ...CERTAIN, cpus: 'cpu', 'request.memory': 'requests.memory' })) {
          const hard = hardOf(name)
          expect(await refused(POOLS, capsule('ResourcePool', { quota: { hard } }))).toContain(
            `spec.quota.hard[${name}]: Invalid value: "${name}": limits nothing: `,
          )
          expect(
            await refused(claimsIn('idle-claims'), capsule('ResourcePoolClaim', { pool: 'p', claim: hard })),
          ).toMatch(`; ${meant} was probably meant`)
        }
      })

      test('are refused in the limits of a pool whose scopes no such object meets, and said in its defaults', async () => {
        const pool = (hard: object, defaults: object) => ({
          apiVersion: 'capsule.clastix.io/v1beta2',
          kind: 'ResourcePool',
          metadata: { name: 'idle-scoped' },
          spec: { quota: { hard, scopes: ['NotTerminating'] }, defaults },
        })
        expect(await refused(POOLS, pool(hardOf('pods', 'count/configmaps'), {}))).toContain(
          'spec.quota.hard[count/configmaps]: Invalid value: "count/configmaps": limits nothing: no object that it counts can be in',
        )
        const answer = await suite.server.send('POST', POOLS, pool(hardOf('pods'), hardOf('count/configmaps')))
        expect(answer.status, answer.text).toBe(201)
        expect(warningsOf(answer)).toEqual([expect.stringContaining('spec.defaults[count/configmaps]: limits nothing')])
      })

      test('are said in a warning and on the object where a CRD may come, until the limits change', async () => {
        const later = 'count/later.idle.limits.test'
        const quota = { hard: hardOf(later, 'pods') }
        const object = {
          apiVersion: 'capsule.clastix.io/v1beta2',
          kind: 'ResourcePool',
          metadata: { name: 'idle-later' },
          spec: { quota },
        }
        const answer = await suite.server.send('POST', POOLS, object)
        expect(answer.status, answer.text).toBe(201)
        expect(warningsOf(answer)).toEqual([expect.stringContaining('limits nothing now')])
        const claim = { ...object, kind: 'ResourcePoolClaim', spec: { pool: 'idle-later', claim: hardOf(later) } }
        await suite.world.namespace('idle-later')
        await suite.world.create(claimsIn('idle-later'), claim)
        const [pool, claimed] = [`${POOLS}/idle-later`, `${claimsIn('idle-later')}/idle-later`]
        for (const [at, field] of [
          [pool, 'spec.quota.hard'],
          [claimed, 'spec.claim'],
        ] as const)
          await suite.server.until(at, ({ json }) =>
            (json.status?.conditions ?? []).some(
              (one: Condition) =>
                one.type === 'Effective' &&
                one.status === 'False' &&
                one.reason === 'LimitsNothing' &&
                one.message.startsWith(`${field}[${later}]: limits nothing now: `),
            ),
          )
        const hard = { [later]: null }
        await suite.server.send('PATCH', pool, { spec: { quota: { hard } } }, MERGE)
        await suite.server.until(pool, ({ json }) =>
          json.status.conditions.every((one: Condition) => one.type !== 'Effective'),
        )
      })

      test('are said in an Event about a KarmadaQuota where a CRD may come', async () => {
        await suite.world.namespace('idle-said')
        const spec = { hard: hardOf('count/later.idle.limits.test') }
        const quota = { apiVersion: 'quota.karmada.io/v1alpha1', kind: 'KarmadaQuota', metadata: { name: 'q' }, spec }
        const answer = await suite.server.send('POST', kquotasIn('idle-said'), quota)
        expect(answer.status, answer.text).toBe(201)
        await said(suite.server, 'idle-said', 'KarmadaQuota', 'LimitsNothing')
      })

      test('of a KarmadaQuota with a scope are refused where objects have no pods, and those that never are counted', async () => {
        await suite.world.namespace('idle-karmada')
        const quota = (spec: object) => ({
          apiVersion: 'quota.karmada.io/v1alpha1',
          kind: 'KarmadaQuota',
          metadata: { name: 'idle' },
          spec,
        })
        const path = kquotasIn('idle-karmada')
        const scopes = ['PriorityClass']
        expect(await refused(path, quota({ hard: hardOf('count/secrets'), scopes }))).toContain(
          'objects of this resource have none',
        )
        expect(await refused(path, quota({ hard: hardOf('count/deployment.apps') }))).toContain(
          'count/deployments.apps was probably',
        )
        const answer = await suite.server.send('POST', path, quota({ hard: hardOf('count/deployments.apps'), scopes }))
        expect(answer.status, answer.text).toBe(201)
      })

      test('an increase is warned of where the operator has no definitions', async () => {
        await suite.world.namespace('idle-increases')
        const increase = {
          apiVersion: 'openmcp.cloud/v1alpha1',
          kind: 'QuotaIncrease',
          metadata: { name: 'i' },
          spec: { hard: hardOf('pods') },
        }
        const answer = await suite.server.send('POST', increasesIn('idle-increases'), increase)
        expect(answer.status, answer.text).toBe(201)
        expect(warningsOf(answer)).toEqual([expect.stringContaining('the operator has no definitions of base quotas')])
      })
    })

    describe('where definitions of base quotas select some namespaces', () => {
      const directory = temporaryDirectory()
      const file = join(directory, 'definitions.yaml')
      const definition = {
        name: 'base',
        mode: 'cumulative',
        selector: { matchLabels: { base: 'yes' } },
        template: { spec: { hard: { pods: '1' } } },
      }
      writeFileSync(file, JSON.stringify({ quotas: [definition] }))
      const suite = forSuite(() => start({ args: [`--quota-definitions=${file}`] }))
      const increase = (hard: object) => ({
        apiVersion: 'openmcp.cloud/v1alpha1',
        kind: 'QuotaIncrease',
        metadata: { name: 'i' },
        spec: { hard },
      })

      test('an increase that none selects says so, one whose limit may come says so, and one with an idle limit is refused', async () => {
        await suite.world.namespace('unselected')
        const answer = await eventually(
          () => suite.server.send('POST', `${increasesIn('unselected')}?dryRun=All`, increase(hardOf('pods'))),
          (one) => warningsOf(one).length > 0,
          { what: 'a warning' },
        )
        expect(warningsOf(answer)).toEqual([
          expect.stringContaining('no definition of base quotas selects its namespace'),
        ])
        const wrong = await suite.server.send('POST', increasesIn('unselected'), increase(hardOf('nvidia.com/gpu')))
        expect([wrong.status, wrong.json.message]).toEqual([
          422,
          expect.stringContaining('requests.nvidia.com/gpu was probably meant'),
        ])
        expect((await suite.server.send('POST', increasesIn('unselected'), increase(hardOf('pods')))).status).toBe(201)
        await said(suite.server, 'unselected', 'QuotaIncrease', 'Unselected')
        const later = { ...increase(hardOf('count/later.idle.limits.test')), metadata: { name: 'later' } }
        expect((await suite.server.send('POST', increasesIn('unselected'), later)).status).toBe(201)
        await said(suite.server, 'unselected', 'QuotaIncrease', 'LimitsNothing')
      })

      test('a KarmadaQuota without bindings to count says so', async () => {
        await suite.world.namespace('unbound')
        const quota = {
          apiVersion: 'quota.karmada.io/v1alpha1',
          kind: 'KarmadaQuota',
          metadata: { name: 'q' },
          spec: { hard: hardOf('cpu') },
        }
        const answer = await suite.server.send('POST', kquotasIn('unbound'), quota)
        expect(answer.status, answer.text).toBe(201)
        expect(warningsOf(answer)).toEqual([expect.stringContaining('serves no ResourceBinding')])
        await said(suite.server, 'unbound', 'KarmadaQuota', 'NoResourceBindings')
      })
    })
  })

/** Resolves when there is an Event of this reason about an object of the kind. */
async function said(server: BareServer, namespace: string, kind: string, reason: string): Promise<void> {
  await server.until(`/api/v1/namespaces/${namespace}/events`, ({ json }) =>
    json.items.some(
      (one: { readonly reason: string; readonly involvedObject: { readonly kind: string } }) =>
        one.reason === reason && one.involvedObject.kind === kind,
    ),
  )
}
