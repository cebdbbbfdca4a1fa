import { describe, expect, test } from 'vitest'
import { toolPath } from '../clients/tool.ts'
import { hasKubectl, type Kubectl, listOf, session } from './kubectl.ts'
import { configMap, custom, customResourceDefinition, pod, workload } from './kubectl-objects.ts'

interface Version {
  readonly version: string
  readonly program: string | undefined
  /** Is it of the years before `--subresource`, `--show-managed-fields` and an `explain` of OpenAPI v3? */
  readonly old: boolean
}

/** The commands that every kubectl must support, the oldest supported version and that of the machine. */
const VERSIONS: readonly Version[] = [
  { version: '1.20', program: toolPath('kubectl-1.20'), old: true },
  { version: '1.32 or newer', program: hasKubectl ? 'kubectl' : undefined, old: false },
]
const definition = customResourceDefinition('ships', 'ship', 'Ship')
const SHIPS = {
  ...definition,
  spec: {
    ...definition.spec,
    versions: definition.spec.versions.map((version) => ({
      ...version,
      additionalPrinterColumns: [
        { name: 'Masts', type: 'integer', jsonPath: '.spec.masts' },
        { name: 'First', type: 'string', jsonPath: '.spec.ports[0]' },
        { name: 'Built', type: 'date', jsonPath: '.spec.built' },
        { name: 'Wooden', type: 'boolean', jsonPath: '.spec.wooden', priority: 1 },
      ],
      schema: {
        openAPIV3Schema: {
          type: 'object',
          properties: {
            spec: {
              type: 'object',
              properties: {
                masts: { type: 'integer', maximum: 5, description: 'how many it has' },
                ports: { type: 'array', items: { type: 'string' } },
                built: { type: 'string', format: 'date-time' },
                wooden: { type: 'boolean' },
              },
            },
          },
        },
      },
    })),
  },
}
const HELD = { finalizers: ['example.com/hold'] }
const UNHOLD = '{"metadata":{"finalizers":null}}'

