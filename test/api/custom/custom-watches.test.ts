import { expect, test } from 'vitest'
import { customVersion } from '../../custom-version.ts'
import { apiServer } from '../api-server.ts'

const api = apiServer()
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const path = (plural: string, version = 'v1'): string => `/apis/harbour.test/${version}/namespaces/default/${plural}`
const definition = (plural: string): string => `${DEFINITIONS}/${plural}.harbour.test`
const both = (second: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> => ({
  versions: [customVersion('v1'), { ...customVersion('v2'), storage: false, ...second }],
})

test('watches of a custom resource end with its definition, behind the end of its objects', async () => {
  await api.define('sloops')
  await api.create(path('sloops'), { kind: 'Sloop', apiVersion: 'harbour.test/v1', metadata: { name: 'a' } })
  await using one = await api.watch(`${path('sloops')}?watch=1`)
  await using everywhere = await api.watch('/apis/harbour.test/v1/sloops?watch=1')
  await api.send('DELETE', definition('sloops'))
  for (const watch of [one, everywhere]) expect(await watch.lines(3)).toEqual(['ADDED a', 'DELETED a'])
  expect((await api.send('GET', `${path('sloops')}?watch=1`)).status).toBe(404)
})

test('watches of a version end when it is not served any more', async () => {
  await api.define('cutters', both())
  await using watch = await api.watch(`${path('cutters', 'v2')}?watch=1`)
  await api.patch(definition('cutters'), { spec: both({ served: false }) })
  expect(await watch.rest()).toEqual([])
  expect((await api.send('GET', `${path('cutters', 'v2')}?watch=1`)).status).toBe(404)
})

test('watches end when their resource is served otherwise, and new ones send it as it is now', async () => {
  await api.define('yawls')
  await using watch = await api.watch(`${path('yawls')}?watch=1`)
  await api.patch(definition('yawls'), { spec: { names: { shortNames: ['yw'] } } })
  expect(await watch.rest()).toEqual([])
  await using again = await api.watch(`${path('yawls')}?watch=1`)
  await api.create(path('yawls'), { kind: 'Yawl', apiVersion: 'harbour.test/v1', metadata: { name: 'a' } })
  expect(await again.lines(1)).toEqual(['ADDED a'])
})

test('watches outlast changes of a definition that change nothing of what is served', async () => {
  await api.define('ketches')
  await using watch = await api.watch(`${path('ketches')}?watch=1`)
  await api.patch(definition('ketches'), { metadata: { labels: { a: 'b' } } })
  await api.create(path('ketches'), { kind: 'Ketche', apiVersion: 'harbour.test/v1', metadata: { name: 'a' } })
  expect(await watch.lines(1)).toEqual(['ADDED a'])
})
