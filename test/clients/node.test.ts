import {
  ApiException,
  ApiextensionsV1Api,
  AppsV1Api,
  AuthorizationV1Api,
  CoordinationV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  Watch,
} from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Allot, startAllot } from '../start-allot.ts'
import { leaseCandidate } from './lease-candidate.ts'

const LABELS = { check: 'yes' }
const TRINKETS = {
  metadata: { name: 'trinkets.node.example.com' },
  spec: {
    group: 'node.example.com',
    scope: 'Namespaced',
    names: { plural: 'trinkets', singular: 'trinket', kind: 'Trinket' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer' } } },
              status: { type: 'object', properties: { well: { type: 'boolean' } } },
            },
          },
        },
      },
    ],
  },
}
const PATIENCE = { timeout: 60_000, interval: 10 }

describe('the JavaScript client', { concurrent: true }, () => {
  let allot: Allot
  const config = new KubeConfig()
  beforeAll(async () => {
    allot = await startAllot({ inMemory: true })
    config.loadFromFile(allot.kubeconfig)
  })
  afterAll(() => allot.stop())

  let namespaces = 0
  const inNewNamespace = async () => {
    namespaces += 1
    const core = config.makeApiClient(CoreV1Api)
    const namespace = `n${namespaces}`
    await core.createNamespace({ body: { metadata: { name: namespace } } })
    const map = (name: string, data?: Record<string, string>) => ({
      metadata: { name, labels: LABELS },
      ...(data === undefined ? {} : { data }),
    })
    return {
      namespace,
      core,
      apps: config.makeApiClient(AppsV1Api),
      map,
      create: (name: string, data?: Record<string, string>) =>
        core.createNamespacedConfigMap({ namespace, body: map(name, data) }),
      path: `/api/v1/namespaces/${namespace}/configmaps`,
    }
  }
  const deployment = (name: string) => ({
    metadata: { name },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
      },
    },
  })
  /** The Status of a rejected call. */
  const refusal = async (call: Promise<unknown>) => {
    const error = await call.then(() => undefined).catch((error: unknown) => error)
    if (!(error instanceof ApiException)) throw new Error('was not refused', { cause: error })
    return JSON.parse(error.body)
  }

  test('makes, reads, changes, scales and deletes', async () => {
    const { apps, namespace } = await inNewNamespace()
    const made = await apps.createNamespacedDeployment({ namespace, body: deployment('web') })
    expect(made.spec).toMatchObject({ revisionHistoryLimit: 10, strategy: { type: 'RollingUpdate' } })
    expect(made.metadata?.creationTimestamp).toBeInstanceOf(Date)
    const spec = { ...deployment('web').spec, replicas: 3 }
    await apps.replaceNamespacedDeployment({ namespace, name: 'web', body: { metadata: made.metadata ?? {}, spec } })
    const scale = await apps.readNamespacedDeploymentScale({ namespace, name: 'web' })
    expect(scale.spec).toEqual({ replicas: 3 })
    await apps.replaceNamespacedDeploymentScale({
      namespace,
      name: 'web',
      body: { metadata: scale.metadata ?? {}, spec: { replicas: 5 } },
    })
    expect((await apps.readNamespacedDeployment({ namespace, name: 'web' })).spec?.replicas).toBe(5)
    await apps.deleteNamespacedDeployment({ namespace, name: 'web', propagationPolicy: 'Background' })
    expect(await refusal(apps.readNamespacedDeployment({ namespace, name: 'web' }))).toMatchObject({ code: 404 })
  })

  test('lists in pages and by selectors', async () => {
    const { core, create, namespace } = await inNewNamespace()
    for (const name of ['a', 'b', 'c', 'd', 'e']) await create(name)
    const sizes: number[] = []
    let page: string | undefined
    do {
      const { items, metadata } = await core.listNamespacedConfigMap({
        namespace,
        labelSelector: 'check=yes',
        limit: 2,
        ...(page === undefined ? {} : { _continue: page }),
      })
      sizes.push(items.length)
      page = metadata?._continue
    } while (page !== undefined && page !== '')
    expect(sizes).toEqual([2, 2, 1])
    const { items } = await core.listConfigMapForAllNamespaces({
      fieldSelector: `metadata.name=c,metadata.namespace=${namespace}`,
    })
    expect(items.map(({ metadata }) => metadata?.name)).toEqual(['c'])
    await core.deleteCollectionNamespacedConfigMap({ namespace, labelSelector: 'check' })
    expect((await core.listNamespacedConfigMap({ namespace, labelSelector: 'check' })).items).toEqual([])
  })

  test('keeps an informer up with what is made, changed and deleted', async () => {
    const { core, create, namespace, path } = await inNewNamespace()
    await create('before')
    const seen: string[] = []
    const list = () => core.listNamespacedConfigMap({ namespace, labelSelector: 'check=yes' })
    const informer = makeInformer(config, path, list, 'check=yes')
    for (const verb of ['add', 'update', 'delete'] as const)
      informer.on(verb, ({ metadata }) => void seen.push(`${verb} ${metadata?.name}`))
    await informer.start()
    await create('after', { a: 'b' })
    await core.replaceNamespacedConfigMap({
      namespace,
      name: 'after',
      body: { metadata: { name: 'after', labels: LABELS }, data: { c: 'd' } },
    })
    await core.deleteNamespacedConfigMap({ namespace, name: 'before' })
    await vi.waitFor(() => expect(seen).toEqual(['add before', 'add after', 'update after', 'delete before']), PATIENCE)
    expect(informer.list().map(({ metadata, data }) => [metadata?.name, data])).toEqual([['after', { c: 'd' }]])
    await informer.stop()
  })

  test('watches, and again from a version when the watch has ended', async () => {
    const { core, create, namespace, path } = await inNewNamespace()
    const version = (await core.listNamespacedConfigMap({ namespace })).metadata?.resourceVersion
    const made = await create('a')
    const watch = async (resourceVersion: string | undefined): Promise<readonly string[]> => {
      const seen: string[] = []
      const query = { resourceVersion, labelSelector: 'check', timeoutSeconds: 1, allowWatchBookmarks: true }
      const failure = await new Promise((resolve, reject) => {
        new Watch(config)
          .watch(path, query, (type, object) => void seen.push(`${type} ${object.metadata.name ?? ''}`), resolve)
          .catch(reject)
      })
      expect(failure).toBeNull()
      return seen
    }
    await core.deleteNamespacedConfigMap({ namespace, name: 'a' })
    expect(await watch(version)).toEqual(['ADDED a', 'DELETED a', 'BOOKMARK '])
    expect(await watch(made.metadata?.resourceVersion)).toEqual(['DELETED a', 'BOOKMARK '])
  })

  test('applies on the side of the server, with conflicts', async () => {
    const { core, map, namespace } = await inNewNamespace()
    const apply = (fieldManager: string, data: Record<string, string> | undefined, force?: boolean) =>
      core.patchNamespacedConfigMap(
        {
          namespace,
          name: 'applied',
          fieldManager,
          ...(force === undefined ? {} : { force }),
          body: { apiVersion: 'v1', kind: 'ConfigMap', ...map('applied', data) },
        },
        setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
      )
    await apply('one', { a: '1', b: '1' })
    expect(await refusal(apply('two', { a: '2' }))).toMatchObject({
      code: 409,
      reason: 'Conflict',
      details: { causes: [{ reason: 'FieldManagerConflict', field: '.data.a' }] },
    })
    expect((await apply('two', { a: '2' }, true)).data).toEqual({ a: '2', b: '1' })
    const last = await apply('one', undefined)
    expect(last.data).toEqual({ a: '2' })
    // They stand in the order of their times, which count in seconds.
    const managers = last.metadata?.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`)
    expect(managers?.toSorted()).toEqual(['one Apply', 'two Apply'])
  })

  test('patches by merge, strategically and by operations', async () => {
    const { apps, namespace } = await inNewNamespace()
    await apps.createNamespacedDeployment({ namespace, body: deployment('web') })
    const patch = async (type: PatchStrategy, body: unknown) => {
      const { spec } = await apps.patchNamespacedDeployment(
        { namespace, name: 'web', body },
        setHeaderOptions('Content-Type', type),
      )
      return [spec?.replicas, ...(spec?.template.spec?.containers.map(({ name }) => name) ?? [])]
    }
    const containers = [{ name: 'side', image: 's:1' }]
    const body = { spec: { replicas: null, template: { spec: { containers } } } }
    expect(await patch(PatchStrategy.StrategicMergePatch, body)).toEqual([1, 'side', 'main'])
    expect(await patch(PatchStrategy.MergePatch, body)).toEqual([1, 'side'])
    const operations = [{ op: 'replace', path: '/spec/replicas', value: 4 }]
    expect(await patch(PatchStrategy.JsonPatch, operations)).toEqual([4, 'side'])
  })

  test('elects one leader of two over a lease, and the other when the first stops or falls silent', async () => {
    const { namespace } = await inNewNamespace()
    const [first, second] = ['first', 'second'].map((identity) =>
      leaseCandidate(config, { namespace, name: 'lead', identity, seconds: 1 }),
    )
    if (first === undefined || second === undefined) throw new Error('there are two')
    const leading = await Promise.all([first.contend(), second.contend()])
    expect(leading.filter((leads) => leads)).toEqual([true])
    const [leader, follower] = leading[0] ? [first, second] : [second, first]
    expect([await leader.contend(), await follower.contend()]).toEqual([true, false])
    await leader.release()
    expect([await follower.contend(), await leader.contend()]).toEqual([true, false])
    await vi.waitFor(async () => expect(await leader.contend()).toBe(true), PATIENCE)
    expect(await follower.contend()).toBe(false)
    const { spec } = await config.makeApiClient(CoordinationV1Api).readNamespacedLease({ namespace, name: 'lead' })
    expect(spec).toMatchObject({ leaseDurationSeconds: 1, leaseTransitions: 2 })
  })

  test('defines a kind and uses it as custom objects and as objects of any kind', async () => {
    const { namespace } = await inNewNamespace()
    const definitions = config.makeApiClient(ApiextensionsV1Api)
    await definitions.createCustomResourceDefinition({ body: TRINKETS })
    await vi.waitFor(async () => {
      const { status } = await definitions.readCustomResourceDefinition({ name: 'trinkets.node.example.com' })
      expect(status?.conditions).toContainEqual(expect.objectContaining({ type: 'Established', status: 'True' }))
    }, PATIENCE)
    const place = { group: 'node.example.com', version: 'v1', namespace, plural: 'trinkets' }
    const objects = config.makeApiClient(CustomObjectsApi)
    const trinket = { apiVersion: 'node.example.com/v1', kind: 'Trinket', metadata: { name: 't', namespace } }
    await objects.createNamespacedCustomObject({ ...place, body: { ...trinket, spec: { size: 3 } } })
    const merge = setHeaderOptions('Content-Type', PatchStrategy.MergePatch)
    const changed = { ...place, name: 't', body: { spec: { size: 4 }, status: { well: true } } }
    expect(await objects.patchNamespacedCustomObjectStatus(changed, merge)).toMatchObject({
      spec: { size: 3 },
      status: { well: true },
    })
    const any = KubernetesObjectApi.makeApiClient(config)
    expect(await any.read(trinket)).toMatchObject({ kind: 'Trinket', spec: { size: 3 } })
    await any.delete(trinket)
    expect(await objects.listNamespacedCustomObject(place)).toMatchObject({ kind: 'TrinketList', items: [] })
  })

  test('gets the error with code, reason and causes', async () => {
    const { core, create, namespace } = await inNewNamespace()
    expect(await refusal(core.readNamespacedPod({ namespace, name: 'none' }))).toMatchObject({
      kind: 'Status',
      code: 404,
      reason: 'NotFound',
      message: 'pods "none" not found',
    })
    const stale = await create('a')
    expect(await refusal(create('a'))).toMatchObject({ code: 409, reason: 'AlreadyExists' })
    const change = (data: Record<string, string>) =>
      core.replaceNamespacedConfigMap({ namespace, name: 'a', body: { metadata: stale.metadata ?? {}, data } })
    await change({ a: 'b' })
    expect(await refusal(change({ a: 'c' }))).toMatchObject({ code: 409, reason: 'Conflict' })
    expect(await refusal(create('Bad_Name'))).toMatchObject({
      code: 422,
      reason: 'Invalid',
      details: { causes: [{ field: 'metadata.name' }] },
    })
    await core.createNamespacedResourceQuota({
      namespace,
      body: { metadata: { name: 'none' }, spec: { hard: { secrets: '0' } } },
    })
    const secret = { namespace, body: { metadata: { name: 's' } } }
    expect(await refusal(core.createNamespacedSecret(secret))).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'secrets "s" is forbidden: exceeded quota: none, requested: secrets=1, used: secrets=0, limited: secrets=0',
    })
  })

  test('asks for a token, with which it may do what the account may', async () => {
    const { core, namespace } = await inNewNamespace()
    const { status } = await core.createNamespacedServiceAccountToken({
      namespace,
      name: 'default',
      body: { spec: { audiences: [] } },
    })
    const robot = new KubeConfig()
    robot.loadFromOptions({
      clusters: config.clusters,
      users: [{ name: 'robot', token: status?.token }],
      contexts: [{ name: 'robot', user: 'robot', cluster: config.clusters[0]?.name }],
      currentContext: 'robot',
    })
    expect(await refusal(robot.makeApiClient(CoreV1Api).listNamespacedPod({ namespace }))).toMatchObject({ code: 403 })
    const review = await robot.makeApiClient(AuthorizationV1Api).createSelfSubjectAccessReview({
      body: { spec: { resourceAttributes: { verb: 'list', resource: 'pods', namespace } } },
    })
    expect(review.status?.allowed).toBe(false)
  })
})
