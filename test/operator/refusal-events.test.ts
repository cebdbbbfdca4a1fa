import { describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { forSuite, operatedServers } from './operated.ts'
import { GROUP, MERGE, quotasIn } from './pool-objects.ts'

interface Told {
  readonly type: string
  readonly reason: string
  readonly note: string
  readonly regarding: { readonly kind: string; readonly name: string }
}

const podSpec = { containers: [{ name: 'app', image: 'app' }] }

for (const { name: server, available, start } of operatedServers)
  describe.skipIf(!available)(`${server}: refusals are told on the owner`, () => {
    const suite = forSuite(() => start({ workloads: true }))

    const eventsIn = async (namespace: string): Promise<readonly Told[]> => {
      const { json } = await suite.server.send('GET', `/apis/events.k8s.io/v1/namespaces/${namespace}/events`)
      return json.items as readonly Told[]
    }
    /** Resolves with the events of a reason about an object, when there are some. */
    const told = (namespace: string, kind: string, reason: string): Promise<readonly Told[]> =>
      eventually(
        async () => (await eventsIn(namespace)).filter((one) => one.regarding.kind === kind && one.reason === reason),
        (found) => found.length > 0,
        { what: `an Event ${reason} about a ${kind} in ${namespace}` },
      )

    const deployment = (name: string, replicas: number) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        replicas,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: podSpec },
      },
    })

    test('of a ResourceQuota on the Deployment, once for a cause, and that it goes on when there is room', async () => {
      const { world } = suite
      await world.namespace('told')
      await world.create(quotasIn('told'), { metadata: { name: 'small' }, spec: { hard: { pods: '2' } } })
      await world.until(`${quotasIn('told')}/small`, ({ status }) => status?.used?.pods === '0')
      await world.create('/apis/apps/v1/namespaces/told/deployments', deployment('web', 3))
      const [refusal, ...others] = await told('told', 'Deployment', 'QuotaExceeded')
      expect(refusal).toMatchObject({
        type: 'Warning',
        note: expect.stringMatching(/^ReplicaSet web-\w+: quota small: pods 2 of 2 used, 1 more requested$/),
        regarding: { kind: 'Deployment', name: 'web' },
      })
      expect(others).toEqual([])
      await world.patch(`${quotasIn('told')}/small`, { spec: { hard: { pods: '3' } } })
      const [room] = await told('told', 'Deployment', 'QuotaRoom')
      expect(room).toMatchObject({ type: 'Normal', note: expect.stringMatching(/: the quotas have room again$/) })
      expect(await told('told', 'Deployment', 'QuotaExceeded')).toHaveLength(1)
    })

    test('of a custom quota on the StatefulSet, and of nothing that is not about quota', async () => {
      const { world } = suite
      await world.namespace('told-custom')
      const quotas = `${GROUP}/namespaces/told-custom/customquotas`
      await world.create(quotas, {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'CustomQuota',
        metadata: { name: 'few' },
        spec: { limit: '1', sources: [{ apiVersion: 'v1', kind: 'Pod', op: 'count' }] },
      })
      await world.until(`${quotas}/few`, ({ status }) =>
        (status?.conditions ?? []).some(
          (one: { type: string; status: string }) => one.type === 'Ready' && one.status === 'True',
        ),
      )
      const set = { ...deployment('db', 2), kind: 'StatefulSet' }
      const spec = { ...set.spec, serviceName: 'db', podManagementPolicy: 'Parallel' }
      await world.create('/apis/apps/v1/namespaces/told-custom/statefulsets', { ...set, spec })
      // Nothing else makes this one's pods: no account of its name is there.
      const lost = deployment('lost', 1)
      const template = { metadata: { labels: { app: 'lost' } }, spec: { ...podSpec, serviceAccountName: 'nobody' } }
      await world.create('/apis/apps/v1/namespaces/told-custom/deployments', {
        ...lost,
        spec: { ...lost.spec, template },
      })
      const [refusal] = await told('told-custom', 'StatefulSet', 'QuotaExceeded')
      expect(refusal).toMatchObject({ note: 'CustomQuota few: 1 of 1 used, 1 more requested' })
      await told('told-custom', 'ReplicaSet', 'FailedCreate')
      expect(
        (await eventsIn('told-custom'))
          .filter((one) => one.regarding.name === 'lost')
          .filter(({ reason }) => reason === 'QuotaExceeded'),
      ).toEqual([])
    })

    test('of a Job on its CronJob, with the values that a quota demands', async () => {
      const { world } = suite
      await world.namespace('told-cron')
      await world.create(quotasIn('told-cron'), { metadata: { name: 'cpu' }, spec: { hard: { 'requests.cpu': '1' } } })
      await world.until(`${quotasIn('told-cron')}/cpu`, ({ status }) => status?.used !== undefined)
      const job = { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } }
      const { json } = await suite.server.send('GET', '/apis/batch/v1')
      // Kubernetes before 1.21 has CronJobs in a beta version only, which this server does not serve: there is no owner to read.
      const isServed = (json.resources as readonly { name: string }[]).some(({ name }) => name === 'cronjobs')
      const apiVersion = 'batch/v1'
      const cron = isServed
        ? await world.create('/apis/batch/v1/namespaces/told-cron/cronjobs', {
            apiVersion,
            kind: 'CronJob',
            metadata: { name: 'nightly' },
            spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate: job },
          })
        : { metadata: { uid: '3b1ee5e2-7c1d-4f6e-9e6f-000000000001' } }
      const { uid } = cron.metadata
      const owner = { apiVersion, kind: 'CronJob', name: 'nightly', uid, controller: true }
      await world.create('/apis/batch/v1/namespaces/told-cron/jobs', {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'nightly-1', finalizers: ['test.test/stays'], ownerReferences: [owner] },
        ...job,
      })
      const [refusal] = await told('told-cron', isServed ? 'CronJob' : 'Job', 'QuotaExceeded')
      expect(refusal?.note).toMatch(/^(?:Job nightly-1: )?quota cpu: each container must specify requests\.cpu/)
      expect(refusal?.regarding).toMatchObject({ name: isServed ? 'nightly' : 'nightly-1' })
      await suite.server.send(
        'PATCH',
        '/apis/batch/v1/namespaces/told-cron/jobs/nightly-1',
        { metadata: { finalizers: null } },
        MERGE,
      )
    })
  })
