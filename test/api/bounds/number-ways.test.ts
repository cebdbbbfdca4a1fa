import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { encodeProtobuf } from '../../../src/apiserver/protobuf/encode.ts'
import { compileProtobuf } from '../../../src/apiserver/protobuf/message-set.ts'
import type { Answer } from '../../in-process.ts'
import { GROUP, hookedServer, patched } from '../admission/hooked-server.ts'

/**
 * Every way in which a body or a patch comes in, with numbers that no float64, no int64 or no JSON holds: each is refused, or
 * stored as Kubernetes stores it, and none is stored as null or breaks the server.
 */
const hooked = hookedServer()

/** No float64 holds the first ones, no int64 the next ones; YAML knows the last ones. */
const NUMBERS = [
  '1e400',
  '-1e400',
  `1${'0'.repeat(310)}`,
  '99999999999999999999',
  '9223372036854775808',
  '1e308',
  '.nan',
  '.inf',
  `0x${'f'.repeat(300)}`,
  `0b1${'0'.repeat(70)}`,
]
/** A number as a test's name shows it. */
const SHOWN = NUMBERS.map((number) => [
  number.length > 20 ? `${number.slice(0, 4)}… of ${number.length}` : number,
  number,
])

/** Fields of a custom resource, typed in their schema or not. */
const FIELDS = ['integer', 'number', 'either', 'free'] as const
type Field = (typeof FIELDS)[number]

const DEPLOYMENT =
  '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"%name"},"spec":{"replicas":%number,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}'
const REVISION =
  '{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"%name"},"revision":1,"data":{"a":%number}}'

/** A place for a number: where objects are made, an object with `%number` and `%name`, and the pointer to the number. */
interface Target {
  readonly path: string
  readonly object: string
  readonly pointer: string
  readonly custom: boolean
}

async function targets(): Promise<readonly Target[]> {
  const { server, ns } = hooked
  const properties: Readonly<Record<Field, object>> = {
    integer: { type: 'integer' },
    number: { type: 'number' },
    either: { 'x-kubernetes-int-or-string': true },
    free: { 'x-kubernetes-preserve-unknown-fields': true },
  }
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } }
  await server.send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'oars.harbour.test' },
    spec: {
      group: 'harbour.test',
      scope: 'Namespaced',
      names: { plural: 'oars', kind: 'Oar' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  })
  const oars = `/apis/harbour.test/v1/namespaces/${ns}/oars`
  await server.until(oars, ({ kind }) => kind === 'OarList')
  const apps = `/apis/apps/v1/namespaces/${ns}`
  return [
    { path: `${apps}/deployments`, object: DEPLOYMENT, pointer: '/spec/replicas', custom: false },
    { path: `${apps}/controllerrevisions`, object: REVISION, pointer: '/data/a', custom: false },
    ...FIELDS.map((field) => ({
      path: oars,
      object: `{"apiVersion":"harbour.test/v1","kind":"Oar","metadata":{"name":"%name"},"spec":{"${field}":%number}}`,
      pointer: `/spec/${field}`,
      custom: true,
    })),
  ]
}

/** Every way, as method, type, what stands in the query besides, and the body. YAML begins with a line break to be read as such. */
function waysOf({ object, pointer, custom }: Target, number: string) {
  const whole = (name: string): string => object.replace('%number', number).replace('%name', name)
  const fragment = pointer
    .split('/')
    .slice(1)
    .reduceRight((inner, name) => `{"${name}":${inner}}`, number)
  const operations = `[{"op":"add","path":"${pointer}","value":${number}}]`
  const apply = { method: 'PATCH', type: 'application/apply-patch+yaml', query: '&fieldManager=m&force=true' }
  return [
    { way: 'JSON', method: 'POST', type: 'application/json', body: whole('new') },
    { way: 'YAML', method: 'POST', type: 'application/yaml', body: `\n${whole('new')}` },
    { way: 'JSON as YAML', method: 'POST', type: 'application/yaml', body: whole('new') },
    { way: 'a replacement', method: 'PUT', type: 'application/yaml', body: `\n${whole('base')}` },
    ...['Strict', 'Ignore'].flatMap((validation) => {
      const query = `&fieldValidation=${validation}`
      return [
        { way: 'a merge', method: 'PATCH', type: 'application/merge-patch+json', body: fragment, query },
        { way: 'a JSON patch', method: 'PATCH', type: 'application/json-patch+json', body: operations, query },
        ...(custom
          ? []
          : [
              {
                way: 'a merge',
                method: 'PATCH',
                type: 'application/strategic-merge-patch+json',
                body: fragment,
                query,
              },
            ]),
      ]
    }),
    { way: 'an apply', ...apply, body: `\n${whole('base')}` },
    { way: 'an apply in JSON', ...apply, body: whole('base') },
  ] as const
}

