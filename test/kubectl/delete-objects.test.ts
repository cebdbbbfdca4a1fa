import { describe, expect, test } from 'vitest'
import { hasKubectl, session } from './kubectl.ts'
import { configMap, pod, workload } from './kubectl-objects.ts'

describe.skipIf(!hasKubectl)('kubectl delete', { concurrent: true }, () => {
  const { inNewNamespace, inNamespace, file } = session()
  const HELD = { finalizers: ['example.com/hold'] }

  test('deletes by name and waits until the object is gone', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(pod('p'), configMap('a'), configMap('b'))
    expect(await kubectl.ok('delete', 'pod', 'p')).toMatch(/^pod "p" deleted/)
    expect(await kubectl.ok('delete', 'cm/a', 'cm/b')).toMatch(/^configmap "a" deleted.*\nconfigmap "b" deleted/)
    expect(await kubectl.fails('get', 'pod', 'p')).toBe('Error from server (NotFound): pods "p" not found\n')
  })

  test('deletes what a selector selects', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(
      configMap('a', {}, { labels: { x: 'y' } }),
      configMap('b'),
      configMap('c', {}, { labels: { x: 'y' } }),
    )
    await kubectl.ok('delete', 'cm', '-l', 'x=y')
    expect(await kubectl.ok('get', 'cm', '-o', 'name')).toBe('configmap/b\nconfigmap/kube-root-ca.crt\n')
  })

  test('deletes what a field selector selects', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(pod('a'), pod('b', {}, { nodeName: 'n' }))
    await kubectl.ok('delete', 'pod', '--field-selector', 'spec.nodeName=')
    expect(await kubectl.ok('get', 'pod', '-o', 'name')).toBe('pod/b\n')
  })

  test('deletes all of several kinds', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(workload('Deployment', 'd'), workload('ReplicaSet', 'r'), workload('StatefulSet', 's'))
    const printed = await kubectl.ok('delete', 'deploy,rs,sts', '--all')
    expect(printed.match(/deleted/g)).toHaveLength(3)
    expect(await kubectl.ok('get', 'deploy,rs,sts', '-o', 'name')).toBe('')
  })

  test('deletes the objects of a file', async () => {
    const kubectl = await inNewNamespace()
    const path = file('gone.json', configMap('gone'))
    await kubectl.ok('create', '-f', path)
    await kubectl.ok('delete', '-f', path)
    expect(await kubectl.fails('delete', '-f', path)).toBe(
      `Error from server (NotFound): error when deleting "${path}": configmaps "gone" not found\n`,
    )
  })

  test('says what is missing, and nothing with --ignore-not-found', async () => {
    const kubectl = await inNewNamespace()
    expect(await kubectl.fails('delete', 'pod', 'none')).toBe('Error from server (NotFound): pods "none" not found\n')
    expect(await kubectl.run(['delete', 'pod', 'none', '--ignore-not-found'])).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('waits for finalizers', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(configMap('held', {}, HELD))
    const deleting = kubectl.start('delete', 'cm', 'held')
    await deleting.until(/configmap "held" deleted/)
    const { metadata } = await kubectl.get('cm', 'held')
    expect(metadata).toMatchObject({ deletionGracePeriodSeconds: 0, finalizers: ['example.com/hold'] })
    expect(metadata.deletionTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    await kubectl.ok('patch', 'cm', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}')
    expect(await deleting.ended).toMatchObject({ code: 0 })
    expect(await kubectl.ok('get', 'cm', 'held', '--ignore-not-found')).toBe('')
  })

  test('gives up waiting after --timeout and does not wait with --wait=false', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(configMap('held', {}, HELD))
    // Long enough for its requests on a busy machine: a request that is cut off gives another message.
    expect(await kubectl.fails('delete', 'cm', 'held', '--timeout=3s')).toBe(
      'error: timed out waiting for the condition on configmaps/held\n',
    )
    expect(await kubectl.ok('delete', 'cm', 'held', '--wait=false')).toMatch(/^configmap "held" deleted/)
  })

  test('lets no finalizer be added to what is being deleted', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(configMap('held', {}, HELD))
    await kubectl.ok('delete', 'cm', 'held', '--wait=false')
    expect(
      await kubectl.fails(
        'patch',
        'cm',
        'held',
        '--type=merge',
        '-p',
        '{"metadata":{"finalizers":["example.com/hold","example.com/other"]}}',
      ),
    ).toBe(
      'The ConfigMap "held" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/other"}\n',
    )
  })

  test('keeps a pod on a node for its grace period, and not with --grace-period=0 --force', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(pod('p', {}, { nodeName: 'n' }))
    await kubectl.ok('delete', 'pod', 'p', '--wait=false')
    expect(await kubectl.ok('get', 'pod', 'p', '--no-headers')).toMatch(/^p +0\/1 +Terminating +0 +\d+s\n$/)
    expect((await kubectl.get('pod', 'p')).metadata.deletionGracePeriodSeconds).toBe(30)
    const { code, stdout, stderr } = await kubectl.run(['delete', 'pod', 'p', '--grace-period=0', '--force'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^pod "p" force deleted/)
    expect(stderr).toContain('Warning: Immediate deletion does not wait for confirmation')
    expect(await kubectl.ok('get', 'pods', '-o', 'name')).toBe('')
  })

  test('deletes a pod that is on no node at once', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(pod('p'))
    await kubectl.ok('delete', 'pod', 'p', '--wait=false')
    expect(await kubectl.ok('get', 'pods', '-o', 'name')).toBe('')
  })

  test('deletes what owns nothing with --cascade=background', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(workload('Deployment', 'd'))
    await kubectl.ok('delete', 'deployment', 'd', '--cascade=background')
    expect(await kubectl.ok('get', 'deployment', '-o', 'name')).toBe('')
  })

  test.each([['orphan'], ['foreground']])('marks for deletion at least with --cascade=%s', async (mode) => {
    const kubectl = await inNewNamespace()
    await kubectl.has(workload('Deployment', 'd'))
    await kubectl.ok('delete', 'deployment', 'd', `--cascade=${mode}`, '--wait=false')
    const { items } = await kubectl.get('deployment')
    expect(items.every((item: { metadata: object }) => 'deletionTimestamp' in item.metadata)).toBe(true)
  })

  test('deletes nothing in a dry run', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(configMap('a'))
    expect(await kubectl.ok('delete', 'cm', 'a', '--dry-run=server')).toMatch(
      /^configmap "a" deleted.* \(server dry run\)/,
    )
    expect(await kubectl.ok('get', 'cm', 'a', '-o', 'name')).toBe('configmap/a\n')
  })

  describe('with a namespace', () => {
    test('deletes everything in it', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(pod('p', {}, { nodeName: 'n' }), configMap('a'), workload('Deployment', 'd'))
      await kubectl.ok('create', 'quota', 'q', '--hard=pods=3')
      expect(await kubectl.ok('delete', 'namespace', kubectl.namespace)).toBe(
        `namespace "${kubectl.namespace}" deleted\n`,
      )
      expect(await kubectl.fails('get', 'namespace', kubectl.namespace)).toContain('NotFound')
      expect(await kubectl.ok('get', 'all,cm,quota,sa', '-o', 'name')).toBe('')
    })

    test('rejects new objects in it and reports the finalizers that keep it', async () => {
      const kubectl = await inNewNamespace()
      const { namespace } = kubectl
      await kubectl.has(configMap('held', {}, HELD))
      await kubectl.ok('delete', 'namespace', namespace, '--wait=false')
      expect(await kubectl.ok('get', 'namespace', namespace, '--no-headers')).toMatch(/^n\d+ +Terminating +\d+s\n$/)
      expect(await kubectl.fails('create', 'cm', 'new')).toBe(
        `error: failed to create configmap: configmaps "new" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated\n`,
      )
      const described = await kubectl.until('NamespaceFinalizersRemaining', 'describe', 'namespace', namespace)
      expect(described.replaceAll(/ {2,}/g, '  ')).toContain(
        'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
      )
      await kubectl.ok('patch', 'cm', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}')
      await kubectl.ok('wait', '--for=delete', `namespace/${namespace}`, '--timeout=20s')
    })

    test('keeps those of the system', async () => {
      expect(await inNamespace('default').fails('delete', 'namespace', 'default')).toContain(
        'Error from server (Forbidden): namespaces "default" is forbidden: this namespace may not be deleted\n',
      )
    })
  })
})
