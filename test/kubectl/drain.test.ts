import { describe, expect, test } from 'vitest'
import { hasKubectl, session } from './kubectl.ts'

describe.skipIf(!hasKubectl)('kubectl drain of the simulated node', () => {
  const { inNewNamespace } = session('kubectl', { workloads: true })
  const NODE = 'simulated-node'

  test('moves pods to another node as their budget lets them, and ends; where no node is left it waits', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'deployment', 'web', '--image=web:1', '--replicas=3')
    await kubectl.ok('create', 'poddisruptionbudget', 'web', '--selector=app=web', '--min-available=2')
    await kubectl.ok('rollout', 'status', 'deployment/web', '--timeout=20s')
    await kubectl.until('1', 'get', 'pdb', 'web', '-o', 'jsonpath={.status.disruptionsAllowed}')

    await kubectl.has({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'second' } })
    expect(await kubectl.ok('drain', NODE, '--timeout=60s')).toContain(`node/${NODE} drained`)
    await kubectl.ok('rollout', 'status', 'deployment/web', '--timeout=20s')
    const nodes = ['get', 'pods', '-o', 'jsonpath={.items[*].spec.nodeName}']
    expect(await kubectl.ok(...nodes)).toBe('second second second')

    const refused = await kubectl.fails('drain', 'second', '--timeout=3s')
    expect(refused).toContain("Cannot evict pod as it would violate the pod's disruption budget.")
    const described = await kubectl.until('FailedScheduling', 'describe', 'pods')
    expect(described).toContain('0/2 nodes are available: 2 node(s) were unschedulable.')
    await kubectl.until('2/3', 'get', 'deployment', 'web')

    await kubectl.ok('uncordon', NODE)
    await kubectl.until('3/3', 'get', 'deployment', 'web')
    expect(await kubectl.ok('drain', 'second', '--timeout=60s')).toContain('node/second drained')
  })
})
