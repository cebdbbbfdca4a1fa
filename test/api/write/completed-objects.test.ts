import { beforeAll, describe, expect, test } from 'vitest'
import { customVersion } from '../../custom-version.ts'
import type { Answer } from '../../in-process.ts'
import { apiServer, MERGE } from '../api-server.ts'

const api = apiServer()
let ns = ''
beforeAll(async () => {
  ns = await api.namespace()
})
const APPLY = { 'content-type': 'application/apply-patch+yaml' } as const
const under = (group: string, resource: string): string => `${ns.replace('/api/v1', `/apis/${group}`)}/${resource}`
const spec = { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] }

describe('a job', () => {
  const GENERATED = ['batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name', 'controller-uid', 'job-name']
  const job = (name: string, labels: object | undefined, ofTemplate: object | undefined): object => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, ...(labels === undefined ? {} : { labels }) },
    spec: { template: { ...(ofTemplate === undefined ? {} : { metadata: { labels: ofTemplate } }), spec } },
  })

  test.each([
    ['bears the labels of its template, with those that its selector adds', undefined, { app: 'a' }, ['app']],
    ['bears those that its selector adds where neither has any', undefined, undefined, []],
    ['bears its own labels where it has some', { own: 'b' }, { app: 'a' }, undefined],
    ['bears its own labels where they are those of its template', { app: 'a' }, { app: 'a' }, undefined],
  ])('%s', async (_, labels, ofTemplate, taken) => {
    const check = (body: Answer['body']): void => {
      const { uid, name } = body.metadata
      const generated = Object.fromEntries(GENERATED.map((key) => [key, key.endsWith('name') ? name : uid]))
      expect(body.spec).toMatchObject({
        manualSelector: false,
        selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } },
        template: { metadata: { labels: { ...ofTemplate, ...generated } } },
      })
      expect(body.metadata.labels).toEqual(taken === undefined ? labels : { ...ofTemplate, ...generated })
    }
    const jobs = under('batch/v1', 'jobs')
    const name = `job-${JSON.stringify([labels, ofTemplate]).replaceAll(/\W+/g, '')}`.toLowerCase()
    const dry = await api.send('POST', `${jobs}?dryRun=All`, job(name, labels, ofTemplate))
    check(dry.body)
    check(await api.create(jobs, job(name, labels, ofTemplate)))
    check(await api.get(`${jobs}/${name}`))
    const applied = `${name}-applied`
    check((await api.send('PATCH', `${jobs}/${applied}?fieldManager=me`, job(applied, labels, ofTemplate), APPLY)).body)
  })

  test('written in YAML with an alias bears its own labels, too', async () => {
    const text = `
apiVersion: batch/v1
kind: Job
metadata: { name: aliased, labels: &labels { app: a } }
spec: { template: { metadata: { labels: *labels }, spec: ${JSON.stringify(spec)} } }
`
    const { body } = await api.send('POST', under('batch/v1', 'jobs'), text, { 'content-type': 'application/yaml' })
    expect(body.metadata.labels).toEqual({ app: 'a' })
  })
})

describe('a claim that is filled from elsewhere', () => {
  const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } }
  const snapshot = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'yesterday' }
  const other = { kind: 'PersistentVolumeClaim', name: 'other' }
  const populated = { apiGroup: 'images.test', kind: 'Image', name: 'base' }
  const post = (more: object): Promise<Answer> =>
    api.send('POST', `${ns}/persistentvolumeclaims`, { metadata: { generateName: 'c-' }, spec: { ...claim, ...more } })

  test.each([
    ['dataSource', snapshot],
    ['dataSource', other],
    ['dataSourceRef', snapshot],
    ['dataSourceRef', other],
    ['dataSourceRef', populated],
  ])('says so in both fields: by %s %j', async (field, source) => {
    const { status, body } = await post({ [field]: source })
    expect([status, body.spec?.dataSource, body.spec?.dataSourceRef]).toEqual([201, source, source])
    const path = `${ns}/persistentvolumeclaims/${body.metadata.name}`
    const { dataSource: _older, dataSourceRef: _newer, ...rest } = body.spec
    const again = await api.send('PUT', path, { ...body, spec: { ...rest, [field]: source } })
    expect([again.status, again.body.metadata.resourceVersion]).toEqual([200, body.metadata.resourceVersion])
  })

  test('is an empty one where the older field cannot mean the source', async () => {
    const { status, body } = await post({ dataSource: populated })
    expect([status, body.spec.dataSource, body.spec.dataSourceRef]).toEqual([201, undefined, undefined])
  })

  test('is an empty one where the source is in another namespace, which no cluster offers by default', async () => {
    const { status, body } = await post({ dataSourceRef: { ...snapshot, namespace: 'other' } })
    expect([status, body.spec.dataSource, body.spec.dataSourceRef]).toEqual([201, undefined, undefined])
  })

  test('is refused where both fields differ', async () => {
    const { status, body } = await post({ dataSource: snapshot, dataSourceRef: other })
    expect([status, body.message]).toEqual([422, expect.stringContaining('must match dataSourceRef')])
  })
})

