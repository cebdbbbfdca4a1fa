import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { int64 } from '../../../src/machinery/json-value.ts'
import { type InProcess, type InProcessOptions, startInProcess } from '../../in-process.ts'

const MOST = 2 ** 31 - 1
const NAMESPACE = 'extremes'
const LABELS = { matchLabels: { app: 'x' } }
const POD = {
  metadata: { labels: { app: 'x' } },
  spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'c', image: 'i' }] },
}
const RUN = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }
const TIMES = { minReadySeconds: MOST - 1 }
const LIMITS = { ttlSecondsAfterFinished: MOST, activeDeadlineSeconds: MOST, backoffLimit: MOST }

type Fields = Readonly<Record<string, unknown>>
const apps = (spec: Fields): Fields => ({ selector: LABELS, template: POD, ...spec })
const sets = (spec: Fields): Fields => apps({ serviceName: 's', replicas: MOST, ...spec })
/** By path and name: what asks for as much as the fields hold. */
const WORKLOADS: Readonly<Record<string, Fields>> = {
  'apps/v1 statefulsets ordered': sets({ revisionHistoryLimit: MOST }),
  'apps/v1 statefulsets parallel': sets({ podManagementPolicy: 'Parallel', ordinals: { start: MOST }, ...TIMES }),
  'apps/v1 statefulsets parted': sets({
    podManagementPolicy: 'Parallel',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: MOST } },
  }),
  'apps/v1 replicasets set': apps({ replicas: MOST, ...TIMES }),
  'apps/v1 deployments rolled': apps({
    replicas: MOST,
    revisionHistoryLimit: MOST,
    progressDeadlineSeconds: MOST,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: MOST, maxUnavailable: MOST } },
    ...TIMES,
    minReadySeconds: 1,
  }),
  'apps/v1 deployments shared': apps({
    replicas: MOST,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: `${MOST}%`, maxUnavailable: '100%' } },
  }),
  'apps/v1 daemonsets each': apps({
    revisionHistoryLimit: MOST,
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: MOST } },
  }),
  'batch/v1 jobs counted': { completions: MOST, parallelism: MOST, template: RUN, ...LIMITS },
  'batch/v1 jobs queue': { parallelism: MOST, template: RUN, ...LIMITS },
  'batch/v1 jobs indexed': { completionMode: 'Indexed', completions: MOST, parallelism: 100_000, template: RUN },
  'batch/v1 cronjobs often': {
    schedule: '* * * * *',
    startingDeadlineSeconds: int64(2n ** 63n - 1n),
    successfulJobsHistoryLimit: MOST,
    failedJobsHistoryLimit: MOST,
    jobTemplate: { spec: { parallelism: MOST, template: RUN } },
  },
  'policy/v1 poddisruptionbudgets least': { minAvailable: MOST, selector: LABELS },
  'autoscaling/v2 horizontalpodautoscalers wide': {
    scaleTargetRef: { kind: 'Deployment', name: 'rolled', apiVersion: 'apps/v1' },
    minReplicas: MOST,
    maxReplicas: MOST,
  },
  'v1 replicationcontrollers first': { replicas: MOST, selector: { app: 'x' }, template: POD, ...TIMES },
}
const pathOf = (id: string): readonly [string, string] => {
  const [group = '', plural = '', name = ''] = id.split(' ')
  return [`${group === 'v1' ? '/api' : '/apis'}/${group}/namespaces/${NAMESPACE}/${plural}`, name]
}

async function fill(plane: InProcess): Promise<void> {
  const must = async (path: string, body: unknown): Promise<void> => {
    const answer = await plane.send('POST', path, body)
    expect([path, answer.status, answer.body.message]).toEqual([path, 201, undefined])
  }
  await must('/api/v1/namespaces', { metadata: { name: NAMESPACE } })
  const core = `/api/v1/namespaces/${NAMESPACE}`
  await must(`${core}/resourcequotas`, { metadata: { name: 'few' }, spec: { hard: { pods: '5' } } })
  for (const [id, spec] of Object.entries(WORKLOADS)) {
    const [path, name] = pathOf(id)
    await must(path, { metadata: { name }, spec })
  }
}

async function isFull(plane: InProcess): Promise<void> {
  const core = `/api/v1/namespaces/${NAMESPACE}`
  await plane.until(`${core}/resourcequotas/few`, (quota) => quota.status?.used?.pods === '5')
  for (const id of ['apps/v1 deployments rolled', 'apps/v1 replicasets set', 'v1 replicationcontrollers first']) {
    const [path, name] = pathOf(id)
    await plane.until(`${path}/${name}`, ({ status }) => status.observedGeneration === 1)
  }
}

test(
  'workloads that want as many pods as their fields can say run as many as fit, and a server starts with them',
  {
    timeout: 60_000,
  },
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'allot-extremes-'))
    const start = (more: InProcessOptions): Promise<InProcess> => startInProcess({ location: { directory }, ...more })
    try {
      const first = await start({ workloads: true })
      await fill(first)
      await isFull(first)
      await first.stop()

      const again = await start({ workloads: true })
      await isFull(again)
      expect(again.complaints).toEqual([])
      await again.stop()

      const without = await start({ workloads: false })
      for (const id of Object.keys(WORKLOADS)) {
        const [path, name] = pathOf(id)
        const { status } = await without.send('DELETE', `${path}/${name}?propagationPolicy=Orphan`)
        expect([id, status]).toEqual([id, 200])
      }
      await without.stop()
    } finally {
      await rm(directory, { recursive: true })
    }
  },
)
