import { beforeAll, describe, expect, test } from 'vitest'
import { apiServer, configMap, namesOf, pod } from '../api-server.ts'

const api = apiServer()
let ns = ''
beforeAll(async () => {
  ns = await api.namespace()
})

const remove = (path: string, body?: unknown): ReturnType<typeof api.send> => api.send('DELETE', `${ns}/${path}`, body)

test('most kinds answer their deletion with a Status that names what went', async () => {
  const { metadata } = await api.create(`${ns}/configmaps`, configMap('a'))
  const { status, body } = await remove('configmaps/a')
  expect([status, body]).toEqual([
    200,
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: metadata.uid },
    },
  ])
  expect((await api.send('GET', `${ns}/configmaps/a`)).status).toBe(404)
})

test.each([
  ['resourcequotas', { spec: { hard: { pods: '1' } } }],
  ['services', { spec: { ports: [{ port: 80 }] } }],
  ['serviceaccounts', {}],
])('%s answer theirs with the object', async (resource, more) => {
  await api.create(`${ns}/${resource}`, { metadata: { name: 'object' }, ...more })
  expect((await remove(`${resource}/object`)).body).toMatchObject({ metadata: { name: 'object' } })
  expect((await api.send('GET', `${ns}/${resource}/object`)).status).toBe(404)
})

test('an absent object cannot be deleted', async () => {
  const { status, body } = await remove('configmaps/missing')
  expect([status, body.message]).toEqual([404, 'configmaps "missing" not found'])
})

