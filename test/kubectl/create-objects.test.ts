import { describe, expect, test } from 'vitest'
import { hasKubectl, session } from './kubectl.ts'
import { configMap, pod, workload } from './kubectl-objects.ts'

describe.skipIf(!hasKubectl)('kubectl create', { concurrent: true }, () => {
  const { allot, inNewNamespace, inNamespace, file } = session()

  test('makes the objects of a JSON file', async () => {
    const kubectl = await inNewNamespace()
    expect(await kubectl.ok('create', '-f', file('one.json', configMap('one', { a: 'b' })))).toBe(
      'configmap/one created\n',
    )
    expect((await kubectl.get('cm', 'one')).data).toEqual({ a: 'b' })
  })

  test('makes all the documents of a YAML file', async () => {
    const kubectl = await inNewNamespace()
    const path = file(
      'many.yaml',
      `apiVersion: v1
kind: ConfigMap
metadata: {name: first}
---
# a comment
apiVersion: v1
kind: Secret
metadata:
  name: second
stringData: {user: ada}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: third}
spec:
  selector: {matchLabels: {app: third}}
  template:
    metadata: {labels: {app: third}}
    spec: {containers: [{name: main, image: "nginx:1"}]}
`,
    )
    expect(await kubectl.ok('create', '-f', path)).toBe(
      'configmap/first created\nsecret/second created\ndaemonset.apps/third created\n',
    )
    expect((await kubectl.get('secret', 'second')).data).toEqual({ user: 'YWRh' })
  })

  test('makes a namespace with its default account and certificate', async () => {
    const kubectl = inNamespace('fresh')
    expect(await kubectl.ok('create', 'namespace', 'fresh')).toBe('namespace/fresh created\n')
    expect(
      await kubectl.ok(
        'get',
        'namespace',
        'fresh',
        '-o',
        'jsonpath={.status.phase} {.spec.finalizers[0]} {.metadata.labels}',
      ),
    ).toBe('Active kubernetes {"kubernetes.io/metadata.name":"fresh"}')
    await kubectl.until('serviceaccount/default', 'get', 'serviceaccount', '-o', 'name')
    const certificate = await kubectl.until(
      'BEGIN',
      'get',
      'cm',
      'kube-root-ca.crt',
      '-o',
      String.raw`jsonpath={.data.ca\.crt}`,
    )
    expect(certificate.trim()).toBe(allot().ca.trim())
  })

  test.each([
    [
      'configmap/made',
      ['configmap', 'made', '--from-literal=a=b', '--from-literal=c=d'],
      '{.data}',
      '{"a":"b","c":"d"}',
    ],
    ['secret/made', ['secret', 'generic', 'made', '--from-literal=a=b'], '{.type} {.data}', 'Opaque {"a":"Yg=="}'],
    [
      'secret/login',
      [
        'secret',
        'docker-registry',
        'login',
        '--docker-server=r.example.com',
        '--docker-username=ada',
        '--docker-password=pw',
      ],
      '{.type}',
      'kubernetes.io/dockerconfigjson',
    ],
    ['serviceaccount/robot', ['serviceaccount', 'robot'], '{.metadata.name}', 'robot'],
    [
      'deployment.apps/web',
      ['deployment', 'web', '--image=nginx:1', '--replicas=3', '--port=80'],
      '{.spec.replicas} {.spec.selector.matchLabels.app} {.spec.template.spec.containers[0].ports[0].containerPort} {.spec.strategy.type}',
      '3 web 80 RollingUpdate',
    ],
    [
      'job.batch/once',
      ['job', 'once', '--image=busybox', '--', 'true'],
      '{.spec.completions} {.spec.template.spec.containers[0].command[0]} {.spec.template.spec.restartPolicy}',
      '1 true Never',
    ],
    [
      'cronjob.batch/often',
      ['cronjob', 'often', '--image=busybox', '--schedule=*/5 * * * *', '--', 'true'],
      '{.spec.schedule} {.spec.concurrencyPolicy} {.spec.suspend}',
      '*/5 * * * * Allow false',
    ],
    [
      'role.rbac.authorization.k8s.io/reader',
      ['role', 'reader', '--verb=get,list', '--resource=pods,deployments.apps'],
      '{.rules}',
      '[{"apiGroups":[""],"resources":["pods"],"verbs":["get","list"]},{"apiGroups":["apps"],"resources":["deployments"],"verbs":["get","list"]}]',
    ],
    [
      'rolebinding.rbac.authorization.k8s.io/readers',
      ['rolebinding', 'readers', '--role=reader', '--serviceaccount=team:robot'],
      '{.roleRef.kind}/{.roleRef.name} {.subjects[0].namespace}/{.subjects[0].name}',
      'Role/reader team/robot',
    ],
    [
      'poddisruptionbudget.policy/some',
      ['pdb', 'some', '--selector=app=web', '--min-available=50%'],
      '{.spec.minAvailable} {.spec.selector.matchLabels.app}',
      '50% web',
    ],
    [
      'ingress.networking.k8s.io/site',
      ['ingress', 'site', '--rule=a.example.com/x*=web:80,tls=cert'],
      '{.spec.rules[0].host} {.spec.rules[0].http.paths[0].path} {.spec.rules[0].http.paths[0].pathType} {.spec.tls[0].secretName}',
      'a.example.com /x Prefix cert',
    ],
    [
      'resourcequota/small',
      ['quota', 'small', '--hard=pods=2,cpu=1500m'],
      '{.spec.hard}',
      '{"cpu":"1500m","pods":"2"}',
    ],
  ])('makes %s with its generator', async (name, args, path, expected) => {
    const kubectl = await inNewNamespace()
    expect(await kubectl.ok('create', ...args)).toBe(`${name} created\n`)
    expect(await kubectl.ok('get', name, '-o', `jsonpath=${path}`)).toBe(expected)
  })

  test.each([
    ['clusterip', 'ClusterIP', []],
    ['nodeport', 'NodePort', ['30000']],
    ['loadbalancer', 'LoadBalancer', ['30000']],
  ])('makes a service with `create service %s` and gives it what its type needs', async (generator, type, from) => {
    const kubectl = await inNewNamespace()
    expect(await kubectl.ok('create', 'service', generator, 'web', '--tcp=80:8080')).toBe('service/web created\n')
    const { spec } = await kubectl.get('service', 'web')
    expect(spec).toMatchObject({
      type,
      selector: { app: 'web' },
      ports: [{ port: 80, targetPort: 8080, protocol: 'TCP' }],
    })
    expect(spec.clusterIP).toMatch(/^\d+\.\d+\.\d+\.\d+$/)
    expect(spec.clusterIPs).toEqual([spec.clusterIP])
    const { nodePort } = spec.ports[0]
    if (from.length === 0) expect(nodePort).toBeUndefined()
    else expect(nodePort >= 30000 && nodePort <= 32767).toBe(true)
  })

  test('makes an external name without an address', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'service', 'externalname', 'out', '--external-name', 'example.org')
    const { spec } = await kubectl.get('service', 'out')
    expect([spec.type, spec.externalName, spec.clusterIP]).toEqual(['ExternalName', 'example.org', undefined])
  })

  test.each([
    [
      'priorityclass.scheduling.k8s.io/gold',
      ['priorityclass', 'gold', '--value=1000', '--description=dear'],
      '{.value} {.preemptionPolicy}',
      '1000 PreemptLowerPriority',
    ],
    [
      'clusterrole.rbac.authorization.k8s.io/see',
      ['clusterrole', 'see', '--verb=get', '--resource=nodes'],
      '{.rules[0].resources[0]}',
      'nodes',
    ],
    [
      'clusterrolebinding.rbac.authorization.k8s.io/jane-sees',
      ['clusterrolebinding', 'jane-sees', '--clusterrole=see', '--user=jane'],
      '{.subjects[0].name}',
      'jane',
    ],
  ])('makes %s of the whole cluster', async (name, args, path, expected) => {
    const kubectl = inNamespace('default')
    expect(await kubectl.ok('create', ...args)).toBe(`${name} created\n`)
    expect(await kubectl.ok('get', name, '-o', `jsonpath=${path}`)).toBe(expected)
  })

  test('makes a pod with run, a service with expose and an autoscaler with autoscale', async () => {
    const kubectl = await inNewNamespace()
    expect(await kubectl.ok('run', 'single', '--image=nginx:1')).toBe('pod/single created\n')
    await kubectl.create(workload('Deployment', 'web'))
    expect(await kubectl.ok('expose', 'deployment', 'web', '--port=80')).toBe('service/web exposed\n')
    expect(await kubectl.ok('autoscale', 'deployment', 'web', '--max=3', '--cpu-percent=80')).toBe(
      'horizontalpodautoscaler.autoscaling/web autoscaled\n',
    )
    expect(await kubectl.ok('get', 'hpa', '--no-headers')).toMatch(
      /^web +Deployment\/web +cpu: <unknown>\/80% +1 +3 +0 +\d+s\n$/,
    )
  })

  test('prints what was stored with -o yaml', async () => {
    const kubectl = await inNewNamespace()
    const printed = await kubectl.ok('create', 'deployment', 'web', '--image=nginx:1', '-o', 'yaml')
    expect(printed).toMatch(/^ {2}uid: [-0-9a-f]{36}$/m)
    expect(printed).toContain('  revisionHistoryLimit: 10\n')
  })

  test('stores nothing with --dry-run=client and --dry-run=server', async () => {
    const kubectl = await inNewNamespace()
    expect(await kubectl.ok('create', 'cm', 'dry', '--dry-run=client')).toBe('configmap/dry created (dry run)\n')
    expect(await kubectl.ok('create', 'cm', 'dry', '--dry-run=server')).toBe('configmap/dry created (server dry run)\n')
    expect(await kubectl.fails('get', 'cm', 'dry')).toBe('Error from server (NotFound): configmaps "dry" not found\n')
  })

  test('shows with --dry-run=server what would be stored', async () => {
    const kubectl = await inNewNamespace()
    const shown = await kubectl.run(['create', '-f', '-', '--dry-run=server', '-o', 'json'], { input: pod('dry') })
    expect(JSON.parse(shown.stdout).spec).toMatchObject({ restartPolicy: 'Always', serviceAccountName: 'default' })
  })

  test('makes a name of generateName', async () => {
    const kubectl = await inNewNamespace()
    const generated = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'made-' } }
    expect(await kubectl.create(generated)).toMatch(/^configmap\/made-[bcdfghjklmnpqrstvwxz2456789]{5} created\n$/)
  })

  describe('says why not', () => {
    test('when the name is taken', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.ok('create', 'cm', 'one')
      expect(await kubectl.fails('create', 'cm', 'one')).toBe(
        'error: failed to create configmap: configmaps "one" already exists\n',
      )
      expect(await kubectl.refuses(configMap('one'))).toBe(
        'Error from server (AlreadyExists): error when creating "STDIN": configmaps "one" already exists\n',
      )
    })

    test('when the namespace is missing', async () => {
      const kubectl = inNamespace('nowhere')
      expect(await kubectl.fails('create', 'cm', 'one')).toBe(
        'error: failed to create configmap: namespaces "nowhere" not found\n',
      )
      expect(await kubectl.refuses(configMap('one'))).toBe(
        'Error from server (NotFound): error when creating "STDIN": namespaces "nowhere" not found\n',
      )
    })

    test('when the namespace of the object is another', async () => {
      const kubectl = inNamespace('default')
      const { code, stderr } = await kubectl.run(['create', '-f', '-'], {
        input: configMap('one', {}, { namespace: 'other' }),
      })
      expect([code, stderr]).toEqual([
        1,
        'error: the namespace from the provided object "other" does not match the namespace "default". You must pass \'--namespace=other\' to perform this operation.\n',
      ])
    })

    test('when the name breaks the rules', async () => {
      const kubectl = inNamespace('default')
      expect(await kubectl.fails('create', 'namespace', 'Bad')).toBe(
        `The Namespace "Bad" is invalid: metadata.name: Invalid value: "Bad": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')\n`,
      )
      expect(await kubectl.fails('create', 'cm', 'Bad_Name')).toBe(
        `error: failed to create configmap: ConfigMap "Bad_Name" is invalid: metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')\n`,
      )
    })

    test('when neither name nor generateName is given', async () => {
      const kubectl = inNamespace('default')
      expect(await kubectl.refuses({ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} })).toBe(
        'The ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required\n',
      )
    })

    test('when the kind is unknown', async () => {
      const kubectl = inNamespace('default')
      expect(await kubectl.refuses({ apiVersion: 'example.org/v1', kind: 'Nothing', metadata: { name: 'x' } })).toBe(
        'error: resource mapping not found for name: "x" namespace: "" from "STDIN": no matches for kind "Nothing" in version "example.org/v1"\nensure CRDs are installed first\n',
      )
    })

    test('when a field has the wrong type', async () => {
      const kubectl = inNamespace('default')
      const wrong = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'x' },
        spec: { containers: [{ name: 'a', image: 'i', ports: 'none' }] },
      }
      expect(await kubectl.refuses(wrong)).toBe(
        'Error from server (BadRequest): error when creating "STDIN": Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal string into Go struct field Container.spec.containers.ports of type []v1.ContainerPort\n',
      )
    })

    test('when a quantity is invalid', async () => {
      const kubectl = inNamespace('default')
      expect(await kubectl.refuses(pod('x', { requests: { cpu: '1x' } }))).toBe(
        `Error from server (BadRequest): error when creating "STDIN": Pod in version "v1" cannot be handled as a Pod: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'\n`,
      )
    })

    test('with a line for each cause when there are several', async () => {
      const kubectl = inNamespace('default')
      expect(await kubectl.refuses(pod('x', { requests: { cpu: '-1', memory: '2' }, limits: { memory: '1' } }))).toBe(
        `The Pod "x" is invalid: 
* spec.containers[0].resources.requests[cpu]: Invalid value: "-1": must be greater than or equal to 0
* spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to memory limit of 1
`,
      )
    })
  })

  describe('with unknown fields', () => {
    const unknown = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'odd' },
      spec: { containers: [{ name: 'a', image: 'i', imagee: 'x' }], nope: 1 },
    }

    test.each([['--validate=strict'], ['--validate=true'], ['--validate']])(
      'refuses them with %s and names each',
      async (flag) => {
        const kubectl = await inNewNamespace()
        const { code, stderr } = await kubectl.run(['create', '-f', '-', flag], { input: unknown })
        expect([code, stderr]).toEqual([
          1,
          'Error from server (BadRequest): error when creating "STDIN": Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containers[0].imagee", unknown field "spec.nope"\n',
        ])
        expect(await kubectl.fails('get', 'pod', 'odd')).toContain('not found')
      },
    )

    test('drops them with --validate=warn and warns of each', async () => {
      const kubectl = await inNewNamespace()
      expect(await kubectl.run(['create', '-f', '-', '--validate=warn'], { input: unknown })).toEqual({
        code: 0,
        stdout: 'pod/odd created\n',
        stderr: 'Warning: unknown field "spec.containers[0].imagee"\nWarning: unknown field "spec.nope"\n',
      })
      expect(await kubectl.ok('get', 'pod', 'odd', '-o', 'jsonpath={.spec.nope}{.spec.containers[0].imagee}')).toBe('')
    })

    test('drops them silently with --validate=ignore', async () => {
      const kubectl = await inNewNamespace()
      expect(await kubectl.run(['create', '-f', '-', '--validate=ignore'], { input: unknown })).toEqual({
        code: 0,
        stdout: 'pod/odd created\n',
        stderr: '',
      })
    })
  })

  test('posts a raw body with --raw', async () => {
    const kubectl = await inNewNamespace()
    const path = `/api/v1/namespaces/${kubectl.namespace}/configmaps`
    const answer = await kubectl.run(['create', '--raw', path, '-f', '-'], { input: configMap('raw', { a: 'b' }) })
    expect(JSON.parse(answer.stdout)).toMatchObject({
      kind: 'ConfigMap',
      metadata: { name: 'raw', namespace: kubectl.namespace },
    })
    expect((await kubectl.get('cm', 'raw')).data).toEqual({ a: 'b' })
  })
})