test('the rules of a policy and of its binding are for every scope unless they say otherwise', async () => {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }
  const match = { resourceRules: [rule, { ...rule, scope: 'Namespaced' }], excludeResourceRules: [rule] }
  const complete = {
    matchPolicy: 'Equivalent',
    namespaceSelector: {},
    objectSelector: {},
    resourceRules: [
      { ...rule, scope: '*' },
      { ...rule, scope: 'Namespaced' },
    ],
    excludeResourceRules: [{ ...rule, scope: '*' }],
  }
  const root = '/apis/admissionregistration.k8s.io/v1'
  const binding = { policyName: 'p', validationActions: ['Deny'], matchResources: match }
  const made = await api.create(`${root}/validatingadmissionpolicybindings`, { metadata: { name: 'b' }, spec: binding })
  expect(made.spec.matchResources).toEqual(complete)
  const mutating = await api.create(`${root}/mutatingadmissionpolicybindings`, {
    metadata: { name: 'b' },
    spec: { policyName: 'p', matchResources: match },
  })
  expect(mutating.spec.matchResources).toEqual(complete)
  const policy = { matchConstraints: match, validations: [{ expression: 'true' }] }
  const kept = await api.create(`${root}/validatingadmissionpolicies`, { metadata: { name: 'p' }, spec: policy })
  expect(kept.spec.matchConstraints).toEqual(complete)
})

test('a VolumeAttributesClass is protected from the start, as claims and volumes are', async () => {
  const finalizers = ['kubernetes.io/vac-protection']
  const path = '/apis/storage.k8s.io/v1/volumeattributesclasses'
  const body = { metadata: { name: 'gold' }, driverName: 'csi.test', parameters: { iops: '3000' } }
  expect((await api.send('POST', `${path}?dryRun=All`, body)).body.metadata.finalizers).toEqual(finalizers)
  expect((await api.create(path, body)).metadata.finalizers).toEqual(finalizers)
})

