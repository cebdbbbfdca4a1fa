import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject } from '../../src/machinery/object.ts'
import { MOST_PATCH_VALUES } from '../../src/apiserver/decoding/patch-length.ts'
import { MOST_AMOUNTS } from '../../src/machinery/value-weight.ts'
import { cpuTimeWhenWarm, longestTurn } from '../growth.ts'
import { CHANGES } from './built-ins.ts'
import { largest } from './largest.ts'
import { type Kind, NAMESPACE, SweptPlane } from './swept-plane.ts'

/** A little less than a body may have. */
const BODY_BYTES = 3_000_000
/** A little less than the store takes. */
const STORED_BYTES = 900_000
/**
 * How much longer others may wait for a turn than V8 takes to parse the largest body. Each step of a request goes through its object once
 * or twice, which takes as long; all steps together would take more than twice this.
 */
const MOST_TURN = 4
/** The same of a schema, which is checked as a whole. */
const MOST_LONG_TURN = 12
const SCHEMA = 'a schema'

const entries = (count: number, of: (n: number) => unknown): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, of(n)]))
const configMap = (more: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: NAMESPACE },
  ...more,
})
const data = (prefix: string) => (count: number) => configMap({ data: entries(count, (n) => `${prefix}${n}`) })
const listed = (count: number, of: (n: number) => unknown): readonly unknown[] =>
  Array.from({ length: count }, (_, n) => of(n))
const pod = (container: (n: number) => JsonObject) => (count: number) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: NAMESPACE },
  spec: { containers: listed(count, container) },
})
const core = `/api/v1/namespaces/${NAMESPACE}`
const CONFIG_MAPS: Kind = { path: `${core}/configmaps`, bucket: 'configmaps', namespaced: true }
const CRD = 'apiextensions.k8s.io/v1'

const CREATED: Readonly<Record<string, readonly [path: string, document: (count: number) => JsonObject]>> = {
  data: [CONFIG_MAPS.path, data('x')],
  annotations: [
    CONFIG_MAPS.path,
    (count) => configMap({ metadata: { name: NAMESPACE, annotations: entries(count, String) } }),
  ],
  'managed fields': [
    CONFIG_MAPS.path,
    (count) =>
      configMap({
        metadata: {
          name: NAMESPACE,
          managedFields: listed(count, (n) => ({ manager: `m${n}`, operation: 'Apply', apiVersion: 'v1' })),
        },
      }),
  ],
  containers: [`${core}/pods`, pod((n) => ({ name: `x${n}`, image: 'i' }))],
  'the same containers': [`${core}/pods`, pod(() => ({ name: 'x', image: 'i' }))],
  'unknown fields': [`${core}/pods`, pod((n) => ({ [`x${n}`]: n }))],
  rules: [
    `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}/roles`,
    (count) => ({
      metadata: { name: NAMESPACE },
      rules: listed(count, (n) => ({ apiGroups: [''], resources: [`x${n}`], verbs: ['get'] })),
    }),
  ],
  [SCHEMA]: [
    `/apis/${CRD}/customresourcedefinitions`,
    (count) => ({
      apiVersion: CRD,
      kind: 'CustomResourceDefinition',
      metadata: { name: 'things.turns.test' },
      spec: {
        group: 'turns.test',
        scope: 'Namespaced',
        names: { plural: 'things', kind: 'Thing' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: entries(count, () => ({ type: 'string' })) } },
          },
        ],
      },
    }),
  ],
}

