import { afterEach, describe, expect, test } from 'vitest'
import type { KubeObject } from '../../src/machinery/object.ts'
import type { LogFaults } from '../../src/store/log/faults.ts'
import { type InProcess, startInProcess } from '../in-process.ts'
import { temporaryDirectory } from '../start-allot.ts'

const FULL = 13
const BROKEN = 1034
const NAMESPACE = '/api/v1/namespaces/default'
const MAPS = `${NAMESPACE}/configmaps`
let server: InProcess

afterEach(() => server.stop())

const start = async (faults: LogFaults, directory?: string): Promise<InProcess> => {
  const location = { directory: directory ?? (await filledDirectory()) }
  server = await startInProcess({ location, store: { faults } })
  return server
}

/** A directory in which everything is that a start writes, so that the next one begins with our batches. */
async function filledDirectory(): Promise<string> {
  const directory = temporaryDirectory()
  const first = await startInProcess({ location: { directory } })
  await first.stop()
  return directory
}

const map = (name: string, data: string): object => ({ metadata: { name }, data: { a: data } })

/** A disk that refuses the batches from the first to the last, counted from 1. */
const failing = (first: number, last: number, errcode: number): LogFaults => ({
  failBatches: Array.from({ length: last - first + 1 }, (_, index) => ({ batch: first + index, errcode })),
})

async function quotaUsed(name: string): Promise<unknown> {
  const { body } = await server.send('GET', `${NAMESPACE}/resourcequotas/${name}`)
  return body.status.used
}

describe('a disk that is full', () => {
  test('refuses what does not fit with a Status, keeps everything else, and leaves no charge', async () => {
    const directory = await filledDirectory()
    await start({ maxPages: 60 }, directory)
    const quota = {
      metadata: { name: 'q' },
      spec: { hard: { configmaps: '1000', services: '10', 'services.nodeports': '10' } },
    }
    expect((await server.send('POST', `${NAMESPACE}/resourcequotas`, quota)).status).toBe(201)
    await server.until(`${NAMESPACE}/resourcequotas/q`, (body) => body.status?.used !== undefined)
    const stored = new Set<string>()
    let refused = 0
    for (let n = 0; n < 60; n++) {
      const { status, body } = await server.send('POST', MAPS, map(`m-${n}`, 'x'.repeat(20_000)))
      if (status === 201) stored.add(`m-${n}`)
      else {
        refused++
        expect([status >= 500, body.kind, body.status, typeof body.message]).toEqual([
          true,
          'Status',
          'Failure',
          'string',
        ])
      }
    }
    expect(refused).toBeGreaterThan(0)
    expect(stored.size).toBeGreaterThan(0)
    const names = async (): Promise<string[]> => {
      const { body } = await server.send('GET', MAPS)
      return body.items.map(({ metadata }: KubeObject) => metadata.name).toSorted()
    }
    const expected = [...stored, 'kube-root-ca.crt'].toSorted()
    expect(await names()).toEqual(expected)
    expect(await quotaUsed('q')).toMatchObject({ configmaps: String(expected.length), services: '1' })
    await server.stop()
    await start({}, directory)
    expect(await names()).toEqual(expected)
    expect(await quotaUsed('q')).toMatchObject({ configmaps: String(expected.length) })
    expect((await server.send('POST', MAPS, map('again', 'y'))).status).toBe(201)
  })

  test('for a moment costs the writes of that moment, and nobody any quota or node port', async () => {
    await start(failing(20, 35, FULL))
    const quota = { metadata: { name: 'q' }, spec: { hard: { services: '100', 'services.nodeports': '100' } } }
    expect((await server.send('POST', `${NAMESPACE}/resourcequotas`, quota)).status).toBe(201)
    const codes: number[] = []
    for (let n = 0; n < 60; n++) {
      const service = {
        metadata: { name: `s-${n}` },
        spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 31_000 + n }] },
      }
      const results = await Promise.all([
        server.send('POST', `${NAMESPACE}/services`, service),
        server.send('POST', `${NAMESPACE}/services`, { ...service, metadata: { name: `t-${n}` } }),
      ])
      codes.push(...results.map(({ status }) => status))
      const other = results.every(({ status }) => status >= 500)
        ? await server.send('POST', `${NAMESPACE}/services`, service)
        : undefined
      if (other !== undefined) codes.push(other.status)
    }
    expect(new Set(codes)).toEqual(new Set([201, 422, 500]))
    const { body } = await server.send('GET', `${NAMESPACE}/services`)
    const exposed = body.items.filter(({ spec }: KubeObject & { spec: { type: string } }) => spec.type === 'NodePort')
    expect(exposed.length).toBeGreaterThan(0)
    await server.until(
      `${NAMESPACE}/resourcequotas/q`,
      ({ status }) =>
        status.used.services === String(body.items.length) &&
        status.used['services.nodeports'] === String(exposed.length),
    )
  })
})

