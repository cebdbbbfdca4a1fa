import { connect as connectHttp2, type ClientHttp2Stream } from 'node:http2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Range } from './range.ts'

const SOAK = process.env['ALLOT_SOAK'] === '1'
const LISTS = SOAK ? 250 : 80
/** Of data that each list has. */
const OBJECTS = SOAK ? 20 : 12
const MOST_GROWTH_MB = 500
/** How long a list in protobuf is must be known before it begins: those take the time of making them. */
const TYPES = [
  ['application/json', LISTS],
  ['application/yaml', LISTS],
  ['application/json;as=Table;g=meta.k8s.io;v=v1', LISTS],
  ['application/vnd.kubernetes.protobuf', LISTS / 4],
] as const
let range: Range
let maps: string

beforeAll(async () => {
  range = await Range.start()
  maps = `${range.namespace}/configmaps`
  const data = { a: 'x'.repeat(1_000_000) }
  for (let n = 0; n < OBJECTS; n++) await range.send('POST', maps, { metadata: { name: `large-${n}` }, data })
})
afterAll(() => range.stop())

const small = () => range.send('POST', maps, { metadata: { generateName: 'small-' } })

test.each(TYPES)(
  'large lists as %s that nobody reads do not fill the memory (%d) [security/unread-lists]',
  { timeout: 300_000 },
  async (accept, count) => {
    const { url, ca, token } = range.observer.allot
    const session = connectHttp2(url, { ca })
    session.on('error', () => undefined)
    const before = range.observer.memoryMb()
    const lists = Array.from({ length: count }, () =>
      session.request({ ':path': `${maps}?includeObject=Object`, authorization: `Bearer ${token}`, accept }).pause(),
    )
    await Promise.all(lists.map(begun))
    expect((await range.bounded(small, small)).code).toBe(201)
    expect(range.observer.memoryMb() - before).toBeLessThan(MOST_GROWTH_MB)
    session.destroy()
  },
)

test('a large list that is read is whole, over HTTP/1.1 and HTTP/2', async () => {
  const { url, ca, token } = range.observer.allot
  const { items } = await range.observer.client.list(maps)
  const session = connectHttp2(url, { ca })
  const stream = session.request({ ':path': maps, authorization: `Bearer ${token}` })
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk as Buffer)
  session.destroy()
  expect((JSON.parse(Buffer.concat(chunks).toString()) as { items: unknown }).items).toEqual(items)
  expect(items.length).toBeGreaterThanOrEqual(OBJECTS)
})

/** Resolves when there is an answer, or it is clear that there will be none. */
async function begun(stream: ClientHttp2Stream): Promise<void> {
  stream.on('error', () => undefined)
  await new Promise((resolve) => {
    stream.once('response', resolve).once('close', resolve)
  })
}
