import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { customResources } from '../../src/systems/custom-resources.ts'
import { globalCustomQuota } from '../../src/systems/custom-quota/api/global-custom-quota.ts'
import { quantityLedger } from '../../src/systems/counted/api/quantity-ledger.ts'
import { resourcePoolClaim } from '../../src/systems/resource-pool/api/claim.ts'
import { resourcePool } from '../../src/systems/resource-pool/api/resource-pool.ts'
import { assets } from '../differential/real-server.ts'
import { eventually } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import { type Answer, realServer, type Server } from './definition-server.ts'

const FOLDER = new URL('../../config/crd/', import.meta.url)
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const GROUP = '/apis/capsule.clastix.io/v1beta2'
const POOLS = `${GROUP}/resourcepools`
const GLOBAL_QUOTAS = `${GROUP}/globalcustomquotas`
const CLAIMS = `${GROUP}/namespaces/default/resourcepoolclaims`
const APPLY = { 'content-type': 'application/apply-patch+yaml' }
const MERGE = { 'content-type': 'application/merge-patch+json' }
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' }

const CONFIG = { defaultsZero: false, deleteBoundResources: false, orderedQueue: false }
/** Of full length, and with dots. */
const NAMES = {
  pool: `${'harbour.'.repeat(31)}north`,
  claim: `${'berth-1.'.repeat(31)}south`,
  namespace: `port-${'9'.repeat(58)}`,
}

const condition = (type: string, status: string, reason: string, message: string): object => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: '2026-01-01T00:00:00Z',
})
const READY = condition('Ready', 'True', 'Succeeded', 'reconciled')
const pool = (name: string, spec: unknown, more: object = {}): object => ({
  apiVersion: resourcePool.apiVersion,
  kind: resourcePool.kind,
  metadata: { name },
  ...(spec === undefined ? {} : { spec }),
  ...more,
})
const claim = (name: string, spec: unknown): object => ({
  apiVersion: resourcePoolClaim.apiVersion,
  kind: resourcePoolClaim.kind,
  metadata: { name },
  ...(spec === undefined ? {} : { spec }),
})

const globalQuota = (name: string, spec: object): object => ({
  apiVersion: globalCustomQuota.apiVersion,
  kind: globalCustomQuota.kind,
  metadata: { name },
  spec,
})

/** The content of a table of the recorded exchanges. */
function goldenTable(name: string): { readonly columns: readonly object[]; readonly rows: readonly unknown[][] } {
  const recorded = JSON.parse(readFileSync(new URL('../golden/pools.json', import.meta.url), 'utf8'))
  return recorded.find((exchange: { readonly name: string }) => exchange.name === name).expect.table
}

/** The additions of allot to the recorded exchanges. */
const OWN_COLUMNS = new Set(['Waiting For', 'Claim', 'Hard', 'Claimed'])

/** The columns and the cells of an answer without our own; the age, which differs by nature, as `*`. */
function table({ body }: Answer): { readonly columns: readonly object[]; readonly rows: readonly unknown[][] } {
  const definitions: readonly { name: string; type: string; format: string; priority: number }[] =
    body.columnDefinitions
  const columns = definitions
    .map(({ name, type, format, priority }) => ({ name, type, format, priority }))
    .filter(({ name }) => !OWN_COLUMNS.has(name))
  const rows = (body.rows as readonly { readonly cells: readonly unknown[] }[]).map(({ cells }) => [
    ...cells.slice(0, columns.length - 1),
    '*',
  ])
  return { columns, rows }
}