/** The requests that Kubernetes answers with 500 where an applied value has another type than its field, whatever the value is. */
const MISTYPED = /^failed to (?:create typed patch object|convert new object) \(/

const valueAt = (body: Answer['body'], pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce((value, name) => value?.[name], body)

/** The mistake in an answer; undefined for a rejection, and for a value that equals the one that was sent. */
function wrong({ status, body }: Answer, { pointer }: Target, number: string): string | undefined {
  if (status < 300) {
    const value = valueAt(body, pointer)
    return value === number || (typeof value === 'number' && value === Number(number))
      ? undefined
      : `${status} with ${JSON.stringify(value)}`
  }
  return status < 500 || MISTYPED.test(body.message) ? undefined : `${status} ${body.message}`
}

test.each(SHOWN)('%s is refused, or kept, however it comes in', async (_shown, number = '') => {
  const { server } = hooked
  const found: string[] = []
  for (const target of await targets()) {
    const base = target.object.replace('%number', '1').replace('%name', 'base')
    await server.send('POST', target.path, base)
    for (const { way, method, type, body, ...more } of waysOf(target, number)) {
      const name = method === 'POST' ? '' : '/base'
      const query = 'query' in more ? more.query : ''
      const answer = await server.send(method, `${target.path}${name}?dryRun=All${query}`, body, {
        'content-type': type,
      })
      const problem = wrong(answer, target, number)
      if (problem !== undefined) found.push(`${target.pointer} by ${way}: ${problem}`)
    }
  }
  expect(found).toEqual([])
  expect(server.complaints).toEqual([])
})

describe('in the patch of a webhook', () => {
  test.each(SHOWN)('%s is refused, or kept', async (_shown, number = '') => {
    const { server } = hooked
    const rules = [{ operations: ['CREATE'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }]
    const found: string[] = []
    const all = await targets()
    await hooked.register('mutating', { rules, failurePolicy: 'Fail' })
    for (const target of all) {
      const patch = `[{"op":"add","path":"${target.pointer}","value":${number}}]`
      hooked.answer = () => ({
        ...patched([]),
        patch: Buffer.from(patch).toString('base64'),
      })
      const body = target.object.replace('%number', '1').replace('%name', 'hooked')
      const answer = await server.send('POST', `${target.path}?dryRun=All`, body)
      const isReported = answer.status === 500 && String(answer.body.message).startsWith('Internal error occurred: ')
      const problem = isReported ? undefined : wrong(answer, target, number)
      if (problem !== undefined) found.push(`${target.pointer}: ${problem}`)
    }
    await server.send('DELETE', `${GROUP}/mutatingwebhookconfigurations`)
    expect(found).toEqual([])
    expect(server.complaints).toEqual([])
  })
})

describe('in protobuf', () => {
  const data: unknown = JSON.parse(
    readFileSync(new URL('../../../schemas/kubernetes-1.36-protobuf.json', import.meta.url), 'utf8'),
  )
  const messages = compileProtobuf(data as never)
  const post = async (path: string, body: Uint8Array): Promise<Answer> => {
    const { url, token } = hooked.server
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.kubernetes.protobuf' },
      body: new Uint8Array(body),
    })
    return { status: response.status, body: await response.json(), headers: response.headers }
  }
  /** An object in protobuf in which eight bytes, or as many letters, stand for others. */
  const encoded = (object: object, from: Buffer, to: Buffer): Buffer => {
    const bytes = encodeProtobuf(messages, object as never) ?? Buffer.alloc(0)
    const at = bytes.indexOf(from)
    expect([at >= 0, from.length]).toEqual([true, to.length])
    return Buffer.concat([bytes.subarray(0, at), to, bytes.subarray(at + from.length)])
  }
  const double = (value: number): Buffer => {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleLE(value)
    return bytes
  }

  test.each([NaN, Infinity, -Infinity])('%d is refused as the value of a schema', async (value) => {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'masts.harbour.test' },
      spec: {
        group: 'harbour.test',
        scope: 'Namespaced',
        names: { plural: 'masts', kind: 'Mast' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', properties: { n: { type: 'number', maximum: 12_345.5 } } } },
          },
        ],
      },
    }
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All'
    const { status, body } = await post(path, encoded(definition, double(12_345.5), double(value)))
    expect([status, body.reason]).toEqual([400, 'BadRequest'])
  })

  test.each(['1e400', '-1e40', '1e999'])('%s is refused, or kept, in JSON within', async (number) => {
    const revision = JSON.parse(REVISION.replace('%number', '"xxxxx"').replace('%name', 'raw'))
    const sent = Buffer.from(number.padEnd(7))
    const path = `/apis/apps/v1/namespaces/${hooked.ns}/controllerrevisions?dryRun=All`
    const { status, body } = await post(path, encoded(revision, Buffer.from('"xxxxx"'), sent))
    if (Number.isFinite(Number(number))) expect(body.data).toEqual({ a: Number(number) })
    else expect([status, body.reason]).toEqual([400, 'BadRequest'])
  })
})
