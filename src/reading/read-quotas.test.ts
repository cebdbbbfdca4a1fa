import { expect, test } from 'vitest'
import { quotasText } from '../insight/top/text.ts'
import { topQuotas } from '../insight/top/top.ts'
import type { KubeClient, ResourceKind } from '../kube/client/kube-client.ts'
import { NEVER_ABORTED } from '../kube/time/clock.ts'
import { forbidden } from '../machinery/status.ts'
import type { JsonObject } from '../machinery/object.ts'
import { readQuotas } from './read-quotas.ts'
import { VisibleObjects } from './visible-objects.ts'

const GLOBAL = 'globalcustomquotas.capsule.clastix.io'

const claim = (namespace: string, usage: string) => ({
  group: '',
  version: 'v1',
  kind: 'Secret',
  namespace,
  name: `s${usage}`,
  uid: '',
  usage,
})
const CLAIMS = [claim('quay', '2'), claim('dock', '3'), claim('quay', '2')]

function globalQuota(name: string, selectors: readonly JsonObject[], status: JsonObject): JsonObject {
  const spec = { limit: '9', sources: [{ apiVersion: 'v1', kind: 'Secret', op: 'count' }] }
  return {
    metadata: { name },
    spec: selectors.length === 0 ? spec : { ...spec, namespaceSelectors: selectors },
    status: { usage: { used: '7' }, targets: [], conditions: [], ...status },
  }
}

const SELECTS = [{ matchLabels: { on: 'water' } }]
const QUOTAS = [
  globalQuota('everywhere', [], { namespaces: ['*'], claims: CLAIMS }),
  globalQuota('here', SELECTS, { namespaces: ['dock', 'quay'], claims: CLAIMS.slice(0, 1) }),
  globalQuota('too-long', SELECTS, { namespaces: ['quay'], claims: CLAIMS, omittedClaims: 1 }),
  globalQuota('unused', SELECTS, { namespaces: ['quay'] }),
  globalQuota('elsewhere', SELECTS, { namespaces: ['dock'], claims: CLAIMS }),
  globalQuota('unseen', SELECTS, {}),
]

/**
 * The global quotas in the table of a namespace, of all where it is empty, with what that uses of them; and what is not seen. `hidden`: the kinds that
 * the caller may not list.
 */
async function shown(namespace: string, ...hidden: readonly string[]) {
  const list = async (kind: ResourceKind) => {
    if (hidden.includes(kind.resource)) throw forbidden(kind, '', 'no')
    return { items: kind.resource === 'globalcustomquotas' ? QUOTAS : [] }
  }
  const of = (group: string, resource: string): ResourceKind => ({
    group,
    version: 'v1beta2',
    resource,
    kind: resource === 'globalcustomquotas' ? 'GlobalCustomQuota' : 'Other',
    namespaced: resource !== 'globalcustomquotas',
  })
  const visible = new VisibleObjects({ list } as unknown as KubeClient, { of }, NEVER_ABORTED)
  const rows = topQuotas(await readQuotas(visible, namespace))
  const uses = rows.map(({ name, used, usedInNamespace }) => [name, used, usedInNamespace] as const)
  return { uses, notSeen: visible.notSeen, text: quotasText(rows, false) }
}

test('a namespace shows the global quotas that count in it, with its own part where their status lists all of it', async () => {
  expect(await shown('quay')).toMatchObject({
    uses: [
      ['everywhere', '7', '4'],
      ['here', '7', '2'],
      ['too-long', '7', undefined],
      ['unused', '7', '0'],
    ],
    notSeen: [],
    text: expect.stringMatching(/^-.* everywhere .* 77 %; this namespace: 4\n-.* here .*: 2\n-.* too-long .* 77 %\n/m),
  })
  const all = await shown('')
  expect(all.uses.map(([name]) => name)).toHaveLength(QUOTAS.length)
  expect(all.uses.filter(([, , own]) => own !== undefined)).toEqual([])
})

test('of global quotas that its reader may not list it is said that they are not seen', async () => {
  const notSeen = [{ resource: GLOBAL, reason: 'you may not list them' }]
  expect(await shown('quay', 'globalcustomquotas')).toMatchObject({ uses: [], notSeen })
})

test('a global quota tells that it counts in a namespace to those who may list quotas there, and to no others [security/dashboard]', async () => {
  const names = async (...hidden: readonly string[]) => (await shown('quay', ...hidden)).uses.map(([name]) => name)
  const all = ['everywhere', 'here', 'too-long', 'unused']
  expect(await names('resourcequotas')).toEqual(all)
  expect(await names('customquotas')).toEqual(all)
  expect(await names('resourcequotas', 'customquotas')).toEqual([])
  expect((await shown('', 'resourcequotas', 'customquotas')).uses).toHaveLength(QUOTAS.length)
})
