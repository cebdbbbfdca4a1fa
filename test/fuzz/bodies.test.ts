import { connect as connectHttp2 } from 'node:http2'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../api-client.ts'
import { mustCreate } from '../arena.ts'
import { growthIn } from '../growth.ts'
import { RawConnection, type RawReply } from './byte-connection.ts'
import { answerProblem, WatchObserver } from './watch-observer.ts'

const LIMIT = 3 * 1024 * 1024
const NAMESPACE = '/api/v1/namespaces/bodies'
const MAPS = `${NAMESPACE}/configmaps`
let observer: WatchObserver

beforeAll(async () => {
  observer = await WatchObserver.start()
  await mustCreate(observer.client, '/api/v1/namespaces', { metadata: { name: 'bodies' } })
})

afterEach(async () => {
  const complaint = await observer.complaint()
  if (complaint !== undefined) throw new Error(complaint)
})

afterAll(() => observer.stop())

const post = (body: unknown, type = 'application/json', path = MAPS): Promise<Reply> =>
  observer.client.send('POST', path, body, { type })

/** The code of an answer and what is wrong with it. */
function judged(reply: Reply | RawReply): { readonly code: number; readonly problem: string | undefined } {
  const text = 'body' in reply ? reply.body : reply.text
  return {
    code: reply.code,
    problem: answerProblem({ headers: { 'content-type': 'application/json' }, text, code: reply.code }, 'POST'),
  }
}

const TOO_LARGE = { code: 413, problem: undefined }

describe('a body over the limit is refused with 413', () => {
  const head = (more: string): string =>
    `POST ${MAPS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${observer.allot.token}\r\nContent-Type: application/json\r\n${more}\r\n\r\n`

  test('over HTTP/1.1 as soon as its length is announced', async () => {
    const connection = await RawConnection.open(observer.allot)
    connection.write(head(`Content-Length: ${LIMIT + 1}`))
    expect(judged(await connection.reply())).toEqual(TOO_LARGE)
  })

  test('over HTTP/1.1 while the client still sends it', async () => {
    expect(judged(await post('x'.repeat(LIMIT + 1)))).toEqual(TOO_LARGE)
  })

  test('over HTTP/1.1 in chunks, without an end', async () => {
    const connection = await RawConnection.open(observer.allot)
    connection.write(head('Transfer-Encoding: chunked'))
    for (let sent = 0; sent <= LIMIT; sent += 65_536) connection.write(`10000\r\n${'x'.repeat(65_536)}\r\n`)
    expect(judged(await connection.reply())).toEqual(TOO_LARGE)
  })

  const overHttp2 = async (length?: number): Promise<RawReply> => {
    const session = connectHttp2(observer.allot.url, { ca: observer.allot.ca })
    const stream = session.request({
      ':method': 'POST',
      ':path': MAPS,
      authorization: `Bearer ${observer.allot.token}`,
      'content-type': 'application/json',
      ...(length === undefined ? {} : { 'content-length': String(length) }),
    })
    let code = 0
    let body = ''
    stream.on('response', (headers) => (code = Number(headers[':status'])))
    stream.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    stream.on('error', () => undefined)
    const done = new Promise<void>((resolve) => {
      stream.on('end', resolve).on('close', resolve)
      setTimeout(resolve, 5000).unref()
    })
    for (let sent = 0; sent <= LIMIT; sent += 65_536) stream.write('x'.repeat(65_536))
    await done
    session.destroy()
    return { code, head: '', body }
  }

  test('over HTTP/2 with a length', async () => {
    expect(judged(await overHttp2(LIMIT + 65_536))).toEqual(TOO_LARGE)
  })

  test('over HTTP/2 without a length', async () => {
    expect(judged(await overHttp2())).toEqual(TOO_LARGE)
  })

  test('and one at the limit is not', async () => {
    const object = (data: string): string => JSON.stringify({ metadata: { name: 'large' }, data: { a: data } })
    const { code } = await post(object('x'.repeat(LIMIT - object('').length)))
    expect(code).not.toBe(413)
    expect(code).not.toBe(500)
  })
})

const deepArray = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const deepObject = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth)
const map = (more: string): string => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"}${more}}`

