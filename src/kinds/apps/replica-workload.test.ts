import { describe, expect, test } from 'vitest'
import {
  context,
  defaulted,
  objectOf,
  problems,
  stored,
  strategy,
  template,
  updateProblems,
  workload,
} from '../../../test/apiserver/object-life.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'

describe('workloads', () => {
  test('a deployment rolls by quarters', () => {
    expect(stored('deployments.apps', workload())).toMatchObject({
      metadata: { generation: 1 },
      spec: {
        replicas: 1,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        template: { spec: { restartPolicy: 'Always', containers: [{ imagePullPolicy: 'Always' }] } },
      },
      status: {},
    })
  })

  test('a template without pods requests nothing', () => {
    const limits = { cpu: '1' }
    const object = defaulted(
      'deployments.apps',
      workload({
        template: template({ app: 'till' }, { containers: [{ name: 'c', image: 'x', resources: { limits } }] }),
      }),
    )
    expect(JSON.stringify(object)).not.toContain('requests')
    expect(JSON.stringify(object)).not.toContain('enableServiceLinks')
  })

  test.each(['deployments.apps', 'replicasets.apps', 'statefulsets.apps', 'daemonsets.apps'])(
    '%s select the pods of their template',
    (resource) => {
      expect(problems(resource, workload())).toEqual([])
      expect(problems(resource, workload({ template: template({ app: 'bank' }) }))).toEqual([
        'spec.template.metadata.labels: Invalid value: {"app":"bank"}: `selector` does not match template `labels`',
      ])
      // A DaemonSet without a selector selects nothing, and the error says so.
      expect(problems(resource, workload({ selector: null })).slice(0, 1)).toEqual([
        resource === 'daemonsets.apps'
          ? 'spec.template.metadata.labels: Invalid value: {"app":"till"}: `selector` does not match template `labels`'
          : 'spec.selector: Required value',
      ])
      expect(problems(resource, workload({ template: template({ app: 'till' }, { restartPolicy: 'Never' }) }))).toEqual(
        ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
      )
    },
  )

  test.each(['deployments.apps', 'replicasets.apps', 'daemonsets.apps'])('the selector of %s stays', (resource) => {
    const other = workload({ selector: { matchLabels: { app: 'bank' } }, template: template({ app: 'bank' }) })
    expect(updateProblems(resource, workload(), other)).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"app":"bank"}}: field is immutable',
    ])
  })

  test('replicas are not negative', () => {
    expect(problems('replicasets.apps', workload({ replicas: -3 }))).toEqual([
      'spec.replicas: Invalid value: -3: must be greater than or equal to 0',
    ])
  })

  test('a stateful set keeps most of its spec', () => {
    expect(updateProblems('statefulsets.apps', workload(), workload({ replicas: 4 }))).toEqual([])
    expect(updateProblems('statefulsets.apps', workload(), workload({ serviceName: 'other' }))).toEqual([
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ])
  })

  test('the claims of a stateful set are claims', () => {
    const object = defaulted(
      'statefulsets.apps',
      workload({ volumeClaimTemplates: [{ metadata: { name: 'd' }, spec: {} }] }),
    )
    expect((object.spec as JsonObject).volumeClaimTemplates).toEqual([
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'd' },
        spec: { volumeMode: 'Filesystem' },
        status: { phase: 'Pending' },
      },
    ])
  })

  describe('the containers of a stateful set', () => {
    const claim = (name: string): unknown => ({ metadata: { name }, spec: {} })
    const databaseWith = (container: JsonObject, more: JsonObject = {}): KubeObject =>
      workload({
        template: template({ app: 'till' }, { containers: [{ name: 'c', image: 'x', ...container }], ...more }),
        volumeClaimTemplates: [claim('data'), claim('disk')],
      })
    const using = {
      volumeMounts: [{ name: 'data', mountPath: '/data' }],
      volumeDevices: [{ name: 'disk', devicePath: '/dev/disk' }],
    }

    test('may mount its claims, and use them as devices, when it is made and when it changes', () => {
      expect(problems('statefulsets.apps', databaseWith(using))).toEqual([])
      expect(updateProblems('statefulsets.apps', databaseWith({}), databaseWith(using))).toEqual([])
      const first = { initContainers: [{ name: 'i', image: 'x', ...using }] }
      expect(problems('statefulsets.apps', databaseWith({}, first))).toEqual([])
    })

    test('may mount no volume that neither the template nor a claim template names', () => {
      const container = { volumeMounts: [{ name: 'logs', mountPath: '/logs' }] }
      const path = 'spec.template.spec.containers[0].volumeMounts[0].name'
      expect(problems('statefulsets.apps', databaseWith(container))).toEqual([`${path}: Not found: "logs"`])
      expect(updateProblems('statefulsets.apps', databaseWith(using), databaseWith(container))).toEqual([
        `${path}: Not found: "logs"`,
      ])
    })

    test('get the claim where the template has a volume of the same name', () => {
      const volumes = [{ name: 'disk', emptyDir: {} }]
      expect(problems('statefulsets.apps', databaseWith(using, { volumes }))).toEqual([])
    })
  })

  test('a replication controller learns selector and labels from its template', () => {
    const object = stored('replicationcontrollers', objectOf({ spec: { template: template() } }))
    expect(object).toMatchObject({
      metadata: { labels: { app: 'till' } },
      spec: { selector: { app: 'till' }, replicas: 1 },
    })
    expect(problems('replicationcontrollers', objectOf({ spec: { template: template() } }))).toEqual([])
  })

  test('scaling reads and writes replicas', () => {
    const scale = strategy('deployments.apps').scale!
    const object = stored('deployments.apps', workload({ replicas: 4 }))
    expect([scale.specReplicas(object), scale.statusReplicas(object), scale.selector(object)]).toEqual([
      4,
      0,
      'app=till',
    ])
    expect(scale.specReplicas(scale.withReplicas(object, 9))).toBe(9)
    expect(scale.specReplicas(object)).toBe(4)
  })

  test('generation counts changes of the spec, not of the status or labels', () => {
    const deployments = strategy('deployments.apps')
    const old = stored('deployments.apps', workload())
    const same = deployments.prepareForUpdate!(
      { ...old, metadata: { ...old.metadata, labels: { a: 'b' } }, status: { replicas: 9 } },
      old,
      context,
    )
    expect([same.metadata.generation, same.status]).toEqual([1, {}])
    const scaled = deployments.prepareForUpdate!(deployments.scale!.withReplicas(old, 2), old, context)
    expect(scaled.metadata.generation).toBe(2)
    const status = deployments.prepareForStatusUpdate!({ ...scaled, status: { replicas: 2 } }, old, context)
    expect(status).toMatchObject({ metadata: { generation: 1 }, spec: old.spec, status: { replicas: 2 } })
  })
})
