import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { MOST_GROWTH, Range } from './range.ts'

let range: Range
let maps: string

beforeAll(async () => {
  range = await Range.start()
  maps = `${range.namespace}/configmaps`
})
afterEach(() => range.tidy())
afterAll(() => range.stop())

/** How much memory bombs may take that are refused before they are kept; one of them took a gigabyte, and each on its own. */
const MOST_BOMB_MB = 300

const small = () => range.send('POST', maps, { metadata: { generateName: 'small-' } })
const numbered = (count: number, of: (index: number) => string, between = ''): string =>
  Array.from({ length: count }, (_, index) => of(index)).join(between)
const object = (count: number, of: (index: number) => readonly [string, unknown]): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => of(index)))
const nested = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)

describe('YAML that means harm is answered in bounded time', () => {
  /** Each level names the one below it nine times. */
  const laughs = [
    'a0: &a0 [x,x,x,x,x,x,x,x,x]',
    ...Array.from({ length: 9 }, (_, at) => `a${at + 1}: &a${at + 1} [${numbered(9, () => `*a${at}`, ',')}]`),
  ].join('\n')
  const merges = [
    'a0: &a0 {k: v}',
    ...Array.from({ length: 40 }, (_, at) => `a${at + 1}: &a${at + 1} {<<: [*a${at}, *a${at}], k${at}: v}`),
  ].join('\n')
  const refused: Readonly<Record<string, string>> = {
    'aliases that multiply': laughs,
    'merge keys that multiply': merges,
    'an alias of a large text, 1,000 times': `data:\n  z: &z "${'x'.repeat(1_000_000)}"\n${numbered(1000, (at) => `  k${at}: *z\n`)}`,
    '20,000 aliases': `z: &z v\n${numbered(20_000, (at) => `k${at}: *z\n`)}`,
    'sequences 100,000 deep': '- '.repeat(100_000),
    'maps 50,000 deep': '{a: '.repeat(50_000),
    'complex keys 20,000 deep': '? '.repeat(20_000),
    '20,000 maps in one line': 'a: '.repeat(20_000),
    '10,000 tags': `a: ${'!x '.repeat(10_000)}`,
    'nothing but dashes': '-'.repeat(3_000_000),
    'nothing but newlines': '\n'.repeat(200_000),
    'a directive without an end': '%'.repeat(1_000_000),
    'a merge of a number': 'metadata: {name: a, <<: [1, *b]}\nb: &b c',
  }
  for (const [what, body] of Object.entries(refused)) {
    test(`${what}, refused`, async () => {
      const { code } = await range.bounded(() => range.send('POST', maps, body, 'application/yaml'), small)
      expect([400, 413, 422]).toContain(code)
    })
  }

  const taken: Readonly<Record<string, string>> = {
    'an anchor of 100,000 characters': `a: &${'x'.repeat(100_000)} b\nmetadata: {generateName: a-}\n`,
    '10,000 anchors': `${numbered(10_000, (at) => `k${at}: &n${at} v\n`)}metadata: {generateName: a-}\n`,
    '100,000 documents behind the first': `metadata: {generateName: a-}\n${'---\na: b\n'.repeat(100_000)}`,
    '100,000 comments': `${'# x\n'.repeat(100_000)}metadata: {generateName: a-}\n`,
    '500,000 escapes': `data: {a: "${String.raw`\x41`.repeat(500_000)}"}\nmetadata: {generateName: a-}\n`,
    'a key that is there 10,000 times': `metadata: {generateName: a-}\n${'a: b\n'.repeat(10_000)}`,
  }
  for (const [what, body] of Object.entries(taken)) {
    test(`${what}, taken`, async () => {
      const { code } = await range.bounded(() => range.send('POST', maps, body, 'application/yaml'), small)
      expect(code).toBe(201)
    })
  }

  test('applied, it is refused as well', async () => {
    const path = `${maps}/applied?fieldManager=bomb`
    const { code } = await range.bounded(() => range.send('PATCH', path, laughs, 'application/apply-patch+yaml'), small)
    expect(code).toBe(400)
  })

  test('many at once are answered, in little memory, and what is sound is read behind them', async () => {
    const bombs = ['['.repeat(1_000_000), '#\n'.repeat(1_000_000), '!!str '.repeat(100_000), '] '.repeat(1_000_000)]
    const path = `${maps}/many?fieldManager=bomb`
    const before = range.observer.mostMemoryMb()
    const codes = await Promise.all(
      [...bombs, ...bombs, ...bombs].map(
        async (body) => (await range.send('PATCH', path, body, 'application/apply-patch+yaml')).code,
      ),
    )
    // A body with too many tokens is rejected before it is read.
    expect(new Set(codes)).toEqual(new Set([400, 413]))
    expect(range.observer.mostMemoryMb() - before).toBeLessThan(MOST_BOMB_MB)
    const data = '    key: value # of a text\n'.repeat(30_000)
    const sound = `${'# a comment\n'.repeat(10_000)}metadata: {name: sound}\ndata:\n  text: |\n${data}`
    expect((await range.send('POST', maps, sound, 'application/yaml')).code).toBe(201)
    const { object: stored } = await range.send('GET', `${maps}/sound`)
    expect(stored['data']).toEqual({ text: data.replaceAll('    ', '') })
  })

  test('many large texts at once are read or put off, and others are served meanwhile', async () => {
    const body = `data:\n${numbered(4000, (at) => `  key${at}: v\n`)}metadata: {generateName: large-}\n`
    const codes = Promise.all(
      Array.from({ length: 30 }, async () => (await range.send('POST', maps, body, 'application/yaml')).code),
    )
    let served = 0
    const done = codes.then(() => true)
    while (!(await Promise.race([done, small().then(() => false)]))) served++
    expect(new Set(await codes)).toEqual(new Set([201, 429]))
    expect(served).toBeGreaterThan(10)
  })
})

