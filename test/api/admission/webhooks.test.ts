import { describe, expect, test, vi } from 'vitest'
import { GROUP, hookedServer, patched } from './hooked-server.ts'

const hook = hookedServer()
const { create, maps, register, seen } = hook

describe('a validating webhook', () => {
  test('gets the object and the user, and lets it through', async () => {
    await register('validating')
    hook.answer = () => ({ allowed: true })
    expect((await create('asked')).status).toBe(201)
    expect(seen).toHaveLength(1)
    expect(seen[0]?.request).toMatchObject({
      name: 'asked',
      namespace: hook.ns,
      operation: 'CREATE',
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      userInfo: { username: 'admin' },
      dryRun: false,
      oldObject: null,
      object: { kind: 'ConfigMap', metadata: { name: 'asked', namespace: hook.ns }, data: { a: '1' } },
    })
  })

  test('denies in its own words, and with its own code', async () => {
    await register('validating')
    hook.answer = () => ({ allowed: false, status: { message: 'not on my watch', code: 403, reason: 'Forbidden' } })
    const { status, body } = await create('denied')
    expect([status, body.reason, body.message]).toEqual([
      403,
      'Forbidden',
      'admission webhook "hook.example.test" denied the request: not on my watch',
    ])
    hook.answer = () => ({ allowed: false })
    expect((await create('denied')).body.message).toBe(
      'admission webhook "hook.example.test" denied the request without explanation',
    )
    expect((await hook.server.send('GET', `${maps()}/denied`)).status).toBe(404)
  })

  test('warns the client', async () => {
    await register('validating')
    hook.answer = () => ({ allowed: true, warnings: ['mind the gap'] })
    expect((await create('warned')).headers.get('warning')).toBe('299 - "mind the gap"')
  })

  test('is asked of deletions, and not of other namespaces, kinds or labels', async () => {
    await register('validating', { objectSelector: { matchLabels: { watched: 'yes' } } })
    hook.answer = () => ({ allowed: true })
    await create('plain')
    await hook.server.send('POST', '/api/v1/namespaces/default/configmaps', {
      metadata: { name: `elsewhere-${hook.ns}`, labels: { watched: 'yes' } },
    })
    await hook.server.send('POST', `/api/v1/namespaces/${hook.ns}/secrets`, {
      metadata: { name: 'kind', labels: { watched: 'yes' } },
    })
    expect(seen).toEqual([])
    await create('labelled', { labels: { watched: 'yes' } })
    await hook.server.send('DELETE', `${maps()}/labelled`)
    expect(seen.map(({ request }) => request['operation'])).toEqual(['CREATE', 'DELETE'])
  })

  test('is not asked when a definition goes with all objects of its kind', async () => {
    const [group, resource] = [`${hook.ns}.example.test`, 'gadgets']
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    const schema = { openAPIV3Schema: { type: 'object' } }
    await hook.server.send('POST', definitions, {
      metadata: { name: `${resource}.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: resource, singular: 'gadget', kind: 'Gadget', listKind: 'GadgetList' },
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    })
    const gadgets = `/apis/${group}/v1/namespaces/${hook.ns}/${resource}`
    const gadget = { apiVersion: `${group}/v1`, kind: 'Gadget', metadata: { name: 'one' } }
    await expect.poll(async () => (await hook.server.send('POST', gadgets, gadget)).status).toBe(201)
    await register('validating', {
      rules: [{ operations: ['DELETE'], apiGroups: [group], apiVersions: ['*'], resources: [resource] }],
    })
    hook.answer = () => ({ allowed: false, status: { message: 'no', code: 403, reason: 'Forbidden' } })
    expect((await hook.server.send('DELETE', `${gadgets}/one`)).status).toBe(403)
    await hook.server.send('DELETE', `${definitions}/${resource}.${group}`)
    await expect
      .poll(async () => (await hook.server.send('GET', `${definitions}/${resource}.${group}`)).status)
      .toBe(404)
    expect(seen).toHaveLength(1)
  })

  test('is reached through a service, by the name that its certificate has', async () => {
    const port = Number(new URL(hook.url).port)
    await hook.server.send('POST', `/api/v1/namespaces`, { metadata: { name: 'shop' } })
    const spec = { type: 'ExternalName', externalName: '127.0.0.1', ports: [{ port }] }
    await hook.server.send('POST', '/api/v1/namespaces/shop/services', { metadata: { name: 'hooks' }, spec })
    await register('validating', {
      clientConfig: { service: { namespace: 'shop', name: 'hooks', path: '/review', port }, caBundle: hook.ca },
    })
    hook.answer = () => ({ allowed: true })
    expect((await create('served')).status).toBe(201)
    expect(seen).toHaveLength(1)
  })

  test('is reached through the endpoint slice of a service, also on this machine', async () => {
    const port = Number(new URL(hook.url).port)
    await hook.server.send('POST', `/api/v1/namespaces`, { metadata: { name: 'shop' } })
    await hook.server.send('DELETE', '/api/v1/namespaces/shop/services/hooks')
    const spec = { ports: [{ port: 443, targetPort: port }] }
    await hook.server.send('POST', '/api/v1/namespaces/shop/services', { metadata: { name: 'hooks' }, spec })
    const slice = await hook.server.send('POST', '/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices', {
      metadata: { name: 'hooks', labels: { 'kubernetes.io/service-name': 'hooks' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['127.0.0.1'] }],
      ports: [{ name: '', port }],
    })
    expect(slice.status, JSON.stringify(slice.body)).toBe(201)
    await register('validating', {
      clientConfig: { service: { namespace: 'shop', name: 'hooks', path: '/review' }, caBundle: hook.ca },
    })
    hook.answer = () => ({ allowed: true })
    expect((await create('sliced')).status).toBe(201)
    expect(seen).toHaveLength(1)
  })

  test('is reached through the port of the endpoints that has the name of the service port', async () => {
    const port = Number(new URL(hook.url).port)
    await hook.server.send('POST', `/api/v1/namespaces`, { metadata: { name: 'shop' } })
    await hook.server.send('DELETE', '/api/v1/namespaces/shop/services/hooks')
    await hook.server.send('DELETE', '/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices')
    const ports = [
      { name: 'metrics', port: 80 },
      { name: 'hook', port: 8443 },
    ]
    await hook.server.send('POST', '/api/v1/namespaces/shop/services', { metadata: { name: 'hooks' }, spec: { ports } })
    const slice = await hook.server.send('POST', '/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices', {
      metadata: { name: 'hooks', labels: { 'kubernetes.io/service-name': 'hooks' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['127.0.0.2'], conditions: { ready: false } }, { addresses: ['127.0.0.1'] }],
      ports: [
        { name: 'metrics', port: 1 },
        { name: 'hook', port },
      ],
    })
    expect(slice.status, JSON.stringify(slice.body)).toBe(201)
    await register('validating', {
      clientConfig: { service: { namespace: 'shop', name: 'hooks', path: '/review', port: 8443 }, caBundle: hook.ca },
    })
    hook.answer = () => ({ allowed: true })
    expect((await create('named')).status).toBe(201)
    expect(seen).toHaveLength(1)
  })

  test('that rejects the status of a namespace that goes does not keep it', async () => {
    await register('validating', {
      rules: [{ operations: ['UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['namespaces/status'] }],
    })
    hook.answer = () => ({ allowed: false })
    const path = `/api/v1/namespaces/${hook.ns}`
    await hook.server.send('DELETE', path)
    await expect.poll(async () => (await hook.server.send('GET', path)).status).toBe(404)
    expect(seen.length).toBeGreaterThan(0)
  })

  test('is asked only where its conditions hold', async () => {
    await register('validating', {
      matchConditions: [{ name: 'big', expression: "object.metadata.name.startsWith('big')" }],
    })
    hook.answer = () => ({ allowed: false })
    const small = await create('small')
    expect(small.status, JSON.stringify(small.body)).toBe(201)
    expect((await create('big-one')).status).toBe(400)
  })
})

describe('a mutating webhook', () => {
  test('sees an object that has no uid yet, nor the name that will be made for it', async () => {
    await register('mutating')
    hook.answer = () => ({ allowed: true })
    const { body } = await hook.server.send('POST', maps(), { metadata: { generateName: 'made-' } })
    expect(body.metadata.name).toMatch(/^made-.{5}$/)
    expect(seen[0]?.request).not.toHaveProperty('name')
    expect(seen[0]?.request.object).toMatchObject({ metadata: { generateName: 'made-', namespace: hook.ns } })
    expect(seen[0]?.request.object).not.toMatchObject({ metadata: { uid: expect.anything() } })
  })

  test('is asked of deletions, of which it can change nothing', async () => {
    await create('doomed')
    await register('mutating')
    hook.answer = () => patched([{ op: 'add', path: '/data/x', value: 'y' }])
    const { status, body } = await hook.server.send('DELETE', `${maps()}/doomed`)
    expect([status, body.message]).toEqual([
      500,
      'Internal error occurred: admission webhook "hook.example.test" attempted to modify the object, which is not supported for this operation',
    ])
  })

  test('gets the options of the request', async () => {
    await create('optional')
    await register('validating')
    hook.answer = () => ({ allowed: true })
    await create('other', {}, '?fieldManager=me&fieldValidation=Strict')
    await hook.server.send('DELETE', `${maps()}/optional`, { gracePeriodSeconds: 7, propagationPolicy: 'Foreground' })
    expect(seen.map(({ request }) => request['options'])).toEqual([
      { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1', fieldManager: 'me', fieldValidation: 'Strict' },
      { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', gracePeriodSeconds: 7, propagationPolicy: 'Foreground' },
    ])
  })

  test('changes the object, which is then defaulted, validated and counted', async () => {
    await register('mutating')
    hook.answer = () => patched([{ op: 'add', path: '/data/added', value: 'yes' }])
    const { status, body } = await create('changed')
    expect([status, body.data]).toEqual([201, { a: '1', added: 'yes' }])
    hook.answer = () => patched([{ op: 'add', path: '/metadata/labels', value: { 'bad key!': 'x' } }])
    expect((await create('wrong')).status).toBe(422)
  })

  test('that asks for it sees again what another changed behind it', async () => {
    await register('mutating', { reinvocationPolicy: 'IfNeeded' }, 'a.example.test')
    await register('mutating', {}, 'b.example.test')
    let calls = 0
    hook.answer = () => patched([{ op: 'add', path: `/data/call-${calls++}`, value: 'x' }])
    const { body } = await create('again')
    expect(Object.keys(body.data).toSorted()).toEqual(['a', 'call-0', 'call-1', 'call-2'])
  })
})

test('an object that is too large until a webhook takes something from it is stored', async () => {
  await register('mutating', { failurePolicy: 'Fail' })
  hook.answer = () => patched([{ op: 'remove', path: '/data/a' }])
  const { status, body } = await create('shrinks', {}, '')
  expect([status, body.data]).toEqual([201, undefined])
  const data = { a: 'x'.repeat(1_700_000), b: 'kept' }
  const large = await hook.server.send('POST', maps(), { metadata: { name: 'large' }, data })
  expect([large.status, large.body.data]).toEqual([201, { b: 'kept' }])
})

describe('the configurations of webhooks', () => {
  /** How often the store is asked for all configurations of a kind while `work` runs. */
  async function listingsDuring(work: () => Promise<unknown>): Promise<number> {
    const { store } = hook.server
    const spies = [vi.spyOn(store, 'list'), vi.spyOn(store, 'latestIn')]
    await work()
    const buckets = spies.flatMap((spy) => spy.mock.calls.map(([bucket]) => bucket))
    for (const spy of spies) spy.mockRestore()
    return buckets.filter((bucket) => bucket.includes('webhookconfigurations')).length
  }

  test('are listed when one has changed, and not for each request', async () => {
    hook.answer = () => ({ allowed: true })
    await register('mutating')
    await register('validating')
    await create('first')
    const many = await listingsDuring(async () => {
      for (let at = 0; at < 5; at++) expect((await create(`next-${at}`)).status).toBe(201)
    })
    expect([many, seen.length]).toEqual([0, 12])
    // Once for its kind.
    const changed = await listingsDuring(async () => {
      await register('validating', {}, 'another.example.test')
      for (let at = 0; at < 5; at++) expect((await create(`later-${at}`)).status).toBe(201)
    })
    expect([changed, seen.length]).toEqual([1, 27])
  })

  test('are in force with the request after the answer to their change, in every way that they change', async () => {
    hook.answer = () => ({ allowed: false })
    const path = `${GROUP}/validatingwebhookconfigurations/validating-hook.example.test`
    const patch = async (webhook: object): Promise<void> => {
      const body = [{ op: 'replace', path: '/webhooks/0', value: { ...(await stored()), ...webhook } }]
      const headers = { 'content-type': 'application/json-patch+json' }
      expect((await hook.server.send('PATCH', path, body, headers)).status).toBe(200)
    }
    const stored = async (): Promise<object> => (await hook.server.send('GET', path)).body.webhooks[0]
    for (let round = 0; round < 3; round++) {
      expect((await create(`before-${round}`)).status).toBe(201)
      await register('validating')
      expect((await create('denied')).status).toBe(400)
      await patch({ objectSelector: { matchLabels: { watched: 'yes' } } })
      expect((await create(`unlabelled-${round}`)).status).toBe(201)
      expect((await create('denied', { labels: { watched: 'yes' } })).status).toBe(400)
      await patch({ objectSelector: {} })
      expect((await create('denied')).status).toBe(400)
      await hook.server.send('DELETE', path)
    }
    expect((await create('after')).status).toBe(201)
  })
})
