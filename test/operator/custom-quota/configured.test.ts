import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { temporaryDirectory } from '../../start-allot.ts'
import { operatedServers, representative } from '../operated.ts'
import { condition } from '../pool-objects.ts'
import {
  COUNTED_MAPS,
  DEFINITIONS,
  forQuotas,
  GLOBAL_QUOTAS,
  openDefinition,
  openVersions,
  map,
  mapsIn,
  quotasIn,
} from './quota-world.ts'

const scopeSelectors = [{ matchLabels: { counted: 'yes' } }]
const COUNTED_SECRETS = { apiVersion: 'v1', kind: 'Secret', op: 'count' }
const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/allot'

/** The flag that names Helm values with this `webhooks.hooks.calculations`. */
function webhookFlag(calculations: string): string {
  const file = join(temporaryDirectory(), 'values.yaml')
  const lines = calculations.split('\n').map((line) => `      ${line}\n`)
  writeFileSync(file, `webhooks:\n  hooks:\n    calculations:\n${lines.join('')}`)
  return `--custom-quota-webhook=${file}`
}

const CONFIGURED = `enabled: true
namespaceSelector:
  matchExpressions:
    - {key: tenant, operator: Exists}
rules:
  - apiGroups: [""]
    apiVersions: [""]
    operations: [CREATE, UPDATE, DELETE]
    resources: [configmaps, configmaps/status]
    scope: Namespaced
  - apiGroups: [one.covered.test]
    apiVersions: [v1]
    operations: ["*"]
    resources: ["*"]
  - apiGroups: [all.covered.test]
    apiVersions: ["*"]
    operations: ["*"]
    resources: ["*"]
matchConditions:
  - name: not-by-nodes
    expression: '!("system:nodes" in request.userInfo.groups)'`