describe('JSON', () => {
  test.each([1001, 10_001, 100_000])('that is nested %i deep is refused', async (depth) => {
    const { code } = await range.bounded(
      () => range.send('POST', maps, `{"metadata":{"name":"deep"},"x":${nested(depth)}}`),
      small,
    )
    expect(code).toBe(400)
  })

  test('that is nested 900 deep is taken, patched, applied and shown', async () => {
    const { objects, kind } = await range.define({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true })
    const custom = (name: string) =>
      `{"apiVersion":"range.test/v1","kind":"${kind}","metadata":{"name":"${name}"},"x":${nested(900)}}`
    expect((await range.send('POST', objects, custom('posted'))).code).toBe(201)
    const applied = `${objects}/applied?fieldManager=one`
    expect((await range.send('PATCH', applied, custom('applied'), 'application/apply-patch+yaml')).code).toBe(201)
    const patch = `{"y":${nested(900)}}`
    expect((await range.send('PATCH', `${objects}/posted`, patch, 'application/merge-patch+json')).code).toBe(200)
    expect((await range.send('GET', objects)).code).toBe(200)
  })

  test('schemas that are nested 300 deep, or have 10,000 choices, are taken or refused', async () => {
    const deep = JSON.parse(`${'{"type":"object","properties":{"a":'.repeat(300)}{"type":"string"}${'}}'.repeat(300)}`)
    expect((await range.defineBounded(deep)).reply.code).toBe(201)
    const choices = Array.from({ length: 10_000 }, (_, at) => ({ required: [`f${at}`] }))
    const { reply, objects, kind } = await range.defineBounded({
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      anyOf: choices,
    })
    expect(reply.code).toBe(201)
    const nothing = { apiVersion: 'range.test/v1', kind, metadata: { name: 'nothing' } }
    expect((await range.bounded(() => range.send('POST', objects, nothing), small)).code).toBe(422)
  })
})

