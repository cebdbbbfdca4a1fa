import { Pool } from 'undici'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { RawConnection } from '../fuzz/byte-connection.ts'
import { answerProblem } from '../fuzz/watch-observer.ts'
import { MOST_GROWTH, Range } from './range.ts'

const TERMS = 10_000
const OBJECTS = 100
let range: Range
let maps: string
let pool: Pool

beforeAll(async () => {
  range = await Range.start()
  maps = `${range.namespace}/configmaps`
  const { url, ca } = range.observer.allot
  // Node's HTTP/2 takes no longer URL than 64 KiB.
  pool = new Pool(url, { connections: 8, connect: { ca }, allowH2: false })
  for (let n = 0; n < OBJECTS; n++)
    await range.send('POST', maps, { metadata: { name: `m${n}`, labels: { all: 'yes', [`own${n}`]: 'x' } } })
})
afterEach(() => range.tidy())
afterAll(async () => {
  await pool.destroy()
  await range.stop()
})

interface Answer {
  readonly code: number
  readonly text: string
}

async function send(method: 'GET' | 'DELETE', path: string, accept = 'application/json'): Promise<Answer> {
  const headers = { authorization: `Bearer ${range.observer.allot.token}`, accept }
  const response = await pool.request({ method, path, headers, body: null })
  const text = await response.body.text()
  expect(answerProblem({ code: response.statusCode, headers: response.headers, text }, method)).toBeUndefined()
  return { code: response.statusCode, text }
}

const terms = (count: number, of: (index: number) => string): string =>
  encodeURIComponent(Array.from({ length: count }, (_, index) => of(index)).join(','))

describe(`a selector of ${TERMS} terms in a URL is answered in time linear in their number`, () => {
  const queries: Readonly<Record<string, readonly [(count: number) => string, code: number, found: number]>> = {
    'labels that are not so': [(count) => `labelSelector=${terms(count, (at) => `k${at}!=v`)}`, 200, OBJECTS + 1],
    'labels that are not there': [(count) => `labelSelector=${terms(count, (at) => `!k${at}`)}`, 200, OBJECTS + 1],
    'one label in a set': [
      (count) => `labelSelector=${terms(count, (at) => (at === 0 ? 'all in (yes' : `v${at}`))})`,
      200,
      OBJECTS,
    ],
    'fields that are not so': [
      (count) => `fieldSelector=${terms(count, (at) => `metadata.name!=v${at}`)}`,
      200,
      OBJECTS + 1,
    ],
    'the same field again and again': [(count) => `fieldSelector=${terms(count, () => 'metadata.name=m7')}`, 200, 1],
    'labels that cannot be': [(count) => `labelSelector=${terms(count, (at) => `-k${at}=v`)}`, 400, 0],
    'values that cannot be': [
      (count) => `labelSelector=${terms(count, (at) => (at === 0 ? 'a in (-b' : `-v${at}`))})`,
      400,
      0,
    ],
    'fields that nobody knows': [(count) => `fieldSelector=${terms(count, (at) => `f${at}=v`)}`, 400, 0],
    'nothing but commas': [(count) => `labelSelector=${','.repeat(count)}`, 400, 0],
    'a set that is never closed': [
      (count) => `labelSelector=a in (${'b,'.repeat(count)}`.replaceAll(' ', '%20'),
      400,
      0,
    ],
  }
  for (const [what, [query, expected, found]] of Object.entries(queries)) {
    test(what, async () => {
      const list = async (count: number): Promise<Answer> => send('GET', `${maps}?${query(count)}`)
      const { code, text } = await list(TERMS)
      expect(code).toBe(expected)
      if (code === 200) expect((JSON.parse(text) as { items: object[] }).items).toHaveLength(found)
      expect(await range.growth(list, TERMS / 10)).toBeLessThan(MOST_GROWTH)
    })
  }

  test('to delete a collection', async () => {
    for (const name of ['gone-1', 'gone-2'])
      await range.send('POST', maps, { metadata: { name, labels: { gone: 'yes' } } })
    const selector = `labelSelector=gone,${terms(TERMS, (at) => `k${at}!=v`)}`
    const { code, text } = await send('DELETE', `${maps}?${selector}`)
    expect([code, (JSON.parse(text) as { items: object[] }).items.length]).toEqual([200, 2])
    expect(
      await range.growth(
        (count) => send('DELETE', `${maps}?labelSelector=none,${terms(count, (at) => `k${at}!=v`)}`),
        TERMS / 10,
      ),
    ).toBeLessThan(MOST_GROWTH)
  })

  test('to watch', async () => {
    const connection = await RawConnection.open(range.observer.allot)
    const path = `${maps}?watch=1&timeoutSeconds=1&labelSelector=own5,${terms(TERMS, (at) => `k${at}!=v`)}`
    connection.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${range.observer.allot.token}\r\n\r\n`,
    )
    const { code, body } = await connection.reply(60_000)
    expect([code, body.includes('"name":"m5"')]).toEqual([200, true])
  })

  test('a head of more than a mebibyte and a half is refused with a Status', async () => {
    const connection = await RawConnection.open(range.observer.allot)
    connection.write(`GET ${maps}?labelSelector=${'a,'.repeat(900_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)
    const { code, body } = await connection.reply(60_000)
    expect([code, answerProblem({ code, text: body, headers: { 'content-type': 'application/json' } }, 'GET')]).toEqual(
      [431, undefined],
    )
  })

  test('10,000 parts of a path name nothing, and 10,000 parameters are beyond the bound', async () => {
    expect((await send('GET', `${maps}/${'a/'.repeat(TERMS)}`)).code).toBe(404)
    expect((await send('GET', `${maps}?${'limit=5&'.repeat(TERMS)}`)).code).toBe(431)
  })
})

describe('selectors in objects', () => {
  const expressions = (count: number): readonly object[] =>
    Array.from({ length: count }, (_, at) => ({ key: `k${at}`, operator: 'NotIn', values: ['v'] }))
  const pod = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } }

  const objects: Readonly<Record<string, readonly [path: string, (count: number) => object]>> = {
    'of a deployment': [
      '/apis/apps/v1/namespaces/range/deployments',
      (count) => ({
        spec: { selector: { matchLabels: { a: 'b' }, matchExpressions: expressions(count) }, template: pod },
      }),
    ],
    'of a disruption budget': [
      '/apis/policy/v1/namespaces/range/poddisruptionbudgets',
      (count) => ({ spec: { minAvailable: 1, selector: { matchExpressions: expressions(count) } } }),
    ],
    'of the scopes of a quota': [
      '/api/v1/namespaces/range/resourcequotas',
      (count) => ({
        spec: {
          hard: { pods: '1000000' },
          scopeSelector: {
            matchExpressions: Array.from({ length: count }, (_, at) => ({
              scopeName: 'PriorityClass',
              operator: 'NotIn',
              values: [`p${at}`],
            })),
          },
        },
      }),
    ],
    'of roles that are aggregated': [
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      (count) => ({
        aggregationRule: {
          clusterRoleSelectors: Array.from({ length: count }, (_, at) => ({ matchLabels: { [`k${at}`]: 'v' } })),
        },
      }),
    ],
    'of webhooks': [
      '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
      (count) => ({
        webhooks: [
          {
            name: 'a.range.test',
            clientConfig: { url: 'https://127.0.0.1:1/hook' },
            rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['secrets'] }],
            objectSelector: { matchExpressions: [...expressions(count), { key: 'never', operator: 'Exists' }] },
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      }),
    ],
  }
  for (const [what, [path, body]] of Object.entries(objects)) {
    test(`${what} are taken and obeyed in time linear in their length`, async () => {
      const made: string[] = []
      expect(
        await range.growth(async (count) => {
          const { code, object } = await range.send('POST', path, { metadata: { generateName: 'a-' }, ...body(count) })
          expect(code).toBe(201)
          made.push(`${path}/${object.metadata.name}`)
          await range.send('POST', `${range.namespace}/secrets`, { metadata: { generateName: 'a-' } })
          await range.send('POST', `${range.namespace}/pods`, {
            ...pod,
            metadata: { generateName: 'a-', labels: { a: 'b' } },
          })
          await range.send('DELETE', made.pop() ?? '')
        }, TERMS / 10),
      ).toBeLessThan(MOST_GROWTH)
    })
  }
})

