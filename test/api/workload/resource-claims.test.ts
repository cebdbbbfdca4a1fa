import { expect, test } from 'vitest'
import type { Answer } from '../../in-process.ts'
import { apiServer, MERGE } from '../api-server.ts'
import { nameOf } from '../access/role-objects.ts'

const api = apiServer()
const ALLOCATION = { devices: { results: [{ request: 'r', driver: 'crane.test', pool: 'p', device: 'd' }] } }
const REPORT = { driver: 'crane.test', pool: 'p', device: 'd' }
const RESERVED = { resource: 'pods', name: 'p', uid: 'u' }

const requests = (deviceClassName: string): object => ({
  devices: { requests: [{ name: 'r', exactly: { deviceClassName } }] },
})
const causes = ({ status, body }: Answer): unknown =>
  status === 422
    ? body.details.causes.map(({ field, message }: Readonly<Record<string, string>>) => `${field}: ${message}`)
    : status

async function claim(name: string): Promise<string> {
  const path = `/apis/resource.k8s.io/v1/namespaces/${nameOf(await api.namespace())}/resourceclaims`
  await api.create(path, { metadata: { name, finalizers: ['crane.test/hold'] }, spec: requests('crane.test') })
  return `${path}/${name}`
}
const write = (path: string, status: object): Promise<unknown> =>
  api.send('PATCH', `${path}/status`, { status }, MERGE).then(causes)

test('the requests of a claim or of a template of claims do not change', async () => {
  const path = await claim('c')
  const templates = path.replace('resourceclaims/c', 'resourceclaimtemplates')
  await api.create(templates, { metadata: { name: 't' }, spec: { spec: requests('crane.test') } })
  const changed = { spec: requests('other.test') }
  const [refused] = causes(await api.send('PATCH', path, changed, MERGE)) as readonly string[]
  expect(refused).toMatch(/^spec: Invalid value: .*: field is immutable$/)
  const [other] = causes(await api.send('PATCH', `${templates}/t`, { spec: changed }, MERGE)) as readonly string[]
  expect(other).toMatch(/^spec: Invalid value: .*: field is immutable$/)
  expect((await api.send('PATCH', path, { metadata: { labels: { a: 'b' } } }, MERGE)).status).toBe(200)
})

test('an allocation is not changed, only taken back, and with it the devices that drivers reported', async () => {
  const path = await claim('c')
  expect(await write(path, { reservedFor: [RESERVED] })).toEqual([
    'status.reservedFor: Forbidden: may not be specified when `allocated` is not set',
  ])
  expect(await write(path, { allocation: ALLOCATION, reservedFor: [RESERVED], devices: [REPORT] })).toBe(200)
  const elsewhere = { devices: { results: [{ ...ALLOCATION.devices.results[0], device: 'e' }] } }
  const [refused] = (await write(path, { allocation: elsewhere })) as readonly string[]
  expect(refused).toMatch(/^status\.allocation: Invalid value: .*: field is immutable$/)
  expect(await write(path, { allocation: null, reservedFor: null })).toBe(200)
  expect((await api.get(path)).status).toEqual({})
})

test('a claim that is being deleted is reserved for nobody else', async () => {
  const path = await claim('c')
  expect(await write(path, { allocation: ALLOCATION, reservedFor: [RESERVED] })).toBe(200)
  await api.send('DELETE', path)
  expect(await write(path, { reservedFor: [RESERVED, { ...RESERVED, uid: 'v' }] })).toEqual([
    'status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
  ])
})
