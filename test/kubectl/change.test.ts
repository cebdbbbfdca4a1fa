import { describe, expect, test } from 'vitest'
import { hasKubectl, type Kubectl, session } from './kubectl.ts'
import { configMap, pod, replicationController, workload } from './kubectl-objects.ts'

describe.skipIf(!hasKubectl)('kubectl', { concurrent: true }, () => {
  const { inNewNamespace, file } = session()

  describe('label and annotate', () => {
    test('add, change and remove labels', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(pod('p', {}, {}, { labels: { app: 'a' } }))
      expect(await kubectl.ok('label', 'pod', 'p', 'tier=front')).toBe('pod/p labeled\n')
      expect(await kubectl.fails('label', 'pod', 'p', 'app=b')).toBe(
        "error: 'app' already has a value (a), and --overwrite is false\n",
      )
      expect(await kubectl.ok('label', 'pod', 'p', 'app=b', '--overwrite')).toBe('pod/p labeled\n')
      expect(await kubectl.ok('label', 'pod', 'p', 'tier-')).toBe('pod/p unlabeled\n')
      expect(await kubectl.ok('label', 'pod', 'p', '--list')).toBe('app=b\n')
    })

    test('change all the objects that are selected', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(
        configMap('a', {}, { labels: { in: 'yes' } }),
        configMap('b'),
        configMap('c', {}, { labels: { in: 'yes' } }),
      )
      expect(await kubectl.ok('label', 'cm', '-l', 'in=yes', 'x=y')).toBe('configmap/a labeled\nconfigmap/c labeled\n')
      expect(await kubectl.ok('annotate', 'cm', '--all', 'note=all of them')).toContain('configmap/b annotated\n')
      expect(await kubectl.ok('get', 'cm', '-l', 'x=y', '-o', 'jsonpath={.items[*].metadata.annotations.note}')).toBe(
        'all of them all of them',
      )
    })

    test('add and remove annotations', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(configMap('a'))
      expect(await kubectl.ok('annotate', 'cm', 'a', 'note=hi there')).toBe('configmap/a annotated\n')
      expect((await kubectl.get('cm', 'a')).metadata.annotations).toEqual({ note: 'hi there' })
      expect(await kubectl.ok('annotate', 'cm', 'a', 'note-')).toBe('configmap/a annotated\n')
      expect((await kubectl.get('cm', 'a')).metadata.annotations).toBeUndefined()
    })

    test('reject an invalid key', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(configMap('a'))
      expect(await kubectl.fails('label', 'cm', 'a', 'bad key=x')).toMatch(
        /^The ConfigMap "a" is invalid: metadata\.labels: Invalid value: "bad key": name part must consist of alphanumeric characters/,
      )
    })
  })

  describe('scale', () => {
    test.each([
      ['deployment.apps', workload('Deployment', 'x')],
      ['replicaset.apps', workload('ReplicaSet', 'x')],
      ['statefulset.apps', workload('StatefulSet', 'x')],
      ['replicationcontroller', replicationController('x')],
    ])('changes the replicas of a %s', async (kind, object) => {
      const kubectl = await inNewNamespace()
      await kubectl.has(object)
      expect(await kubectl.ok('scale', kind, 'x', '--replicas=4')).toBe(`${kind}/x scaled\n`)
      expect((await kubectl.get(kind, 'x')).spec.replicas).toBe(4)
      expect(await kubectl.fails('scale', kind, 'x', '--current-replicas=3', '--replicas=5')).toBe(
        'error: Expected replicas to be 3, was 4\n',
      )
      expect(await kubectl.ok('scale', kind, 'x', '--current-replicas=4', '--replicas=0')).toBe(`${kind}/x scaled\n`)
      expect((await kubectl.get(kind, 'x')).spec.replicas).toBe(0)
    })

    test('reads the scale subresource', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(workload('Deployment', 'web', 2))
      expect(await kubectl.get('deployment', 'web', '--subresource=scale')).toMatchObject({
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: { name: 'web', namespace: kubectl.namespace },
        spec: { replicas: 2 },
        status: { replicas: 0, selector: 'app=web' },
      })
      expect(
        await kubectl.ok(
          'patch',
          'deployment',
          'web',
          '--subresource=scale',
          '--type=merge',
          '-p',
          '{"spec":{"replicas":3}}',
        ),
      ).toBe('scale.autoscaling/web patched\n')
      expect((await kubectl.get('deployment', 'web')).spec.replicas).toBe(3)
    })

    test('refuses more replicas than the field can hold', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(workload('Deployment', 'web', 2))
      expect(await kubectl.fails('scale', 'deployment', 'web', '--replicas=2147483648')).toContain(
        'cannot unmarshal number 2147483648 into Go struct field ScaleSpec.spec.replicas of type int32',
      )
      expect((await kubectl.get('deployment', 'web')).spec.replicas).toBe(2)
    })

    test('refuses what has no scale and what is missing', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(configMap('a'))
      expect(await kubectl.fails('scale', 'cm', 'a', '--replicas=1')).toBe(
        'Error from server (NotFound): the server could not find the requested resource\n',
      )
      expect(await kubectl.fails('scale', 'deployment', 'none', '--replicas=1')).toBe(
        'error: no objects passed to scale deployments.apps "none" not found\n',
      )
    })
  })

  describe('patch', () => {
    const containers = (kubectl: Kubectl): Promise<string> =>
      kubectl.ok(
        'get',
        'deployment',
        'web',
        '-o',
        'jsonpath={range .spec.template.spec.containers[*]}{.name}={.image} {end}',
      )

    test('merges lists by their keys with a strategic patch', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(workload('Deployment', 'web'))
      const patch = (list: readonly object[]): string =>
        JSON.stringify({ spec: { template: { spec: { containers: list } } } })
      expect(await kubectl.ok('patch', 'deployment', 'web', '-p', patch([{ name: 'side', image: 's:1' }]))).toBe(
        'deployment.apps/web patched\n',
      )
      expect(await containers(kubectl)).toBe('side=s:1 main=nginx:1 ')
      await kubectl.ok('patch', 'deployment', 'web', '-p', patch([{ name: 'main', image: 'nginx:2' }]))
      expect(await containers(kubectl)).toBe('side=s:1 main=nginx:2 ')
      await kubectl.ok('patch', 'deployment', 'web', '-p', patch([{ name: 'side', $patch: 'delete' }]))
      expect(await containers(kubectl)).toBe('main=nginx:2 ')
    })

    test('replaces lists and removes with null in a merge patch', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(workload('Deployment', 'web', 3))
      const list = [{ name: 'only', image: 'o:1' }]
      await kubectl.ok(
        'patch',
        'deployment',
        'web',
        '--type=merge',
        '-p',
        JSON.stringify({ spec: { replicas: null, template: { spec: { containers: list } } } }),
      )
      expect(await containers(kubectl)).toBe('only=o:1 ')
      expect((await kubectl.get('deployment', 'web')).spec.replicas).toBe(1)
    })

    test('does one operation after another in a JSON patch', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(configMap('a', { x: '1', y: '2' }))
      const operations = [
        { op: 'test', path: '/data/x', value: '1' },
        { op: 'replace', path: '/data/x', value: '3' },
        { op: 'remove', path: '/data/y' },
        { op: 'add', path: '/data/z', value: '4' },
      ]
      expect(await kubectl.ok('patch', 'cm', 'a', '--type=json', '-p', JSON.stringify(operations))).toBe(
        'configmap/a patched\n',
      )
      expect((await kubectl.get('cm', 'a')).data).toEqual({ x: '3', z: '4' })
    })

    test('changes nothing when a test of a JSON patch fails', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(configMap('a', { x: '1' }))
      const operations = [
        { op: 'replace', path: '/data/x', value: '3' },
        { op: 'test', path: '/data/x', value: '1' },
      ]
      expect(await kubectl.fails('patch', 'cm', 'a', '--type=json', '-p', JSON.stringify(operations))).toBe(
        'The request is invalid: the server rejected our request due to an error in our request\n',
      )
      expect((await kubectl.get('cm', 'a')).data).toEqual({ x: '1' })
    })

    test('says when nothing changed and leaves the version as it was', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(configMap('a', { x: '1' }))
      const { metadata } = await kubectl.get('cm', 'a')
      expect(await kubectl.ok('patch', 'cm', 'a', '-p', '{"data":{"x":"1"}}')).toBe('configmap/a patched (no change)\n')
      expect((await kubectl.get('cm', 'a')).metadata).toEqual(metadata)
    })

    test('changes nothing but the status through --subresource=status', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(pod('p'))
      const both = '{"metadata":{"labels":{"x":"y"}},"spec":{"activeDeadlineSeconds":5},"status":{"phase":"Running"}}'
      await kubectl.ok('patch', 'pod', 'p', '--subresource=status', '-p', both)
      const after = await kubectl.get('pod', 'p')
      expect([after.status.phase, after.spec.activeDeadlineSeconds]).toEqual(['Running', undefined])
      await kubectl.ok('patch', 'pod', 'p', '-p', '{"status":{"phase":"Failed"}}')
      expect((await kubectl.get('pod', 'p')).status.phase).toBe('Running')
    })

    test('stores nothing in a dry run', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(configMap('a', { x: '1' }))
      expect(
        await kubectl.ok(
          'patch',
          'cm',
          'a',
          '--dry-run=server',
          '-p',
          '{"data":{"x":"2"}}',
          '-o',
          'jsonpath={.data.x}',
        ),
      ).toBe('2')
      expect((await kubectl.get('cm', 'a')).data).toEqual({ x: '1' })
    })

    test('keeps to what may change in a pod', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(pod('p'))
      expect(
        await kubectl.ok('patch', 'pod', 'p', '-p', '{"spec":{"containers":[{"name":"main","image":"nginx:2"}]}}'),
      ).toBe('pod/p patched\n')
      expect(await kubectl.fails('patch', 'pod', 'p', '-p', '{"spec":{"restartPolicy":"Never"}}')).toMatch(
        /^The Pod "p" is invalid: spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`,`spec\.initContainers\[\*\]\.image`/,
      )
    })

    test('rejects a patch that is not an object and one of a missing object', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(configMap('a'))
      expect(await kubectl.fails('patch', 'cm', 'a', '--type=json', '-p', '[{"op":"nope","path":"/data"}]')).toContain(
        'the server rejected our request',
      )
      expect(await kubectl.fails('patch', 'cm', 'none', '-p', '{"data":{"x":"1"}}')).toBe(
        'Error from server (NotFound): configmaps "none" not found\n',
      )
    })

    test('does not change an immutable config map', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has({ ...configMap('fixed', { x: '1' }), immutable: true })
      expect(await kubectl.fails('patch', 'cm', 'fixed', '-p', '{"data":{"x":"2"}}')).toBe(
        'The ConfigMap "fixed" is invalid: data: Forbidden: field is immutable when `immutable` is set\n',
      )
    })
  })

  describe('replace', () => {
    test('stores the object of a file and refuses one of an old version', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(workload('Deployment', 'web', 1))
      const old = await kubectl.get('deployment', 'web')
      const path = file('replace.json', { ...old, spec: { ...old.spec, replicas: 7 } })
      expect(await kubectl.ok('replace', '-f', path)).toBe('deployment.apps/web replaced\n')
      expect((await kubectl.get('deployment', 'web')).spec.replicas).toBe(7)
      expect(await kubectl.fails('replace', '-f', path)).toBe(
        `Error from server (Conflict): error when replacing "${path}": Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again\n`,
      )
    })

    test('does without a version, and not without the object', async () => {
      const kubectl = await inNewNamespace()
      const path = file('plain.json', configMap('plain', { a: '2' }))
      expect(await kubectl.fails('replace', '-f', path)).toBe(
        `Error from server (NotFound): error when replacing "${path}": configmaps "plain" not found\n`,
      )
      await kubectl.has(configMap('plain', { a: '1', b: '1' }))
      expect(await kubectl.ok('replace', '-f', path)).toBe('configmap/plain replaced\n')
      expect((await kubectl.get('cm', 'plain')).data).toEqual({ a: '2' })
    })

    test('makes the object anew with --force', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(configMap('anew', { a: '1' }))
      const before = await kubectl.get('cm', 'anew')
      expect(await kubectl.ok('replace', '--force', '-f', file('anew.json', configMap('anew', { a: '2' })))).toBe(
        'configmap "anew" deleted\nconfigmap/anew replaced\n',
      )
      const after = await kubectl.get('cm', 'anew')
      expect(after.metadata.uid).not.toBe(before.metadata.uid)
    })
  })

  describe('edit', () => {
    const edit = (kubectl: Kubectl, script: string, ...args: readonly string[]) =>
      kubectl.run(['edit', ...args], {
        env: { KUBE_EDITOR: file(`edit-in-${kubectl.namespace}.sh`, `#!/bin/sh\n${script}\n`) },
      })

    test('stores what the editor leaves', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(workload('Deployment', 'web', 1))
      expect(await edit(kubectl, `sed -i 's/replicas: 1/replicas: 8/' "$1"`, 'deployment', 'web')).toMatchObject({
        code: 0,
        stdout: 'deployment.apps/web edited\n',
      })
      expect((await kubectl.get('deployment', 'web')).spec.replicas).toBe(8)
    })

    test('cancels when the editor leaves it as it was', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(configMap('a'))
      expect(await edit(kubectl, 'true', 'cm', 'a')).toMatchObject({
        code: 0,
        stderr: 'Edit cancelled, no changes made.\n',
      })
    })

    test('opens the editor again with what is wrong', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(workload('Deployment', 'web', 1))
      const script = `if grep -q 'must be greater than or equal to 0' "$1"; then sed -i 's/replicas: -8/replicas: 5/' "$1"; else sed -i 's/replicas: 1/replicas: -8/' "$1"; fi`
      expect(await edit(kubectl, script, 'deployment', 'web')).toMatchObject({
        code: 0,
        stdout: 'deployment.apps/web edited\n',
      })
      expect((await kubectl.get('deployment', 'web')).spec.replicas).toBe(5)
    })

    test('edits the status with --subresource=status', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(pod('p'))
      expect(
        await edit(kubectl, `sed -i 's/phase: Pending/phase: Running/' "$1"`, 'pod', 'p', '--subresource=status'),
      ).toMatchObject({ code: 0, stdout: 'pod/p edited\n' })
      expect((await kubectl.get('pod', 'p')).status.phase).toBe('Running')
    })
  })

  test('set changes an image, an environment and resources', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(workload('Deployment', 'web'))
    expect(await kubectl.ok('set', 'image', 'deployment/web', 'main=nginx:2')).toBe(
      'deployment.apps/web image updated\n',
    )
    expect(await kubectl.ok('set', 'env', 'deployment/web', 'A=b')).toBe('deployment.apps/web env updated\n')
    expect(await kubectl.ok('set', 'resources', 'deployment/web', '--limits=cpu=200m')).toBe(
      'deployment.apps/web resource requirements updated\n',
    )
    expect((await kubectl.get('deployment', 'web')).spec.template.spec.containers[0]).toMatchObject({
      image: 'nginx:2',
      env: [{ name: 'A', value: 'b' }],
      resources: { limits: { cpu: '200m' } },
    })
  })
})
