import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/machinery/object.ts'
import type { Answer } from '../in-process.ts'
import { NAMESPACE, SweptPlane } from './swept-plane.ts'

const PATIENCE = { timeout: 600_000 }
const RBAC = `/apis/rbac.authorization.k8s.io/v1/namespaces/${NAMESPACE}`
const CORE = `/api/v1/namespaces/${NAMESPACE}`
const API_GROUP = 'rbac.authorization.k8s.io'

let swept: SweptPlane
beforeAll(async () => {
  swept = await SweptPlane.start()
  await must(
    'POST',
    `${RBAC}/roles`,
    role('author', [rule(['roles', 'rolebindings'], ['create', 'delete'], [API_GROUP])]),
  )
  await must('POST', `${RBAC}/rolebindings`, binding('author', 'author', [user('jane')]))
})
afterAll(() => swept.stop())

async function must(method: string, path: string, body: JsonObject): Promise<Answer> {
  const answer = await swept.send(method, path, JSON.stringify(body))
  expect([answer.status, answer.body?.message]).toEqual([expect.toSatisfy((code: number) => code < 300), undefined])
  return answer
}

/** As jane, who may write roles and bindings, and holds nothing else. */
const asJane = (method: string, path: string, body: JsonObject): Promise<Answer> =>
  swept.plane.send(method, path, body, { 'impersonate-user': 'jane' })

const names = (count: number, prefix: string): readonly string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}${n}`)
const rule = (
  resources: readonly string[],
  verbs: readonly string[],
  apiGroups: readonly string[],
  resourceNames: readonly string[] = [],
): JsonObject => ({ resources, verbs, apiGroups, ...(resourceNames.length === 0 ? {} : { resourceNames }) })
const role = (name: string, rules: readonly JsonObject[]): JsonObject => ({ metadata: { name }, rules })
const user = (name: string): JsonObject => ({ kind: 'User', name, apiGroup: API_GROUP })
const binding = (name: string, of: string, subjects: readonly JsonObject[]): JsonObject => ({
  metadata: { name },
  roleRef: { apiGroup: API_GROUP, kind: 'Role', name: of },
  subjects,
})
const multiplied = (count: number): JsonObject =>
  rule(names(count, 'r'), names(count, 'v'), names(count, 'g'), names(count, 'n'))

describe('a role that multiplies what it lists [security/multiplied-roles]', PATIENCE, () => {
  test('is refused to those who do not hold it, in time linear in its length', async () => {
    const run = async (count: number): Promise<void> => {
      const { status, body } = await asJane('POST', `${RBAC}/roles`, role('wide', [multiplied(count)]))
      expect([status, body.message]).toEqual([403, expect.stringContaining('not currently held')])
      expect(body.message.length).toBeLessThan(1_000_000)
    }
    await run(90)
    await swept.look('a wide role', run, 1000, 0)
    expect(swept.found().slow).toEqual([])
  })

  test('is granted by those who hold it, and obeyed', async () => {
    await must('POST', `${RBAC}/roles`, role('wide', [multiplied(90)]))
    await must('POST', `${RBAC}/rolebindings`, binding('wide', 'wide', [user('jane')]))
    const part = rule(names(89, 'r'), names(70, 'v'), ['g3'], names(50, 'n'))
    expect((await asJane('POST', `${RBAC}/roles`, role('part', [part]))).status).toBe(201)
    const may = async (verb: string): Promise<boolean> => {
      const resourceAttributes = { namespace: NAMESPACE, verb, group: 'g89', resource: 'r89', name: 'n89' }
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'
      return (await asJane('POST', path, { spec: { resourceAttributes } })).body.status.allowed
    }
    expect([await may('v89'), await may('v90')]).toEqual([true, false])
  })

  test('keeps memory for its rules, not for their combinations', async () => {
    const rules = Array.from({ length: 5000 }, (_, n) => rule(names(10, `r${n}-`), names(10, 'v'), names(10, 'g')))
    global.gc?.()
    const before = process.memoryUsage().heapUsed
    await must('POST', `${RBAC}/roles`, role('long', rules))
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(300_000_000)
  })
})

test(
  'a role that is bound many times is listed once, and its bindings go in time linear in their subjects',
  PATIENCE,
  async () => {
    await must('POST', `${RBAC}/roles`, role('seen', [rule(['pods'], ['get'], [''])]))
    for (const name of names(5, 'again-'))
      await must('POST', `${RBAC}/rolebindings`, binding(name, 'seen', [user('joe')]))
    const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'
    const { body } = await swept.plane.send(
      'POST',
      path,
      { spec: { namespace: NAMESPACE } },
      { 'impersonate-user': 'joe' },
    )
    const listed = body.status.resourceRules.filter(({ resources }: { resources: string[] }) =>
      resources.includes('pods'),
    )
    expect([listed.length, body.status.incomplete]).toEqual([1, false])

    await swept.look(
      'a binding with many subjects',
      async (count) => {
        const subjects = Array.from({ length: count }, () => user('joe'))
        await must('POST', `${RBAC}/rolebindings`, binding('crowd', 'seen', subjects))
        await must('DELETE', `${RBAC}/rolebindings/crowd`, {})
      },
      2000,
      20,
    )
    expect(swept.found().slow).toEqual([])
  },
)

describe('a body with more values than any object has [security/many-values]', PATIENCE, () => {
  test('is refused before it takes memory, in JSON', async () => {
    const containers = '{},'.repeat(1_000_000).slice(0, -1)
    const text = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[${containers}]}}`
    const { status, body } = await swept.send('POST', `${CORE}/pods`, text)
    expect([status, body.message]).toEqual([413, expect.stringContaining('too many values')])
    const patch = await swept.send(
      'PATCH',
      `${CORE}/resourcequotas/all`,
      `{"x":[${containers}]}`,
      'application/merge-patch+json',
    )
    expect(patch.status).toBe(413)
  })

  test('is refused while it is read, in protobuf', async () => {
    const varint = (n: number): number[] => (n > 127 ? [(n & 127) | 128, ...varint(n >>> 7)] : [n])
    const field = (number: number, bytes: Uint8Array): Buffer =>
      Buffer.concat([Buffer.from([(number << 3) | 2, ...varint(bytes.length)]), bytes])
    const containers = Buffer.alloc(2_800_000).map((_, at) => (at % 2 === 0 ? 0x12 : 0))
    const raw = Buffer.concat([field(1, field(1, Buffer.from('p'))), field(2, containers)])
    const type = Buffer.concat([field(1, Buffer.from('v1')), field(2, Buffer.from('Pod'))])
    global.gc?.()
    const before = process.memoryUsage().heapUsed
    const answer = await fetch(`${swept.plane.url}${CORE}/pods`, {
      method: 'POST',
      headers: { authorization: `Bearer ${swept.plane.token}`, 'content-type': 'application/vnd.kubernetes.protobuf' },
      body: new Uint8Array(Buffer.concat([Buffer.from('k8s\0'), field(1, type), field(2, raw)])),
    })
    expect([answer.status, await answer.text()]).toEqual([413, expect.stringContaining('too many values')])
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(300_000_000)
  })
})

