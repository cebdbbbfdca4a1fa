import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { customVersion } from '../../custom-version.ts'
import { apiServer, JSON_PATCH, MERGE, METADATA_ONLY, pod, STRATEGIC, TABLE } from '../api-server.ts'

const api = apiServer()
let ns = ''
beforeAll(async () => {
  ns = await api.namespace()
})

const inGroup = (group: string): string => ns.replace('/api/v1', `/apis/${group}`)

describe('scale', () => {
  const path = (name: string): string => `${inGroup('apps/v1')}/deployments/${name}`
  const deploy = (name: string, replicas = 2): Promise<unknown> =>
    api.create(`${inGroup('apps/v1')}/deployments`, {
      metadata: { name },
      spec: {
        replicas,
        selector: {
          matchLabels: { app: name },
          matchExpressions: [{ key: 'tier', operator: 'In', values: ['b', 'a'] }],
        },
        template: { metadata: { labels: { app: name, tier: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    })

  test('shows replicas and the selector as text', async () => {
    await deploy('shown')
    expect(await api.get(`${path('shown')}/scale`)).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      metadata: { name: 'shown', namespace: 'ns-1' },
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=shown,tier in (a,b)' },
    })
  })

  test('is replaced, and so the object is scaled', async () => {
    await deploy('put')
    const scale = await api.get(`${path('put')}/scale`)
    const { status, body } = await api.send('PUT', `${path('put')}/scale`, { ...scale, spec: { replicas: 5 } })
    expect([status, body.spec.replicas]).toEqual([200, 5])
    const { spec, metadata } = await api.get(path('put'))
    expect([spec.replicas, metadata.generation]).toEqual([5, 2])
  })

  test.each([MERGE, STRATEGIC])('is patched with %j', async (headers) => {
    const name = `patch-${headers === MERGE ? 'a' : 'b'}`
    await deploy(name)
    expect((await api.patch(`${path(name)}/scale`, { spec: { replicas: 7 } }, headers)).spec.replicas).toBe(7)
  })

  test('is patched by operations', async () => {
    await deploy('operations')
    expect(
      (
        await api.patch(
          `${path('operations')}/scale`,
          [{ op: 'replace', path: '/spec/replicas', value: 0 }],
          JSON_PATCH,
        )
      ).spec,
    ).toEqual(expect.not.objectContaining({ replicas: 2 }))
    expect((await api.get(path('operations'))).spec.replicas).toBe(0)
  })

  test('that is stale is a conflict', async () => {
    await deploy('stale')
    const scale = await api.get(`${path('stale')}/scale`)
    await api.patch(path('stale'), { metadata: { labels: { a: 'b' } } })
    expect((await api.send('PUT', `${path('stale')}/scale`, { ...scale, spec: { replicas: 3 } })).status).toBe(409)
  })

  test.each([
    [{ spec: { replicas: -1 } }, 422],
    [{ spec: { replicas: 1.5 } }, 422],
    [{ kind: 'Pod' }, 422],
  ])('%j is refused with %i', async (patch, code) => {
    await api.send('POST', `${inGroup('apps/v1')}/deployments`, { metadata: { name: 'bad' } })
    await deploy(`bad-${code}-${JSON.stringify(patch).length}`)
    expect(
      (await api.send('PATCH', `${path(`bad-${code}-${JSON.stringify(patch).length}`)}/scale`, patch, MERGE)).status,
    ).toBe(code)
  })

  test('of what does not exist is not there', async () => {
    expect((await api.send('GET', `${path('missing')}/scale`)).status).toBe(404)
    expect((await api.send('PATCH', `${path('missing')}/scale`, { spec: { replicas: 1 } }, MERGE)).status).toBe(404)
  })

  /** Each way to ask for a Scale, with what changes nothing. */
  const WAYS = [
    ['GET', undefined, {}],
    ['PUT', { spec: { replicas: 2 } }, {}],
    ['PATCH', { spec: { replicas: 2 } }, MERGE],
  ] as const

  test.each(WAYS)(
    'is answered to %s in the shape and encoding that the client asked for',
    async (method, spec, more) => {
      const name = `shaped-${method.toLowerCase()}`
      await deploy(name)
      const at = `${path(name)}/scale`
      const asked = async (accept: string) =>
        api.send(method, at, spec === undefined ? undefined : { ...(await api.get(at)), ...spec }, { ...more, accept })
      const table = await asked(TABLE.accept)
      expect(table.body.columnDefinitions.map((column: { name: string }) => column.name)).toEqual([
        'Name',
        'Desired',
        'Available',
        'Age',
      ])
      expect(table.body.rows).toMatchObject([
        { cells: [name, 2, 0, expect.any(String)], object: { kind: 'PartialObjectMetadata', metadata: { name } } },
      ])
      const metadata = await asked(METADATA_ONLY.accept)
      expect(metadata.body, JSON.stringify(metadata.body)).toMatchObject({
        kind: 'PartialObjectMetadata',
        metadata: { name },
      })
      const yaml = await asked('application/yaml')
      expect(yaml.headers.get('content-type')).toBe('application/yaml')
      expect(parse(yaml.body)).toMatchObject({ kind: 'Scale', spec: { replicas: 2 } })
      const protobuf = await asked('application/vnd.kubernetes.protobuf')
      expect(protobuf.headers.get('content-type')).toBe('application/vnd.kubernetes.protobuf')
      expect(protobuf.body).toMatch(/^k8s\0.*autoscaling\/v1.*Scale/s)
      expect((await asked('text/html')).status).toBe(406)
    },
  )

  test('of a custom resource has its columns, and protobuf all the same', async () => {
    const subresources = { scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' }, status: {} }
    await api.define('gauges', { versions: [{ ...customVersion('v1'), subresources }] })
    const gauges = `${inGroup('harbour.test/v1')}/gauges`
    await api.create(gauges, { apiVersion: 'harbour.test/v1', kind: 'Gauge', metadata: { name: 'g' }, spec: { n: 3 } })
    const table = await api.get(`${gauges}/g/scale`, TABLE)
    expect(table.rows).toMatchObject([{ cells: ['g', expect.any(String)] }])
    const protobuf = await api.send('GET', `${gauges}/g/scale`, undefined, {
      accept: 'application/vnd.kubernetes.protobuf',
    })
    expect(protobuf.headers.get('content-type')).toBe('application/vnd.kubernetes.protobuf')
  })

  test('in a dry run scales nothing', async () => {
    await deploy('dry')
    expect(
      (await api.send('PATCH', `${path('dry')}/scale?dryRun=All`, { spec: { replicas: 9 } }, MERGE)).body.spec.replicas,
    ).toBe(9)
    expect((await api.get(path('dry'))).spec.replicas).toBe(2)
  })
})

describe('a write of a part of a pod', () => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: '1-2-3' }
  const metadata = { labels: { a: 'b' }, annotations: { c: 'd' }, finalizers: ['x.y/z'], ownerReferences: [owner] }

  test.each(['ephemeralcontainers', 'resize'])('changes no metadata (%s)', async (subresource) => {
    const name = `part-${subresource}`
    await api.create(`${ns}/pods`, pod(name))
    const at = `${ns}/pods/${name}`
    const sent = await api.get(at)
    expect((await api.send('PATCH', `${at}/${subresource}`, { metadata }, MERGE)).status).toBe(200)
    const replacement = { ...sent, metadata: { ...sent.metadata, ...metadata, resourceVersion: '' } }
    expect((await api.send('PUT', `${at}/${subresource}`, replacement)).status).toBe(200)
    const { managedFields: _now, ...after } = (await api.get(at)).metadata
    const { managedFields: _then, ...before } = sent.metadata
    expect({ ...after, resourceVersion: '' }).toEqual({ ...before, resourceVersion: '' })
  })

  test('leaves a pod that can be bound, ephemeral containers or not', async () => {
    await api.create(`${ns}/pods`, pod('part-bound'))
    const containers = { spec: { ephemeralContainers: [{ name: 'e', image: 'z' }] } }
    expect((await api.send('PATCH', `${ns}/pods/part-bound/ephemeralcontainers`, containers, STRATEGIC)).status).toBe(
      200,
    )
    const binding = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name: 'part-bound' },
      target: { kind: 'Node', name: 'n' },
    }
    expect((await api.send('POST', `${ns}/pods/part-bound/binding`, binding)).status).toBe(201)
    expect((await api.get(`${ns}/pods/part-bound`)).spec).toMatchObject({
      nodeName: 'n',
      ephemeralContainers: [{ name: 'e' }],
    })
  })
})