describe('patches that mean harm', () => {
  const JSON_PATCH = 'application/json-patch+json'
  const STRATEGIC = 'application/strategic-merge-patch+json'
  const APPLY = 'application/apply-patch+yaml'
  const made = async (data: object): Promise<string> => {
    const { object: created } = await range.send('POST', maps, { metadata: { generateName: 'made-' }, data })
    return `${maps}/${created.metadata.name}`
  }

  test('copies that double with each operation are refused', async () => {
    const path = await made({ a: 'x'.repeat(1000) })
    const copies = Array.from({ length: 40 }, (_, at) => ({ op: 'copy', from: '', path: `/x${at}` }))
    expect((await range.bounded(() => range.send('PATCH', path, copies, JSON_PATCH), small)).code).toBe(422)
  })

  test('10,001 operations are refused', async () => {
    const path = await made({ a: 'b' })
    const tests = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: 'b' }))
    expect((await range.bounded(() => range.send('PATCH', path, tests, JSON_PATCH), small)).code).toBe(413)
  })

  const operations: Readonly<Record<string, (index: number) => readonly object[]>> = {
    'at the front of a long list': () => [{ op: 'add', path: '/list/0', value: 1 }],
    'that move things in a long list': () => [{ op: 'move', from: '/list/0', path: '/list/50000' }],
    'that copy and then write': () => [
      { op: 'copy', from: '/list/0', path: '/copy' },
      { op: 'add', path: '/list/-', value: 1 },
    ],
    'on a path of their own': (at) => [{ op: 'add', path: `/k${at}`, value: 1 }],
  }
  for (const [what, of] of Object.entries(operations)) {
    test(`thousands of operations ${what} are done in bounded time`, async () => {
      const { objects, kind } = await range.define({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true })
      const list = Array.from({ length: 100_000 }, (_, at) => at)
      await range.send('POST', objects, { apiVersion: 'range.test/v1', kind, metadata: { name: 'a' }, list })
      const patch = Array.from({ length: 4000 }, (_, at) => of(at)).flat()
      expect((await range.bounded(() => range.send('PATCH', `${objects}/a`, patch, JSON_PATCH), small)).code).toBe(200)
    })
  }

  test('strategic merges of long lists take time linear in their length', async () => {
    const pods = `${range.namespace}/pods`
    const env = (count: number, value: string) => Array.from({ length: count }, (_, at) => ({ name: `E${at}`, value }))
    const shot = async (count: number): Promise<void> => {
      const { object: pod } = await range.send('POST', pods, {
        metadata: { generateName: 'a-' },
        spec: { containers: [{ name: 'c', image: 'i', env: env(count, 'a') }] },
      })
      const order = env(count, '').map(({ name }) => ({ name }))
      const container = { name: 'c', env: env(count, 'b'), '$setElementOrder/env': order.toReversed() }
      const patch = { metadata: { labels: { a: 'b' } }, spec: { containers: [container] } }
      await range.send('PATCH', `${pods}/${pod.metadata.name}`, patch, STRATEGIC)
    }
    expect(await range.growth(shot, 1000)).toBeLessThan(MOST_GROWTH)
  })

  test('merges and applies of many keys take time linear in their number', async () => {
    const keys = (prefix: string, count: number, value: string) => object(count, (at) => [`${prefix}${at}`, value])
    const shot = async (count: number): Promise<void> => {
      const path = await made({})
      const name = path.slice(path.lastIndexOf('/') + 1)
      const applied = (manager: string, data: object, more = '') =>
        range.send(
          'PATCH',
          `${path}?fieldManager=${manager}${more}`,
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data },
          APPLY,
        )
      await range.send('PATCH', path, { data: keys('m', count, 'a') }, 'application/merge-patch+json')
      expect((await applied('one', keys('a', count, 'a'))).code).toBe(200)
      expect((await applied('one', keys('b', count, 'a'))).code).toBe(200)
      expect((await applied('two', keys('b', count, 'b'))).code).toBe(409)
      expect((await applied('two', keys('b', count, 'b'), '&force=true')).code).toBe(200)
    }
    expect(await range.growth(shot, 1000)).toBeLessThan(MOST_GROWTH)
  })
})

