import { stringify } from 'yaml'
import { describe, expect, test } from 'vitest'
import { compileProtobuf } from '../../../src/apiserver/protobuf/message-set.ts'
import { encodeProtobuf } from '../../../src/apiserver/protobuf/encode.ts'
import { parseJson } from '../../../src/machinery/json-text.ts'
import type { JsonObject } from '../../../src/machinery/object.ts'
import { apiServer, MERGE } from '../api-server.ts'
import { collectionOf, DIFFERENT_FIELDS, INT64_FIELDS, type Int64Field, objectWith, patchWith } from './int64-fields.ts'
import { readFileSync } from 'node:fs'

const api = apiServer()

const messages = compileProtobuf(
  JSON.parse(readFileSync(new URL('../../../schemas/kubernetes-1.36-protobuf.json', import.meta.url), 'utf8')),
)

/** The first whole number that a float64 rounds, what it rounds it to, and the last that it holds. */
const LARGE = '9007199254740993'
const ROUNDED = ['9007199254740992', '9007199254740994']
const EXACT = '9007199254740991'

const FIELDS = process.env['ALLOT_SOAK'] === undefined ? DIFFERENT_FIELDS : INT64_FIELDS

const jsonText = (value: unknown, digits: string): string => JSON.stringify(value).replaceAll('"@"', digits)

async function answerTo(method: string, path: string, body: string | Buffer, type: string): Promise<string> {
  const { url, token } = api.running
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': type },
    ...(method === 'GET' ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
  })
  return `${response.status} ${await response.text()}`
}

/** The fields that differ by nature between two answers to one request. */
const comparable = (answer: string, digits: string): string =>
  answer
    .replaceAll(digits, 'DIGITS')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'TIME')
    .replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access')
    .replaceAll(/"10\.\d+\.\d+\.\d+"/g, 'IP')
    .replaceAll(/"nodePort":\d+/g, 'PORT')

interface Way {
  readonly name: string
  readonly send: (field: Int64Field, digits: string) => Promise<string | undefined>
}

const at = ({ served }: Int64Field): string => collectionOf(served, 'default')
const query = '?dryRun=All&fieldValidation=Strict'

const WAYS: readonly Way[] = [
  {
    name: 'created as JSON',
    send: (field, digits) =>
      answerTo('POST', `${at(field)}${query}`, jsonText(objectWith(field, '@'), digits), 'application/json'),
  },
  {
    name: 'created as YAML',
    send: (field, digits) =>
      answerTo(
        'POST',
        `${at(field)}${query}`,
        stringify(objectWith(field, '@')).replaceAll('"@"', digits),
        'application/yaml',
      ),
  },
  {
    name: 'created as protobuf',
    send: async (field, digits) => {
      const object = parseJson(jsonText(objectWith(field, '@'), digits)) as JsonObject
      const body = encodeProtobuf(messages, object)
      return body && (await answerTo('POST', `${at(field)}?dryRun=All`, body, 'application/vnd.kubernetes.protobuf'))
    },
  },
  {
    name: 'applied',
    send: async (field, digits) => {
      const object = objectWith(field, '@')
      const { name } = object['metadata'] as { readonly name: string }
      return await answerTo(
        'PATCH',
        `${at(field)}/${name}${query}&fieldManager=sweep`,
        jsonText(object, digits),
        'application/apply-patch+yaml',
      )
    },
  },
  {
    name: 'merged, or into its status',
    send: async (field, digits) => {
      const { metadata } = objectWith(field, '@') as { readonly metadata: { readonly name: string } }
      const where = field.path[0] === 'status' ? '/status' : ''
      return await answerTo(
        'PATCH',
        `${at(field)}/${metadata.name}${where}${query}`,
        jsonText(patchWith(field, '@'), digits),
        MERGE['content-type'],
      )
    },
  },
]

describe('every number of 64 bits of every kind', () => {
  test('is in the schema data', () => {
    expect(INT64_FIELDS.length).toBeGreaterThan(300)
  })

  test.each(WAYS)('is kept, or refused, with all its digits when it is $name', async ({ name, send }) => {
    if (name.startsWith('merged'))
      for (const served of new Set(FIELDS.map((field) => field.served)))
        await api.send('POST', collectionOf(served, 'default'), objectWith({ served, path: ['kind'] }, served.kind))
    const wrong: string[] = []
    let kept = 0
    for (const field of FIELDS) {
      const large = await send(field, LARGE)
      const exact = await send(field, EXACT)
      if (large === undefined || exact === undefined) continue
      const label = `${field.served.kind} ${field.path.join('.')}`
      if (ROUNDED.some((digits) => large.includes(digits))) wrong.push(`${label} is rounded: ${large}`)
      else if (comparable(large, LARGE) !== comparable(exact, EXACT))
        wrong.push(`${label} is read differently:\n  ${comparable(large, LARGE)}\n  ${comparable(exact, EXACT)}`)
      if (/^20[01]/.test(large) && large.includes(LARGE)) kept++
    }
    expect(wrong).toEqual([])
    expect(kept).toBeGreaterThan(10)
  })
})