test.each([
  ['pods/elsewhere/eviction', 'policy/v1', 'Eviction', {}],
  ['pods/elsewhere/binding', 'v1', 'Binding', { target: { kind: 'Node', name: 'n' } }],
])('a body of another namespace is refused (%s)', async (path, apiVersion, kind, more) => {
  if (path.endsWith('eviction')) await api.create(`${ns}/pods`, pod('elsewhere'))
  const body = { apiVersion, kind, metadata: { name: 'elsewhere', namespace: 'other' }, ...more }
  const refused = await api.send('POST', `${ns}/${path}`, body)
  expect([refused.status, refused.body.message]).toEqual([
    400,
    'the namespace of the provided object does not match the namespace sent on the request',
  ])
  expect((await api.get(`${ns}/pods/elsewhere`)).spec.nodeName).toBeUndefined()
})

describe('eviction', () => {
  const evict = (name: string, options?: unknown): ReturnType<typeof api.send> =>
    api.send('POST', `${ns}/pods/${name}/eviction`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name, namespace: 'ns-1' },
      ...(options === undefined ? {} : { deleteOptions: options }),
    })
  const labelled = (name: string, labels: object, spec: object = {}): unknown => ({
    ...(pod(name, { ...spec }) as object),
    metadata: { name, labels },
  })
  const budget = async (name: string, app: string, status: object): Promise<void> => {
    await api.create(`${inGroup('policy/v1')}/poddisruptionbudgets`, {
      metadata: { name },
      spec: { minAvailable: 1, selector: { matchLabels: { app } } },
    })
    await api.patch(`${inGroup('policy/v1')}/poddisruptionbudgets/${name}/status`, {
      status: { observedGeneration: 1, ...status },
    })
  }
  const running = async (name: string, app: string): Promise<void> => {
    await api.create(`${ns}/pods`, labelled(name, { app }, { nodeName: 'n' }))
    await api.patch(`${ns}/pods/${name}/status`, {
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
    })
  }

  test('deletes a pod that no budget protects', async () => {
    await api.create(`${ns}/pods`, pod('unprotected'))
    const { status, body } = await evict('unprotected')
    expect([status, body.status]).toEqual([201, 'Success'])
    expect((await api.send('GET', `${ns}/pods/unprotected`)).status).toBe(404)
  })

  test('is put off while the budget allows no disruption', async () => {
    await running('needed', 'needed')
    await budget('needed', 'needed', { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 })
    const { status, body, headers } = await evict('needed')
    expect([status, body.reason, body.message]).toEqual([
      429,
      'TooManyRequests',
      "Cannot evict pod as it would violate the pod's disruption budget.",
    ])
    expect(headers.get('retry-after')).toBeNull()
    expect(body.details.causes).toEqual([
      { reason: 'DisruptionBudget', message: 'The disruption budget needed needs 1 healthy pods and has 1 currently' },
    ])
    expect((await api.send('GET', `${ns}/pods/needed`)).status).toBe(200)
  })

  test('spends what the budget allows', async () => {
    await running('spare-1', 'spare')
    await running('spare-2', 'spare')
    await budget('spare', 'spare', { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 })
    expect((await evict('spare-1')).status).toBe(201)
    const { status } = await api.get(`${inGroup('policy/v1')}/poddisruptionbudgets/spare`)
    expect([status.disruptionsAllowed, Object.keys(status.disruptedPods)]).toEqual([0, ['spare-1']])
    expect((await evict('spare-2')).status).toBe(429)
  })

  test('of a pod that has not begun or has ended asks no budget', async () => {
    await api.create(`${ns}/pods`, labelled('pending', { app: 'idle' }))
    await api.create(`${ns}/pods`, labelled('ended', { app: 'idle' }, { nodeName: 'n' }))
    await api.patch(`${ns}/pods/ended/status`, { status: { phase: 'Failed' } })
    await budget('idle', 'idle', { disruptionsAllowed: 0 })
    expect([(await evict('pending')).status, (await evict('ended')).status]).toEqual([201, 201])
  })

  test('of a pod that is not ready is let through while the others suffice', async () => {
    await running('unready', 'unready')
    await api.patch(`${ns}/pods/unready/status`, { status: { conditions: null } })
    await budget('unready', 'unready', { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1 })
    expect((await evict('unready')).status).toBe(201)
  })

  test('waits for a budget that has not been counted since it changed', async () => {
    await running('uncounted', 'uncounted')
    await budget('uncounted', 'uncounted', { disruptionsAllowed: 1, observedGeneration: 0 })
    const { status, body } = await evict('uncounted')
    expect([status, body.details.causes[0].message]).toEqual([
      429,
      'The disruption budget uncounted is still being processed by the server.',
    ])
  })

  test('in a dry run spends nothing', async () => {
    await running('dry', 'dry')
    await budget('dry', 'dry', { disruptionsAllowed: 1 })
    expect((await evict('dry', { dryRun: ['All'] })).status).toBe(201)
    expect((await api.get(`${inGroup('policy/v1')}/poddisruptionbudgets/dry`)).status.disruptionsAllowed).toBe(1)
  })

  test('under two budgets is refused', async () => {
    await running('torn', 'torn')
    await budget('torn-a', 'torn', { disruptionsAllowed: 1 })
    await budget('torn-b', 'torn', { disruptionsAllowed: 1 })
    const { status, body } = await evict('torn')
    expect(status).toBe(500)
    expect(body.message).toContain(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    )
  })

  test('obeys DeleteOptions', async () => {
    await api.create(`${ns}/pods`, pod('options', { nodeName: 'n' }))
    expect((await evict('options', { preconditions: { uid: 'other' } })).status).toBe(409)
    expect((await evict('options', { dryRun: ['All'] })).status).toBe(201)
    expect((await api.get(`${ns}/pods/options`)).metadata.deletionTimestamp).toBeUndefined()
    expect((await evict('options', { gracePeriodSeconds: 4 })).status).toBe(201)
    expect((await api.get(`${ns}/pods/options`)).metadata.deletionGracePeriodSeconds).toBe(4)
  })

  test('must name the pod of the URL', async () => {
    await api.create(`${ns}/pods`, pod('mismatch'))
    const { status, body } = await api.send('POST', `${ns}/pods/mismatch/eviction`, { metadata: { name: 'other' } })
    expect([status, body.message]).toEqual([400, 'name in URL does not match name in Eviction object'])
  })

  test('of a pod that is not there is not found', async () => {
    expect((await evict('missing')).body.message).toBe('pods "missing" not found')
  })
})