const REFUSED: Readonly<Record<string, string | Buffer>> = {
  'nothing at all': '',
  'a blank': '   ',
  'an array': '[]',
  'a number': '1',
  null: 'null',
  'no JSON': '{"metadata":',
  'a text after the object': `${map('')}{}`,
  'a trailing comma': '{"metadata":{"name":"m"},}',
  'an array 100,000 deep': deepArray(100_000),
  'an object 100,000 deep': deepObject(100_000),
  'an array 100,000 deep in a label': map(`,"data":${deepArray(100_000)}`),
  'an object 100,000 deep in its metadata': `{"metadata":{"name":"m","labels":${deepObject(100_000)}}}`,
  'an array that is never closed': '['.repeat(1_000_000),
  'an object that is never closed': '{"a":'.repeat(500_000),
  'bytes of invalid UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  'half a character': Buffer.from('{"metadata":{"name":"é"}}').subarray(0, 22),
  'an overlong character': Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
  'a NUL byte': '{"metadata":{"name":"m\0"}}',
  'a NUL byte between': '\0{"metadata":{"name":"m"}}',
  'an escaped NUL in a name': String.raw`{"metadata":{"name":"m\u0000"}}`,
  'half a surrogate in a name': String.raw`{"metadata":{"name":"m\ud800"}}`,
  'a name that climbs': '{"metadata":{"name":"../../etc"}}',
  'a name with a slash': '{"metadata":{"name":"a/b"}}',
  'a name that is one dot': '{"metadata":{"name":"."}}',
  'a name of another type': '{"metadata":{"name":{}}}',
  'metadata of another type': '{"metadata":[]}',
  'labels of another type': '{"metadata":{"name":"m","labels":[1]}}',
  'another kind': '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"m"}}',
  'a kind that is not a string': '{"apiVersion":7,"kind":{},"metadata":{"name":"m"}}',
  'a very long name': `{"metadata":{"name":"${'n'.repeat(1_000_000)}"}}`,
  'numbers beyond all bounds': map(`,"data":{"a":${'9'.repeat(100_000)}}`),
  '__proto__ as a label': '{"metadata":{"name":"m","labels":{"__proto__":{"a":"b"}}}}',
}

describe('a body of another kind is rejected', () => {
  for (const [what, body] of Object.entries(REFUSED)) {
    test(`${what}, as JSON`, async () => {
      const text = Buffer.isBuffer(body) ? body : Buffer.from(body)
      const connection = await RawConnection.open(observer.allot)
      connection.write(
        `POST ${MAPS} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${observer.allot.token}\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n`,
      )
      connection.write(text)
      const { code, problem } = judged(await connection.reply())
      expect([[400, 422].includes(code), problem]).toEqual([true, undefined])
    })
  }
})

const bomb = (levels: number): string =>
  [
    'a: &a [x, x, x, x, x, x, x, x, x]',
    ...Array.from(
      { length: levels },
      (_, index) => `${name(index + 1)}: &${name(index + 1)} [${`*${name(index)}, `.repeat(9)}*${name(index)}]`,
    ),
  ].join('\n')
const name = (index: number): string => String.fromCharCode(97 + index)

describe('YAML that means harm is refused', () => {
  const yaml: Readonly<Record<string, string>> = {
    'aliases that multiply': `${bomb(9)}\nmetadata: {name: bomb}\n`,
    'an alias of itself': 'metadata: &m {name: y, labels: *m}\n',
    'flows 100,000 deep': deepArray(100_000),
    'flows that never end': '['.repeat(100_000),
    'maps 20,000 deep': Array.from({ length: 2000 }, (_, index) => `${' '.repeat(index)}a:`).join('\n'),
    'a tag of another language': 'metadata: {name: !!js/function "function () {}"}\n',
    'two documents': 'metadata: {name: one}\n---\nmetadata: {name: two}\n',
    'a NUL byte': 'metadata: {name: "m\0"}\n',
    'a bare alias': '*a\n',
    'tabs for blanks': 'metadata:\n\tname: x\n',
  }
  for (const [what, body] of Object.entries(yaml)) {
    test(what, async () => {
      const reply = await post(body, 'application/yaml')
      if (what !== 'two documents') expect([400, 422]).toContain(reply.code)
      expect(answerProblem(reply, 'POST')).toBeUndefined()
    })
  }
})