describe('preconditions', () => {
  test('a uid that is not the object’s is a conflict, the right one is not', async () => {
    const { metadata } = await api.create(`${ns}/configmaps`, configMap('uid'))
    const wrong = await remove('configmaps/uid', { preconditions: { uid: 'other' } })
    expect([wrong.status, wrong.body.message]).toEqual([
      409,
      `Operation cannot be fulfilled on ConfigMap "uid": the UID in the precondition (other) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
    ])
    expect((await remove('configmaps/uid', { preconditions: { uid: metadata.uid } })).status).toBe(200)
  })

  test('so is a version that is not the newest', async () => {
    const { metadata } = await api.create(`${ns}/configmaps`, configMap('rv'))
    const changed = await api.patch(`${ns}/configmaps/rv`, { data: { a: '1' } })
    const wrong = await remove('configmaps/rv', { preconditions: { resourceVersion: metadata.resourceVersion } })
    expect([wrong.status, wrong.body.message]).toEqual([
      409,
      `Operation cannot be fulfilled on ConfigMap "rv": the ResourceVersion in the precondition (${metadata.resourceVersion}) does not match the ResourceVersion in record (${changed.metadata.resourceVersion}). The object might have been modified`,
    ])
    expect(
      (await remove('configmaps/rv', { preconditions: { resourceVersion: changed.metadata.resourceVersion } })).status,
    ).toBe(200)
  })
})

describe('finalizers', () => {
  test('keep the object, marked once, until the last one is gone', async () => {
    await api.create(`${ns}/configmaps`, configMap('kept', {}, { finalizers: ['a.test/x'] }))
    const first = await remove('configmaps/kept')
    expect([first.status, first.body.kind, first.body.metadata.deletionGracePeriodSeconds]).toEqual([
      200,
      'ConfigMap',
      0,
    ])
    const second = await remove('configmaps/kept')
    expect(second.body.metadata).toEqual(first.body.metadata)
    await api.patch(`${ns}/configmaps/kept`, { metadata: { finalizers: [] } })
    expect((await api.send('GET', `${ns}/configmaps/kept`)).status).toBe(404)
  })

  test('of an object that is not deleted may go without effect', async () => {
    await api.create(`${ns}/configmaps`, configMap('living', {}, { finalizers: ['a.test/x'] }))
    await api.patch(`${ns}/configmaps/living`, { metadata: { finalizers: null } })
    expect((await api.get(`${ns}/configmaps/living`)).metadata.finalizers).toBeUndefined()
  })

  test('watchers see the mark as a change and the end as a deletion', async () => {
    const { metadata } = await api.create(`${ns}/configmaps`, configMap('seen', {}, { finalizers: ['a.test/x'] }))
    await using watch = await api.watch(
      `${ns}/configmaps?watch=1&fieldSelector=metadata.name%3Dseen&resourceVersion=${metadata.resourceVersion}`,
    )
    await remove('configmaps/seen')
    await api.patch(`${ns}/configmaps/seen`, { metadata: { finalizers: null } })
    expect(await watch.lines(2)).toEqual(['MODIFIED seen', 'DELETED seen'])
  })
})

describe('pods', () => {
  test('that run nowhere go at once', async () => {
    await api.create(`${ns}/pods`, pod('free'))
    const { status, body } = await remove('pods/free')
    expect([status, body.kind]).toEqual([200, 'Pod'])
    expect((await api.send('GET', `${ns}/pods/free`)).status).toBe(404)
  })

  test('on a node get their time, which may only become shorter', async () => {
    await api.create(`${ns}/pods`, pod('bound', { nodeName: 'n', terminationGracePeriodSeconds: 50 }))
    const grace = async (body?: unknown): Promise<number> =>
      (await remove('pods/bound', body)).body.metadata.deletionGracePeriodSeconds
    expect(await grace()).toBe(50)
    expect(await grace({ gracePeriodSeconds: 90 })).toBe(50)
    expect(await grace({ gracePeriodSeconds: 20 })).toBe(20)
    const { deletionTimestamp, creationTimestamp, generation } = (await api.get(`${ns}/pods/bound`)).metadata
    expect((Date.parse(deletionTimestamp) - Date.parse(creationTimestamp)) / 1000).toBeLessThanOrEqual(22)
    expect(generation).toBe(2)
    await remove('pods/bound', { gracePeriodSeconds: 0 })
    expect((await api.send('GET', `${ns}/pods/bound`)).status).toBe(404)
  })

  test('take the time of the query', async () => {
    await api.create(`${ns}/pods`, pod('query', { nodeName: 'n' }))
    expect((await remove('pods/query?gracePeriodSeconds=7')).body.metadata.deletionGracePeriodSeconds).toBe(7)
    expect((await remove('pods/query?gracePeriodSeconds=-5')).body.metadata.deletionGracePeriodSeconds).toBe(1)
    expect((await remove('pods/query?gracePeriodSeconds=0')).status).toBe(200)
    expect((await api.send('GET', `${ns}/pods/query`)).status).toBe(404)
  })

  test('that have ended go at once', async () => {
    await api.create(`${ns}/pods`, pod('ended', { nodeName: 'n' }))
    await api.patch(`${ns}/pods/ended/status`, { status: { phase: 'Succeeded' } })
    await remove('pods/ended')
    expect((await api.send('GET', `${ns}/pods/ended`)).status).toBe(404)
  })

  test('with a finalizer stay past their time', async () => {
    await api.create(`${ns}/pods`, { ...(pod('held') as object), metadata: { name: 'held', finalizers: ['a.test/x'] } })
    await remove('pods/held', { gracePeriodSeconds: 0 })
    expect((await api.get(`${ns}/pods/held`)).metadata.deletionGracePeriodSeconds).toBe(0)
    await api.patch(`${ns}/pods/held`, { metadata: { finalizers: null } })
    expect((await api.send('GET', `${ns}/pods/held`)).status).toBe(404)
  })
})

describe('DeleteOptions', () => {
  test.each(['Background', 'Foreground', 'Orphan'])(
    'propagationPolicy %s is taken from body and query',
    async (policy) => {
      await api.create(`${ns}/configmaps`, configMap(`p-${policy.toLowerCase()}`))
      await api.create(`${ns}/configmaps`, configMap(`q-${policy.toLowerCase()}`))
      const options = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: policy }
      expect((await remove(`configmaps/p-${policy.toLowerCase()}`, options)).status).toBe(200)
      expect((await remove(`configmaps/q-${policy.toLowerCase()}?propagationPolicy=${policy}`)).status).toBe(200)
    },
  )

  test.each([
    [{ propagationPolicy: 'Sideways' }, 422, 'propagationPolicy'],
    [{ gracePeriodSeconds: 'soon' }, 500, 'gracePeriodSeconds'],
    [{ dryRun: ['Some'] }, 422, 'dryRun'],
    [{ kind: 'Pod' }, 500, 'no kind "Pod" is registered'],
    [
      { orphanDependents: true, propagationPolicy: 'Background' },
      422,
      'orphanDependents and deletionPropagation cannot be both set',
    ],
    ['[]', 500, 'get version/kind'],
    ['{', 500, ''],
  ])('%j is refused with %i', async (options, code, message) => {
    await api.send('POST', `${ns}/configmaps`, configMap('options'))
    const { status, body } = await remove('configmaps/options', options)
    expect(status).toBe(code)
    expect(body.message).toContain(message)
  })

  test.each([
    [undefined, '?dryRun=All'],
    [{ dryRun: ['All'] }, ''],
  ])('a dry run (%j%s) deletes nothing', async (options, query) => {
    await api.send('POST', `${ns}/configmaps`, configMap('dry'))
    expect((await remove(`configmaps/dry${query}`, options)).status).toBe(200)
    expect((await api.send('GET', `${ns}/configmaps/dry`)).status).toBe(200)
  })

  test('may be YAML', async () => {
    await api.create(`${ns}/configmaps`, configMap('yaml'))
    const { status } = await api.send(
      'DELETE',
      `${ns}/configmaps/yaml`,
      'kind: DeleteOptions\npreconditions: {uid: other}\n',
      { 'content-type': 'application/yaml' },
    )
    expect(status).toBe(409)
  })
})

describe('a collection', () => {
  test('is deleted by selectors and answered with what went', async () => {
    const here = await api.namespace()
    for (const [name, tier] of [
      ['a', 'web'],
      ['b', 'db'],
      ['c', 'web'],
    ])
      await api.create(`${here}/secrets`, { metadata: { name, labels: { tier } } })
    const { status, body } = await api.send(
      'DELETE',
      `${here}/secrets?labelSelector=tier%3Dweb&fieldSelector=metadata.name!%3Dc`,
    )
    expect([status, body.kind, namesOf(body)]).toEqual([200, 'SecretList', ['a']])
    expect(namesOf(await api.get(`${here}/secrets`))).toEqual(['b', 'c'])
    await api.send('DELETE', `${here}/secrets`)
    expect(namesOf(await api.get(`${here}/secrets`))).toEqual([])
  })

  test('keeps what has finalizers, marked', async () => {
    const here = await api.namespace()
    await api.create(`${here}/secrets`, { metadata: { name: 'held', finalizers: ['a.test/x'] } })
    await api.create(`${here}/secrets`, { metadata: { name: 'free' } })
    await api.send('DELETE', `${here}/secrets`)
    const { items } = await api.get(`${here}/secrets`)
    expect(
      items.map(({ metadata }: { metadata: { name: string; deletionTimestamp?: string } }) => [
        metadata.name,
        typeof metadata.deletionTimestamp,
      ]),
    ).toEqual([['held', 'string']])
  })

  test('with a dry run stays', async () => {
    const here = await api.namespace()
    await api.create(`${here}/secrets`, { metadata: { name: 'a' } })
    expect((await api.send('DELETE', `${here}/secrets?dryRun=All`)).status).toBe(200)
    expect(namesOf(await api.get(`${here}/secrets`))).toEqual(['a'])
  })

  test('with options for all of it', async () => {
    const here = await api.namespace()
    await api.create(`${here}/pods`, pod('a', { nodeName: 'n' }))
    await api.send('DELETE', `${here}/pods`, { gracePeriodSeconds: 3 })
    expect((await api.get(`${here}/pods/a`)).metadata.deletionGracePeriodSeconds).toBe(3)
  })
})

test('of many clients that delete the same object one gets the deletion', async () => {
  await api.create(`${ns}/configmaps`, configMap('once'))
  const codes = await Promise.all(Array.from({ length: 10 }, async () => (await remove('configmaps/once')).status))
  expect(codes.toSorted((a, b) => a - b)).toEqual([200, ...Array.from({ length: 9 }, () => 404)])
})

test('a name is free again when its object is gone', async () => {
  const first = await api.create(`${ns}/configmaps`, configMap('reused'))
  await remove('configmaps/reused')
  const second = await api.create(`${ns}/configmaps`, configMap('reused'))
  expect(second.metadata.uid).not.toBe(first.metadata.uid)
  expect(Number(second.metadata.resourceVersion)).toBeGreaterThan(Number(first.metadata.resourceVersion))
})