describe('columns of a definition', () => {
  const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io'
  const FREE = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
  const rows = (text: string): readonly { readonly cells: readonly unknown[] }[] =>
    (JSON.parse(text) as { rows: { cells: unknown[] }[] }).rows
  const deep = (depth: number): object => (depth === 0 ? {} : { a: deep(depth - 1) })

  const paths: Readonly<Record<string, string>> = {
    'of 10,000 steps': '.a'.repeat(10_000),
    'that goes down everywhere, again and again': '..a'.repeat(30),
    'of anything of anything': '..*..*..*..*',
    'of 2,000 filters': `.a${'[?(@.b=="x")]'.repeat(2000)}`,
    'of a range beyond all bounds': '.list[0:1000000000000]',
    'of a name of a megabyte': `.${'a'.repeat(1_000_000)}`,
    'of 10,000 braces': '{'.repeat(10_000),
  }
  for (const [what, jsonPath] of Object.entries(paths)) {
    test(`a path ${what} is refused, or fills its cell in bounded time`, async () => {
      const columns = { additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath }] }
      const { reply, objects, kind } = await range.defineBounded(FREE, columns)
      expect([201, 422]).toContain(reply.code)
      if (reply.code !== 201) return
      const custom = {
        apiVersion: 'range.test/v1',
        kind,
        metadata: { name: 'a' },
        a: deep(300),
        list: Array.from({ length: 5000 }, (_, at) => ({ a: [at] })),
      }
      await range.send('POST', objects, custom)
      const { code, text } = await range.bounded(
        () => send('GET', objects, TABLE),
        () => send('GET', objects),
      )
      expect([code, rows(text).length]).toEqual([200, 1])
    })
  }

  test('10,000 of them that visit all of an object fill as many cells as they may', async () => {
    const additionalPrinterColumns = Array.from({ length: 10_000 }, (_, at) => ({
      name: `C${at}`,
      type: 'string',
      jsonPath: '..x',
    }))
    const { objects, kind } = await range.defineBounded(FREE, { additionalPrinterColumns })
    const list = Array.from({ length: 2000 }, (_, at) => ({ x: [at] }))
    await range.send('POST', objects, { apiVersion: 'range.test/v1', kind, metadata: { name: 'a' }, list })
    const { code, text } = await send('GET', objects, TABLE)
    expect([code, rows(text)[0]?.cells.length]).toEqual([200, 10_001])
    expect(rows(text)[0]?.cells.filter((cell) => cell !== null).length).toBeLessThan(2000)
  })
})