for (const { name, start } of representative(operatedServers)) {
  describe(`${name}: configured rules`, { concurrent: true }, () => {
    const suite = forQuotas(() => start({ args: [webhookFlag(CONFIGURED)] }))
    const tenant = (of: string) =>
      suite.world.create('/api/v1/namespaces', { metadata: { name: of, labels: { tenant: 'a' } } })

    test('writes that they name are refused, those that their conditions leave out are not', async () => {
      const { world, server } = suite
      await tenant('cq-named')
      await world.quota('cq-named', 'one', { limit: '1', sources: [COUNTED_MAPS], scopeSelectors })
      const path = `${quotasIn('cq-named')}/one`
      await world.create(mapsIn('cq-named'), map('a'))
      expect((await world.send('POST', mapsIn('cq-named'), map('b'))).status).toBe(403)
      const node = { 'impersonate-user': 'system:node:n', 'impersonate-group': 'system:nodes' }
      await world.create('/apis/rbac.authorization.k8s.io/v1/namespaces/cq-named/rolebindings', {
        metadata: { name: 'nodes' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:nodes' }],
      })
      // An API server needs a moment to go by a new binding.
      await eventually(
        () => server.send('POST', mapsIn('cq-named'), map('c'), node),
        ({ status }) => status === 201,
      )
      await world.used(path, '2')
      expect(condition(await world.read(path), 'Enforced')).toBeUndefined()
      const { webhooks } = (await world.read(HOOKS)) as unknown as { webhooks: readonly { name: string }[] }
      expect(webhooks.find((one) => one.name.startsWith('calculation.'))).toMatchObject({
        namespaceSelector: { matchExpressions: expect.arrayContaining([{ key: 'tenant', operator: 'Exists' }]) },
        // Other tests of the suite have rules of their own at the same time.
        rules: expect.arrayContaining([expect.objectContaining({ apiVersions: ['v1'], resources: ['configmaps'] })]),
      })
    })

    test('a quota on kinds that they do not name counts, and says which kinds it does not enforce', async () => {
      const { world } = suite
      await tenant('cq-unnamed')
      await world.quota('cq-unnamed', 'both', {
        limit: '1',
        sources: [COUNTED_MAPS, COUNTED_SECRETS],
        scopeSelectors,
      })
      const path = `${quotasIn('cq-unnamed')}/both`
      for (const secret of ['a', 'b'])
        await world.create('/api/v1/namespaces/cq-unnamed/secrets', {
          metadata: { name: secret, labels: { counted: 'yes' } },
        })
      await world.used(path, '2')
      expect(condition(await world.read(path), 'Enforced')).toMatchObject({
        status: 'False',
        reason: 'UncoveredKind',
        message: expect.stringMatching(/: secrets$/),
      })
      expect((await world.send('POST', mapsIn('cq-unnamed'), map('a'))).status).toBe(403)
    })

    test('rules that name one version enforce no quota that reads another, or whose version is not served; stars do', async () => {
      const { world } = suite
      await tenant('cq-versions')
      const enforcement = async (group: string, served: readonly string[], version: string) => {
        const singular = `kind${served.join('')}`
        const kind = `Kind${served.join('')}`
        const definition = `${singular}s.${group}`
        const path = `${quotasIn('cq-versions')}/${definition}`
        const found = await world.send('GET', `${DEFINITIONS}/${definition}`)
        if (found.status === 404)
          await world.create(DEFINITIONS, openDefinition(group, kind, openVersions(['v1', 'v2'], served)))
        await world.create(quotasIn('cq-versions'), {
          apiVersion: 'capsule.clastix.io/v1beta2',
          kind: 'CustomQuota',
          metadata: { name: definition },
          spec: { limit: '1', sources: [{ apiVersion: `${group}/${version}`, kind, op: 'count' }] },
        })
        const isServed = served.includes(version)
        const ready = isServed ? 'True' : 'False'
        const quota = await world.until(path, (now) => condition(now, 'Ready')?.status === ready)
        const { status, message = '' } = condition(quota, 'Enforced') ?? {}
        await world.delete(path)
        return status === undefined ? undefined : [status, message.split(': ').at(-1)]
      }
      expect(await enforcement('one.covered.test', ['v1', 'v2'], 'v1')).toBeUndefined()
      expect(await enforcement('one.covered.test', ['v1', 'v2'], 'v2')).toEqual(['False', 'kindv1v2s.one.covered.test'])
      expect(await enforcement('one.covered.test', ['v1'], 'v2')).toEqual(['False', 'kindv1s.one.covered.test'])
      expect(await enforcement('all.covered.test', ['v1', 'v2'], 'v2')).toBeUndefined()
      expect(await enforcement('all.covered.test', ['v1'], 'v2')).toBeUndefined()
    })

    test('a namespace that the selector leaves out is counted and named, until it is selected', async () => {
      const { world } = suite
      await world.namespace('cq-left-out', 'cq-left-out')
      await world.quota(undefined, 'cq-left-out', {
        limit: '1',
        sources: [COUNTED_MAPS],
        scopeSelectors,
        namespaceSelectors: [{ matchLabels: { pool: 'cq-left-out' } }],
      })
      const path = `${GLOBAL_QUOTAS}/cq-left-out`
      await world.create(mapsIn('cq-left-out'), map('a'))
      await world.create(mapsIn('cq-left-out'), map('b'))
      const quota = await world.until(path, ({ status }) => status.usage?.used === '2')
      expect(condition(quota, 'Enforced')).toMatchObject({
        reason: 'UncoveredNamespace',
        message: expect.stringMatching(/: cq-left-out$/),
      })
      await world.patch('/api/v1/namespaces/cq-left-out', { metadata: { labels: { tenant: 'a' } } })
      await world.until(path, (now) => condition(now, 'Enforced') === undefined)
      expect((await world.send('POST', mapsIn('cq-left-out'), map('c'))).status).toBe(403)
    })
  })

  const off = name === 'allot up' ? '--enforce=off' : 'webhooks.hooks.calculations.enabled=false'
  describe(`${name}: observation only, by ${off}`, () => {
    const suite = forQuotas(() => start({ args: [off.startsWith('--') ? off : webhookFlag('enabled: false')] }))

    test('quotas count and report what exceeds them, refuse nothing, and say so', async () => {
      const { world } = suite
      await world.namespace('cq-observed')
      await world.quota('cq-observed', 'one', { limit: '1', sources: [COUNTED_MAPS], scopeSelectors })
      const path = `${quotasIn('cq-observed')}/one`
      await world.create(mapsIn('cq-observed'), map('a'))
      await world.create(mapsIn('cq-observed'), map('b'))
      await world.used(path, '2')
      expect((await world.read(path)).status.usage).toEqual({ used: '2', available: '0' })
      expect(condition(await world.read(path), 'Enforced')).toMatchObject({
        status: 'False',
        reason: 'EnforcementOff',
        message: expect.stringContaining(off),
      })
      const { webhooks } = (await world.read(HOOKS)) as unknown as { webhooks: readonly { name: string }[] }
      expect(webhooks.filter((one) => one.name.includes('calculation.'))).toEqual([])
    })
  })
}