describe('computations with numbers of 64 bits', () => {
  const CLAIMS = 'resource.k8s.io/v1'

  test('a grace beyond 2^53 is kept with all its digits, asked for in a body, in a query and by the pod', async () => {
    const ns = await api.namespace()
    const pod = (name: string): string =>
      JSON.stringify({
        metadata: { name },
        spec: {
          nodeName: 'n',
          terminationGracePeriodSeconds: '@',
          containers: [{ name: 'c', image: 'i' }],
        },
      }).replace('"@"', LARGE)
    for (const name of ['a', 'b', 'c']) await api.send('POST', `${ns}/pods`, pod(name))
    const asked = { a: '', b: '?gracePeriodSeconds=3546343826724305832', c: '' }
    await api.send('DELETE', `${ns}/pods/a`)
    await api.send('DELETE', `${ns}/pods/b${asked.b}`)
    await api.send('DELETE', `${ns}/pods/c`, '{"gracePeriodSeconds":9223372036854775807}')
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((name) => answerTo('GET', `${ns}/pods/${name}`, '', 'application/json')),
    )
    expect(answers.map((answer) => /"deletionGracePeriodSeconds":(\d+)/.exec(answer)?.[1])).toEqual([
      LARGE,
      '3546343826724305832',
      '9223372036854775807',
    ])
  })

  test('a number in a query that 64 bits cannot hold is refused', async () => {
    const ns = await api.namespace()
    const { status, body } = await api.send('DELETE', `${ns}/pods/a?gracePeriodSeconds=9223372036854775808`)
    expect([status, body.message]).toEqual([400, 'strconv.ParseInt: parsing "9223372036854775808": value out of range'])
  })

  test('a version beyond 2^53 is named with all its digits when it is too large', async () => {
    const { body } = await api.send('GET', `/api/v1/pods?resourceVersion=${LARGE}`)
    expect(body.message).toContain(`Too large resource version: ${LARGE}, current: `)
  })

  test('devices beyond 2^53 are charged, and not taken for none', async () => {
    const ns = await api.namespace()
    await api.create(`${ns}/resourcequotas`, {
      metadata: { name: 'q' },
      spec: { hard: { 'gpu.deviceclass.resource.k8s.io/devices': '10' } },
    })
    const claim = {
      metadata: { name: 'c' },
      spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', count: '@' } }] } },
    }
    const path = `${ns.replace('/api/v1', `/apis/${CLAIMS}`)}/resourceclaims`
    await api.until(`${ns}/resourcequotas/q`, ({ status }) => status?.hard !== undefined)
    const { body } = await api.send('POST', path, JSON.stringify(claim).replace('"@"', LARGE))
    expect(body.message).toContain(`requested: gpu.deviceclass.resource.k8s.io/devices=${LARGE}`)
  })

  test('columns, selectors and the scale of custom resources read all digits', async () => {
    const schema = {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { size: { type: 'integer', format: 'int64' } } } },
      },
    }
    await api.define('crates', {
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema,
          selectableFields: [{ jsonPath: '.spec.size' }],
          additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
        },
        {
          name: 'v2',
          served: true,
          storage: false,
          schema,
          subresources: { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
        },
      ],
    })
    const ns = (await api.namespace()).replace('/api/v1', '/apis/harbour.test/v1')
    await api.until('/apis/harbour.test/v1', ({ kind }) => kind === 'APIResourceList')
    const crate = `{"apiVersion":"harbour.test/v1","kind":"Crate","metadata":{"name":"c"},"spec":{"size":${LARGE}}}`
    expect((await api.send('POST', `${ns}/crates`, crate)).status).toBe(201)
    const table = await answerTo('GET', `${ns}/crates?fieldSelector=spec.size=${LARGE}`, '', 'application/json')
    expect(table).toContain(`"size":${LARGE}`)
    const refused = await api.send(
      'POST',
      `${ns.replace('/v1/', '/v2/')}/crates`,
      crate.replace('test/v1', 'test/v2').replace('"c"', '"d"'),
    )
    expect(refused.body.message).toContain(`Invalid value: ${LARGE}: should be less than or equal to 2147483647`)
  })
})