describe.each(VERSIONS)('kubectl $version', ({ program, old }) => {
  describe.skipIf(program === undefined)('works with the server', { concurrent: true }, () => {
    const { allot, inNewNamespace, inNamespace, file } = session(program)
    const apply = async (kubectl: Kubectl, input: string | object, ...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await kubectl.run(['apply', '-f', '-', ...args], { input })
      expect([code, stderr]).toEqual([0, ''])
      return stdout
    }
    const left = (kubectl: Kubectl): Promise<string> =>
      kubectl.ok('get', 'cm', '-o', 'name', '--field-selector', 'metadata.name!=kube-root-ca.crt')
    /** With `wait`, of which the old one finds nothing to wait for when it is gone already. */
    const gone = async (kubectl: Kubectl, name: string): Promise<void> => {
      const { code, stderr } = await kubectl.run(['wait', '--for=delete', name, '--timeout=20s'])
      if (code !== 0) expect(stderr).toMatch(/NotFound|no matching resources found/)
    }

    test('creates objects of files and with generators', async () => {
      const kubectl = await inNewNamespace()
      expect(await kubectl.create(configMap('a', { x: '1' }), pod('p'), workload('Deployment', 'web'))).toBe(
        'configmap/a created\npod/p created\ndeployment.apps/web created\n',
      )
      for (const [args, made] of [
        [['namespace', `${kubectl.namespace}-b`], `namespace/${kubectl.namespace}-b`],
        [['configmap', 'b', '--from-literal=x=1'], 'configmap/b'],
        [['secret', 'generic', 's', '--from-literal=x=1'], 'secret/s'],
        [['deployment', 'd', '--image=nginx:1', '--replicas=2'], 'deployment.apps/d'],
        [['job', 'j', '--image=busybox:1'], 'job.batch/j'],
        [['service', 'clusterip', 'svc', '--tcp=80'], 'service/svc'],
        [['ingress', 'i', '--rule=example.com/*=svc:80'], 'ingress.networking.k8s.io/i'],
        [['quota', 'q', '--hard=pods=9'], 'resourcequota/q'],
        [['role', 'r', '--verb=get', '--resource=pods'], 'role.rbac.authorization.k8s.io/r'],
        [['rolebinding', 'rb', '--role=r', '--user=jane'], 'rolebinding.rbac.authorization.k8s.io/rb'],
        [['serviceaccount', 'sa'], 'serviceaccount/sa'],
        [
          ['priorityclass', `pc-${kubectl.namespace}`, '--value=7'],
          `priorityclass.scheduling.k8s.io/pc-${kubectl.namespace}`,
        ],
      ] as const)
        expect(await kubectl.ok('create', ...args)).toBe(`${made} created\n`)
      expect(await kubectl.ok('run', 'q', '--image=nginx:1')).toBe('pod/q created\n')
      expect(await kubectl.ok('expose', 'deployment', 'd', '--port=80')).toBe('service/d exposed\n')
      const { stderr } = await kubectl.run(['create', '-f', '-'], { input: configMap('a') })
      expect(stderr).toBe(
        'Error from server (AlreadyExists): error when creating "STDIN": configmaps "a" already exists\n',
      )
    })

    test('applies: creates, leaves, configures, and removes what the file no longer has', async () => {
      const kubectl = await inNewNamespace()
      expect(await apply(kubectl, configMap('a', { x: '1', y: '1' }))).toBe('configmap/a created\n')
      expect(await apply(kubectl, configMap('a', { x: '1', y: '1' }))).toBe('configmap/a unchanged\n')
      expect(await apply(kubectl, configMap('a', { x: '2' }))).toBe('configmap/a configured\n')
      expect((await kubectl.get('cm', 'a')).data).toEqual({ x: '2' })
    })

    test('applies on the side of the server, with conflicts and force', async () => {
      const kubectl = await inNewNamespace()
      const server = ['--server-side', '--field-manager']
      expect(await apply(kubectl, workload('Deployment', 'web', 2), ...server, 'one')).toBe(
        'deployment.apps/web serverside-applied\n',
      )
      const { code, stderr } = await kubectl.run(['apply', '-f', '-', ...server, 'two'], {
        input: workload('Deployment', 'web', 3),
      })
      expect([code, stderr]).toEqual([1, expect.stringContaining('conflict with "one"')])
      await apply(kubectl, workload('Deployment', 'web', 3), ...server, 'two', '--force-conflicts')
      const { spec, metadata } = await kubectl.get('deploy', 'web', ...(old ? [] : ['--show-managed-fields']))
      expect(spec.replicas).toBe(3)
      expect(metadata.managedFields.map(({ manager }: { readonly manager: string }) => manager)).toEqual(['one', 'two'])
    })

    test('prunes objects that are no longer among the files', async () => {
      const kubectl = await inNewNamespace()
      const labelled = (name: string): object => configMap(name, { x: '1' }, { labels: { set: 'mine' } })
      const prune = ['--prune', '-l', 'set=mine', `--prune-${old ? 'white' : 'allow'}list=core/v1/ConfigMap`]
      await kubectl.create(configMap('other'))
      expect(await apply(kubectl, listOf(labelled('a'), labelled('b')), ...prune)).toBe(
        'configmap/a created\nconfigmap/b created\n',
      )
      expect(await apply(kubectl, listOf(labelled('b')), ...prune)).toBe('configmap/b unchanged\nconfigmap/a pruned\n')
      expect(await left(kubectl)).toBe('configmap/b\nconfigmap/other\n')
    })

    test('shows with diff what an apply would change, on either side', async () => {
      const kubectl = await inNewNamespace()
      const changes = async (object: object, ...args: readonly string[]): Promise<readonly unknown[]> => {
        const { code, stdout } = await kubectl.run(['diff', '-f', '-', ...args], { input: object })
        return [code, stdout.split('\n').filter((line) => /^[-+] {2}x: /.test(line))]
      }
      expect(await changes(configMap('a', { x: '1' }))).toEqual([1, ['+  x: "1"']])
      await apply(kubectl, configMap('a', { x: '1' }))
      expect(await changes(configMap('a', { x: '1' }))).toEqual([0, []])
      expect(await changes(configMap('a', { x: '2' }))).toEqual([1, ['-  x: "1"', '+  x: "2"']])
      const forced = ['--server-side', '--force-conflicts']
      expect(await changes(configMap('a', { x: '3' }), ...forced)).toEqual([1, ['-  x: "1"', '+  x: "3"']])
      expect((await kubectl.get('cm', 'a')).data).toEqual({ x: '1' })
    })

    test('edits with an editor', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.create(workload('Deployment', 'web', 1))
      const editor = file(`edit-${kubectl.namespace}.sh`, `#!/bin/sh\nsed -i 's/replicas: 1/replicas: 8/' "$1"\n`)
      const env = { KUBE_EDITOR: editor }
      expect(await kubectl.run(['edit', 'deployment', 'web'], { env })).toMatchObject({
        code: 0,
        stdout: 'deployment.apps/web edited\n',
      })
      expect((await kubectl.get('deployment', 'web')).spec.replicas).toBe(8)
      expect(await kubectl.run(['edit', 'deployment', 'web'], { env })).toMatchObject({ code: 0 })
    })

    test('patches in every way', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.create(workload('Deployment', 'web'))
      const patch = async (type: string, body: unknown): Promise<string> => {
        await kubectl.ok('patch', 'deployment', 'web', `--type=${type}`, '-p', JSON.stringify(body))
        return kubectl.ok(
          'get',
          'deploy',
          'web',
          '-o',
          'jsonpath={.spec.replicas}{.spec.template.spec.containers[*].name}',
        )
      }
      const template = { spec: { containers: [{ name: 'side', image: 's:1' }] } }
      expect(await patch('strategic', { spec: { template } })).toBe('1side main')
      expect(await patch('merge', { spec: { template } })).toBe('1side')
      expect(await patch('json', [{ op: 'replace', path: '/spec/replicas', value: 4 }])).toBe('4side')
      expect(await kubectl.ok('patch', 'deployment', 'web', '-p', '{"spec":{"replicas":4}}')).toBe(
        'deployment.apps/web patched (no change)\n',
      )
    })

    test('deletes, and waits for finalizers', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.create(configMap('a'), configMap('held', {}, HELD))
      expect(await kubectl.ok('delete', 'cm', 'a')).toMatch(/^configmap "a" deleted/)
      const deleting = kubectl.start('delete', 'cm', 'held')
      await deleting.until(/configmap "held" deleted/)
      expect((await kubectl.get('cm', 'held')).metadata.deletionTimestamp).toBeDefined()
      await kubectl.ok('patch', 'cm', 'held', '--type=merge', '-p', UNHOLD)
      expect(await deleting.ended).toMatchObject({ code: 0 })
      expect(await left(kubectl)).toBe('')
    })

    test.each([
      ['background', ['owner'], 'configmap/held\n'],
      ['foreground', ['owner', '--wait=false'], 'configmap/held\nconfigmap/owner\n'],
      ['orphan', ['owner'], 'configmap/held\nconfigmap/plain\n'],
    ])('deletes with --cascade=%s', async (mode, args, expected) => {
      const kubectl = await inNewNamespace()
      await kubectl.create(configMap('owner'))
      const { uid } = (await kubectl.get('cm', 'owner')).metadata
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid, blockOwnerDeletion: true }]
      await kubectl.create(
        configMap('plain', {}, { ownerReferences }),
        configMap('held', {}, { ownerReferences, ...HELD }),
      )
      await kubectl.ok('delete', 'cm', ...args, `--cascade=${mode}`)
      if (mode !== 'orphan') await gone(kubectl, 'cm/plain')
      expect(await left(kubectl)).toBe(expected)
      await kubectl.ok('patch', 'cm', 'held', '--type=merge', '-p', UNHOLD)
      if (mode === 'foreground') await gone(kubectl, 'cm/owner')
    })

    test('waits for conditions and deletions', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.create(pod('p'))
      const ready = { type: 'Ready', status: 'True' }
      const path = `/api/v1/namespaces/${kubectl.namespace}/pods/p/status`
      const waiting = kubectl.start('wait', '--for=condition=Ready', 'pod/p', '--timeout=20s')
      const headers = { 'content-type': 'application/merge-patch+json' }
      await allot().call(path, { method: 'PATCH', headers, body: { status: { conditions: [ready] } } })
      expect(await waiting.ended).toMatchObject({ code: 0, stdout: 'pod/p condition met\n' })
      expect(await kubectl.fails('wait', '--for=condition=Odd', 'pod/p', '--timeout=3s')).toContain(
        'timed out waiting for the condition on pods/p',
      )
      await kubectl.create(configMap('held', {}, HELD))
      await kubectl.ok('delete', 'cm', 'held', '--wait=false')
      const leaving = kubectl.start('wait', '--for=delete', 'cm/held', '--timeout=20s')
      await kubectl.ok('patch', 'cm', 'held', '--type=merge', '-p', UNHOLD)
      await leaving.ended
      expect(await left(kubectl)).toBe('')
    })

    test.each([
      ['pods', /^KIND: +Pod\nVERSION: +v1\n/],
      ['deployment.spec', /\n {2,3}replicas\t<integer>\n/],
      ['deployment.spec.template.spec.containers.livenessProbe.httpGet.port', /port\s+<(string|IntOrString)>/],
      ['sts.spec.volumeClaimTemplates.spec.dataSource.apiGroup', /KIND: +StatefulSet\n[^]*apiGroup\s+<string>/],
      ['crd.spec.versions.additionalPrinterColumns.jsonPath', /jsonPath\s+<string>/],
      ['resourcequota.spec.scopeSelector.matchExpressions.operator', /operator\s+<string>/],
      ['mutatingwebhookconfigurations.webhooks.clientConfig.service.port', /port\s+<integer>/],
    ])('explains %s', async (field, expected) => {
      expect(await inNamespace('default').ok('explain', field)).toMatch(expected)
    })

    test('explains all fields below one with --recursive, and says which are none', async () => {
      const kubectl = inNamespace('default')
      const fields = await kubectl.ok('explain', 'cronjob', '--recursive')
      for (const field of ['schedule', 'jobTemplate', 'backoffLimit', 'nodeSelectorTerms', 'whenUnsatisfiable'])
        expect(fields).toMatch(new RegExp(`^ +${field}\\t<`, 'm'))
      expect(await kubectl.fails('explain', 'pod.spec.nope.deeper')).toMatch(/field "(nope|deeper)" does not exist/)
    })

    test('lists the resources and versions of the server', async () => {
      const kubectl = inNamespace('default')
      const rows = (await kubectl.ok('api-resources')).split('\n').map((line) => line.replaceAll(/ +/g, ' '))
      for (const row of ['pods po v1 true Pod', 'deployments deploy apps/v1 true Deployment', 'nodes no v1 false Node'])
        expect(rows).toContain(row)
      expect(await kubectl.ok('api-resources', '--api-group=apps', '--verbs=list,watch', '-o', 'name')).toBe(
        'controllerrevisions.apps\ndaemonsets.apps\ndeployments.apps\nreplicasets.apps\nstatefulsets.apps\n',
      )
      expect(await kubectl.ok('api-versions')).toMatch(/^apps\/v1$/m)
      expect(JSON.parse(await kubectl.ok('version', '-o', 'json')).serverVersion.gitVersion).toMatch(/^v1\.36\./)
    })

    test('asks what one may do', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.ok('create', 'role', 'reader', '--verb=get,list', '--resource=pods,pods/log')
      await kubectl.ok('create', 'rolebinding', 'readers', '--role=reader', '--user=jane')
      const canI = async (...args: readonly string[]): Promise<string> =>
        (await kubectl.run(['auth', 'can-i', ...args])).stdout.trim()
      expect(await canI('delete', 'nodes')).toBe('yes')
      expect(await canI('list', 'pods', '--as=jane')).toBe('yes')
      expect(await canI('get', 'pods', '--subresource=log', '--as=jane')).toBe('yes')
      expect(await canI('delete', 'pods', '--as=jane')).toMatch(/^no/)
      expect(await canI('get', '/version', '--as=jane')).toBe('yes')
      expect(await canI('--list', '--as=jane')).toMatch(/^pods +\[\] +\[\] +\[get list\]$/m)
    })

    test.each([
      ['client', '(dry run)'],
      ['server', '(server dry run)'],
    ])('stores nothing in a dry run of the %s', async (side, note) => {
      const kubectl = await inNewNamespace()
      const dry = `--dry-run=${side}`
      await kubectl.create(configMap('kept', { x: '1' }))
      expect(await kubectl.ok('create', 'configmap', 'new', dry)).toBe(`configmap/new created ${note}\n`)
      const created = await kubectl.run(['create', '-f', '-', dry], { input: configMap('new') })
      expect(created).toMatchObject({ code: 0, stdout: `configmap/new created ${note}\n` })
      const applied = await kubectl.run(['apply', '-f', '-', dry], { input: configMap('kept', { x: '2' }) })
      expect(applied).toMatchObject({ code: 0, stdout: `configmap/kept configured ${note}\n` })
      await kubectl.ok('patch', 'cm', 'kept', dry, '-p', '{"data":{"x":"2"}}')
      expect(await kubectl.ok('label', 'cm', 'kept', dry, 'a=b')).toMatch(/^configmap\/kept labeled/)
      expect(await kubectl.ok('delete', 'cm', 'kept', dry)).toMatch(/^configmap "kept" deleted/)
      expect(await kubectl.get('cm', 'kept')).toMatchObject({ data: { x: '1' } })
      expect(await left(kubectl)).toBe('configmap/kept\n')
      if (side === 'server')
        expect(await kubectl.ok('run', 'p', '--image=nginx:1', dry, '-o', 'jsonpath={.spec.dnsPolicy}')).toBe(
          'ClusterFirst',
        )
    })

    test('defines kinds, and prints their objects in the columns of the definition', async () => {
      const kubectl = await inNewNamespace()
      expect(await apply(kubectl, SHIPS)).toBe(
        'customresourcedefinition.apiextensions.k8s.io/ships.example.com created\n',
      )
      expect(await kubectl.ok('wait', '--for=condition=Established', 'crd/ships.example.com')).toBe(
        'customresourcedefinition.apiextensions.k8s.io/ships.example.com condition met\n',
      )
      const ship = { masts: 3, ports: ['here', 'there'], built: '2001-01-01T00:00:00Z', wooden: true }
      expect(await apply(kubectl, custom('Ship', 'one', ship))).toBe('ship.example.com/one created\n')
      expect(await apply(kubectl, custom('Ship', 'one', { ...ship, masts: 2 }))).toBe(
        'ship.example.com/one configured\n',
      )
      expect(await kubectl.ok('get', 'shi')).toMatch(/^NAME +MASTS +FIRST +BUILT\none +2 +here +\d+y\d*d?\n$/)
      expect(await kubectl.ok('get', 'ships.example.com', '-o', 'wide')).toMatch(
        /^NAME +MASTS +FIRST +BUILT +WOODEN\none +2 +here +\d+y\d*d? +true\n$/,
      )
      expect(await kubectl.ok('explain', 'ship.spec.masts')).toMatch(/masts\s+<integer>[^]*how many it has/)
      const refused = await kubectl.run(['create', '-f', '-', '--validate=false'], {
        input: custom('Ship', 'two', { masts: 9 }),
      })
      expect(refused.stderr).toContain(
        'spec.masts: Invalid value: 9: spec.masts in body should be less than or equal to 5',
      )
      await kubectl.ok('delete', 'ship', 'one')
      await kubectl.ok('delete', 'crd', 'ships.example.com')
      expect(await kubectl.fails('get', 'ships.v1.example.com')).toMatch(
        /doesn't have a resource type|could not find the requested/,
      )
    })

    test('refuses unknown fields before or at the server', async () => {
      const kubectl = await inNewNamespace()
      const flags = old ? [['--validate=true'], []] : [['--validate=strict'], ['--validate=true'], []]
      for (const flag of flags) {
        const { code, stderr } = await kubectl.run(['create', '-f', '-', ...flag], {
          input: { ...configMap('odd'), dat: {} },
        })
        expect(code).toBe(1)
        expect(stderr).toMatch(
          old
            ? /unknown field "dat" in io\.k8s\.api\.core\.v1\.ConfigMap/
            : /strict decoding error: unknown field "dat"/,
        )
      }
      const { code } = await kubectl.run(['create', '-f', '-', '--validate=false'], {
        input: { ...configMap('odd'), dat: {} },
      })
      expect([code, await left(kubectl)]).toEqual([0, 'configmap/odd\n'])
    })
  })
})

describe.skipIf(!hasKubectl)('kubectl apply --prune --applyset', () => {
  const { inNewNamespace } = session()

  test('prunes what an apply set no longer holds', async () => {
    const kubectl = await inNewNamespace()
    const apply = async (...objects: readonly object[]): Promise<string> => {
      const { code, stdout, stderr } = await kubectl.run(
        ['apply', '-f', '-', '--prune', '--applyset=set', '--server-side', '--force-conflicts'],
        { input: listOf(...objects), env: { KUBECTL_APPLYSET: 'true' } },
      )
      expect([code, stderr]).toEqual([0, ''])
      return stdout
    }
    await apply(configMap('a'), workload('Deployment', 'web'))
    expect(await apply(configMap('a'))).toBe('configmap/a serverside-applied\ndeployment.apps/web pruned\n')
    expect((await kubectl.get('secret', 'set')).metadata.annotations).toMatchObject({
      'applyset.kubernetes.io/contains-group-kinds': 'ConfigMap',
    })
  })
})
