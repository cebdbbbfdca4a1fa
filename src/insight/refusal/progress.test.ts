import { expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { WORKLOAD_KINDS } from '../explain/workload-kinds.ts'
import { atRefusal, progress, type Progress } from './progress.ts'

const FAILING = [{ type: 'ReplicaFailure', status: 'True' }]
const EARLIER = '2026-01-01T00:00:00Z'
const LATER = '2026-01-01T00:01:00Z'
const ACTIVE = [{ kind: 'Job', name: 'j' }]

const object = (kind: string, spec: JsonObject, status: JsonObject, generation = 1): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { namespace: 'n', name: 'w', generation },
  spec,
  status,
})

test.each<[string, string, JsonObject, JsonObject, number, Progress]>([
  ['has all', 'ReplicaSet', { replicas: 3 }, { replicas: 3, observedGeneration: 2 }, 2, 'goes-on'],
  ['lacks one', 'ReplicaSet', { replicas: 3 }, { replicas: 2, observedGeneration: 2 }, 2, 'waits'],
  ['fails yet', 'ReplicaSet', { replicas: 3 }, { replicas: 3, observedGeneration: 2, conditions: FAILING }, 2, 'waits'],
  ['has an old status', 'ReplicaSet', { replicas: 3 }, { replicas: 3, observedGeneration: 1 }, 2, 'waits'],
  ['has no status', 'StatefulSet', { replicas: 3 }, {}, 1, 'waits'],
  ['is scaled to 0', 'ReplicaSet', { replicas: 0 }, { replicas: 0, observedGeneration: 2 }, 2, 'over'],
  ['is scaled down', 'ReplicaSet', { replicas: 2 }, { replicas: 2, observedGeneration: 2 }, 2, 'over'],
  ['wants more and has it', 'ReplicaSet', { replicas: 4 }, { replicas: 4, observedGeneration: 2 }, 2, 'goes-on'],
  ['has all', 'Job', { parallelism: 3 }, { active: 3 }, 1, 'goes-on'],
  ['is suspended', 'Job', { parallelism: 3, suspend: true }, { active: 0 }, 1, 'over'],
  ['failed', 'Job', { parallelism: 3 }, { conditions: [{ type: 'Failed', status: 'True' }] }, 1, 'over'],
  ['is complete', 'Job', { parallelism: 3 }, { conditions: [{ type: 'Complete', status: 'True' }] }, 1, 'over'],
  ['has an older Job', 'CronJob', {}, { active: ACTIVE, lastScheduleTime: EARLIER }, 1, 'waits'],
  ['has a newer Job', 'CronJob', {}, { active: ACTIVE, lastScheduleTime: LATER }, 1, 'goes-on'],
  ['had a newer Job', 'CronJob', {}, { active: [], lastScheduleTime: LATER }, 1, 'waits'],
  ['is suspended', 'CronJob', { suspend: true }, { active: ACTIVE, lastScheduleTime: LATER }, 1, 'over'],
])('a workload that %s (%s)', (_, name, spec, status, generation, expected) => {
  const kind = WORKLOAD_KINDS.get(name)
  if (kind === undefined) throw new Error('no such kind')
  const before = atRefusal(
    object(name, { replicas: 3, parallelism: 3 }, { active: ACTIVE, lastScheduleTime: EARLIER }),
    kind,
  )
  expect(progress(object(name, spec, status, generation), kind, before)).toBe(expected)
})

test('a workload that is being deleted is waited for no more', () => {
  const kind = WORKLOAD_KINDS.get('ReplicaSet')
  if (kind === undefined) throw new Error('no such kind')
  const set = object('ReplicaSet', { replicas: 3 }, { replicas: 3, observedGeneration: 1 })
  const metadata = { ...set.metadata, deletionTimestamp: LATER }
  expect(progress({ ...set, metadata }, kind, atRefusal(set, kind))).toBe('over')
})
