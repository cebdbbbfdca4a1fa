import { describe, expect, test } from 'vitest'
import { apiServer, pod } from '../api-server.ts'

const api = apiServer({ workloads: true })

const apps = (path: string): string => path.replace('/api/v1', '/apis/apps/v1')
const batch = (path: string): string => path.replace('/api/v1', '/apis/batch/v1')
const template = (image = 'web:1', spec: object = {}): object => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'web', image }], ...spec },
})
const selector = { matchLabels: { app: 'web' } }
const deployment = (replicas: number, more: object = {}): object => ({
  metadata: { name: 'web' },
  spec: { replicas, selector, template: template(), ...more },
})
const job = (name: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'task:1' }] } }, ...spec },
})
const limit = (path: string, hard: object): Promise<unknown> =>
  api.create(`${path}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard } })

const until = async (
  path: string,
  of: (body: { readonly status: Record<string, unknown> }) => unknown,
): Promise<void> => {
  await api.until(path, (body) => body.status !== undefined && of(body) === true)
}
const names = async (path: string): Promise<readonly string[]> =>
  (await api.get(path)).items.map((item: { readonly metadata: { readonly name: string } }) => item.metadata.name)
const reasons = async (path: string, kind: string): Promise<readonly string[]> =>
  (await api.get(`${path}/events`)).items
    .filter((event: { readonly involvedObject: { readonly kind: string } }) => event.involvedObject.kind === kind)
    .map((event: { readonly reason: string }) => event.reason)

describe('a deployment', () => {
  test('runs as many pods as it wants, in a replica set of its template', async () => {
    const path = await api.namespace()
    await api.create(`${apps(path)}/deployments`, deployment(3))
    await until(`${apps(path)}/deployments/web`, ({ status }) => status['availableReplicas'] === 3)
    const { status, metadata } = await api.get(`${apps(path)}/deployments/web`)
    expect(status).toMatchObject({ replicas: 3, updatedReplicas: 3, readyReplicas: 3, observedGeneration: 1 })
    expect(metadata.annotations['deployment.kubernetes.io/revision']).toBe('1')
    const [set] = (await api.get(`${apps(path)}/replicasets`)).items
    expect(set.metadata.name).toBe(`web-${set.metadata.labels['pod-template-hash']}`)
    const { items } = await api.get(`${path}/pods`)
    for (const one of items)
      expect([one.status.phase, one.spec.nodeName, one.metadata.ownerReferences[0].name]).toEqual([
        'Running',
        'simulated-node',
        set.metadata.name,
      ])
    expect(await reasons(path, 'Deployment')).toEqual(['ScalingReplicaSet'])
    expect(api.running.complaints).toEqual([])
  })

  test('counts its revisions with all 64 bits', async () => {
    const path = await api.namespace()
    const at = `${apps(path)}/deployments/web`
    const REVISION = 'deployment.kubernetes.io/revision'
    await api.create(`${apps(path)}/deployments`, deployment(1))
    await until(at, ({ status }) => status['availableReplicas'] === 1)
    const [set] = await names(`${apps(path)}/replicasets`)
    await api.patch(`${apps(path)}/replicasets/${set}`, {
      metadata: { annotations: { [REVISION]: '3546343826724305832' } },
    })
    const revision = async (wanted: string): Promise<string> =>
      (await api.until(at, ({ metadata }) => metadata.annotations[REVISION] === wanted)).metadata.annotations[REVISION]
    expect(await revision('3546343826724305832')).toBe('3546343826724305832')
    await api.patch(at, { spec: { template: template('web:2') } })
    expect(await revision('3546343826724305833')).toBe('3546343826724305833')
  })

  test('gets as many pods as its quota allows, says why, and the rest as soon as there is room', async () => {
    const path = await api.namespace()
    await limit(path, { pods: '4' })
    await api.create(`${apps(path)}/deployments`, deployment(10))
    const at = `${apps(path)}/deployments/web`
    const failed = await api.until(at, ({ status }) =>
      (status?.conditions ?? []).some((one: { readonly type: string }) => one.type === 'ReplicaFailure'),
    )
    const condition = failed.status.conditions.find((one: { readonly type: string }) => one.type === 'ReplicaFailure')
    expect(condition).toMatchObject({ status: 'True', reason: 'FailedCreate' })
    expect(condition.message).toMatch(
      /is forbidden: exceeded quota: q, requested: pods=1, used: pods=4, limited: pods=4$/,
    )
    expect(await names(`${path}/pods`)).toHaveLength(4)
    expect(await reasons(path, 'ReplicaSet')).toContain('FailedCreate')
    await api.patch(`${path}/resourcequotas/q`, { spec: { hard: { pods: '10' } } })
    await until(at, ({ status }) => status['availableReplicas'] === 10)
    await api.until(at, ({ status }) => !JSON.stringify(status.conditions).includes('ReplicaFailure'))
  })

  test('rolls a new template out, keeps the old set for a rollback, and goes back to it', async () => {
    const path = await api.namespace()
    const at = `${apps(path)}/deployments/web`
    await api.create(`${apps(path)}/deployments`, deployment(4))
    await until(at, ({ status }) => status['availableReplicas'] === 4)
    const [old] = await names(`${apps(path)}/replicasets`)
    const roll = async (image: string): Promise<void> => {
      const { metadata } = await api.patch(at, { spec: { template: template(image) } })
      await until(
        at,
        ({ status }) =>
          status['observedGeneration'] === metadata.generation &&
          status['updatedReplicas'] === 4 &&
          status['replicas'] === 4 &&
          status['availableReplicas'] === 4,
      )
    }
    await roll('web:2')
    const images = (await api.get(`${path}/pods`)).items.map(
      (one: { readonly spec: { readonly containers: readonly { readonly image: string }[] } }) =>
        one.spec.containers[0]?.image,
    )
    expect(images).toEqual(Array.from({ length: 4 }, () => 'web:2'))
    expect(await names(`${apps(path)}/replicasets`)).toHaveLength(2)
    await roll('web:1')
    const sets = (await api.get(`${apps(path)}/replicasets`)).items
    const back = sets.find((set: { readonly metadata: { readonly name: string } }) => set.metadata.name === old)
    expect([sets.length, back.spec.replicas, back.metadata.annotations['deployment.kubernetes.io/revision']]).toEqual([
      2,
      4,
      '3',
    ])
  })

  test('that recreates has nothing new before everything old is gone', async () => {
    const path = await api.namespace()
    const at = `${apps(path)}/deployments/web`
    await limit(path, { pods: '3' })
    await api.create(`${apps(path)}/deployments`, deployment(3, { strategy: { type: 'Recreate' } }))
    await until(at, ({ status }) => status['availableReplicas'] === 3)
    await api.patch(at, { spec: { template: template('web:2') } })
    await until(
      at,
      ({ status }) =>
        status['observedGeneration'] === 2 && status['updatedReplicas'] === 3 && status['availableReplicas'] === 3,
    )
    expect(await reasons(path, 'ReplicaSet')).not.toContain('FailedCreate')
  })

  test('takes its pods along when it is deleted, and gives their room back', async () => {
    const path = await api.namespace()
    await limit(path, { pods: '5', 'count/replicasets.apps': '5' })
    await api.create(`${apps(path)}/deployments`, deployment(3))
    await until(`${apps(path)}/deployments/web`, ({ status }) => status['availableReplicas'] === 3)
    await api.send('DELETE', `${apps(path)}/deployments/web`)
    const { status } = await api.until(`${path}/resourcequotas/q`, (quota) => quota.status.used.pods === '0')
    expect(status.used).toEqual({ pods: '0', 'count/replicasets.apps': '0' })
  })
})

test('a replication controller adopts what fits it, and makes only what is missing', async () => {
  const path = await api.namespace()
  const made = await api.create(`${path}/pods`, {
    ...(pod('mine') as object),
    metadata: { name: 'mine', labels: { app: 'web' } },
  })
  await api.create(`${path}/replicationcontrollers`, {
    metadata: { name: 'rc' },
    spec: { replicas: 2, selector: { app: 'web' }, template: template() },
  })
  await until(`${path}/replicationcontrollers/rc`, ({ status }) => status['availableReplicas'] === 2)
  const pods = await names(`${path}/pods`)
  expect([pods.length, pods.includes('mine')]).toEqual([2, true])
  expect((await api.get(`${path}/pods/mine`)).metadata).toMatchObject({
    uid: made.metadata.uid,
    ownerReferences: [{ kind: 'ReplicationController', name: 'rc', controller: true }],
  })
  await api.patch(`${path}/pods/mine`, { metadata: { labels: { app: 'other' } } })
  await api.until(`${path}/pods/mine`, ({ metadata }) => metadata.ownerReferences === undefined)
  await api.until(`${path}/pods`, ({ items }) => items.length === 3)
})

test('a bare pod stays pending', async () => {
  const path = await api.namespace()
  await api.create(`${path}/pods`, pod('bare'))
  await api.create(`${apps(path)}/deployments`, deployment(1))
  await until(`${apps(path)}/deployments/web`, ({ status }) => status['availableReplicas'] === 1)
  expect((await api.get(`${path}/pods/bare`)).status.phase).toBe('Pending')
})

describe('a job', () => {
  test('runs to its completions under a quota that holds one pod at a time', async () => {
    const path = await api.namespace()
    await limit(path, { pods: '1', 'count/jobs.batch': '1' })
    await api.create(`${batch(path)}/jobs`, job('j', { completions: 3, parallelism: 3 }))
    await api.until(`${batch(path)}/jobs/j`, ({ status }) => JSON.stringify(status ?? {}).includes('"Complete"'))
    const { status } = await api.get(`${batch(path)}/jobs/j`)
    expect(status).toMatchObject({ succeeded: 3, ready: 0, uncountedTerminatedPods: {} })
    expect(status.completionTime).toBeDefined()
    // Pods that have ended take none of the room for pods that run.
    await api.until(`${path}/resourcequotas/q`, (quota) => quota.status.used.pods === '0')
    const pods = (await api.get(`${path}/pods`)).items
    for (const one of pods) expect([one.status.phase, one.metadata.finalizers]).toEqual(['Succeeded', undefined])
    expect(await reasons(path, 'Job')).toContain('Completed')
    expect(api.running.complaints).toEqual([])
  })

  test('of indexes makes a pod for each', async () => {
    const path = await api.namespace()
    await api.create(`${batch(path)}/jobs`, job('j', { completions: 3, parallelism: 2, completionMode: 'Indexed' }))
    const { status } = await api.until(`${batch(path)}/jobs/j`, (body) => body.status?.succeeded === 3)
    expect(status.completedIndexes).toBe('0-2')
    const { items } = await api.get(`${path}/pods`)
    const indexes = items.map(
      (one: { readonly metadata: { readonly annotations: Record<string, string> } }) =>
        one.metadata.annotations['batch.kubernetes.io/job-completion-index'],
    )
    expect(indexes.toSorted()).toEqual(['0', '1', '2'])
    expect(items[0].spec.containers[0].env[0].name).toBe('JOB_COMPLETION_INDEX')
  })

  test('that is suspended waits until it is resumed', async () => {
    const path = await api.namespace()
    await api.create(`${batch(path)}/jobs`, job('j', { suspend: true }))
    await api.until(`${batch(path)}/jobs/j`, ({ status }) => JSON.stringify(status ?? {}).includes('JobSuspended'))
    expect(await names(`${path}/pods`)).toEqual([])
    await api.patch(`${batch(path)}/jobs/j`, { spec: { suspend: false } })
    await api.until(`${batch(path)}/jobs/j`, ({ status }) => status.succeeded === 1)
  })

  test('goes by itself when its time is over', async () => {
    const path = await api.namespace()
    await api.create(`${batch(path)}/jobs`, job('j', { ttlSecondsAfterFinished: 0 }))
    await api.until(`${batch(path)}/jobs/j`, ({ code }) => code === 404)
    const { items } = await api.until(`${path}/pods`, (pods) => pods.items.length === 0)
    expect(items).toEqual([])
  })
})

describe('a status that somebody else overwrote is put back', () => {
  const pods = { selector, template: template() }
  test.each([
    ['apps/v1/replicasets', { replicas: 2, ...pods }, { replicas: 9, readyReplicas: 8 }],
    ['v1/replicationcontrollers', { replicas: 2, selector: { app: 'web' }, template: template() }, { replicas: 9 }],
    ['apps/v1/deployments', { replicas: 2, ...pods }, { replicas: 9, updatedReplicas: 9, conditions: null }],
    ['apps/v1/statefulsets', { replicas: 2, ...pods }, { replicas: 9, currentRevision: 'x', updateRevision: null }],
    ['apps/v1/daemonsets', pods, { numberReady: 7, desiredNumberScheduled: 7 }],
    ['batch/v1/jobs', (job('web', { completions: 2 }) as { spec: object }).spec, { succeeded: 7, conditions: null }],
    ['batch/v1/jobs', (job('web', { suspend: true }) as { spec: object }).spec, { active: 3, ready: 3 }],
    [
      'batch/v1/cronjobs',
      { schedule: '0 0 1 1 *', jobTemplate: job('web') },
      { active: [{ name: 'nobody', namespace: 'default', uid: 'u' }] },
    ],
  ])('of %s', async (resource, spec, other) => {
    const path = await api.namespace()
    const namespace = path.split('/').at(-1)
    const at = resource.lastIndexOf('/')
    const [version, plural] = [resource.slice(0, at), resource.slice(at + 1)]
    const collection = `${version === 'v1' ? '/api' : '/apis'}/${version}/namespaces/${namespace}/${plural}`
    await api.create(collection, { metadata: { name: 'web' }, spec })
    const settled = await settledStatus(`${collection}/web`)
    await api.patch(`${collection}/web/status`, { status: other })
    await api.until(`${collection}/web`, ({ status }) => JSON.stringify(status) === JSON.stringify(settled))
    expect((await api.get(`${collection}/web`)).status).toEqual(settled)
  })

  /** The status of a workload whose controller has nothing more to do. */
  async function settledStatus(path: string): Promise<unknown> {
    let before = ''
    let same = 0
    const { status } = await api.until(path, (body) => {
      const text = JSON.stringify(body.status ?? {})
      const isDone =
        /"(?:availableReplicas|numberAvailable)":[12]|"Complete"|"Suspended"/.test(text) || path.includes('cronjobs')
      same = isDone && text === before ? same + 1 : 0
      before = text
      return same >= 3
    })
    return status
  }
})
