import { describe, expect, test } from 'vitest'
import { ago, objectOf, printed } from '../../../test/apiserver/printed-table.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'

describe('pods', () => {
  const pod = (spec: JsonObject, status: JsonObject, metadata: JsonObject = {}): KubeObject =>
    objectOf({ spec, status }, metadata)
  const running = (name: string, more: JsonObject = {}): JsonObject => ({
    name,
    ready: true,
    state: { running: {} },
    ...more,
  })
  const line = (object: KubeObject): string => {
    const { Ready, Status, Restarts } = printed('pods', object)
    return [Ready, Status, Restarts].map((cell) => (typeof cell === 'string' ? cell : JSON.stringify(cell))).join(' ')
  }
  const two = { containers: [{ name: 'a' }, { name: 'b' }] }
  const initialized = {
    conditions: [
      { type: 'Initialized', status: 'True' },
      { type: 'Ready', status: 'True' },
    ],
  }

  test.each([
    ['pending', pod(two, { phase: 'Pending' }), '0/2 Pending 0'],
    [
      'running',
      pod(two, { phase: 'Running', containerStatuses: [running('a'), running('b', { ready: false })] }),
      '1/2 Running 0',
    ],
    ['evicted', pod(two, { phase: 'Failed', reason: 'Evicted' }), '0/2 Evicted 0'],
    [
      'gated',
      pod(two, {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }],
      }),
      '0/2 SchedulingGated 0',
    ],
    [
      'crashing',
      pod(two, {
        phase: 'Running',
        containerStatuses: [
          {
            name: 'a',
            restartCount: 5,
            state: { waiting: { reason: 'CrashLoopBackOff' } },
            lastState: { terminated: { finishedAt: ago(200) } },
          },
          running('b', { restartCount: 2, lastState: { terminated: { finishedAt: ago(3600) } } }),
        ],
      }),
      '1/2 CrashLoopBackOff 7 (3m20s ago)',
    ],
    [
      'completed',
      pod(
        { containers: [{ name: 'a' }] },
        {
          phase: 'Succeeded',
          containerStatuses: [{ name: 'a', state: { terminated: { reason: 'Completed', exitCode: 0 } } }],
        },
      ),
      '0/1 Completed 0',
    ],
    [
      'killed',
      pod(
        { containers: [{ name: 'a' }] },
        { phase: 'Failed', containerStatuses: [{ name: 'a', state: { terminated: { signal: 9 } } }] },
      ),
      '0/1 Signal:9 0',
    ],
    [
      'failed',
      pod(
        { containers: [{ name: 'a' }] },
        { phase: 'Failed', containerStatuses: [{ name: 'a', state: { terminated: { exitCode: 3 } } }] },
      ),
      '0/1 ExitCode:3 0',
    ],
    [
      'half done',
      pod(two, {
        phase: 'Running',
        ...initialized,
        containerStatuses: [{ name: 'a', state: { terminated: { reason: 'Completed' } } }, running('b')],
      }),
      '1/2 Running 0',
    ],
    [
      'initializing',
      pod(
        { ...two, initContainers: [{ name: 'i' }, { name: 'j' }] },
        {
          phase: 'Pending',
          initContainerStatuses: [
            { name: 'i', state: { terminated: { exitCode: 0 } } },
            { name: 'j', state: { running: {} } },
          ],
        },
      ),
      '0/2 Init:1/2 0',
    ],
    [
      'failing to initialize',
      pod(
        { ...two, initContainers: [{ name: 'i' }] },
        {
          phase: 'Pending',
          initContainerStatuses: [{ name: 'i', restartCount: 1, state: { terminated: { exitCode: 7 } } }],
        },
      ),
      '0/2 Init:ExitCode:7 1',
    ],
    [
      'with a sidecar',
      pod(
        { containers: [{ name: 'a' }], initContainers: [{ name: 's', restartPolicy: 'Always' }, { name: 'i' }] },
        {
          phase: 'Running',
          initContainerStatuses: [
            running('s', { started: true, restartCount: 1 }),
            { name: 'i', restartCount: 4, state: { terminated: { exitCode: 0 } } },
          ],
          containerStatuses: [running('a')],
        },
      ),
      '2/2 Running 1',
    ],
    [
      'deleted',
      pod(two, { phase: 'Running', containerStatuses: [running('a'), running('b')] }, { deletionTimestamp: ago(1) }),
      '2/2 Terminating 0',
    ],
    ['deleted when done', pod(two, { phase: 'Succeeded' }, { deletionTimestamp: ago(1) }), '0/2 Succeeded 0'],
    [
      'on a lost node',
      pod(two, { phase: 'Running', reason: 'NodeLost' }, { deletionTimestamp: ago(1) }),
      '0/2 Unknown 0',
    ],
  ])('%s', (_, object, expected) => {
    expect(line(object)).toBe(expected)
  })

  test('say where they are with -o wide', () => {
    const object = pod(
      { ...two, nodeName: 'n1', readinessGates: [{ conditionType: 'a' }, { conditionType: 'b' }] },
      { phase: 'Running', podIPs: [{ ip: '10.0.0.7' }], conditions: [{ type: 'a', status: 'True' }] },
    )
    expect(printed('pods', object, true)).toMatchObject({
      IP: '10.0.0.7',
      Node: 'n1',
      'Nominated Node': '<none>',
      'Readiness Gates': '1/2',
      Age: '90s',
    })
  })
})
