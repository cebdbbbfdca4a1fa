import { describe, expect, test } from 'vitest'
import { hasKubectl, type Kubectl, listOf, session } from './kubectl.ts'
import { configMap, custom, customResourceDefinition, workload } from './kubectl-objects.ts'

const WEB = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web, tier: front}
  annotations: {note: one}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: main
        image: nginx:1
        env: [{name: A, value: "1"}, {name: B, value: "2"}]
      - {name: side, image: "side:1"}
`
const CHANGED = WEB.replace('replicas: 2', 'replicas: 3')
  .replace(', tier: front', '')
  .replace('note: one', 'note: two')
  .replace(', {name: B, value: "2"}', '')
  .replace('      - {name: side, image: "side:1"}\n', '')

describe.skipIf(!hasKubectl)('kubectl apply', { concurrent: true }, () => {
  const { inNewNamespace, inNamespace, file } = session()
  const apply = async (kubectl: Kubectl, input: string | object, ...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await kubectl.run(['apply', '-f', '-', ...args], { input })
    expect([code, stderr]).toEqual([0, ''])
    return stdout
  }

  test('creates what is missing, leaves what is the same and changes what differs', async () => {
    const kubectl = await inNewNamespace()
    expect(await apply(kubectl, WEB)).toBe('deployment.apps/web created\n')
    const { metadata } = await kubectl.get('deployment', 'web')
    expect(await apply(kubectl, WEB)).toBe('deployment.apps/web unchanged\n')
    expect((await kubectl.get('deployment', 'web')).metadata).toEqual(metadata)
    expect(await apply(kubectl, CHANGED)).toBe('deployment.apps/web configured\n')
    expect((await kubectl.get('deployment', 'web')).metadata.generation).toBe(metadata.generation + 1)
  })

  test('removes what the file no longer has and keeps what others added', async () => {
    const kubectl = await inNewNamespace()
    await apply(kubectl, WEB)
    await kubectl.ok('label', 'deployment', 'web', 'added=elsewhere')
    await kubectl.ok('set', 'env', 'deployment/web', '--containers=main', 'C=3')
    await apply(kubectl, CHANGED)
    const { metadata, spec } = await kubectl.get('deployment', 'web')
    expect(metadata.labels).toEqual({ app: 'web', added: 'elsewhere' })
    expect(metadata.annotations.note).toBe('two')
    expect(spec.replicas).toBe(3)
    expect(spec.template.spec.containers).toMatchObject([{ name: 'main', env: [{ name: 'A' }, { name: 'C' }] }])
  })

  test('remembers the file in the last-applied annotation', async () => {
    const kubectl = await inNewNamespace()
    await apply(kubectl, configMap('one', { a: 'b' }))
    const last = String.raw`jsonpath={.metadata.annotations.kubectl\.kubernetes\.io/last-applied-configuration}`
    expect(JSON.parse(await kubectl.ok('get', 'cm', 'one', '-o', last))).toEqual({
      ...configMap('one', { a: 'b' }),
      metadata: { name: 'one', namespace: kubectl.namespace, annotations: {} },
    })
    expect(await kubectl.ok('apply', 'view-last-applied', 'cm', 'one')).toContain('data:\n  a: b\nkind: ConfigMap\n')
  })

  test('warns when it takes over an object that was not applied', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(configMap('one', { a: 'b', c: 'd' }))
    const { stdout, stderr } = await kubectl.run(['apply', '-f', '-'], { input: configMap('one', { a: 'B' }) })
    expect(stderr).toMatch(/^Warning: resource configmaps\/one is missing the .* annotation/)
    expect(stdout).toBe('configmap/one configured\n')
    expect((await kubectl.get('cm', 'one')).data).toEqual({ a: 'B', c: 'd' })
  })

  test('takes several objects at once', async () => {
    const kubectl = await inNewNamespace()
    const both = listOf(configMap('one', { a: '1' }), workload('StatefulSet', 'two'))
    expect(await apply(kubectl, both)).toBe('configmap/one created\nstatefulset.apps/two created\n')
    expect(await apply(kubectl, both)).toBe('configmap/one unchanged\nstatefulset.apps/two unchanged\n')
  })

  test.each([
    ['the client', 'client', 'deployment.apps/web configured (dry run)\n'],
    ['the server', 'server', 'deployment.apps/web configured (server dry run)\n'],
  ])('changes nothing in a dry run of %s', async (_of, mode, printed) => {
    const kubectl = await inNewNamespace()
    await apply(kubectl, WEB)
    expect(await apply(kubectl, CHANGED, `--dry-run=${mode}`)).toBe(printed)
    expect((await kubectl.get('deployment', 'web')).spec.replicas).toBe(2)
  })

  test('shows with diff what an apply would change, and nothing when nothing would', async () => {
    const kubectl = await inNewNamespace()
    await apply(kubectl, WEB)
    expect(await kubectl.run(['diff', '-f', '-'], { input: WEB })).toEqual({ code: 0, stdout: '', stderr: '' })
    const { code, stdout } = await kubectl.run(['diff', '-f', '-'], { input: CHANGED })
    expect(code).toBe(1)
    const changes = stdout.split('\n').filter((line) => /^[-+] /.test(line))
    expect(changes).toEqual([
      '-    note: one',
      '+    note: two',
      '-  generation: 1',
      '+  generation: 2',
      '-    tier: front',
      '-  replicas: 2',
      '+  replicas: 3',
      '-        - name: B',
      '-          value: "2"',
      '-      - image: side:1',
      '-        imagePullPolicy: IfNotPresent',
      '-        name: side',
      '-        resources: {}',
      '-        terminationMessagePath: /dev/termination-log',
      '-        terminationMessagePolicy: File',
    ])
  })

  test('refuses a change of what may not change and keeps the object', async () => {
    const kubectl = await inNewNamespace()
    await apply(kubectl, WEB)
    const { code, stderr } = await kubectl.run(['apply', '-f', '-'], {
      input: WEB.replaceAll('app: web', 'app: other'),
    })
    expect(code).toBe(1)
    expect(stderr).toBe(
      'The Deployment "web" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable\n',
    )
    expect((await kubectl.get('deployment', 'web')).metadata.labels.app).toBe('web')
  })

  test('reads a folder and its subfolders', async () => {
    const kubectl = await inNewNamespace()
    const path = file('folder.json', configMap('found', {}))
    expect(await kubectl.ok('apply', '-R', '-f', path)).toBe('configmap/found created\n')
  })

  // One after another: each changes what the server serves, which the others' kubectl reads.
  describe('with custom resources', { concurrent: false }, () => {
    const WIDGETS = customResourceDefinition('widgets', 'widget', 'Widget')

    test('serves a kind as soon as its definition is established', async () => {
      const kubectl = await inNewNamespace()
      expect(await apply(kubectl, WIDGETS)).toBe(
        'customresourcedefinition.apiextensions.k8s.io/widgets.example.com created\n',
      )
      expect(await kubectl.ok('wait', '--for=condition=Established', 'crd/widgets.example.com')).toBe(
        'customresourcedefinition.apiextensions.k8s.io/widgets.example.com condition met\n',
      )
      const first = custom('Widget', 'first', { size: 'big', extra: { a: 1, b: 2 } })
      expect(await apply(kubectl, first)).toBe('widget.example.com/first created\n')
      expect(await apply(kubectl, first)).toBe('widget.example.com/first unchanged\n')
      expect(await apply(kubectl, custom('Widget', 'first', { size: 'small', extra: { a: 1 } }))).toBe(
        'widget.example.com/first configured\n',
      )
      expect((await kubectl.get('wid', 'first')).spec).toEqual({ size: 'small', extra: { a: 1 } })
      expect(await kubectl.ok('get', 'widgets.example.com', '-o', 'name')).toBe('widget.example.com/first\n')
      expect(await kubectl.ok('get', 'all', '-o', 'name')).toBe('widget.example.com/first\n')
    })

    test('keeps the status apart from the rest', async () => {
      const kubectl = await inNewNamespace()
      await apply(kubectl, WIDGETS)
      await kubectl.ok('wait', '--for=condition=Established', 'crd/widgets.example.com')
      await kubectl.has(custom('Widget', 'w', { size: 1 }))
      const both = '{"spec":{"size":2},"status":{"ready":true}}'
      await kubectl.ok('patch', 'widget', 'w', '--type=merge', '-p', both)
      await kubectl.ok(
        'patch',
        'widget',
        'w',
        '--type=merge',
        '-p',
        '{"spec":{"size":3},"status":{"ready":true}}',
        '--subresource=status',
      )
      const { spec, status, metadata } = await kubectl.get('widget', 'w')
      expect([spec, status, metadata.generation]).toEqual([{ size: 2 }, { ready: true }, 2])
    })

    test('has no strategic patches', async () => {
      const kubectl = await inNewNamespace()
      await apply(kubectl, WIDGETS)
      await kubectl.ok('wait', '--for=condition=Established', 'crd/widgets.example.com')
      await kubectl.has(custom('Widget', 'w', {}))
      expect(await kubectl.fails('patch', 'widget', 'w', '-p', '{"spec":{"size":2}}')).toMatch(
        /^error: application\/strategic-merge-patch\+json is not supported by example\.com\/v1, Kind=Widget: the body of the request was in an unknown format - accepted media types include: application\/json-patch\+json, application\/merge-patch\+json/,
      )
    })

    test('refuses them when their count is spent', async () => {
      const kubectl = await inNewNamespace()
      await apply(kubectl, WIDGETS)
      await kubectl.ok('wait', '--for=condition=Established', 'crd/widgets.example.com')
      await kubectl.ok('create', 'quota', 'few', '--hard=count/widgets.example.com=1')
      await kubectl.has(custom('Widget', 'one', {}))
      expect(await kubectl.refuses(custom('Widget', 'two', {}))).toBe(
        'Error from server (Forbidden): error when creating "STDIN": widgets.example.com "two" is forbidden: exceeded quota: few, requested: count/widgets.example.com=1, used: count/widgets.example.com=1, limited: count/widgets.example.com=1\n',
      )
    })

    test('is withdrawn when the definition is deleted', async () => {
      const kubectl = await inNewNamespace()
      await apply(kubectl, customResourceDefinition('gadgets', 'gadget', 'Gadget'))
      await kubectl.ok('wait', '--for=condition=Established', 'crd/gadgets.example.com')
      expect(await kubectl.ok('api-resources', '--api-group=example.com', '-o', 'name')).toContain(
        'gadgets.example.com\n',
      )
      const { stdout } = await kubectl.run(['delete', 'crd', 'gadgets.example.com'])
      expect(stdout).toMatch(/^customresourcedefinition\.apiextensions\.k8s\.io "gadgets\.example\.com" deleted/)
      expect(await kubectl.ok('api-resources', '--cached=false', '-o', 'name')).not.toContain('gadgets.example.com\n')
      expect(await kubectl.fails('get', 'gadgets.v1.example.com')).toContain("the server doesn't have a resource type")
    })

    test('is scaled and printed as its definition says', async () => {
      const kubectl = await inNewNamespace()
      const fleets = customResourceDefinition('fleets', 'fleet', 'Fleet')
      const [version] = fleets.spec.versions
      const paths = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' }
      const columns = [
        { name: 'Size', type: 'string', jsonPath: '.spec.size' },
        { name: 'Ships', type: 'integer', jsonPath: '.spec.replicas', priority: 1 },
      ]
      const schema = {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: { type: 'object', properties: { size: { type: 'string' }, replicas: { type: 'integer' } } },
          },
        },
      }
      const changed = { ...version, subresources: { scale: paths }, additionalPrinterColumns: columns, schema }
      await apply(kubectl, { ...fleets, spec: { ...fleets.spec, versions: [changed] } })
      await kubectl.ok('wait', '--for=condition=Established', 'crd/fleets.example.com')
      await kubectl.has(custom('Fleet', 'north', { size: 'big', replicas: 3 }))
      expect(await kubectl.ok('get', 'fleet')).toBe('NAME    SIZE\nnorth   big\n')
      expect(await kubectl.ok('scale', 'fleet', 'north', '--replicas=5')).toBe('fleet.example.com/north scaled\n')
      expect(await kubectl.ok('get', 'fleet', '-o', 'wide')).toBe('NAME    SIZE   SHIPS\nnorth   big    5\n')
    })

    test('refuses a definition whose name does not fit', async () => {
      const kubectl = inNamespace('default')
      const misnamed = {
        ...customResourceDefinition('apples', 'apple', 'Apple'),
        metadata: { name: 'pears.example.com' },
      }
      expect(await kubectl.refuses(misnamed)).toContain(
        'The CustomResourceDefinition "pears.example.com" is invalid: metadata.name: Invalid value: "pears.example.com": must be spec.names.plural+"."+spec.group',
      )
    })
  })
})
