import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { MOST_GROWTH, Range, rulesOf, specOf } from './range.ts'

/** The log reports a webhook that failed and is ignored. */
const IGNORED = /"msg":"a webhook failed; its policy is to be ignored"/
let range: Range

beforeAll(async () => {
  range = await Range.start(IGNORED)
})
afterEach(() => range.tidy())
afterAll(() => range.stop())

const text = (maxLength: number): object => ({ type: 'string', maxLength })
const withText = (...rules: readonly string[]): object =>
  specOf({ type: 'object', properties: { text: text(100_000) }, ...rulesOf(...rules) })
const withList = (list: object, ...rules: readonly string[]): object =>
  specOf({ type: 'object', properties: { list: { type: 'array', items: text(16), ...list } }, ...rulesOf(...rules) })

describe('rules of a definition that mean harm are refused', () => {
  const bombs: Readonly<Record<string, readonly [object, RegExp]>> = {
    'loops within loops over a list without a bound': [
      withList({}, "self.list.all(x, self.list.all(y, self.list.all(z, x + y + z != '')))"),
      /estimated rule cost exceeds budget by factor of more than 100x/,
    ],
    'sixty loops within one another over a list of two': [
      withList(
        { maxItems: 2 },
        Array.from({ length: 60 }, (_, at) => `self.list.all(x${at}, `).join('') + `true${')'.repeat(60)}`,
      ),
      /estimated rule cost exceeds budget/,
    ],
    'many rules that are too dear together': [
      withList({ maxItems: 900_000 }, ...Array.from({ length: 12 }, () => "self.list.all(x, x.contains('a'))")),
      /estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of/,
    ],
    'a text that grows with each step': [
      withText('self.text.replace("a", self.text).replace("a", self.text).replace("a", self.text).size() > 0'),
      /estimated rule cost exceeds budget/,
    ],
    '40,000 parentheses': [withText(`${'('.repeat(40_000)}true${')'.repeat(40_000)}`), /recursion limit exceeded/],
    'a rule of 100,001 characters': [withText(`true${' '.repeat(99_997)}`), /exceeds limit/],
    'a regular expression that is huge when it is written out': [
      withText("self.text.matches('((x{100}){100}){100}')"),
      /invalid matches argument/,
    ],
    '2,000 regular expressions that are large': [
      withText(...Array.from({ length: 2000 }, (_, at) => `self.text.matches('x{1000}${at}')`)),
      /the regular expressions are too large/,
    ],
    '20,000 invalid rules': [
      withText(...Array.from({ length: 20_000 }, (_, at) => `self.nothing.matches(${at}`)),
      /Syntax error/,
    ],
  }
  for (const [what, [schema, message]] of Object.entries(bombs)) {
    test(what, async () => {
      const { reply } = await range.defineBounded(schema)
      expect([reply.code, message.test(reply.status.message ?? '')]).toEqual([422, true])
    })
  }

  test('but many plain ones are taken, in time linear in their number', async () => {
    const many = (count: number): object =>
      withText(...Array.from({ length: count }, (_, at) => `self.text.size() != ${at}`))
    expect(
      await range.growth(async (size) => expect((await range.define(many(size))).reply.code).toBe(201), 200),
    ).toBeLessThan(MOST_GROWTH)
  })
})

describe('objects that make rules dear are refused, in bounded time', () => {
  const refusal = async (schema: object, spec: object): Promise<string> => {
    const { reply, objects, kind } = await range.define(schema)
    expect(reply.code).toBe(201)
    const create = (name: string, value: object) =>
      range.send('POST', objects, { apiVersion: 'range.test/v1', kind, metadata: { name }, spec: value })
    const { code, status } = await range.bounded(
      () => create('bomb', spec),
      async () => create(`a${Math.random()}`.slice(0, 12), {}),
    )
    expect(code).toBe(422)
    return status.message ?? ''
  }
  const many = Array.from({ length: 900_000 }, () => '')

  test('a regular expression that would backtrack for ever', async () => {
    const spec = { text: `${'a'.repeat(99_000)}b` }
    expect(await refusal(withText("!has(self.text) || self.text.matches('(a+)+$')"), spec)).toContain('failed rule')
  })

  test('one rule over a list that is long', async () => {
    const schema = withList({ maxItems: 909_090 }, "!has(self.list) || self.list.all(x, x.contains('a') || true)")
    expect(await refusal(schema, { list: many })).toContain('call cost exceeds limit for rule')
  })

  test('many small rules', async () => {
    const items = { ...text(16), ...rulesOf(...Array.from({ length: 9 }, (_, at) => `!self.contains('${at}')`)) }
    const schema = specOf({ type: 'object', properties: { list: { type: 'array', maxItems: 900_000, items } } })
    expect(await refusal(schema, { list: many })).toContain(
      'running out of cost budget, no further validation rules will be run',
    )
  })
})

