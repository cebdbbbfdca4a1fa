import { describe, expect, test } from 'vitest'
import { apiServer, configMap, pod } from '../api-server.ts'
import { type Amounts, quotaChecks } from './quota-checks.ts'

const api = apiServer()
const { limit, used, refused, usage } = quotaChecks(api)
const check = { usage }

describe('the status', () => {
  test('is filled at once, with what is there already', async () => {
    const path = await api.namespace()
    await api.create(`${path}/pods`, pod('a', {}, { cpu: '250m' }))
    await limit(path, { pods: '5', 'requests.cpu': '1', configmaps: '9' })
    await check.usage(path, { pods: '1', 'requests.cpu': '250m', configmaps: '1' })
    expect((await api.get(`${path}/resourcequotas/q`)).status.hard).toEqual({
      pods: '5',
      'requests.cpu': '1',
      configmaps: '9',
    })
  })

  test('of a quota counts the quota itself', async () => {
    const path = await api.namespace()
    await limit(path, { resourcequotas: '2', 'count/resourcequotas': '2' })
    await check.usage(path, { resourcequotas: '1', 'count/resourcequotas': '1' })
    await limit(path, { pods: '1' }, {}, 'second')
    await check.usage(path, { resourcequotas: '2' })
    expect(await refused(`${path}/resourcequotas`, { metadata: { name: 'third' }, spec: {} })).toContain(
      'exceeded quota: q, requested: count/resourcequotas=1,resourcequotas=1',
    )
  })

  test('has no usage for what nobody can count', async () => {
    const path = await api.namespace()
    await limit(path, { 'count/nonsense.nowhere.test': '1', pods: '1' })
    const { status } = await api.until(`${path}/resourcequotas/q`, (quota) => quota.status?.used !== undefined)
    expect([status.hard, status.used]).toEqual([{ 'count/nonsense.nowhere.test': '1', pods: '1' }, { pods: '0' }])
  })

  test('cannot be set through the object, and a wrong one is put right, also before something else is written', async () => {
    const path = await api.namespace()
    await limit(path, { pods: '5' })
    await check.usage(path, { pods: '0' })
    await api.patch(`${path}/resourcequotas/q`, { status: { used: { pods: '4' } } })
    expect(await used(path)).toEqual({ pods: '0' })
    const falsify = async (): Promise<void> => {
      const { status } = await api.patch(`${path}/resourcequotas/q/status`, { status: { used: { pods: '4' } } })
      expect(status.used).toEqual({ pods: '4' })
    }
    await falsify()
    await check.usage(path, { pods: '0' })
    await falsify()
    await api.create(`${path}/configmaps`, configMap('a'))
    await check.usage(path, { pods: '0' })
  })

  test('is not written when nothing changed', async () => {
    const path = await api.namespace()
    await limit(path, { pods: '5' })
    await check.usage(path, { pods: '0' })
    const { resourceVersion } = (await api.get(`${path}/resourcequotas/q`)).metadata
    await api.create(`${path}/configmaps`, configMap('a'))
    await api.send('DELETE', `${path}/configmaps/a`)
    await api.create(`${path}/pods`, pod('p'))
    await check.usage(path, { pods: '1' })
    await using watch = await api.watch(`${path}/resourcequotas?watch=1&resourceVersion=${resourceVersion}`)
    expect((await watch.next())?.object.status.used).toEqual({ pods: '1' })
  })
})