describe('LimitRanges and containers, which multiply [security/multiplied-defaults]', PATIENCE, () => {
  const containers = names(3000, 'c').map((name) => ({ name, image: 'i', resources: { requests: { cpu: '1' } } }))
  const pod = JSON.stringify({ metadata: { name: 'p' }, spec: { containers } })
  const amounts = Object.fromEntries(names(3000, 'example.test/x').map((name) => [name, '1']))
  const limits = async (limit: JsonObject): Promise<Answer> => {
    const range = { metadata: { name: 'many' }, spec: { limits: [{ type: 'Container', ...limit }] } }
    await must('POST', `${CORE}/limitranges`, range)
    const answer = await swept.send('POST', `${CORE}/pods`, pod)
    await must('DELETE', `${CORE}/limitranges/many`, {})
    return answer
  }

  test('too many defaults are refused before they are made', async () => {
    const { status, body } = await limits({ default: amounts })
    expect([status, body.message]).toEqual([
      403,
      expect.stringMatching(/defaults, which are too many for 3000 containers/),
    ])
  })

  test('of millions of violations a hundred are reported', async () => {
    const { status, body } = await limits({ maxLimitRequestRatio: amounts })
    expect([status, body.message]).toEqual([403, expect.stringMatching(/, and perhaps more\]$/)])
  })
})

test('a definition has so many versions, short names and categories [security/bounded-definitions]', async () => {
  const versions = names(257, 'v').map((name, at) => ({
    name,
    served: true,
    storage: at === 0,
    schema: { openAPIV3Schema: { type: 'object' } },
  }))
  const { status, body } = await swept.send(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    JSON.stringify({
      metadata: { name: 'things.sweep.test' },
      spec: { group: 'sweep.test', scope: 'Cluster', names: { plural: 'things', kind: 'Thing' }, versions },
    }),
  )
  expect([status, body.message]).toEqual([
    422,
    expect.stringContaining('spec.versions: Too many: 257: must have at most 256 items'),
  ])
})
