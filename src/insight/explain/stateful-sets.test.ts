// Covers causes.ts and demand.ts: what a StatefulSet makes, and waits for.
import { describe, expect, test } from 'vitest'
import { app, explainedWith, object, quota, templateOf } from '../../../test/insight/explained.ts'
import type { KubeObject } from '../../machinery/object.ts'

describe('a StatefulSet', () => {
  const claim = { metadata: { name: 'data' }, spec: { resources: { requests: { storage: '1Gi' } } } }
  const spec = { replicas: 3, template: templateOf([app('db')]), volumeClaimTemplates: [claim] }
  const claims = (from: number): readonly KubeObject[] =>
    [0, 1, 2].map((at) => object('v1', 'PersistentVolumeClaim', `data-db-${from + at}`, claim.spec))
  const full = { persistentvolumeclaims: '3', pods: '9' }

  test('whose claims are all there is not held up by their quota, which is full', () => {
    const set = object('apps/v1', 'StatefulSet', 'db', spec)
    const { verdict, budgets } = explainedWith(
      set,
      [['persistentvolumeclaims', claims(0)]],
      quota(full, { persistentvolumeclaims: '3', pods: '0' }),
    )
    expect([verdict, budgets[0]?.fits]).toEqual(['clear', 9])
  })

  test('may begin at another ordinal', () => {
    const set = object('apps/v1', 'StatefulSet', 'db', { ...spec, ordinals: { start: 5 } })
    const { verdict, wanted } = explainedWith(
      set,
      [['persistentvolumeclaims', claims(5)]],
      quota(full, { persistentvolumeclaims: '3', pods: '0' }),
    )
    expect([verdict, wanted[0]?.existing]).toEqual(['clear', 3])
  })

  test('waits in order for its first pod to become ready', () => {
    const said = (policy: string, ready: string) => {
      const set = object('apps/v1', 'StatefulSet', 'db', {
        ...spec,
        podManagementPolicy: policy,
        volumeClaimTemplates: [],
      })
      const pod = {
        ...object('v1', 'Pod', 'db-0', { containers: [app('db')] }, set),
        status: { conditions: [{ type: 'Ready', status: ready }] },
      }
      return explainedWith(set, [['pods', [pod]]], quota({ pods: '9' }, { pods: '1' })).warnings
    }
    expect(said('OrderedReady', 'False')).toEqual([
      {
        type: 'not-ready',
        text: 'StatefulSet db makes its next pod once db-0 is ready (podManagementPolicy OrderedReady)',
      },
    ])
    expect([said('OrderedReady', 'True'), said('Parallel', 'False')]).toEqual([[], []])
  })

  test('is not judged by claims that nobody may see', () => {
    const set = object('apps/v1', 'StatefulSet', 'db', spec)
    const { verdict, causes } = explainedWith(set, [], quota(full, { persistentvolumeclaims: '3', pods: '0' }), {
      notSeen: [{ resource: 'persistentvolumeclaims', reason: 'you may not list them' }],
    })
    expect([verdict, causes]).toEqual(['unknown', []])
  })
})