/** `worded`: how the server words the messages of 1.36. `knowsRules`: whether it checks `x-kubernetes-validations`. */
function suite(start: () => Promise<Server>, worded: (message: string) => string, knowsRules: boolean): void {
  let server: Server

  beforeAll(async () => {
    server = await start()
    for (const file of readdirSync(FOLDER)) await applied(file)
    for (const kind of customResources) await served(kind)
  })
  afterAll(() => server.stop())

  /** Applies a definition on the server's side; gives it as it then is. */
  async function applied(file: string) {
    const text = readFileSync(new URL(file, FOLDER), 'utf8')
    const name = /^ {2}name: (.+)$/m.exec(text)?.[1]
    return await ok('PATCH', `${DEFINITIONS}/${name}?fieldManager=test&force=true`, text, APPLY)
  }

  /** Waits until discovery lists the kind. */
  async function served({ apiVersion, kind }: (typeof customResources)[number]): Promise<void> {
    await eventually(
      async () => (await server.send('GET', `/apis/${apiVersion}`)).body,
      ({ resources }) => resources?.some((resource: { readonly kind: string }) => resource.kind === kind) === true,
      { what: `what serves ${kind}` },
    )
  }

  async function ok(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>) {
    const answer = await server.send(method, path, body, headers)
    expect([200, 201], JSON.stringify(answer.body)).toContain(answer.status)
    return answer.body
  }

  /** Creates an object and writes its status. */
  async function withStatus(resource: string, object: object, status: object) {
    const { metadata } = await ok('POST', resource, object)
    return await ok('PATCH', `${resource}/${metadata.name}/status`, { status }, MERGE)
  }

  test.each(customResources)('$kind is established, with a structural schema', async (kind) => {
    const { status } = await ok('GET', `${DEFINITIONS}/${kind.resource}.${kind.group}`)
    const conditions = (status.conditions as readonly { type: string; status: string }[]).map(
      ({ type, status }) => `${type}=${status}`,
    )
    expect(conditions.toSorted()).toEqual(['Established=True', 'NamesAccepted=True'])
  })

  test.each(readdirSync(FOLDER))('%s changes nothing when it is applied again', async (file) => {
    // The server itself writes conditions a moment after a definition was made.
    const [{ metadata }] = await eventually(
      async () => [await applied(file), await applied(file)] as const,
      ([once, again]) => once.metadata.resourceVersion === again.metadata.resourceVersion,
      { what: file },
    )
    expect(metadata.generation).toBe(1)
  })

  test('discovery reports scope and short names', async () => {
    const versions = [...new Set(customResources.map(({ apiVersion }) => apiVersion))]
    const documents = await Promise.all(versions.map((version) => ok('GET', `/apis/${version}`)))
    const listed = documents.flatMap(
      ({ resources }) => resources as readonly { name: string; namespaced: boolean; shortNames?: readonly string[] }[],
    )
    expect(
      Object.fromEntries(listed.map(({ name, namespaced, shortNames }) => [name, { namespaced, shortNames }])),
    ).toEqual({
      resourcepools: { namespaced: false, shortNames: ['quotapool'] },
      'resourcepools/status': { namespaced: false },
      resourcepoolclaims: { namespaced: true },
      'resourcepoolclaims/status': { namespaced: true },
      customquotas: { namespaced: true, shortNames: ['cq'] },
      'customquotas/status': { namespaced: true },
      globalcustomquotas: { namespaced: false, shortNames: ['gcq'] },
      'globalcustomquotas/status': { namespaced: false },
      quantityledgers: { namespaced: true, shortNames: ['ql'] },
      'quantityledgers/status': { namespaced: true },
      quotaincreases: { namespaced: true, shortNames: ['qi'] },
      'quotaincreases/status': { namespaced: true },
      quotaserviceconfigs: { namespaced: false, shortNames: ['qcfg'] },
      karmadaquotas: { namespaced: true, shortNames: ['kquota'] },
      'karmadaquotas/status': { namespaced: true },
    })
  })

  test('a pool has the defaults of its configuration, whole or in part', async () => {
    expect((await ok('POST', POOLS, pool('bare', { quota: {} }))).spec).toEqual({ quota: {}, config: CONFIG })
    const { spec } = await ok('POST', POOLS, pool('partly', { quota: {}, config: { orderedQueue: true } }))
    expect(spec.config).toEqual({ ...CONFIG, orderedQueue: true })
  })

  test('a status without counts has counts of 0', async () => {
    const { status } = await withStatus(POOLS, pool('counts', { quota: {} }), { conditions: [] })
    // The generation of a status that no controller has written.
    expect(status).toEqual({ claimCount: 0, namespaceCount: 0, conditions: [], observedGeneration: -1 })
  })

  test('every field is kept, and amounts as they are written', async () => {
    const spec = {
      selectors: [
        {},
        { matchLabels: { team: 'north' }, matchExpressions: [{ key: 'a', operator: 'NoSuch', values: ['b'] }] },
      ],
      quota: {
        hard: { 'requests.cpu': '1000m', pods: 10, 'count/widgets.example.com': '1e3' },
        scopes: ['NotTerminating', 'Anything'],
        scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
      },
      defaults: { 'limits.memory': '1.5Gi' },
      config: { defaultsZero: true, orderedQueue: true, deleteBoundResources: true },
    }
    expect((await ok('POST', POOLS, pool('full', { ...spec, unknown: 1 }))).spec).toEqual(spec)
    const claimed = { pool: 'full', claim: { 'requests.cpu': '500m', pods: 1 } }
    expect((await ok('POST', CLAIMS, claim('full', claimed))).spec).toEqual(claimed)
  })

  test.each<readonly [string, string, object, string]>([
    [
      'a pool without a spec',
      POOLS,
      pool('x', undefined),
      'ResourcePool.capsule.clastix.io "x" is invalid: spec: Required value',
    ],
    [
      'a pool without a quota',
      POOLS,
      pool('x', {}),
      'ResourcePool.capsule.clastix.io "x" is invalid: spec.quota: Required value',
    ],
    [
      'a selector without key and operator',
      POOLS,
      pool('x', { quota: {}, selectors: [{ matchExpressions: [{}] }] }),
      'ResourcePool.capsule.clastix.io "x" is invalid: [spec.selectors[0].matchExpressions[0].key: Required value, spec.selectors[0].matchExpressions[0].operator: Required value]',
    ],
    [
      'a scope without name and operator',
      POOLS,
      pool('x', { quota: { scopeSelector: { matchExpressions: [{}] } } }),
      'ResourcePool.capsule.clastix.io "x" is invalid: [spec.quota.scopeSelector.matchExpressions[0].operator: Required value, spec.quota.scopeSelector.matchExpressions[0].scopeName: Required value]',
    ],
    [
      'an invalid amount',
      POOLS,
      pool('x', { quota: { hard: { pods: 'many' } } }),
      String.raw`ResourcePool.capsule.clastix.io "x" is invalid: spec.quota.hard.pods: Invalid value: "many": spec.quota.hard.pods in body should match '^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$'`,
    ],
    [
      'a claim without a spec',
      CLAIMS,
      claim('x', undefined),
      'ResourcePoolClaim.capsule.clastix.io "x" is invalid: spec: Required value',
    ],
    [
      'a claim without pool and claim',
      CLAIMS,
      claim('x', {}),
      'ResourcePoolClaim.capsule.clastix.io "x" is invalid: [spec.claim: Required value, spec.pool: Required value]',
    ],
  ])('%s is refused', async (_what, path, object, message) => {
    const { status, body } = await server.send('POST', path, object)
    expect([status, body.message]).toEqual([422, worded(message)])
  })

  test.each<readonly [string, object, string]>([
    ['without conditions', { claimCount: 1, conditions: null }, 'status.conditions: Required value'],
    [
      'with a condition that lacks everything',
      { conditions: [{}] },
      '[status.conditions[0].lastTransitionTime: Required value, status.conditions[0].message: Required value, status.conditions[0].reason: Required value, status.conditions[0].status: Required value, status.conditions[0].type: Required value]',
    ],
    [
      'with an invalid status of a condition',
      { conditions: [condition('Ready', 'Yes', 'Succeeded', '')] },
      'status.conditions[0].status: Unsupported value: "Yes": supported values: "True", "False", "Unknown"',
    ],
    [
      'with an invalid reason',
      { conditions: [condition('Ready', 'True', 'it works', '')] },
      `status.conditions[0].reason: Invalid value: "it works": status.conditions[0].reason in body should match '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$'`,
    ],
    [
      'with a claim that lacks name, namespace and uid',
      { conditions: [], claims: { default: [{}] } },
      '[status.claims.default[0].name: Required value, status.claims.default[0].namespace: Required value, status.claims.default[0].uid: Required value]',
    ],
  ])('a status %s is refused', async (what, status, message) => {
    const name = what.replaceAll(/[^a-z]+/g, '-')
    await ok('POST', POOLS, pool(name, { quota: {} }))
    const answer = await server.send('PATCH', `${POOLS}/${name}/status`, { status }, MERGE)
    expect([answer.status, answer.body.message]).toEqual([
      422,
      `ResourcePool.capsule.clastix.io "${name}" is invalid: ${worded(message)}`,
    ])
  })

  test('custom quotas have the defaults of their sources and options', async () => {
    const sources = [
      { kind: 'Pod', path: '.spec.x' },
      { group: 'apps', version: 'v1', kind: 'Deployment', op: 'count' },
    ]
    const { spec } = await ok('POST', GLOBAL_QUOTAS, globalQuota('defaults', { limit: 5, sources }))
    const [pods, deployments] = sources
    expect(spec).toEqual({
      limit: 5,
      sources: [{ ...pods, op: 'add' }, deployments],
      options: { emitMetricPerClaimUsage: false },
    })
  })

  test.each<readonly [string, object, string]>([
    ['without a limit', { limit: undefined }, 'spec.limit: Required value'],
    ['without sources', { sources: undefined }, 'spec.sources: Required value'],
    [
      'with an empty kind',
      { sources: [{ kind: '', op: 'count' }] },
      'spec.sources[0].kind: Invalid value: "": spec.sources[0].kind in body should be at least 1 chars long',
    ],
    [
      'with an invalid operation',
      { sources: [{ kind: 'Pod', op: 'multiply' }] },
      'spec.sources[0].op: Unsupported value: "multiply": supported values: "add", "sub", "count"',
    ],
  ])('a custom quota %s is refused', async (_, change, message) => {
    const spec = { limit: 5, sources: [{ kind: 'Pod', op: 'count' }], ...change }
    const { status, body } = await server.send('POST', GLOBAL_QUOTAS, globalQuota('x', spec))
    // Where rules cannot be checked either, newer servers say so as well.
    expect([status, body.message]).toEqual([422, expect.stringContaining(worded(message))])
  })

  test.each<readonly [string, object, boolean]>([
    ['a path', { path: '.spec.x' }, true],
    ['CEL', { cel: "quantity('1')" }, true],
    ['an operation that counts', { op: 'count' }, true],
    ['empty texts to count', { op: 'count', path: '', cel: '' }, true],
    ['neither', {}, false],
    ['an empty path', { path: '' }, false],
    ['both', { path: '.spec.x', cel: "quantity('1')" }, false],
    ['a path to count', { op: 'count', path: '.spec.x' }, false],
    ['CEL to count', { op: 'count', cel: "quantity('1')" }, false],
  ])('a source may have %s where the server knows rules', async (_, source, isAllowed) => {
    const object = globalQuota('rules', { limit: 5, sources: [{ kind: 'Pod', ...source }] })
    const { status, body } = await server.send('POST', `${GLOBAL_QUOTAS}?dryRun=All`, object)
    if (isAllowed || !knowsRules) return expect(status).toBe(201)
    expect([status, body.message]).toEqual([422, expect.stringContaining('path and cel must be empty when op is')])
  })

  test('a ledger keeps what other programs have in it, and may lack its spec', async () => {
    const ledgers = `${GROUP}/namespaces/default/quantityledgers`
    const { apiVersion, kind } = quantityLedger
    const resourceQuota = { initialized: true, used: { pods: '1' }, ofALaterVersion: { deep: [1] } }
    const written = { outstanding: 'text', resourceQuota }
    const { status } = await withStatus(ledgers, { apiVersion, kind, metadata: { name: 'shared' } }, written)
    expect(status).toEqual(written)
  })

  test('names with dots and of full length stand in the statuses of pools and claims', async () => {
    const entry = { name: NAMES.claim, namespace: NAMES.namespace, uid: 'u', claims: { pods: '1' } }
    const written = {
      namespaces: [NAMES.namespace],
      claims: { [NAMES.namespace]: [entry] },
      releasing: { [NAMES.namespace]: { room: { pods: '2' }, token: 't' } },
      exhaustions: { pods: { available: '0', requesting: '1' } },
      conditions: [READY],
    }
    const { status } = await withStatus(POOLS, pool(NAMES.pool, { quota: {} }), written)
    expect(status).toMatchObject(written)
    const assigned = { pool: { name: NAMES.pool, uid: 'u' }, conditions: [READY] }
    const object = claim(NAMES.claim, { pool: NAMES.pool, claim: {} })
    expect((await withStatus(CLAIMS, object, assigned)).status).toEqual({ ...assigned, observedGeneration: -1 })
  })

  test('pools are shown as they were recorded', async () => {
    const counts = { claimCount: 2, namespaceCount: 2, conditions: [READY] }
    await withStatus(POOLS, pool('golden-pool', { quota: {} }), counts)
    const shown = await server.send('GET', `${POOLS}?fieldSelector=metadata.name%3Dgolden-pool`, undefined, TABLE)
    expect(table(shown)).toEqual(goldenTable('pools as a table'))
  })

  test('claims are shown as they were recorded', async () => {
    await ok('POST', '/api/v1/namespaces', { metadata: { name: 'shown' } })
    const claims = `${GROUP}/namespaces/shown/resourcepoolclaims`
    const spec = { pool: 'golden-pool', claim: {} }
    const assigned = { name: 'golden-pool', uid: 'u' }
    const unused = condition('Bound', 'False', 'Unused', 'claim is unused')
    const exhausted = condition('Bound', 'False', 'Failed', 'claim causes exhaustions')
    const refused = condition(
      'Ready',
      'False',
      'Failed',
      'resource requests.nvidia.com/gpu is not available in pool golden-pool',
    )
    await withStatus(claims, claim('first', spec), { pool: assigned, conditions: [READY, unused] })
    await withStatus(claims, claim('too-big', spec), { pool: assigned, conditions: [READY, exhausted] })
    await withStatus(claims, claim('unknown-resource', spec), { conditions: [refused] })
    expect(table(await server.send('GET', claims, undefined, TABLE))).toEqual(goldenTable('claims as a table'))
  })
}

describe('allot serves the generated kinds', () => {
  suite(
    () => startInProcess(),
    (message) => message,
    true,
  )
})

describe.skipIf(assets === undefined)('a real API server and allot serve the generated kinds alike', () => {
  // 1.20 does not say which item of a list is wrong.
  suite(realServer, (message) => message.replaceAll(/\[\d+\]/g, ''), false)
})
