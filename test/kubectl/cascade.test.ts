import { describe, expect, test } from 'vitest'
import { hasKubectl, type Kubectl, session } from './kubectl.ts'
import { configMap } from './kubectl-objects.ts'

const HOLD = { finalizers: ['example.com/hold'] }

/** Creates `owner`, and objects of these names that it owns and that keep it. */
async function family(kubectl: Kubectl, more: object, ...names: readonly string[]): Promise<void> {
  await kubectl.has(configMap('owner'))
  const { uid } = (await kubectl.get('cm', 'owner')).metadata
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, blockOwnerDeletion: true }]
  await kubectl.has(...names.map((name) => configMap(name, {}, { ownerReferences, ...more })))
}

const left = (kubectl: Kubectl): Promise<string> =>
  kubectl.ok('get', 'cm', '-o', 'name', '--field-selector', 'metadata.name!=kube-root-ca.crt')

describe.skipIf(!hasKubectl)('kubectl delete --cascade', { concurrent: true }, () => {
  const { inNewNamespace } = session()

  test('without a mode deletes the owner, and what it owned follows', async () => {
    const kubectl = await inNewNamespace()
    await family(kubectl, {}, 'a', 'b')
    await kubectl.ok('delete', 'cm', 'owner')
    await kubectl.ok('wait', '--for=delete', 'cm/a', 'cm/b', '--timeout=10s')
    expect(await left(kubectl)).toBe('')
  })

  test('=background does the same', async () => {
    const kubectl = await inNewNamespace()
    await family(kubectl, HOLD, 'held')
    await kubectl.ok('delete', 'cm', 'owner', '--cascade=background')
    expect(await left(kubectl)).toBe('configmap/held\n')
    await kubectl.ok('patch', 'cm', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}')
    await kubectl.ok('wait', '--for=delete', 'cm/held', '--timeout=10s')
  })

  test('=foreground waits until what the owner owns is gone', async () => {
    const kubectl = await inNewNamespace()
    await family(kubectl, HOLD, 'held')
    const deleting = kubectl.start('delete', 'cm', 'owner', '--cascade=foreground')
    await deleting.until(/configmap "owner" deleted/)
    expect((await kubectl.get('cm', 'owner')).metadata.finalizers).toEqual(['foregroundDeletion'])
    expect(await kubectl.fails('wait', '--for=delete', 'cm/owner', '--timeout=3s')).toContain(
      'timed out waiting for the condition',
    )
    await kubectl.ok('patch', 'cm', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}')
    expect(await deleting.ended).toMatchObject({ code: 0 })
    expect(await left(kubectl)).toBe('')
  })

  test('=foreground does not wait with --wait=false', async () => {
    const kubectl = await inNewNamespace()
    await family(kubectl, HOLD, 'held')
    await kubectl.ok('delete', 'cm', 'owner', '--cascade=foreground', '--wait=false')
    expect((await kubectl.get('cm', 'owner')).metadata.deletionTimestamp).toBeDefined()
    await kubectl.ok('patch', 'cm', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}')
    await kubectl.ok('wait', '--for=delete', 'cm/owner', '--timeout=10s')
  })

  test('=orphan leaves what the owner owned', async () => {
    const kubectl = await inNewNamespace()
    await family(kubectl, {}, 'a', 'b')
    await kubectl.ok('delete', 'cm', 'owner', '--cascade=orphan')
    expect(await left(kubectl)).toBe('configmap/a\nconfigmap/b\n')
    expect((await kubectl.get('cm', 'a')).metadata.ownerReferences).toBeUndefined()
  })
})
