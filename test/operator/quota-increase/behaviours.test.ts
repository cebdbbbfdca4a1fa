import type { Condition } from '../../../src/api/condition.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { KubeObject } from '../../../src/machinery/object.ts'
import { eventually } from '../../eventually.ts'
import { temporaryDirectory } from '../../start-allot.ts'
import { forSuite, operatedServers } from '../operated.ts'
import {
  BASE,
  EFFECT,
  type Hard,
  increasesIn,
  IncreaseWorld,
  type Labels,
  MODE,
  PROBLEM,
  quotasIn,
  USE,
} from './increase-world.ts'
import { ACCOUNTS, CONFIG_MAPS, definitions, makeProjects, MODES, SECRETS, suiteOf } from './original-definitions.ts'

interface WatchEvent {
  readonly type: string
  readonly object: KubeObject
}

const file = join(temporaryDirectory(), 'definitions.yaml')
writeFileSync(file, JSON.stringify({ quotas: definitions, externalQuotaDefinitionNames: ['elsewhere'] }))

// Each test has namespaces of its own, so all are run at the same time.
for (const { name: server, available, start } of operatedServers)
  describe(`${server}: increases`, { concurrent: true, skip: !available }, () => {
    const suite = forSuite(() => start({ args: ['--quota-definitions', file], before: makeProjects }))
    const world = (): IncreaseWorld => new IncreaseWorld(suite.server)

    /** A namespace of a project with the increases of the quota operator's tests. */
    async function project(name: string, of: string, labels: Labels = {}): Promise<IncreaseWorld> {
      const made = world()
      await made.label(name, { suite: of, project: 'p', ...labels })
      await made.increase(name, 'max', { [SECRETS]: 30, [CONFIG_MAPS]: 10 })
      await made.increase(name, 'med', { [SECRETS]: 10 })
      await made.increase(name, 'sa', { [SECRETS]: 10, [ACCOUNTS]: 5 })
      return made
    }

    /** A namespace of a workspace with one increase that is below its base. */
    async function workspace(name: string, of: string, labels: Labels = {}): Promise<IncreaseWorld> {
      const made = world()
      await made.namespace(name, { suite: of, project: 'p', workspace: 'w', ...labels })
      await made.increase(name, 'workspace-min', { [CONFIG_MAPS]: 1 })
      return made
    }

    async function metrics() {
      const headers = { authorization: `Bearer ${suite.server.token}` }
      const answer = await fetch(`http://127.0.0.1:${suite.server.metricsPort}/metrics`, { headers })
      const lines = (await answer.text()).split('\n')
      const valueOf = (series: string): number =>
        Number(
          lines
            .find((line) => line.startsWith(`${series} `))
            ?.split(' ')
            .at(-1),
        )
      return { lines, valueOf }
    }

    test('1: a namespace that another program claimed is left alone', async () => {
      const made = world()
      await made.namespace('foreign', { suite: 'maximum-keep', [BASE]: 'elsewhere' })
      await made.namespace('provided', { suite: 'maximum-keep', 'quota.openmcp.cloud/managed-by': 'somebody' })
      await made.namespace('unforeign', { suite: 'maximum-keep' })
      await made.quota('unforeign', 'maximum-keep-all', { [ACCOUNTS]: 3 })
      await made.quotas('foreign')
      expect(await made.quotas('provided')).toEqual([])
      await made.labels('foreign', { [BASE]: 'elsewhere', [MODE]: null })
    })

    test('2: an unknown claim is taken over, and the first definition wins', async () => {
      const made = world()
      await made.namespace('unknown', { suite: 'maximum-keep', [BASE]: 'unknown' })
      await made.quota('unknown', 'maximum-keep-all', { [ACCOUNTS]: 3 })
      await made.labels('unknown', { [BASE]: 'maximum-keep-all', [MODE]: 'maximum' })
      expect(await made.quotas('unknown', 'maximum-keep-all')).toEqual(['maximum-keep-all'])
    })

    test.each(MODES)('3: namespaces and increases carry the mode %s', async (mode) => {
      const name = `mode-${mode}`
      const made = await project(name, suiteOf(mode, false))
      await made.labels(name, { [MODE]: mode, [BASE]: `${mode}-keep-project` })
      for (const increase of ['empty', 'max', 'med', 'sa'])
        await made.server.until(`${increasesIn(name)}/${increase}`, ({ text }) => text.includes(`"${MODE}":"${mode}"`))
      const quota = await made.read(`${quotasIn(name)}/${mode}-keep-project`)
      expect(quota.metadata.ownerReferences).toMatchObject([{ kind: 'Namespace', name, controller: true }])
    })

    test('4 and 5: cumulative adds all up, and deletes none where it is not asked to', async () => {
      const made = await project('sum', 'cumulative-keep')
      await made.quota('sum', 'cumulative-keep-project', { [SECRETS]: 53, [CONFIG_MAPS]: 10, [ACCOUNTS]: 5 })
      await made.effects('sum', {
        empty: '',
        max: 'count/configmaps: 10, count/secrets: 30',
        med: 'count/secrets: 10',
        sa: 'count/secrets: 10, count/serviceaccounts: 5',
      })
      await made.left('sum', 'empty', 'max', 'med', 'sa')
      const other = await workspace('sum-w', 'cumulative-keep')
      await other.quota('sum-w', 'cumulative-keep-workspace', { [CONFIG_MAPS]: 4 })
      expect(await other.left('sum-w', 'workspace-min')).toEqual(['workspace-min'])
    })

    test('6: cumulative with deletion removes only the empty one', async () => {
      const made = await project('sum-delete', 'cumulative-delete')
      await made.left('sum-delete', 'max', 'med', 'sa')
      expect(await made.event('empty', 'Ineffective')).toContain('contributes nothing')
    })

    test('7 and 8: maximum takes the highest of each, and deletes none where it is not asked to', async () => {
      const made = await project('most', 'maximum-keep')
      await made.quota('most', 'maximum-keep-project', { [SECRETS]: 30, [CONFIG_MAPS]: 10, [ACCOUNTS]: 5 })
      await made.effects('most', {
        max: 'count/configmaps: 10, count/secrets: 30',
        sa: 'count/serviceaccounts: 5',
        empty: '',
        med: '',
      })
      await made.left('most', 'empty', 'max', 'med', 'sa')
      const other = await workspace('most-w', 'maximum-keep')
      await other.effects('most-w', { 'workspace-min': '' })
      expect(await other.left('most-w', 'workspace-min')).toEqual(['workspace-min'])
    })

    test('9: maximum with deletion keeps those that decide', async () => {
      const made = await project('most-delete', 'maximum-delete')
      const other = await workspace('most-delete-w', 'maximum-delete')
      await made.left('most-delete', 'max', 'sa')
      expect(await other.left('most-delete-w')).toEqual([])
      await made.quota('most-delete', 'maximum-delete-project', { [SECRETS]: 30, [CONFIG_MAPS]: 10, [ACCOUNTS]: 5 })
    })

    test('10: of identical increases the first by name survives', async () => {
      const made = world()
      await made.namespace('ties', { suite: 'maximum-delete' })
      for (const name of ['delta', 'beta', 'alpha', 'gamma']) await made.increase('ties', name, { [SECRETS]: 10 })
      expect(await made.left('ties', 'alpha')).toEqual(['alpha'])
      await made.quota('ties', 'maximum-delete-all', { [ACCOUNTS]: 3, [SECRETS]: 10 })
      await made.effects('ties', { alpha: 'count/secrets: 10' })
    })

    test('11 to 14: singular uses the one that the namespace names, and deletes none', async () => {
      const made = await project('one', 'singular-keep')
      await made.quota('one', 'singular-keep-project', { [SECRETS]: 3 })
      await made.effects('one', { empty: '', max: '', med: '', sa: '' })
      await made.label('one', { [USE]: 'sa' })
      await made.quota('one', 'singular-keep-project', { [SECRETS]: 10, [ACCOUNTS]: 5 })
      await made.effects('one', { sa: '[active] count/secrets: 10, count/serviceaccounts: 5', max: '' })
      const other = await workspace('one-w', 'singular-keep', { [USE]: 'workspace-min' })
      await other.effects('one-w', { 'workspace-min': '[active]' })
      await other.quota('one-w', 'singular-keep-workspace', { [CONFIG_MAPS]: 3 })
      expect(await made.left('one', 'empty', 'max', 'med', 'sa')).toEqual(['empty', 'max', 'med', 'sa'])
      await made.label('one', { [USE]: null })
      await made.quota('one', 'singular-keep-project', { [SECRETS]: 3 })
      await made.effects('one', { sa: '' })
    })

    test('15: singular with deletion and without a label empties the namespace', async () => {
      const made = await project('one-delete', 'singular-delete')
      expect(await made.left('one-delete')).toEqual([])
    })

    test('16 and 17: singular with deletion keeps the one that the namespace names, also below the base', async () => {
      const made = await project('one-named', 'singular-delete', { [USE]: 'sa' })
      const other = await workspace('one-named-w', 'singular-delete', { [USE]: 'workspace-min' })
      await made.left('one-named', 'sa')
      await other.effects('one-named-w', { 'workspace-min': '[active]' })
      expect(await other.left('one-named-w', 'workspace-min')).toEqual(['workspace-min'])
    })

    test('a label that names no increase costs none of them, and says so', async () => {
      const made = await project('slip', 'singular-delete', { [USE]: 'sad' })
      await made.quota('slip', 'singular-delete-project', { [SECRETS]: 3 })
      await made.effects('slip', { empty: '', max: '', med: '', sa: '' })
      await made.left('slip', 'empty', 'max', 'med', 'sa')
      expect(await made.eventOfNamespace('slip', 'UnknownIncrease')).toContain('"sad"')
    })

    test('many ties: the increase that decides stays, whatever goes', async () => {
      const made = world()
      await made.namespace('tied', { suite: 'maximum-delete' })
      for (let at = 19; at >= 10; at--) await made.increase('tied', `i${at}`, { [SECRETS]: 10 })
      await made.left('tied', 'i10')
      await made.increase('tied', 'i05', { [SECRETS]: 10, [CONFIG_MAPS]: 1 })
      expect(await made.left('tied', 'i05')).toEqual(['i05'])
      await made.quota('tied', 'maximum-delete-all', { [ACCOUNTS]: 3, [SECRETS]: 10, [CONFIG_MAPS]: 1 })
    })

    test('amounts below 0 lower a sum, but never below 0; zero counts', async () => {
      const made = world()
      await made.namespace('minus', { suite: 'cumulative-keep', project: 'p' })
      await made.increase('minus', 'less', { [SECRETS]: -2 })
      await made.quota('minus', 'cumulative-keep-project', { [SECRETS]: 1 })
      await made.increase('minus', 'too-much', { [SECRETS]: '-2', [CONFIG_MAPS]: 7 })
      await made.server.until(`${increasesIn('minus')}/too-much`, ({ text }) => text.includes('would fall below 0'))
      expect(await made.event('too-much', 'Invalid')).toContain('would fall below 0')
      await made.increase('minus', 'zero', { pods: 0 })
      await made.quota('minus', 'cumulative-keep-project', { [SECRETS]: 1, pods: 0 })
      await made.increase('minus', 'more', { [SECRETS]: 5 })
      // Now there is room for it.
      await made.quota('minus', 'cumulative-keep-project', { [SECRETS]: 4, pods: 0, [CONFIG_MAPS]: 7 })
      await made.server.until(`${increasesIn('minus')}/too-much`, ({ text }) => !text.includes(PROBLEM))
    })

    test('counts that no API server takes keep no increase from applying, and no namespace from moving', async () => {
      const made = world()
      await made.namespace('huge', { suite: 'cumulative-keep' })
      await made.increase('huge', 'all', { [ACCOUNTS]: '1E', [SECRETS]: '10000000000000000' })
      const most = '9223372036854775'
      await made.quota('huge', 'cumulative-keep-all', { [ACCOUNTS]: most, [SECRETS]: most })
      await made.increase('huge', 'more', { [CONFIG_MAPS]: 7 })
      await made.quota('huge', 'cumulative-keep-all', { [ACCOUNTS]: most, [SECRETS]: most, [CONFIG_MAPS]: 7 })
      await made.effects('huge', { all: 'count/secrets: 10P, count/serviceaccounts: 1E', more: 'count/configmaps: 7' })
      await made.label('huge', { suite: 'maximum-keep' })
      await made.quota('huge', 'maximum-keep-all', { [ACCOUNTS]: most, [SECRETS]: most, [CONFIG_MAPS]: 7 })
      expect(await made.quotas('huge', 'maximum-keep-all')).toEqual(['maximum-keep-all'])
    })

    test('mixed units are exact', async () => {
      const made = world()
      await made.namespace('units', { suite: 'units' })
      await made.increase('units', 'a', { 'requests.memory': '500M', 'requests.cpu': '0.5' })
      await made.increase('units', 'b', { 'requests.memory': '512Mi' })
      const { spec } = await made.quota('units', 'units', { 'requests.memory': '2110612736', 'requests.cpu': '1' })
      expect(spec.hard).toBeDefined()
      await made.effects('units', { a: 'requests.cpu: 500m, requests.memory: 500M', b: 'requests.memory: 512Mi' })
    })

    test('an increase that the scopes of the quota exclude says so, and the others apply', async () => {
      const made = world()
      await made.namespace('scoped', { suite: 'scoped' })
      await made.increase('scoped', 'wrong', { services: 3, pods: 5 })
      await made.increase('scoped', 'right', { pods: 2 })
      await made.quota('scoped', 'scoped', { pods: 3 })
      expect(await made.event('wrong', 'Invalid')).toContain('unsupported scope')
      const { metadata } = await made.read(`${increasesIn('scoped')}/wrong`)
      expect(metadata.annotations).toMatchObject({ [EFFECT]: '' })
      expect(metadata.annotations?.[PROBLEM]).toContain('unsupported scope applied to resource')
    })

    test('an increase counts as absent after its time, and says so', async () => {
      const made = world()
      await made.namespace('expiring', { suite: 'cumulative-delete', project: 'p' })
      await made.increase('expiring', 'short', { [SECRETS]: 5 }, { expiresAt: '2999-01-01T00:00:00Z' })
      await made.increase('expiring', 'long', { [SECRETS]: 1 }, { expiresAt: '2999-01-01T00:00:00Z' })
      await made.quota('expiring', 'cumulative-delete-project', { [SECRETS]: 9 })
      const expiresAt = new Date(Date.now() + 1_000).toISOString()
      await made.patch(`${increasesIn('expiring')}/short`, { spec: { expiresAt } })
      await made.quota('expiring', 'cumulative-delete-project', { [SECRETS]: 4 })
      await made.server.until(`${increasesIn('expiring')}/short`, ({ text }) =>
        text.includes(`expired at ${expiresAt}`),
      )
      expect(await made.event('short', 'Expired')).toContain('counts as absent')
    })

    test('a namespace moves although its quotas allow one quota only, and is never without one', async () => {
      const made = world()
      const hard = (secrets: number): Hard => ({ [SECRETS]: secrets, resourcequotas: 1, 'count/resourcequotas': 1 })
      await made.namespace('mover', { suite: 'one-quota-10' })
      await made.quota('mover', 'one-quota-10', hard(10))
      const moves = { areOver: false }
      const fewest = (async (): Promise<number> => {
        let least = Infinity
        while (!moves.areOver) least = Math.min(least, (await made.quotaNames('mover')).length)
        return least
      })()
      for (const secrets of [20, 30, 10]) {
        await made.label('mover', { suite: `one-quota-${secrets}` })
        await made.labels('mover', { [BASE]: `one-quota-${secrets}` })
        expect(await made.quotas('mover', `one-quota-${secrets}`)).toEqual([`one-quota-${secrets}`])
        await made.quota('mover', `one-quota-${secrets}`, hard(secrets))
      }
      moves.areOver = true
      expect(await fewest).toBe(1)
    })

    test('a quota of its own on the number of quotas keeps no base quota out of a namespace, also when it moves', async () => {
      const made = world()
      await made.namespace('owned')
      await made.makeQuota('owned', 'own', { hard: { resourcequotas: '1', pods: '7' } })
      await made.server.until(`${quotasIn('owned')}/own`, ({ text }) => text.includes('"used"'))
      for (const secrets of [10, 20]) {
        await made.label('owned', { suite: `one-quota-${secrets}` })
        await made.labels('owned', { [BASE]: `one-quota-${secrets}` })
        expect(await made.quotas('owned', 'own', `one-quota-${secrets}`)).toContain(`one-quota-${secrets}`)
      }
      const { spec } = await made.read(`${quotasIn('owned')}/own`)
      expect(spec.hard).toEqual({ resourcequotas: '3', pods: '7' })
      expect(await made.event('own', 'Raised')).toContain('one-quota-10 has room')
    })

    test('a namespace whose base quota a pool keeps out says so in itself, and gets it when there is room', async () => {
      const made = world()
      await made.namespace('crowded', { pooled: 'crowded' })
      const pool = { quota: { hard: { resourcequotas: '1' } }, selectors: [{ matchLabels: { pooled: 'crowded' } }] }
      await made.pool('crowding', { ...pool, config: { defaultsZero: false }, defaults: { resourcequotas: '1' } })
      const [name = ''] = await made.someQuotas('crowded')
      await made.server.until(`${quotasIn('crowded')}/${name}`, ({ text }) => text.includes('"used"'))
      await made.label('crowded', { suite: 'one-quota-10' })
      expect(await made.blocked('crowded')).toContain('exceeded quota')
      expect(await made.eventOfNamespace('crowded', 'QuotaBlocked')).toContain('exceeded quota')
      expect((await metrics()).valueOf('allot_namespaces_without_base_quota')).toBeGreaterThan(0)
      await made.label('crowded', { pooled: null })
      await made.quotas('crowded', 'one-quota-10')
      await made.labels('crowded', { [BASE]: 'one-quota-10' })
      await made.server.until('/api/v1/namespaces/crowded', ({ text }) => !text.includes(PROBLEM))
    })

    test('an increase says whether it was applied, as GitOps tools read it', async () => {
      const made = world()
      await made.namespace('told', { suite: 'cumulative-keep', project: 'p' })
      await made.increase('told', 'good', { [SECRETS]: 5 })
      await made.increase('told', 'below', { [SECRETS]: -1000 })
      const statusOf = async (name: string, isSuch: (text: string) => boolean) => {
        const { json } = await made.server.until(`${increasesIn('told')}/${name}`, ({ text }) => isSuch(text))
        const { metadata, status } = json as KubeObject & {
          readonly status: { readonly observedGeneration: number; readonly conditions: readonly Condition[] }
        }
        expect(status.observedGeneration).toBe(metadata.generation)
        return status.conditions.map(({ type, reason }) => `${type} ${reason}`)
      }
      expect(await statusOf('good', (text) => text.includes('"observedGeneration":1'))).toEqual([])
      expect(await statusOf('below', (text) => text.includes('"Stalled"'))).toEqual(['Stalled Invalid'])
      await made.label('told', { suite: null })
      expect(await statusOf('good', (text) => text.includes('"Reconciling"'))).toEqual(['Reconciling Unselected'])
      await made.label('told', { suite: 'cumulative-keep' })
      expect(await statusOf('good', (text) => !text.includes('"Reconciling"'))).toEqual([])
    })

    test('a change of a namespace, an increase or a quota takes effect', async () => {
      const made = world()
      await made.namespace('triggers')
      await made.increase('triggers', 'a', { [SECRETS]: 5 })
      await made.label('triggers', { suite: 'cumulative-keep', project: 'p' })
      await made.quota('triggers', 'cumulative-keep-project', { [SECRETS]: 8 })
      await made.patch(`${increasesIn('triggers')}/a`, { spec: { hard: { [SECRETS]: 6 } } })
      await made.quota('triggers', 'cumulative-keep-project', { [SECRETS]: 9 })
      await made.patch(`${increasesIn('triggers')}/a`, { metadata: { annotations: { [EFFECT]: 'a lie' } } })
      await made.effects('triggers', { a: 'count/secrets: 6' })
      const path = `${quotasIn('triggers')}/cumulative-keep-project`
      const { metadata } = await made.read(path)
      await made.delete(path)
      await made.server.until(
        path,
        ({ json, status }) =>
          status === 200 && (json as typeof metadata & { metadata: typeof metadata }).metadata.uid !== metadata.uid,
      )
      await made.label('triggers', { [BASE]: 'nonsense', [MODE]: null })
      await made.labels('triggers', { [BASE]: 'cumulative-keep-project', [MODE]: 'cumulative' })
      await made.delete(`${increasesIn('triggers')}/a`)
      const { spec } = await made.quota('triggers', 'cumulative-keep-project', { [SECRETS]: 3 })
      expect(spec.hard).toBeDefined()
    })

    test('a namespace moves to the definition that selects it now, and is left without traces by the last', async () => {
      const made = await project('moving', 'maximum-keep')
      await made.quotas('moving', 'maximum-keep-project')
      await made.label('moving', { suite: 'cumulative-keep' })
      await made.quotas('moving', 'cumulative-keep-project')
      await made.labels('moving', { [BASE]: 'cumulative-keep-project', [MODE]: 'cumulative' })
      await made.effects('moving', { med: 'count/secrets: 10' })
      await made.label('moving', { suite: null })
      await made.quotas('moving')
      await made.labels('moving', { [BASE]: null, [MODE]: null })
      const { metadata } = await made.read(`${increasesIn('moving')}/med`)
      expect([metadata.labels?.[MODE], metadata.annotations?.[EFFECT]]).toEqual([undefined, undefined])
    })

    test('a base quota is marked before it is deleted, so that no replica keeps it unaware of that', async () => {
      const made = world()
      await made.namespace('marked', { suite: 'maximum-keep' })
      await made.quotas('marked', 'maximum-keep-all')
      const { metadata } = await made.read(quotasIn('marked'))
      await made.label('marked', { suite: 'cumulative-keep' })
      await made.quotas('marked', 'cumulative-keep-all')
      const from = `watch=true&timeoutSeconds=1&resourceVersion=${metadata.resourceVersion ?? ''}`
      const { text } = await made.server.send('GET', `${quotasIn('marked')}?${from}`)
      const events = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as WatchEvent]))
      const [gone] = events.filter(({ type }) => type === 'DELETED')
      expect(gone?.object.metadata).toMatchObject({
        name: 'maximum-keep-all',
        annotations: { 'quota.allot.dev/leaving': 'true' },
      })
    })

    test('a namespace that is to be ignored is left alone, whatever happens', async () => {
      const made = world()
      await made.namespace('ignored', {})
      await made.patch('/api/v1/namespaces/ignored', {
        metadata: { annotations: { 'quota.openmcp.cloud/operation': 'ignore' }, labels: { suite: 'maximum-keep' } },
      })
      await made.increase('ignored', 'a', { [SECRETS]: 5 })
      await made.namespace('unignored', { suite: 'maximum-keep' })
      await made.quota('unignored', 'maximum-keep-all', { [ACCOUNTS]: 3 })
      expect(await made.quotas('ignored')).toEqual([])
      await made.patch('/api/v1/namespaces/ignored', {
        metadata: { annotations: { 'quota.openmcp.cloud/operation': null } },
      })
      await made.quota('ignored', 'maximum-keep-all', { [ACCOUNTS]: 3, [SECRETS]: 5 })
    })

    test('tenants may not change a generated quota; what gets in is put back at once', async () => {
      const made = await project('guarded', 'maximum-keep')
      const path = `${quotasIn('guarded')}/maximum-keep-project`
      await made.quota('guarded', 'maximum-keep-project', { [SECRETS]: 30, [CONFIG_MAPS]: 10, [ACCOUNTS]: 5 })
      const body = { spec: { hard: { [SECRETS]: '1000' } } }
      // An administrator of the cluster who is not the operator.
      const patch = {
        'content-type': 'application/merge-patch+json',
        'impersonate-user': 'somebody',
        'impersonate-group': 'system:masters',
      }
      const refused = await suite.server.send('PATCH', path, body, patch)
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining('kept by the quota definition maximum-keep-project'),
      ])
      const enforced = { status: { hard: { [SECRETS]: '1000' } } }
      const status = await suite.server.send('PATCH', `${path}/status`, enforced, patch)
      // Servers without conditions of webhooks are not asked about statuses, which are put back instead.
      if (status.status !== 403)
        await made.server.until(
          path,
          ({ json }) => (json as { status: { hard: Record<string, string> } }).status.hard[SECRETS] === '30',
        )
      const binding = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name: 'quota-editors' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: 'editors' }],
      }
      const bound = await suite.server.send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', binding)
      expect(bound.status, bound.text).toBe(201)
      const editor = { 'impersonate-user': 'editor', 'impersonate-group': 'editors' }
      const remove = () => suite.server.send('DELETE', path, undefined, editor)
      const guarded = await eventually(remove, ({ text }) => text.includes('kept by the quota definition'))
      expect(guarded.status).toBe(403)
      // The garbage collector may take the owner away: that gets in.
      const collector = {
        'impersonate-user': 'system:serviceaccount:kube-system:generic-garbage-collector',
        'impersonate-group': 'system:masters',
      }
      const got = await suite.server.send(
        'PATCH',
        path,
        { metadata: { ownerReferences: [] } },
        { ...patch, ...collector },
      )
      expect(got.status, got.text).toBe(200)
      await made.server.until(path, ({ text }) => text.includes('"kind":"Namespace"'))
    })

    test('the webhook refuses increases that can never apply, with the fields that are wrong', async () => {
      const made = world()
      await made.namespace('refused')
      const refusal = async (spec: unknown): Promise<string> => {
        const { status, json } = await made.tryIncrease('refused', 'a', spec)
        expect(status).toBe(422)
        return (json as { message: string }).message
      }
      expect(await refusal(undefined)).toContain('spec.hard: Required value')
      expect(await refusal({ hard: {} })).toContain('spec.hard: Required value: an increase without amounts')
      expect(await refusal({ hard: { foo: 1 } })).toContain('spec.hard[foo]: Invalid value')
      expect(await refusal({ hard: { pods: '1.5' } })).toContain('must be an integer')
      expect(await refusal({ hard: { pods: 1 }, expiresAt: 'soon' })).toContain('spec.expiresAt')
      // No definition selects the namespace, which may change.
      expect((await made.tryIncrease('refused', 'a', { hard: { pods: 1 } })).status).toBe(201)
    })

    test('increases go by kubectl as a table with their mode', async () => {
      const made = await project('table', 'maximum-keep')
      await made.effects('table', { sa: 'count/serviceaccounts: 5' })
      const accept = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
      const { json } = await suite.server.send('GET', increasesIn('table'), undefined, accept)
      const table = json as { columnDefinitions: { name: string; priority: number }[] }
      expect(table.columnDefinitions.map(({ name, priority }) => [name, priority])).toEqual([
        ['Name', 0],
        ['Mode', 0],
        ['Age', 0],
        ['Effect', 1],
        ['Hard', 0],
        ['Expires', 0],
      ])
    })

    test('metrics count increases by state and the namespaces of definitions', async () => {
      const made = await project('metered', 'singular-keep', { [USE]: 'sa' })
      await made.effects('metered', { sa: '[active] count/secrets: 10, count/serviceaccounts: 5', max: '' })
      const { valueOf, lines } = await metrics()
      expect(valueOf('allot_quota_increases{mode="singular",state="effective"}')).toBeGreaterThan(0)
      expect(valueOf('allot_quota_increases{mode="singular",state="ineffective"}')).toBeGreaterThan(2)
      expect(valueOf('allot_quota_definition_namespaces{definition="singular-keep-project"}')).toBeGreaterThan(0)
      expect(valueOf('allot_quota_definitions_held')).toBe(0)
      expect(lines.some((line) => line.startsWith('allot_quota_increases_deleted_total '))).toBe(true)
    })
  })