describe('binding', () => {
  const bind = (name: string, node?: string): ReturnType<typeof api.send> =>
    api.send('POST', `${ns}/pods/${name}/binding`, {
      metadata: { name },
      target: { kind: 'Node', ...(node === undefined ? {} : { name: node }) },
    })

  test('puts a pod on a node, once', async () => {
    await api.create(`${ns}/pods`, pod('bound'))
    expect([(await bind('bound', 'n1')).status, (await bind('bound', 'n2')).status]).toEqual([201, 409])
    const { spec, status } = await api.get(`${ns}/pods/bound`)
    expect([spec.nodeName, status.conditions]).toMatchObject(['n1', [{ type: 'PodScheduled', status: 'True' }]])
  })

  test('needs a node and a pod', async () => {
    await api.create(`${ns}/pods`, pod('unbound'))
    const { status, body } = await bind('unbound')
    expect([status, body.message]).toEqual([500, 'target.name: Required value'])
    expect((await bind('missing', 'n')).status).toBe(404)
  })

  test.each([
    ['gated', { schedulingGates: [{ name: 'a.test/b' }] }, {}, 'has non-empty .spec.schedulingGates'],
    ['leaving', {}, { finalizers: ['a.test/b'] }, 'is being deleted, cannot be assigned to a host'],
  ])('of a pod that must not be on a node yet or any more is refused (%s)', async (name, spec, metadata, why) => {
    const made = pod(name, spec) as { readonly metadata: object }
    await api.create(`${ns}/pods`, { ...made, metadata: { ...made.metadata, ...metadata } })
    if (name === 'leaving') await api.send('DELETE', `${ns}/pods/${name}`)
    const { status, body } = await bind(name, 'n')
    expect([status, body.message]).toEqual([
      409,
      `Operation cannot be fulfilled on pods/binding "${name}": pod ${name} ${why}`,
    ])
    expect((await api.get(`${ns}/pods/${name}`)).spec.nodeName).toBeUndefined()
  })

  test('of another pod, or of one as it was, is refused', async () => {
    const { metadata } = await api.create(`${ns}/pods`, pod('meant'))
    const bindAs = (meant: object): ReturnType<typeof api.send> =>
      api.send('POST', `${ns}/pods/meant/binding`, { metadata: { name: 'meant', ...meant }, target: { name: 'n' } })
    for (const other of [{ uid: 'other' }, { resourceVersion: '1' }]) {
      const { status, body } = await bindAs(other)
      expect([status, body.message]).toEqual([409, expect.stringContaining('Precondition failed')])
    }
    const { uid, resourceVersion } = metadata
    expect((await bindAs({ uid, resourceVersion })).status).toBe(201)
  })

  test('on the older path does the same and stores no binding', async () => {
    await api.create(`${ns}/pods`, pod('older'))
    const { status } = await api.send('POST', `${ns}/bindings`, {
      metadata: { name: 'older' },
      target: { kind: 'Node', name: 'n3' },
    })
    expect([status, (await api.get(`${ns}/pods/older`)).spec.nodeName]).toEqual([201, 'n3'])
  })
})