describe('a large body is answered in time linear in its size', () => {
  /** How much longer ten times the body may take: a little more than ten times; quadratic work would take a hundred. */
  const MOST_GROWTH = 50
  let scale = 1
  const times = (count: number): number => Math.ceil(count * scale)
  const many = (entry: (index: number) => string, count: number): string =>
    Array.from({ length: times(count) }, (_, index) => entry(index)).join(',')
  const growth = (body: () => string, url: string, made: string): Promise<number> => {
    const shot = async (size: number): Promise<void> => {
      scale = size / 10
      const reply = await post(body(), 'application/json', url)
      expect(answerProblem(reply, 'POST')).toBeUndefined()
      await observer.client.send('DELETE', made)
    }
    return growthIn(observer.allot.pid, shot, 1, 10)
  }
  const bodies: Readonly<Record<string, () => string>> = {
    '200,000 keys': () => map(`,"data":{${many((index) => `"k${index}":"v"`, 200_000)}}`),
    '200,000 unknown fields': () => `{"metadata":{"name":"m"},${many((index) => `"f${index}":1`, 200_000)}}`,
    '200,000 times the same key': () => map(`,"data":{${many(() => '"k":"v"', 200_000)}}`),
    '100,000 labels': () => `{"metadata":{"name":"m","labels":{${many((index) => `"l${index}":"v"`, 100_000)}}}}`,
    '100,000 bad labels': () =>
      `{"metadata":{"name":"m","labels":{${many((index) => `"l ${index}":"v v"`, 100_000)}}}}`,
    '50,000 finalizers': () =>
      `{"metadata":{"name":"m","finalizers":[${many((index) => `"example.test/${index}"`, 50_000)}]}}`,
    '20,000 owners': () =>
      `{"metadata":{"name":"m","ownerReferences":[${many((index) => `{"apiVersion":"v1","kind":"Pod","name":"p${index}","uid":"${index}"}`, 20_000)}]}}`,
    '30,000 bad owners': () =>
      `{"metadata":{"name":"m","ownerReferences":[${many(() => '{"apiVersion":"","kind":"","name":"","uid":""}', 30_000)}]}}`,
    'a million spaces': () => ' '.repeat(times(1_000_000)) + map(''),
    'a million escapes': () => map(`,"data":{"a":"${String.raw`\u0041`.repeat(times(400_000))}"}`),
  }
  for (const [what, body] of Object.entries(bodies)) {
    test(what, async () => {
      expect(await growth(body, `${MAPS}?fieldValidation=Strict`, `${MAPS}/m`)).toBeLessThan(MOST_GROWTH)
    })
  }

  const pods: Readonly<Record<string, () => string>> = {
    '20,000 containers': () =>
      `{"metadata":{"name":"p"},"spec":{"containers":[${many((index) => `{"name":"c${index}","image":"i"}`, 20_000)}]}}`,
    '20,000 containers of one name': () =>
      `{"metadata":{"name":"p"},"spec":{"containers":[${many(() => '{"name":"c","image":"i"}', 20_000)}]}}`,
    '30,000 volumes': () =>
      `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],"volumes":[${many((index) => `{"name":"v${index}","emptyDir":{}}`, 30_000)}]}}`,
    '30,000 tolerations': () =>
      `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}],"tolerations":[${many((index) => `{"key":"k${index}","operator":"Exists"}`, 30_000)}]}}`,
    '50,000 resources': () =>
      `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{${many((index) => `"example.test/r${index}":"1"`, 50_000)}}}}]}}`,
    'a quantity of 100,000 digits': () =>
      `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"${'1'.repeat(times(100_000))}"}}}]}}`,
    'a quantity with a huge exponent': () =>
      '{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"1e2147483647"}}}]}}',
  }
  for (const [what, body] of Object.entries(pods)) {
    test(`a pod with ${what}`, async () => {
      expect(await growth(body, `${NAMESPACE}/pods`, `${NAMESPACE}/pods/p`)).toBeLessThan(MOST_GROWTH)
    })
  }
})

