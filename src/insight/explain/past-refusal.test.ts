import { describe, expect, test } from 'vitest'
import { app, explained, explainedWith, object, quota, templateOf } from '../../../test/insight/explained.ts'

describe('a refusal of before', () => {
  const refused =
    'pods "web-1-x" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=1, limited: pods=1'

  test('stands where its quota is still full, whatever admission counted that is not seen', () => {
    const scoped = quota({ pods: '1' }, { pods: '1' })
    const { verdict, causes } = explained({
      template: [app('web')],
      replicas: 2,
      pods: [[app('web')]],
      // A class that admission gives by default is in the scope; the template names none.
      quota: {
        ...scoped,
        spec: {
          ...scoped.spec,
          scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['gold'] }] },
        },
      },
      failure: refused,
    })
    expect([verdict, causes.map(({ type }) => type)]).toEqual(['blocked', ['reported']])
  })

  test('of the Deployment itself is told to those who may see no more than that', () => {
    const bare = object('apps/v1', 'Deployment', 'web', { replicas: 1, template: templateOf([app('web')]) })
    const deployment = {
      ...bare,
      status: { conditions: [{ type: 'ReplicaFailure', status: 'True', message: refused }] },
    }
    const notSeen = ['pods', 'replicasets.apps'].map((resource) => ({ resource, reason: 'you may not list them' }))
    const { verdict, summary, causes } = explainedWith(deployment, [], quota({ pods: '1' }, { pods: '1' }), { notSeen })
    expect([verdict, causes.map(({ text }) => text)]).toEqual(['blocked', [`the API server said: ${refused}`]])
    expect(summary).toBe('Deployment web is blocked: the API server refused what it is to make')
  })

  test('of a DaemonSet counts where its status does not say what it wants', () => {
    const set = object('apps/v1', 'DaemonSet', 'agent', { template: templateOf([app('agent', { cpu: '2' })]) })
    const failure = object('v1', 'Event', 'agent.1', {})
    const event = {
      ...failure,
      involvedObject: { uid: set.metadata.uid },
      message: refused,
      lastTimestamp: '2026-01-01T00:00:00Z',
    }
    const { causes } = explainedWith(set, [], quota({ 'requests.cpu': '1' }, { 'requests.cpu': '0' }), {
      failures: [event],
    })
    expect(causes.map(({ text }) => text)).toEqual(['quota compute: requests.cpu 0 of 1 used, 2 more requested'])
  })
})