describe('resize', () => {
  test('changes what containers ask for, and counts as a generation', async () => {
    await api.create(`${ns}/pods`, pod('small', {}, { cpu: '100m' }))
    const { spec, metadata } = await api.patch(
      `${ns}/pods/small/resize`,
      { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '200m' } } }] } },
      STRATEGIC,
    )
    expect([spec.containers[0].resources.requests, metadata.generation]).toEqual([{ cpu: '200m' }, 2])
  })

  test('changes nothing else', async () => {
    await api.create(`${ns}/pods`, pod('same', {}, { cpu: '100m' }))
    const { spec } = await api.patch(
      `${ns}/pods/same/resize`,
      { spec: { containers: [{ name: 'c', image: 'other:1' }], activeDeadlineSeconds: 5 } },
      STRATEGIC,
    )
    expect([spec.containers[0].image, spec.activeDeadlineSeconds]).toEqual(['nginx:1', undefined])
  })

  test('keeps the quality of service', async () => {
    await api.create(`${ns}/pods`, pod('quality'))
    const { status, body } = await api.send(
      'PATCH',
      `${ns}/pods/quality/resize`,
      { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] } },
      STRATEGIC,
    )
    expect(status).toBe(422)
    expect(body.message).toContain('Pod QOS Class may not change as a result of resizing')
  })
})

