import { expect, test } from 'vitest'
import { explain } from '../insight/explain/explain.ts'
import type { Facts } from '../insight/explain/facts.ts'
import { NO_FACTS, object } from '../../test/insight/explained.ts'
import type { KubeClient, ListCallOptions, ResourceKind } from '../kube/client/kube-client.ts'
import { NEVER_ABORTED } from '../kube/time/clock.ts'
import type { KubeObject } from '../machinery/object.ts'
import { forbidden, qualified } from '../machinery/status.ts'
import type { GlobalCustomQuota } from '../systems/custom-quota/api/global-custom-quota.ts'
import { withOwners } from './read-owners.ts'

const kindOf = (group: string, resource: string, kind: string): ResourceKind => ({
  group,
  version: 'v1',
  resource,
  kind,
  namespaced: true,
})
const KINDS = [
  kindOf('', 'pods', 'Pod'),
  kindOf('apps', 'replicasets', 'ReplicaSet'),
  kindOf('apps', 'deployments', 'Deployment'),
  kindOf('batch', 'jobs', 'Job'),
]

/** A Deployment of another namespace with its pods. */
const DEPLOYMENT = object('apps/v1', 'Deployment', 'ferry', {})
const SET = object('apps/v1', 'ReplicaSet', 'ferry-1', {}, DEPLOYMENT)
const made = ['a', 'b', 'c'].map((mark) => object('v1', 'Pod', `ferry-1-${mark}`, {}, SET))
const LONE = object('v1', 'Pod', 'lone', {})
const STORED: Readonly<Record<string, readonly KubeObject[]>> = {
  pods: [...made, LONE],
  'replicasets.apps': [SET],
  'deployments.apps': [DEPLOYMENT],
}

function fullQuota(namespace: string): GlobalCustomQuota {
  const pods = [...made, LONE].map(({ metadata }) => ({
    group: '',
    version: 'v1',
    kind: 'Pod',
    namespace,
    name: metadata.name,
    uid: metadata.uid,
    usage: '1',
  }))
  return {
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'GlobalCustomQuota',
    metadata: { name: 'fleet', generation: 1 },
    spec: { limit: '4', sources: [{ apiVersion: 'v1', kind: 'Pod', op: 'count' }] },
    status: {
      observedGeneration: 1,
      usage: { used: '4' },
      claims: pods,
      namespaces: ['*'],
      conditions: [{ type: 'Ready', status: 'True', reason: 'Succeeded', message: '', lastTransitionTime: '' }],
    },
  } as unknown as GlobalCustomQuota
}

/** The holders of a full global quota that a viewer is told of who may list these resources, and what was listed. */
async function told(allowed: readonly string[], namespace = 'quay') {
  const listed: string[] = []
  const list = async (kind: ResourceKind, { namespace: asked = '' }: ListCallOptions) => {
    if (!allowed.includes(qualified(kind))) throw forbidden(kind, '', 'no')
    listed.push(`${asked}/${qualified(kind)}`)
    return { items: STORED[qualified(kind)] ?? [] }
  }
  const of = (group: string, resource: string) => KINDS.find((one) => one.group === group && one.resource === resource)
  const facts: Facts = { ...NO_FACTS, customQuotas: [fullQuota(namespace)] }
  const target = { object: object('v1', 'Pod', 'new', { containers: [{ name: 'c' }] }), isStored: false }
  const explained = (some: Facts) => explain(target, { group: '', resource: 'pods' }, some)
  const client = { list } as unknown as KubeClient
  const whole = await withOwners([explained(facts)], facts, client, { of }, NEVER_ABORTED)
  const holders = explained(whole).holders.map(
    ({ owner, objects, amount }) => `${owner.namespace}/${owner.kind}/${owner.name} ${objects} ${amount}`,
  )
  return { holders, listed }
}

test('holders in other namespaces stand by their owners, as far as their viewer may list what leads there', async () => {
  expect(await told(['pods', 'replicasets.apps', 'deployments.apps', 'jobs.batch'])).toEqual({
    holders: ['quay/Deployment/ferry 3 3', 'quay/Pod/lone 1 1'],
    listed: ['quay/pods', 'quay/replicasets.apps', 'quay/deployments.apps'],
  })
  expect((await told(['pods', 'replicasets.apps'])).holders).toEqual([
    'quay/ReplicaSet/ferry-1 3 3',
    'quay/Pod/lone 1 1',
  ])
  const alone = ['a', 'b', 'c'].map((mark) => `quay/Pod/ferry-1-${mark} 1 1`)
  expect((await told(['pods'])).holders.toSorted()).toEqual([...alone, 'quay/Pod/lone 1 1'])
  expect((await told([])).holders.toSorted()).toEqual([...alone, 'quay/Pod/lone 1 1'])
})

test('nothing is read of other namespaces where holders are of the own one', async () => {
  expect((await told(['pods', 'replicasets.apps'], NO_FACTS.namespace)).listed).toEqual([])
})