describe('a write that is not on the disk yet', () => {
  /** Sends requests in one go while the disk refuses what they build upon. Gives their codes. */
  const together = async (...requests: readonly (readonly [string, string, object?])[]): Promise<readonly number[]> => {
    const answers = await Promise.all(
      requests.map(([method, path, body]) =>
        server.send(method, path, body, method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {}),
      ),
    )
    return answers.map(({ status }) => status)
  }

  test('is never acknowledged by an update that changes nothing more', async () => {
    for (let batch = 4; batch < 8; batch++) {
      await start({ failBatches: [{ batch, errcode: FULL }] })
      await server.send('POST', MAPS, map('a', 'old'))
      for (let n = 0; n < 30; n++) {
        const answers = await Promise.all(
          Array.from({ length: 8 }, () => server.send('PUT', `${MAPS}/a`, map('a', `new-${n}`))),
        )
        const acknowledged = answers.filter(({ status }) => status === 200)
        if (acknowledged.length === 0 || acknowledged.length === answers.length) continue
        const { body } = await server.send('GET', `${MAPS}/a`)
        expect(Number(body.metadata.resourceVersion)).toBeGreaterThanOrEqual(
          Math.max(...acknowledged.map((answer) => Number(answer.body.metadata.resourceVersion))),
        )
        expect(body.data.a).toBe(`new-${n}`)
      }
      if (batch < 7) await server.stop()
    }
  })

  test('is never reported by a conflict that a later read contradicts', async () => {
    await start(failing(10, 50, FULL))
    for (let n = 0; n < 60; n++) {
      const codes = await together(
        ['POST', MAPS, map(`c-${n}`, 'x')],
        ['POST', MAPS, map(`c-${n}`, 'y')],
        ['POST', MAPS, map(`c-${n}`, 'z')],
      )
      const exists = codes.includes(409) || codes.includes(201)
      expect([n, codes, (await server.send('GET', `${MAPS}/c-${n}`)).status]).toEqual([n, codes, exists ? 200 : 404])
    }
  })

  test('nor by a deletion that finds nothing', async () => {
    await start(failing(20, 50, FULL))
    for (let n = 0; n < 40; n++) {
      if ((await server.send('POST', MAPS, map(`d-${n}`, 'x'))).status !== 201) continue
      const codes = await together(
        ['DELETE', `${MAPS}/d-${n}`],
        ['DELETE', `${MAPS}/d-${n}`],
        ['PATCH', `${MAPS}/d-${n}`, { data: { a: 'y' } }],
      )
      const gone = codes.includes(404) || codes[0] === 200 || codes[1] === 200
      expect([n, codes, (await server.send('GET', `${MAPS}/d-${n}`)).status]).toEqual([n, codes, gone ? 404 : 200])
    }
  })
})

test('after an I/O error reads go on, writes are refused as unavailable, and the server says that it is not ready', async () => {
  const directory = await filledDirectory()
  await start(failing(15, 15, BROKEN), directory)
  const stored: string[] = []
  for (let n = 0; n < 30; n++) {
    const { status, body } = await server.send('POST', MAPS, map(`i-${n}`, 'x'))
    if (status === 201) stored.push(`i-${n}`)
    else expect([status, body.reason]).toEqual([503, 'ServiceUnavailable'])
  }
  expect(stored.length).toBeLessThan(30)
  expect((await server.send('GET', MAPS)).body.items).toHaveLength(stored.length + 1)
  expect((await server.send('GET', '/readyz')).status).toBe(500)
  expect((await server.send('GET', '/livez')).status).toBe(200)
  await server.stop()
  await start({}, directory)
  expect((await server.send('GET', MAPS)).body.items.length).toBeGreaterThanOrEqual(stored.length + 1)
})
