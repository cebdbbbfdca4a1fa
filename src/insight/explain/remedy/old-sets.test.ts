import { describe, expect, test } from 'vitest'
import { app, explainedWith, object, quota, templateOf } from '../../../../test/insight/explained.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'

const SETS = 'count/replicasets.apps'

/** A Deployment of two pods of 150m whose third template finds as many ReplicaSets as its quota allows. */
function thirdTemplate() {
  const ofImage = (image: string): JsonObject => templateOf([{ ...app('web', { cpu: '150m' }), image }])
  const spec = (image: string, replicas = 2): JsonObject => ({ replicas, selector: {}, template: ofImage(image) })
  const failure = `replicasets.apps "w-3" is forbidden: exceeded quota: q, requested: ${SETS}=1, used: ${SETS}=2, limited: ${SETS}=2`
  const conditions = [{ type: 'ReplicaFailure', status: 'True', message: failure }]
  const deployment = { ...object('apps/v1', 'Deployment', 'w', spec('c')), status: { conditions } }
  const empty = object('apps/v1', 'ReplicaSet', 'w-1', spec('a', 0), deployment)
  const full = object('apps/v1', 'ReplicaSet', 'w-2', spec('b'), deployment)
  const pods = ['x', 'y'].map((name): KubeObject =>
    object('v1', 'Pod', `w-2-${name}`, { containers: [app('web', { cpu: '150m' })] }, full),
  )
  const scaler = object('autoscaling/v1', 'HorizontalPodAutoscaler', 'w', {
    maxReplicas: 9,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'w' },
  })
  return explainedWith(
    deployment,
    [
      ['pods', pods],
      ['replicasets.apps', [empty, full]],
      ['deployments.apps', [deployment]],
    ],
    quota(
      { 'requests.cpu': '1', pods: '30', [SETS]: '2' },
      { 'requests.cpu': '300m', pods: '2', [SETS]: '2' },
      { name: 'q' },
    ),
    { autoscalers: [scaler] },
  )
}

describe('a Deployment that may make no more ReplicaSets', () => {
  test('has pods that cost what pods cost', () => {
    const { wanted } = thirdTemplate()
    expect(wanted.map(({ kind, costs }) => [kind, costs.map(({ resource }) => resource)])).toEqual([
      ['ReplicaSet', [SETS]],
      ['Pod', ['pods', 'requests.cpu']],
    ])
  })

  test('has room for a surge, and for the pods that an autoscaler may ask for', () => {
    expect(thirdTemplate().warnings.map(({ text }) => text)).toEqual([
      'HorizontalPodAutoscaler w may ask for 9 pods, and the quotas have room for 6',
    ])
  })

  test('is offered to delete an old one that has no replicas', () => {
    const [free] = thirdTemplate().remedies.filter(({ type }) => type === 'free')
    expect(free).toMatchObject({
      text: 'delete ReplicaSet w-1, which has no replicas, if nobody needs to roll back to it',
      command: 'kubectl -n shop delete replicaset/w-1',
      needs: { verb: 'delete', group: 'apps', resource: 'replicasets', name: 'w-1' },
    })
  })
})