describe('defaults below the status of a custom resource', () => {
  const phase = { type: 'string', default: 'Pending' }
  const schema = (byDefault?: object): object => ({
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { size: { type: 'integer', default: 1 } } },
        status: {
          type: 'object',
          properties: { phase, replicas: { type: 'integer' } },
          ...(byDefault === undefined ? {} : { default: byDefault }),
        },
      },
    },
  })
  const at = (plural: string): string => `/apis/harbour.test/v1/namespaces/default/${plural}`

  test('are there as soon as it is created, though a status that was sent is dropped', async () => {
    const version = customVersion('v1', { schema: schema({ replicas: 0 }), subresources: { status: {} } })
    await api.define('tugs', { versions: [version] })
    await api.until(at('tugs'), ({ kind }) => kind === 'TugList')
    const status = { phase: 'Pending', replicas: 0 }
    const tug = {
      apiVersion: 'harbour.test/v1',
      kind: 'Tug',
      metadata: { name: 'a' },
      spec: { size: 2 },
      status: { phase: 'Sent' },
    }
    await using watch = await api.watch(`${at('tugs')}?watch=1`)
    expect((await api.send('POST', `${at('tugs')}?dryRun=All`, tug)).body.status).toEqual(status)
    const made = await api.create(at('tugs'), tug)
    expect(made.status).toEqual(status)
    expect(await api.get(`${at('tugs')}/a`)).toEqual(made)
    expect((await watch.next())?.object).toEqual(made)
    const owned = made.metadata.managedFields.map(({ fieldsV1 }: Answer['body']) => Object.keys(fieldsV1))
    expect(owned.flat()).not.toContain('f:status')
    const { status: _dropped, ...without } = made
    const emptied = await api.send('PUT', `${at('tugs')}/a/status`, without)
    expect([emptied.body.status, emptied.body.metadata.resourceVersion]).toEqual([
      status,
      made.metadata.resourceVersion,
    ])
    const applied = { apiVersion: 'harbour.test/v1', kind: 'Tug', metadata: { name: 'b' } }
    expect((await api.send('PATCH', `${at('tugs')}/b?fieldManager=me`, applied, APPLY)).body.status).toEqual(status)
  })

  test('are there in every version, by the schema of the one that is stored', async () => {
    const subresources = { status: {} }
    const versions = [
      customVersion('v1', { schema: schema({ replicas: 0 }), subresources, storage: false }),
      customVersion('v2', { schema: schema({ replicas: 3 }), subresources }),
    ]
    await api.define('barges', { versions })
    await api.until(at('barges'), ({ kind }) => kind === 'BargeList')
    const barge = { apiVersion: 'harbour.test/v1', kind: 'Barge', metadata: { name: 'a' } }
    const dry = await api.send('POST', `${at('barges')}?dryRun=All`, barge)
    const made = await api.create(at('barges'), barge)
    expect([dry.body.status, made.status]).toEqual([
      { phase: 'Pending', replicas: 3 },
      { phase: 'Pending', replicas: 3 },
    ])
  })

  test('do not make a status where the schema has none by itself', async () => {
    const version = customVersion('v1', { schema: schema(), subresources: { status: {} } })
    await api.define('punts', { versions: [version] })
    await api.until(at('punts'), ({ kind }) => kind === 'PuntList')
    const punt = { apiVersion: 'harbour.test/v1', kind: 'Punt', metadata: { name: 'a' }, status: { phase: 'Sent' } }
    expect((await api.create(at('punts'), punt)).status).toBeUndefined()
    const { body } = await api.send('PATCH', `${at('punts')}/a/status`, { status: { replicas: 2 } }, MERGE)
    expect(body.status).toEqual({ phase: 'Pending', replicas: 2 })
  })
})

test('amounts finer than a thousandth are rounded up, wherever they stand', async () => {
  const resources = { requests: { cpu: '100u', memory: '1.5' }, limits: { cpu: '0.0015', memory: '1Gi' } }
  const rounded = { requests: { cpu: '1m', memory: '1500m' }, limits: { cpu: '2m', memory: '1Gi' } }
  const container = { name: 'c', image: 'i', resources }
  const dry = async (path: string, body: object): Promise<Answer['body']> =>
    (await api.send('POST', `${path}?dryRun=All`, { metadata: { name: 'fine' }, ...body })).body
  const pod = await dry(`${ns}/pods`, { spec: { containers: [container] } })
  expect(pod.spec.containers[0].resources).toEqual(rounded)
  const job = { spec: { template: { spec: { ...spec, containers: [container] } } } }
  const made = await dry(under('batch/v1', 'jobs'), job)
  expect(made.spec.template.spec.containers[0].resources).toEqual(rounded)
  const quota = await dry(`${ns}/resourcequotas`, { spec: { hard: { 'requests.cpu': '10000001u' } } })
  expect(quota.spec.hard).toEqual({ 'requests.cpu': '10001m' })
  const limit = { type: 'Container', max: { cpu: '2000001u' }, min: { cpu: '100u' } }
  const range = await dry(`${ns}/limitranges`, { spec: { limits: [limit] } })
  expect(range.spec.limits[0]).toMatchObject({ max: { cpu: '2001m' }, min: { cpu: '1m' }, default: { cpu: '2001m' } })
})