describe('objects that are large', () => {
  test('annotations are taken up to 256 KiB and refused beyond', async () => {
    const annotated = (size: number) =>
      range.send('POST', maps, { metadata: { generateName: 'a-', annotations: { a: 'x'.repeat(size - 1) } } })
    expect((await annotated(256 * 1024)).code).toBe(201)
    const { code, status } = await annotated(256 * 1024 + 1)
    expect([code, status.message?.includes('metadata.annotations: Too long')]).toEqual([422, true])
  })

  test('a text of just under 1.5 MiB is stored whole and one of just under 3 MiB refused', async () => {
    const { objects, kind } = await range.define({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true })
    const text = 'x'.repeat(1.5 * 1024 * 1024 - 1000)
    const custom = { apiVersion: 'range.test/v1', kind, metadata: { name: 'large' }, text }
    expect((await range.bounded(() => range.send('POST', objects, custom), small)).code).toBe(201)
    expect((await range.send('GET', `${objects}/large`)).object['text']).toBe(text)
    const larger = { ...custom, metadata: { name: 'larger' }, text: text + text }
    expect((await range.bounded(() => range.send('POST', objects, larger), small)).code).toBe(500)
    const { code } = await range.send('POST', maps, { metadata: { name: 'large' }, data: { text } })
    expect(code).toBe(422)
  })

  test('with 10,000 managers they are patched and applied in bounded time', async () => {
    const managedFields = Array.from({ length: 10_000 }, (_, at) => ({
      manager: `m${at}`,
      operation: 'Update',
      apiVersion: 'v1',
      time: '2026-01-01T00:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:data': { [`f:k${at}`]: {} } },
    }))
    const data = object(10_000, (at) => [`k${at}`, 'v'])
    const { code } = await range.bounded(
      () => range.send('POST', maps, { metadata: { name: 'managed', managedFields }, data }),
      small,
    )
    expect(code).toBe(201)
    const path = `${maps}/managed`
    await range.bounded(() => range.send('PATCH', path, { data: { a: 'b' } }, 'application/merge-patch+json'), small)
    const config = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'managed' },
      data: object(10_000, (at) => [`k${at}`, 'w']),
    }
    const applied = await range.bounded(
      () => range.send('PATCH', `${path}?fieldManager=x`, config, 'application/apply-patch+yaml'),
      small,
    )
    expect(applied.code).toBe(409)
  })

  test('fields that managers claim may be nested deep, or be nonsense', async () => {
    const claiming = (fieldsV1: string) =>
      range.send(
        'POST',
        maps,
        `{"metadata":{"generateName":"a-","managedFields":[{"manager":"m","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":${fieldsV1}}]}}`,
      )
    for (const fields of [
      `${'{"f:a":'.repeat(900)}{}${'}'.repeat(900)}`,
      '{"k:{{{":{},"v:[":{},"i:x":{},"f:":1}',
      '[]',
      '"x"',
    ])
      expect([201, 400, 422]).toContain((await range.bounded(() => claiming(fields), small)).code)
  })

  test('the answer to mistakes that each print a large value is bounded', async () => {
    const scopes = Array.from({ length: 50_000 }, (_, at) => `scope-${at}`)
    const quota = { metadata: { name: 'scopes' }, spec: { hard: { pods: '1' }, scopes } }
    const { code, text } = await range.bounded(
      () => range.send('POST', `${range.namespace}/resourcequotas`, quota),
      small,
    )
    expect(code).toBe(422)
    expect(text.length).toBeLessThan(64 * 1024 * 1024)
  })

  test('warnings for 100,000 unknown fields are sent as far as headers go', async () => {
    const unknown = object(100_000, (at) => [`f${at}`, 1])
    const { code, headers } = await range.bounded(
      () => range.send('POST', maps, { metadata: { generateName: 'a-' }, ...unknown }),
      small,
    )
    expect(code).toBe(201)
    expect(JSON.stringify(headers).length).toBeLessThan(16 * 1024)
  })
})
