import { beforeAll, describe, expect, test } from 'vitest'
import { customVersion } from '../../custom-version.ts'
import { apiServer, MERGE, namesOf, TABLE } from '../api-server.ts'

const api = apiServer()
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const NS = '/namespaces/default'
const at = (plural: string, version = 'v1'): string => `/apis/harbour.test/${version}${NS}/${plural}`
const object = (kind: string, name: string, more: object = {}, version = 'v1'): unknown => ({
  apiVersion: `harbour.test/${version}`,
  kind,
  metadata: { name },
  ...more,
})

beforeAll(async () => {
  await api.define('crates', {
    versions: [
      customVersion('v1', {
        subresources: {
          status: {},
          scale: {
            specReplicasPath: '.spec.count',
            statusReplicasPath: '.status.count',
            labelSelectorPath: '.status.selector',
          },
        },
      }),
    ],
  })
})

test('a definition is established, with its names accepted and its stored version noted', async () => {
  const { status } = await api.until(
    `${DEFINITIONS}/crates.harbour.test`,
    (definition) => definition.status?.conditions?.length >= 2,
  )
  expect(status.conditions.map(({ type, status: is }: { type: string; status: string }) => `${type}=${is}`)).toEqual([
    'NamesAccepted=True',
    'Established=True',
  ])
  expect([status.acceptedNames.plural, status.storedVersions]).toEqual(['crates', ['v1']])
})

test('its objects are served in the moment after', async () => {
  await api.define('lamps')
  expect((await api.get(at('lamps'))).kind).toBe('LampList')
  expect((await api.create(at('lamps'), object('Lamp', 'a', { spec: { light: [1, { deep: null }] } }))).spec).toEqual({
    light: [1, { deep: null }],
  })
})

test('objects are created, replaced, patched, watched and deleted like any', async () => {
  const { resourceVersion } = (await api.get(at('crates'))).metadata
  await using watch = await api.watch(`${at('crates')}?watch=1&resourceVersion=${resourceVersion}`)
  const created = await api.create(at('crates'), object('Crate', 'life', { spec: { load: 1 } }))
  expect(created.metadata.generation).toBe(1)
  const replaced = await api.send('PUT', `${at('crates')}/life`, { ...created, spec: { load: 2 } })
  expect([replaced.status, replaced.body.metadata.generation]).toEqual([200, 2])
  const patched = await api.patch(`${at('crates')}/life`, { spec: { load: 3 } })
  expect([patched.spec.load, patched.metadata.generation]).toEqual([3, 3])
  expect((await api.send('DELETE', `${at('crates')}/life`)).body.status).toBe('Success')
  expect(await watch.lines(4)).toEqual(['ADDED life', 'MODIFIED life', 'MODIFIED life', 'DELETED life'])
})

test('a replacement needs a version', async () => {
  await api.create(at('crates'), object('Crate', 'versioned'))
  const { status } = await api.send('PUT', `${at('crates')}/versioned`, object('Crate', 'versioned', { spec: {} }))
  expect(status).toBe(422)
})

test('the status is apart where the definition says so', async () => {
  const created = await api.create(
    at('crates'),
    object('Crate', 'apart', { spec: { count: 2 }, status: { dropped: true } }),
  )
  expect(created.status).toBeUndefined()
  const status = await api.patch(`${at('crates')}/apart/status`, { status: { count: 1 }, spec: { count: 9 } })
  expect([status.status, status.spec, status.metadata.generation]).toEqual([{ count: 1 }, { count: 2 }, 1])
  const spec = await api.patch(`${at('crates')}/apart`, { spec: { count: 3 }, status: { count: 7 } })
  expect([spec.status, spec.spec, spec.metadata.generation]).toEqual([{ count: 1 }, { count: 3 }, 2])
})

test('and part of the object where it does not', async () => {
  await api.define('ropes')
  const created = await api.create(at('ropes'), object('Rope', 'r', { status: { kept: true } }))
  expect([
    created.status,
    (await api.patch(`${at('ropes')}/r`, { status: { kept: false } })).metadata.generation,
  ]).toEqual([{ kept: true }, 2])
  expect((await api.send('GET', `${at('ropes')}/r/status`)).status).toBe(404)
})