describe('a changed quota', () => {
  test('counts names that are added and forgets names that are gone', async () => {
    const path = await api.namespace()
    await api.create(`${path}/secrets`, { metadata: { name: 'a' } })
    await limit(path, { pods: '5' })
    await check.usage(path, { pods: '0' })
    await api.patch(`${path}/resourcequotas/q`, { spec: { hard: { pods: null, secrets: '3' } } })
    const { status } = await api.until(`${path}/resourcequotas/q`, (quota) => quota.status.used.secrets === '1')
    expect(status).toEqual({ hard: { secrets: '3' }, used: { secrets: '1' } })
  })

  test('holds with its new limit when its status shows it', async () => {
    const path = await api.namespace()
    await limit(path, { secrets: '1' })
    await api.create(`${path}/secrets`, { metadata: { name: 'a' } })
    await api.patch(`${path}/resourcequotas/q`, { spec: { hard: { secrets: '2' } } })
    await api.until(`${path}/resourcequotas/q`, ({ status }) => status.hard.secrets === '2')
    expect((await api.send('POST', `${path}/secrets`, { metadata: { name: 'b' } })).status).toBe(201)
    await refused(`${path}/secrets`, { metadata: { name: 'c' } })
  })

  test('below what is used takes nothing away, and admits nothing more', async () => {
    const path = await api.namespace()
    await limit(path, { secrets: '3' })
    for (const name of ['a', 'b']) await api.create(`${path}/secrets`, { metadata: { name } })
    await api.patch(`${path}/resourcequotas/q`, { spec: { hard: { secrets: '1' } } })
    await api.until(`${path}/resourcequotas/q`, ({ status }) => status.hard.secrets === '1')
    expect([await used(path), (await api.get(`${path}/secrets`)).items.length]).toEqual([{ secrets: '2' }, 2])
    await refused(`${path}/secrets`, { metadata: { name: 'c' } })
    await api.patch(`${path}/secrets/a`, { metadata: { labels: { still: 'mine' } } })
  })

  test('that is deleted holds nobody, and counts again when it is made again', async () => {
    const path = await api.namespace()
    await limit(path, { secrets: '1' })
    await api.create(`${path}/secrets`, { metadata: { name: 'a' } })
    await api.send('DELETE', `${path}/resourcequotas/q`)
    await api.create(`${path}/secrets`, { metadata: { name: 'b' } })
    await limit(path, { secrets: '1' })
    await refused(`${path}/secrets`, { metadata: { name: 'c' } })
    await check.usage(path, { secrets: '2' })
  })
})

test('of many quotas each counts for itself, and the first that refuses is named', async () => {
  const path = await api.namespace()
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      limit(path, { secrets: String(i + 2) }, {}, `q-${String(i).padStart(2, '0')}`),
    ),
  )
  for (const name of ['a', 'b']) await api.create(`${path}/secrets`, { metadata: { name } })
  expect(await refused(`${path}/secrets`, { metadata: { name: 'c' } })).toContain(
    'exceeded quota: q-00, requested: secrets=1, used: secrets=2, limited: secrets=2',
  )
  const { items } = await api.get(`${path}/resourcequotas`)
  expect(new Set(items.map(({ status }: { status: { used: Amounts } }) => status.used['secrets']))).toEqual(
    new Set(['2']),
  )
})

test('a generated name is in the refusal', async () => {
  const path = await api.namespace()
  await limit(path, { secrets: '0' })
  expect(await refused(`${path}/secrets`, { metadata: { generateName: 'made-' } })).toMatch(
    /^secrets "made-[a-z0-9]{5}" is forbidden: exceeded quota/,
  )
})

test('an invalid object is rejected before one that exceeds the quota', async () => {
  const path = await api.namespace()
  await limit(path, { secrets: '0' })
  expect((await api.send('POST', `${path}/secrets`, { metadata: { name: 'UPPER' } })).status).toBe(422)
})

test('a quota counts neither cluster-scoped objects nor other namespaces', async () => {
  const [path, other] = [await api.namespace(), await api.namespace()]
  await limit(path, { secrets: '0', 'count/secrets': '0' })
  expect((await api.send('POST', `${other}/secrets`, { metadata: { name: 'a' } })).status).toBe(201)
})

test('many creates and deletes at once leave the usage exact', async () => {
  const path = await api.namespace()
  await limit(path, { secrets: '20' })
  await Promise.all(
    Array.from({ length: 60 }, async (_, i) => {
      const { status } = await api.send('POST', `${path}/secrets`, { metadata: { name: `s-${i}` } })
      if (status === 201 && i % 2 === 0) await api.send('DELETE', `${path}/secrets/s-${i}`)
    }),
  )
  const { items } = await api.get(`${path}/secrets`)
  await check.usage(path, { secrets: String(items.length) })
  expect(items.length).toBeLessThanOrEqual(20)
})
