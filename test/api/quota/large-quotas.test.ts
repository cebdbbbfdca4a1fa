import { describe, expect, test } from 'vitest'
import { apiServer, configMap, MERGE, pod } from '../api-server.ts'

const api = apiServer()

const hardOf = (count: number, limit = '1000'): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`requests.harbour.test/${'crane'.repeat(5)}-${at}`, limit]),
  )
const quota = (count: number): unknown => ({ metadata: { name: 'long' }, spec: { hard: hardOf(count) } })
const first = `harbour.test/${'crane'.repeat(5)}-0`
const using = (name: string, amount: string): unknown => ({
  metadata: { name },
  spec: {
    containers: [{ name: 'c', image: 'i', resources: { limits: { [first]: amount } } }],
  },
})

describe('a quota whose status could not be stored', () => {
  test('is refused when it is made, and when it becomes one', async () => {
    const namespace = await api.namespace()
    const { status, body } = await api.send('POST', `${namespace}/resourcequotas`, quota(15_000))
    expect(status).toBe(422)
    expect(body.details.causes).toMatchObject([{ reason: 'FieldValueTooLong', field: 'spec.hard' }])
    await api.create(`${namespace}/resourcequotas`, quota(1))
    const put = await api.send('PUT', `${namespace}/resourcequotas/long`, quota(15_000))
    expect(put.body.details.causes).toMatchObject([{ reason: 'FieldValueTooLong', field: 'spec.hard' }])
  })

  test('of an older version limits what it names, and nothing else', async () => {
    const namespace = await api.namespace()
    const name = namespace.split('/').at(-1) ?? ''
    const object = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'long', namespace: name, uid: 'long-quota', creationTimestamp: '2026-01-01T00:00:00Z' },
      spec: { hard: hardOf(15_000, '3') },
      status: {},
    }
    await api.running.store.commit([{ type: 'put', bucket: 'resourcequotas', key: `${name}/long`, object }])
    await api.create(`${namespace}/configmaps`, configMap('free'))
    await api.create(`${namespace}/pods`, pod('free'))
    await api.create(`${namespace}/pods`, using('some', '2'))
    const refused = await api.send('POST', `${namespace}/pods`, using('more', '2'))
    expect(refused).toMatchObject({ status: 403 })
    expect(refused.body.message).toContain(`used: requests.${first}=2, limited: requests.${first}=3`)
    expect((await api.send('DELETE', `${namespace}/pods/some?gracePeriodSeconds=0`)).status).toBe(200)
    await api.create(`${namespace}/pods`, using('more', '2'))
    await api.patch(`${namespace}/resourcequotas/long`, { metadata: { labels: { old: 'yes' } } })
    await api.patch(`${namespace}/resourcequotas/long`, {
      spec: {
        hard: Object.fromEntries(
          Object.keys(hardOf(15_000))
            .slice(1)
            .map((one) => [one, null]),
        ),
      },
    })
    await api.until(`${namespace}/resourcequotas/long`, ({ status }) => status.used?.[`requests.${first}`] === '2')
  })
})

// Of short names what stands around them weighs most.
test.each([
  ['long', `requests.harbour.test/${'crane'.repeat(5)}-`, 2500],
  ['short', 'requests.a.b/', 5700],
] as const)(
  'a quota of as many %s names as are taken has its status stored, with any usage',
  async (name, prefix, count) => {
    const namespace = await api.namespace()
    const hard = Object.fromEntries(Array.from({ length: count }, (_, at) => [prefix + at, '9']))
    const path = `${namespace}/resourcequotas/${name}`
    await api.create(`${namespace}/resourcequotas`, { metadata: { name }, spec: { hard } })
    await api.until(path, ({ status }) => status.used?.[`${prefix}0`] === '0')
    await api.create(`${namespace}/configmaps`, configMap('free'))
    const most = Object.fromEntries(Object.keys(hard).map((one) => [one, '9223372036854775807']))
    const { status } = await api.patch(`${path}/status`, { status: { used: most } })
    expect(Object.keys(status.used)).toHaveLength(count)
    const more = Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}more-${at}`, '9']))
    expect((await api.send('PATCH', path, { spec: { hard: more } }, MERGE)).status).toBe(422)
  },
)