test('a custom resource is scaled by the paths of its definition', async () => {
  await api.create(at('crates'), object('Crate', 'scaled', { spec: { count: 2 } }))
  await api.patch(`${at('crates')}/scaled/status`, { status: { count: 1, selector: 'app=x' } })
  expect(await api.get(`${at('crates')}/scaled/scale`)).toMatchObject({
    kind: 'Scale',
    spec: { replicas: 2 },
    status: { replicas: 1, selector: 'app=x' },
  })
  expect(
    (await api.send('PATCH', `${at('crates')}/scaled/scale`, { spec: { replicas: 5 } }, MERGE)).body.spec?.replicas,
  ).toBe(5)
  const { spec, metadata } = await api.get(`${at('crates')}/scaled`)
  expect([spec.count, metadata.generation]).toEqual([5, 2])
})

test('label selectors, pages and field selectors by name work', async () => {
  await api.define('flags')
  for (const [name, colour] of [
    ['a', 'red'],
    ['b', 'blue'],
    ['c', 'red'],
  ])
    await api.create(at('flags'), {
      ...(object('Flag', String(name)) as object),
      metadata: { name, labels: { colour } },
    })
  expect(namesOf(await api.get(`${at('flags')}?labelSelector=colour%3Dred`))).toEqual(['a', 'c'])
  expect(namesOf(await api.get(`${at('flags')}?fieldSelector=metadata.name%3Db`))).toEqual(['b'])
  expect((await api.send('GET', `${at('flags')}?fieldSelector=spec.colour%3Dred`)).status).toBe(400)
  const page = await api.get(`${at('flags')}?limit=2`)
  expect(namesOf(await api.get(`${at('flags')}?continue=${page.metadata.continue}`))).toEqual(['c'])
})