describe('names that JavaScript knows are plain names', () => {
  const keys = ['constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__']

  test('as keys of data, labels and annotations', async () => {
    const entries = Object.fromEntries(keys.map((key) => [key, 'x']))
    const labels = Object.fromEntries(keys.filter((key) => !key.startsWith('_')).map((key) => [key, 'x']))
    const created = await post({ metadata: { name: 'names', labels, annotations: labels }, data: entries })
    expect(created.code).toBe(201)
    const { object } = await observer.client.send('GET', `${MAPS}/names`)
    expect(object['data']).toEqual(entries)
    expect(object.metadata.labels).toEqual(labels)
    const found = await observer.client.send('GET', `${MAPS}?labelSelector=constructor%3Dx`)
    expect((found.object as unknown as { readonly items: object[] }).items).toHaveLength(1)
    const none = await observer.client.send('GET', `${MAPS}?labelSelector=toString%3Dy`)
    expect((none.object as unknown as { readonly items: object[] }).items).toHaveLength(0)
    const absent = await observer.client.send('GET', `${MAPS}?labelSelector=!constructor,metadata.name`)
    expect(absent.code).toBe(200)
  })

  test('as names of objects and of namespaces', async () => {
    for (const key of ['constructor', 'prototype', 'tostring']) {
      expect((await post({ metadata: { name: key } })).code).toBe(201)
      expect((await observer.client.send('GET', `${MAPS}/${key}`)).code).toBe(200)
      expect((await observer.client.send('GET', `/api/v1/namespaces/${key}/pods`)).code).toBe(200)
    }
    for (const key of ['__proto__', 'constructor2', 'toString', 'hasOwnProperty'])
      expect((await observer.client.send('GET', `${MAPS}/${key}`)).code).toBe(404)
  })

  test('as fields, and __proto__ changes no other object', async () => {
    const polluted =
      '{"metadata":{"name":"polluted","__proto__":{"labels":{"evil":"yes"}}},"__proto__":{"data":{"evil":"yes"}},"constructor":{"prototype":{"evil":"yes"}}}'
    const reply = await post(polluted)
    expect(answerProblem(reply, 'POST')).toBeUndefined()
    for (const type of ['application/merge-patch+json', 'application/strategic-merge-patch+json']) {
      const patched = await observer.client.send(
        'PATCH',
        `${MAPS}/names`,
        '{"data":{"__proto__":{"evil":"yes"},"constructor":{"a":1}},"__proto__":{"evil":"yes"}}',
        { type },
      )
      expect(answerProblem(patched, 'PATCH')).toBeUndefined()
    }
    for (const path of [
      '/__proto__/evil',
      '/constructor/prototype/evil',
      '/data/__proto__/evil',
      '/metadata/__proto__/evil',
    ]) {
      const patched = await observer.client.send('PATCH', `${MAPS}/names`, [{ op: 'add', path, value: 'yes' }], {
        type: 'application/json-patch+json',
      })
      expect(answerProblem(patched, 'PATCH')).toBeUndefined()
    }
    const { text } = await post({ metadata: { name: 'clean' } })
    expect(text).not.toContain('evil')
  })

  test('as limits of quotas', async () => {
    for (const key of [
      ...keys,
      '__proto__',
      'count/constructor',
      'count/__proto__',
      'count/constructor.prototype',
      'requests.constructor',
      'requests.__proto__',
    ]) {
      const reply = await post(
        `{"metadata":{"generateName":"q-"},"spec":{"hard":{${JSON.stringify(key)}:"1"}}}`,
        'application/json',
        `${NAMESPACE}/resourcequotas`,
      )
      expect([key, answerProblem(reply, 'POST')]).toEqual([key, undefined])
    }
    expect((await post({ metadata: { name: 'still' } })).code).toBe(201)
    const pod = {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i', resources: { limits: { constructor: '1' } } }] },
    }
    expect(answerProblem(await post(pod, 'application/json', `${NAMESPACE}/pods`), 'POST')).toBeUndefined()
  })

  test('as scopes, priority classes and patch types', async () => {
    const quotas = `${NAMESPACE}/resourcequotas`
    for (const key of [...keys, '__proto__']) {
      const scoped = await post(
        { metadata: { generateName: 's-' }, spec: { hard: { pods: '1' }, scopes: [key] } },
        'application/json',
        quotas,
      )
      expect([key, scoped.code]).toEqual([key, 422])
      const pod = {
        metadata: { generateName: 'p-' },
        spec: { priorityClassName: key, containers: [{ name: 'c', image: 'i' }] },
      }
      expect([key, answerProblem(await post(pod, 'application/json', `${NAMESPACE}/pods`), 'POST')]).toEqual([
        key,
        undefined,
      ])
      const patched = await observer.client.send('PATCH', `${MAPS}/names`, '{}', { type: key })
      expect([key, patched.code]).toEqual([key, 415])
    }
  })
})
