import { describe, expect, test } from 'vitest'
import { hasKubectl, session } from './kubectl.ts'

describe.skipIf(!hasKubectl)('workloads under a quota', () => {
  const { inNewNamespace } = session('kubectl', { workloads: true })

  test('kubectl create deployment shows as many pods as the quota allows, and describe says why', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'quota', 'small', '--hard=pods=4')
    await kubectl.ok('create', 'deployment', 'nginx', '--image=nginx', '--replicas=10')
    await kubectl.until('4/10', 'get', 'deployment', 'nginx')
    await kubectl.until('ReplicaFailure', 'describe', 'deployment', 'nginx')
    const described = await kubectl.until('FailedCreate', 'describe', 'replicaset')
    expect(described).toMatch(
      /Warning +FailedCreate .*replicaset-controller +Error creating: pods "nginx-.*" is forbidden: exceeded quota: small, requested: pods=1, used: pods=4, limited: pods=4/,
    )
    expect((await kubectl.ok('get', 'pods', '--no-headers')).trim().split('\n')).toHaveLength(4)
    await kubectl.ok('patch', 'quota', 'small', '--patch', '{"spec":{"hard":{"pods":"10"}}}')
    expect(await kubectl.ok('rollout', 'status', 'deployment/nginx', '--timeout=20s')).toContain(
      'successfully rolled out',
    )
  })

  // Seed 001: two replicas, their pods, replica set and secret counted.
  test('describe quota counts a deployment with all that it makes', async () => {
    const kubectl = await inNewNamespace()
    const hard = 'count/deployments.apps=2,count/replicasets.apps=4,count/pods=3,count/secrets=4'
    await kubectl.ok('create', 'quota', 'test', `--hard=${hard}`)
    await kubectl.ok('create', 'secret', 'generic', 'token', '--from-literal=a=b')
    await kubectl.ok('create', 'deployment', 'nginx', '--image=nginx', '--replicas=2')
    await kubectl.ok('rollout', 'status', 'deployment/nginx', '--timeout=20s')
    expect(await kubectl.ok('describe', 'quota')).toBe(`Name:                   test
Namespace:              ${kubectl.namespace}
Resource                Used  Hard
--------                ----  ----
count/deployments.apps  1     2
count/pods              2     3
count/replicasets.apps  1     4
count/secrets           1     4
`)
  })

  test('rollout undo, scale, and jobs that end', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'deployment', 'web', '--image=web:1', '--replicas=2')
    await kubectl.ok('rollout', 'status', 'deployment/web', '--timeout=20s')
    await kubectl.ok('set', 'image', 'deployment/web', 'web=web:2')
    await kubectl.ok('rollout', 'status', 'deployment/web', '--timeout=20s')
    await kubectl.ok('rollout', 'undo', 'deployment/web')
    await kubectl.ok('rollout', 'status', 'deployment/web', '--timeout=20s')
    expect(await kubectl.ok('get', 'pods', '-o', 'jsonpath={.items[*].spec.containers[0].image}')).toBe('web:1 web:1')
    await kubectl.ok('scale', 'deployment/web', '--replicas=3')
    await kubectl.ok('wait', 'deployment/web', '--for=jsonpath={.status.availableReplicas}=3', '--timeout=20s')
    await kubectl.ok('create', 'job', 'task', '--image=task')
    await kubectl.ok('wait', 'job/task', '--for=condition=complete', '--timeout=20s')
  })
})