describe('patterns of a schema', () => {
  const withPattern = (pattern: string): object => specOf({ type: 'string', pattern })

  const refused: Readonly<Record<string, string>> = {
    'that is huge when it is written out': '(x{1000}){1000}',
    'of 50,000 groups within one another': '('.repeat(50_000) + ')'.repeat(50_000),
    'that only a backtracking engine knows': String.raw`(a)\1`,
  }
  for (const [what, pattern] of Object.entries(refused)) {
    test(`one ${what} is refused`, async () => {
      expect((await range.defineBounded(withPattern(pattern))).reply.code).toBe(422)
    })
  }

  test('2,000 that are large are refused', async () => {
    const fields = Array.from(
      { length: 2000 },
      (_, at) => [`f${at}`, { type: 'string', pattern: `x{1000}${at}` }] as const,
    )
    const { reply } = await range.defineBounded(specOf({ type: 'object', properties: Object.fromEntries(fields) }))
    expect(reply.code).toBe(422)
    expect(reply.status.message).toContain('the regular expressions of the schema are too large together')
  })

  const slow: Readonly<Record<string, string>> = {
    'loops within loops': '(a+)+$',
    'choices that are the same': '(a|a)*$',
    'anything, 100 times': `${'(.*)'.repeat(100)}$`,
  }
  for (const [what, pattern] of Object.entries(slow)) {
    test(`${what}: a text is matched in time linear in its length`, async () => {
      const { reply, objects, kind } = await range.define(withPattern(pattern))
      expect(reply.code).toBe(201)
      const create = (size: number) =>
        range.send('POST', objects, {
          apiVersion: 'range.test/v1',
          kind,
          metadata: { generateName: 'a' },
          spec: `${'a'.repeat(size)}b`,
        })
      expect(await range.growth(create, 20_000)).toBeLessThan(MOST_GROWTH)
    })
  }

  test('an object has only so much text for patterns that are large', async () => {
    const fields = Array.from(
      { length: 20 },
      (_, at) => [`f${at}`, { type: 'string', pattern: '(a?){1000}a{1000}$' }] as const,
    )
    const { objects, kind } = await range.define(specOf({ type: 'object', properties: Object.fromEntries(fields) }))
    const create = (size: number) =>
      range.send('POST', objects, {
        apiVersion: 'range.test/v1',
        kind,
        metadata: { generateName: 'a' },
        spec: Object.fromEntries(fields.map(([name]) => [name, `${'a'.repeat(size)}b`])),
      })
    const reply = await range.bounded(
      () => create(100_000),
      () => create(100),
    )
    expect([reply.code, reply.status.message?.includes('too long for the regular expressions')]).toEqual([422, true])
  })
})

describe('conditions of webhooks', () => {
  const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
  const DEAR = 'object.data.all(x, object.data.all(y, x + y != ""))'
  const hook = (name: string, conditions: readonly string[]): object => ({
    name: `${name}.range.test`,
    clientConfig: { url: 'https://127.0.0.1:1/hook' },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
    failurePolicy: 'Ignore',
    timeoutSeconds: 1,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    matchConditions: conditions.map((expression, at) => ({ name: `c${at}`, expression })),
  })
  const configure = (webhooks: readonly object[]) => range.send('POST', HOOKS, { metadata: { name: 'bomb' }, webhooks })
  const data = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`k${at}`, 'v']))
  const create = () => range.send('POST', `${range.namespace}/configmaps`, { metadata: { generateName: 'a' }, data })

  afterEach(() => range.send('DELETE', `${HOOKS}/bomb`))

  const taken: Readonly<Record<string, readonly object[]>> = {
    '64 that are each too dear': [
      hook(
        'a',
        Array.from({ length: 64 }, () => DEAR),
      ),
    ],
    'of 50 webhooks that are each too dear': Array.from({ length: 50 }, (_, at) => hook(`a${at}`, [DEAR])),
    'with regular expressions': [
      hook(
        'a',
        Array.from({ length: 64 }, (_, at) => `object.metadata.name.matches('(a+)+${at}$')`),
      ),
    ],
  }
  for (const [what, webhooks] of Object.entries(taken)) {
    test(`${what} hold up nobody`, async () => {
      const reply = await range.bounded(async () => {
        expect((await configure(webhooks)).code).toBe(201)
        return await create()
      }, create)
      expect(reply.code).toBe(201)
    })
  }

  test('65 for one webhook are refused', async () => {
    expect(
      (
        await configure([
          hook(
            'a',
            Array.from({ length: 65 }, () => 'true'),
          ),
        ])
      ).code,
    ).toBe(422)
  })

  test('that are too large to compile together are refused', async () => {
    const webhooks = Array.from({ length: 40 }, (_, n) =>
      hook(
        `a${n}`,
        Array.from({ length: 60 }, (_two, at) => `object.metadata.name.matches('x{1000}${n}-${at}')`),
      ),
    )
    const reply = await range.bounded(() => configure(webhooks), create)
    expect([reply.code, reply.status.message?.includes('the regular expressions are too large')]).toEqual([422, true])
  })
})