const CONTAINER = { name: 'x', image: 'i' }
const JOBS = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`
const job: JsonObject = {
  metadata: { name: NAMESPACE },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [CONTAINER] } } },
}
const ranged = (name: string) => (count: number) => ({
  metadata: { name: NAMESPACE },
  spec: { limits: [{ type: 'Container', max: amounts(count, name) }] },
})
const amounts = (count: number, name: string): JsonObject =>
  Object.fromEntries(listed(count, (n) => [`${name}${n}`, '1']) as [string, string][])

/** As many entries as are read, and one more amount than that. */
const LONG: Readonly<
  Record<string, readonly [path: string, count: number, code: number, of: (count: number) => JsonObject]>
> = {
  'names of a LimitRange': [`${core}/limitranges`, MOST_AMOUNTS, 201, ranged('a.b/x')],
  'wrong names of a LimitRange': [`${core}/limitranges`, MOST_AMOUNTS, 422, ranged('x y')],
  'more names of a LimitRange than are read': [`${core}/limitranges`, MOST_AMOUNTS + 1, 413, ranged('a.b/x')],
  'names of a ResourceQuota': [
    `${core}/resourcequotas`,
    MOST_AMOUNTS,
    422,
    (count) => ({ metadata: { name: NAMESPACE }, spec: { hard: amounts(count, 'x y') } }),
  ],
  'names of a pod': [
    `${core}/pods`,
    MOST_AMOUNTS,
    201,
    (count) => ({
      metadata: { name: NAMESPACE },
      spec: { containers: [{ ...CONTAINER, resources: { limits: amounts(count, 'a.b/x') } }] },
    }),
  ],
  'names in a status that a create does not write': [
    JOBS,
    200_000,
    201,
    (count) => ({ ...job, status: { uncountedTerminatedPods: { failed: listed(count, (n) => `x${n}`) } } }),
  ],
}

let swept: SweptPlane
/** The milliseconds that V8 takes to parse the largest body. */
let parsing: number
const mostOf = (what: string): number => parsing * (what === SCHEMA ? MOST_LONG_TURN : MOST_TURN)
beforeAll(async () => {
  swept = await SweptPlane.start()
  const text = JSON.stringify(largest(data('x'), BODY_BYTES))
  parsing = cpuTimeWhenWarm(() => JSON.parse(text) as unknown)
})
afterAll(() => swept.stop())

test.each(Object.entries(CREATED))(
  '%s at the limit of a body are created, or refused, in turns of bounded length',
  { timeout: 600_000 },
  async (what, [path, document]) => {
    const most = mostOf(what)
    const text = JSON.stringify(largest(document, BODY_BYTES))
    expect(await longestTurn(() => swept.send('POST', `${path}?dryRun=All`, text), most)).toBeLessThan(most)
  },
)

test.each(Object.entries(LONG))(
  '%s take turns of bounded length',
  { timeout: 600_000 },
  async (what, [path, count, code, of]) => {
    const most = mostOf(what)
    const text = JSON.stringify(of(count))
    swept.found()
    expect(await longestTurn(() => swept.send('POST', `${path}?dryRun=All`, text), most)).toBeLessThan(most)
    expect([...swept.found().codes.keys()]).toEqual([code])
  },
)

test.each(Object.entries(CHANGES))(
  'a large object is %s in turns of bounded length',
  { timeout: 600_000 },
  async (what, [method, type, query = '']) => {
    const most = mostOf(what)
    const values = method === 'PATCH' ? MOST_PATCH_VALUES : Infinity
    const text = JSON.stringify(largest(data('y'), BODY_BYTES, values))
    const path = `${CONFIG_MAPS.path}/${NAMESPACE}?dryRun=All${query}`
    const run = (): Promise<void> =>
      swept.onStored(CONFIG_MAPS, largest(data('x'), STORED_BYTES), () => swept.send(method, path, text, type))
    expect(await longestTurn(run, most)).toBeLessThan(most)
  },
)

test('keys that JSON sets twice in an apply hold up nobody, though their lines are found by reading it as YAML', async () => {
  const text = JSON.stringify(largest(data('x'), STORED_BYTES, MOST_PATCH_VALUES)).replace(
    '"data":{',
    '"data":{"x0":"twice",',
  )
  const path = `${CONFIG_MAPS.path}/twice?dryRun=All&fieldManager=me`
  const most = mostOf('')
  let warning: string | null = ''
  const turn = await longestTurn(async () => {
    const answer = await swept.send('PATCH', path, text.replace(NAMESPACE, 'twice'), 'application/apply-patch+yaml')
    warning = answer.headers.get('warning')
  }, most)
  expect(warning).toContain('key \\"x0\\" already set in map')
  expect(turn).toBeLessThan(most)
})
