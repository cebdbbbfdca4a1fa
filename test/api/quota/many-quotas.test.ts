import { expect, test, vi } from 'vitest'
import { apiServer, configMap } from '../api-server.ts'

const api = apiServer()

const quota = (name: string, limit: string): unknown => ({ metadata: { name }, spec: { hard: { configmaps: limit } } })

test('a new limit of one quota counts the objects of its namespace once, however many quotas it has', async () => {
  const namespace = await api.namespace()
  const name = namespace.split('/').at(-1)
  const quotas = `${namespace}/resourcequotas`
  for (let index = 0; index < 30; index++) await api.create(quotas, quota(`q${index}`, '100'))
  await api.create(`${namespace}/configmaps`, configMap('one'))
  const statusOf = (which: string): Promise<unknown> =>
    api.running.until(`${quotas}/${which}`, ({ spec, status }) => status?.hard?.configmaps === spec.hard.configmaps)
  await statusOf('q29')
  const list = vi.spyOn(api.running.store, 'latestIn')
  await api.patch(`${quotas}/q3`, { spec: { hard: { configmaps: '77' } } })
  await statusOf('q3')
  await api.create(quotas, quota('last', '9'))
  expect(await statusOf('last')).toMatchObject({ status: { used: { configmaps: '2' } } })
  const counts = list.mock.calls.filter(([bucket, of]) => bucket === 'configmaps' && of === name)
  list.mockRestore()
  expect(counts.length).toBeLessThan(10)
})