describe('ephemeral containers', () => {
  test('are added, and stay', async () => {
    await api.create(`${ns}/pods`, pod('debugged'))
    const patch = { spec: { ephemeralContainers: [{ name: 'd', image: 'debug:1' }] } }
    const { spec } = await api.patch(`${ns}/pods/debugged/ephemeralcontainers`, patch, STRATEGIC)
    expect(spec.ephemeralContainers).toMatchObject([{ name: 'd', image: 'debug:1' }])
    const { status } = await api.send(
      'PATCH',
      `${ns}/pods/debugged/ephemeralcontainers`,
      { spec: { ephemeralContainers: null } },
      MERGE,
    )
    expect(status).toBe(422)
  })

  test('cannot come through the pod itself', async () => {
    await api.create(`${ns}/pods`, pod('direct'))
    const { status } = await api.send(
      'PATCH',
      `${ns}/pods/direct`,
      { spec: { ephemeralContainers: [{ name: 'd', image: 'debug:1' }] } },
      STRATEGIC,
    )
    expect(status).toBe(422)
  })
})

describe('finalize', () => {
  test('changes the finalizers of a namespace, and nothing else', async () => {
    const here = await api.namespace()
    const namespace = await api.get(here)
    const sent = { ...namespace, spec: { finalizers: ['kubernetes', 'a.test/x'] }, status: { phase: 'Terminating' } }
    const { status, body } = await api.send('PUT', `${here}/finalize`, sent)
    expect([status, body.spec.finalizers, body.status.phase]).toEqual([200, ['kubernetes', 'a.test/x'], 'Active'])
  })

  test('takes names only', async () => {
    const here = await api.namespace()
    const { status } = await api.send('PUT', `${here}/finalize`, {
      ...(await api.get(here)),
      spec: { finalizers: ['nonsense'] },
    })
    expect(status).toBe(422)
  })
})