test('a table of custom resources has their name and age', async () => {
  await api.define('bells')
  await api.create(at('bells'), object('Bell', 'b'))
  const { columnDefinitions, rows } = await api.get(at('bells'), TABLE)
  expect(columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Age'])
  expect(rows[0].cells).toEqual(['b', expect.any(String)])
})

test('cluster-wide ones live outside namespaces', async () => {
  await api.define('ports', { scope: 'Cluster' })
  await api.create('/apis/harbour.test/v1/ports', object('Port', 'main'))
  expect((await api.get('/apis/harbour.test/v1/ports/main')).metadata.namespace).toBeUndefined()
  expect((await api.send('GET', at('ports'))).status).toBe(404)
})

describe('several versions', () => {
  beforeAll(async () => {
    await api.define('sails', {
      versions: [
        customVersion('v1'),
        customVersion('v2', { storage: false }),
        customVersion('v0', { storage: false, served: false }),
      ],
    })
  })

  test('show the same objects, each in its own version', async () => {
    await api.create(at('sails'), object('Sail', 'one'))
    await api.create(at('sails', 'v2'), object('Sail', 'two', {}, 'v2'))
    for (const version of ['v1', 'v2']) {
      const { apiVersion, items } = await api.get(at('sails', version))
      expect([apiVersion, ...items.map((item: { apiVersion: string }) => item.apiVersion)]).toEqual(
        Array.from({ length: 3 }, () => `harbour.test/${version}`),
      )
      expect((await api.get(`${at('sails', version)}/one`)).apiVersion).toBe(`harbour.test/${version}`)
    }
  })

  test('can all be written', async () => {
    await api.create(at('sails'), object('Sail', 'shared', { spec: { a: 1 } }))
    const patched = await api.patch(`${at('sails', 'v2')}/shared`, { spec: { b: 2 } })
    expect([patched.apiVersion, patched.spec]).toEqual(['harbour.test/v2', { a: 1, b: 2 }])
    const current = await api.get(`${at('sails')}/shared`)
    expect((await api.send('PUT', `${at('sails')}/shared`, { ...current, spec: { c: 3 } })).status).toBe(200)
    expect((await api.get(`${at('sails', 'v2')}/shared`)).spec).toEqual({ c: 3 })
  })

  test('are watched in the version that was asked for', async () => {
    const { resourceVersion } = (await api.get(at('sails'))).metadata
    await using watch = await api.watch(`${at('sails', 'v2')}?watch=1&resourceVersion=${resourceVersion}`)
    await api.create(at('sails'), object('Sail', 'seen'))
    expect((await watch.next())?.object.apiVersion).toBe('harbour.test/v2')
  })

  test('that are not served are not there', async () => {
    expect((await api.send('GET', at('sails', 'v0'))).status).toBe(404)
  })

  test('can come and go, and take no object with them', async () => {
    await api.define('nets')
    await api.create(at('nets'), object('Net', 'n'))
    const versions = [customVersion('v1', { storage: false, served: false }), customVersion('v2')]
    await api.patch(`${DEFINITIONS}/nets.harbour.test`, { spec: { versions } })
    expect((await api.send('GET', at('nets'))).status).toBe(404)
    const [net] = (await api.get(at('nets', 'v2'))).items
    expect([net.metadata.name, net.apiVersion]).toEqual(['n', 'harbour.test/v2'])
    const { status } = await api.until(
      `${DEFINITIONS}/nets.harbour.test`,
      (definition) => definition.status.storedVersions.length === 2,
    )
    expect(status.storedVersions).toEqual(['v1', 'v2'])
  })
})

describe('deletion of a definition', () => {
  test('withdraws the resource', async () => {
    await api.define('kites')
    await api.create(at('kites'), object('Kite', 'k'))
    await api.send('DELETE', `${DEFINITIONS}/kites.harbour.test`)
    await api.until(`${DEFINITIONS}/kites.harbour.test`, ({ code }) => code === 404)
    expect((await api.send('GET', at('kites'))).status).toBe(404)
  })

  test('takes all objects along: one that comes again begins empty', async () => {
    await api.define('floats')
    await api.create(at('floats'), object('Float', 'f'))
    await api.send('DELETE', `${DEFINITIONS}/floats.harbour.test`)
    await api.until(`${DEFINITIONS}/floats.harbour.test`, ({ code }) => code === 404)
    await api.define('floats')
    expect((await api.get(at('floats'))).items).toEqual([])
  })

  test('waits for finalizers of the objects', async () => {
    await api.define('moles')
    await api.create(at('moles'), {
      ...(object('Mole', 'm') as object),
      metadata: { name: 'm', finalizers: ['a.test/x'] },
    })
    await api.send('DELETE', `${DEFINITIONS}/moles.harbour.test`)
    await api.until(`${at('moles')}/m`, ({ metadata }) => metadata?.deletionTimestamp !== undefined)
    const { status } = await api.get(`${DEFINITIONS}/moles.harbour.test`)
    expect(status.conditions.at(-1)).toMatchObject({
      type: 'Terminating',
      status: 'True',
      reason: 'InstanceDeletionInProgress',
    })
    expect((await api.send('POST', at('moles'), object('Mole', 'late'))).status).toBe(405)
    await api.patch(`${at('moles')}/m`, { metadata: { finalizers: null } })
    await api.until(`${DEFINITIONS}/moles.harbour.test`, ({ code }) => code === 404)
  })
})

test.each([
  [{ metadata: { name: 'wrong.harbour.test' } }, 'metadata.name'],
  [{ spec: { scope: 'Everywhere' } }, 'spec.scope'],
  [{ spec: { versions: [] } }, 'spec.versions'],
])('%j makes a definition invalid', async (change, field) => {
  const base = {
    metadata: { name: 'oars.harbour.test' },
    spec: {
      group: 'harbour.test',
      scope: 'Namespaced',
      names: { plural: 'oars', singular: 'oar', kind: 'Oar', listKind: 'OarList' },
      versions: [customVersion('v1')],
    },
  }
  const { status, body } = await api.send('POST', DEFINITIONS, {
    ...base,
    ...change,
    spec: { ...base.spec, ...(change as { spec?: object }).spec },
  })
  expect([status, body.message.includes(field)]).toEqual([422, true])
})
