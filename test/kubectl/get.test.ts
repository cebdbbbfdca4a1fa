import { beforeAll, describe, expect, test } from 'vitest'
import { hasKubectl, type Kubectl, session } from './kubectl.ts'
import { configMap, pod, replicationController, workload } from './kubectl-objects.ts'

const lines = (text: string): readonly string[] => text.trimEnd().split('\n')
/** A line with every run of blanks made one and the age left out. */
const squeezed = (text: string): readonly string[] =>
  lines(text).map((line) =>
    line
      .replaceAll(/ +/g, ' ')
      .replaceAll(/\b\d+s\b/g, 'AGE')
      .trimEnd(),
  )

describe.skipIf(!hasKubectl)('kubectl get', { concurrent: true }, () => {
  const { inNewNamespace, inNamespace } = session()
  let kubectl: Kubectl
  beforeAll(async () => {
    kubectl = await inNewNamespace()
    await kubectl.has(
      pod('b', { requests: { cpu: '1' } }, {}, { labels: { app: 'b', n: '2' } }),
      pod('a', {}, {}, { labels: { app: 'a', n: '1' } }),
      pod('c', {}, { nodeName: 'node-1' }, { labels: { app: 'c' } }),
    )
  })

  test('prints a table of columns, sorted by name', async () => {
    expect(await kubectl.ok('get', 'pods')).toMatch(
      /^NAME {3}READY {3}STATUS {4}RESTARTS {3}AGE\na {6}0\/1 {5}Pending {3}0 {10}\d+s\nb {6}0\/1 {5}Pending {3}0 {10}\d+s\nc {6}0\/1 {5}Pending {3}0 {10}\d+s\n$/,
    )
  })

  test('prints more columns with -o wide', async () => {
    expect(squeezed(await kubectl.ok('get', 'pods', '-o', 'wide'))).toEqual([
      'NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES',
      'a 0/1 Pending 0 AGE <none> <none> <none> <none>',
      'b 0/1 Pending 0 AGE <none> <none> <none> <none>',
      'c 0/1 Pending 0 AGE <none> node-1 <none> <none>',
    ])
  })

  test('prints an object as YAML', async () => {
    const printed = await kubectl.ok('get', 'pod', 'b', '-o', 'yaml')
    expect(lines(printed).slice(0, 4)).toEqual([
      'apiVersion: v1',
      'kind: Pod',
      'metadata:',
      expect.stringMatching(/^ {2}creationTimestamp: "\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"$/),
    ])
    expect(printed).toContain('    resources:\n      requests:\n        cpu: "1"\n')
    expect(printed).toMatch(/^ {2}phase: Pending\n {2}qosClass: Burstable\n$/m)
  })

  test('prints a list as JSON', async () => {
    const list = await kubectl.get('pods')
    expect([list.kind, list.apiVersion]).toEqual(['List', 'v1'])
    expect(
      list.items.map((item: { kind: string; metadata: { name: string } }) => `${item.kind}/${item.metadata.name}`),
    ).toEqual(['Pod/a', 'Pod/b', 'Pod/c'])
  })

  test.each([
    ['name', 'pod/a\npod/b\npod/c\n'],
    ['jsonpath={.items[*].metadata.name}', 'a b c'],
    ['jsonpath={range .items[?(@.metadata.labels.n=="2")]}{.metadata.name}={.status.phase}{"\\n"}{end}', 'b=Pending\n'],
    [
      'custom-columns=N:.metadata.name,I:.spec.containers[*].image,X:.spec.nope',
      'N     I         X\na     nginx:1   <none>\nb     nginx:1   <none>\nc     nginx:1   <none>\n',
    ],
    ['go-template={{range .items}}{{.metadata.name}};{{end}}', 'a;b;c;'],
    ['template={{len .items}}', '3'],
  ])('prints with -o %s', async (output, printed) => {
    expect(await kubectl.ok('get', 'pods', '-o', output)).toBe(printed)
  })

  test.each([
    [['-l', 'app=a'], 'pod/a\n'],
    [['-l', 'app in (a,b),n notin (2)'], 'pod/a\n'],
    [['-l', '!n'], 'pod/c\n'],
    [['-l', 'app!=a'], 'pod/b\npod/c\n'],
    [['-l', 'n>1'], 'pod/b\n'],
    [['--field-selector', 'metadata.name=b'], 'pod/b\n'],
    [['--field-selector', 'metadata.name!=b,status.phase=Pending'], 'pod/a\npod/c\n'],
    [['--field-selector', 'spec.nodeName=node-1'], 'pod/c\n'],
    [['--field-selector', 'status.phase=Running'], ''],
  ])('selects with %j', async (args, names) => {
    expect(await kubectl.ok('get', 'pods', ...args, '-o', 'name')).toBe(names)
  })

  test('adds columns of labels', async () => {
    expect(squeezed(await kubectl.ok('get', 'pods', '--show-labels', '-l', 'app=a'))).toEqual([
      'NAME READY STATUS RESTARTS AGE LABELS',
      'a 0/1 Pending 0 AGE app=a,n=1',
    ])
    expect(squeezed(await kubectl.ok('get', 'pods', '-L', 'n,app', '-l', 'app!=b'))).toEqual([
      'NAME READY STATUS RESTARTS AGE N APP',
      'a 0/1 Pending 0 AGE 1 a',
      'c 0/1 Pending 0 AGE c',
    ])
  })

  test('leaves the headers out', async () => {
    expect(squeezed(await kubectl.ok('get', 'pod', 'a', '--no-headers'))).toEqual(['a 0/1 Pending 0 AGE'])
  })

  test('sorts by a field', async () => {
    const order = async (path: string): Promise<string> =>
      (await kubectl.ok('get', 'pods', `--sort-by=${path}`, '--no-headers')).replaceAll(/^(\S+).*\n/gm, '$1')
    expect(await order('.metadata.name')).toBe('abc')
    expect(await order('{.metadata.labels.n}')).toBe('cab')
    expect(await order('.spec.nodeName')).toMatch(/c$/)
  })

  test('prints what is missing beside what is there', async () => {
    const { code, stdout, stderr } = await kubectl.run(['get', 'pod/a', 'service/none', '-o', 'name'])
    expect([code, stdout, stderr]).toEqual([1, 'pod/a\n', 'Error from server (NotFound): services "none" not found\n'])
  })

  test('prints several kinds under headers of their own', async () => {
    const other = await inNewNamespace()
    await other.create(
      configMap('one', { a: 'b' }),
      workload('Deployment', 'd'),
      workload('ReplicaSet', 'r'),
      workload('StatefulSet', 's'),
      replicationController('rc'),
    )
    expect(squeezed(await other.ok('get', 'deploy,rs,sts,rc', '-o', 'wide'))).toEqual([
      'NAME READY UP-TO-DATE AVAILABLE AGE CONTAINERS IMAGES SELECTOR',
      'deployment.apps/d 0/1 0 0 AGE main nginx:1 app=d',
      '',
      'NAME DESIRED CURRENT READY AGE CONTAINERS IMAGES SELECTOR',
      'replicaset.apps/r 1 0 0 AGE main nginx:1 app=r',
      '',
      'NAME READY AGE CONTAINERS IMAGES',
      'statefulset.apps/s 0/1 AGE main nginx:1',
      '',
      'NAME DESIRED CURRENT READY AGE CONTAINERS IMAGES SELECTOR',
      'replicationcontroller/rc 1 0 0 AGE main nginx:1 app=rc',
    ])
    expect(squeezed(await other.ok('get', 'cm/one', 'deploy/d'))).toEqual([
      'NAME DATA AGE',
      'configmap/one 1 AGE',
      '',
      'NAME READY UP-TO-DATE AVAILABLE AGE',
      'deployment.apps/d 0/1 0 0 AGE',
    ])
    expect(await other.ok('get', 'all', '-o', 'name')).toBe(
      'replicationcontroller/rc\ndeployment.apps/d\nreplicaset.apps/r\nstatefulset.apps/s\n',
    )
  })

  test.each([
    [
      'get',
      'service',
      [
        'NAME TYPE CLUSTER-IP EXTERNAL-IP PORT(S) AGE',
        expect.stringMatching(/^web NodePort [\d.]+ <none> 80:3\d{4}\/TCP AGE$/),
      ],
    ],
    [
      'get',
      'pvc',
      [
        'NAME STATUS VOLUME CAPACITY ACCESS MODES STORAGECLASS VOLUMEATTRIBUTESCLASS AGE',
        'disk Pending gold <unset> AGE',
      ],
    ],
    ['get', 'ingress', ['NAME CLASS HOSTS ADDRESS PORTS AGE', 'site <none> a.example.com 80 AGE']],
    ['get', 'pdb', ['NAME MIN AVAILABLE MAX UNAVAILABLE ALLOWED DISRUPTIONS AGE', 'some 1 N/A 0 AGE']],
    [
      'get',
      'cronjob',
      ['NAME SCHEDULE TIMEZONE SUSPEND ACTIVE LAST SCHEDULE AGE', 'often @daily <none> False 0 <none> AGE'],
    ],
    ['get', 'job', ['NAME STATUS COMPLETIONS DURATION AGE', 'once Running 0/1 AGE']],
    ['get', 'limits', ['NAME CREATED AT', expect.stringMatching(/^lr \d{4}-/)]],
    ['get', 'secret', ['NAME TYPE DATA AGE', 's Opaque 1 AGE']],
    ['get', 'endpoints', ['NAME ENDPOINTS AGE', 'web 10.0.0.1:80 AGE']],
  ])('%s %s has the columns of its kind', async (_get, kind, expected) => {
    const other = await columns()
    expect(squeezed(await other.ok('get', kind))).toEqual(expected)
  })

  let cached: Promise<Kubectl> | undefined
  function columns(): Promise<Kubectl> {
    cached ??= (async () => {
      const other = await inNewNamespace()
      await other.ok('create', 'service', 'nodeport', 'web', '--tcp=80')
      await other.create(
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'disk' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: 'gold',
            resources: { requests: { storage: '1Gi' } },
          },
        },
        {
          apiVersion: 'networking.k8s.io/v1',
          kind: 'Ingress',
          metadata: { name: 'site' },
          spec: { rules: [{ host: 'a.example.com' }] },
        },
        {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name: 'some' },
          spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
        },
        {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          metadata: { name: 'often' },
          spec: {
            schedule: '@daily',
            jobTemplate: {
              spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'i' }] } } },
            },
          },
        },
        {
          apiVersion: 'batch/v1',
          kind: 'Job',
          metadata: { name: 'once' },
          spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'i' }] } } },
        },
        {
          apiVersion: 'v1',
          kind: 'LimitRange',
          metadata: { name: 'lr' },
          spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] },
        },
        { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 'b' } },
        {
          apiVersion: 'v1',
          kind: 'Endpoints',
          metadata: { name: 'web' },
          subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [{ port: 80 }] }],
        },
      )
      return other
    })()
    return cached
  }

  test('looks into all namespaces with -A', async () => {
    const other = await inNewNamespace()
    await other.create(configMap('everywhere', {}, { labels: { seen: 'everywhere' } }))
    await inNamespace('default').create(configMap('everywhere', {}, { labels: { seen: 'everywhere' } }))
    expect(squeezed(await other.ok('get', 'cm', '-A', '-l', 'seen=everywhere'))).toEqual([
      'NAMESPACE NAME DATA AGE',
      'default everywhere 0 AGE',
      `${other.namespace} everywhere 0 AGE`,
    ])
  })

  test('collects pages of a list with --chunk-size', async () => {
    const { stdout, stderr } = await kubectl.run(['get', 'pods', '--chunk-size=1', '-o', 'name', '-v=6'])
    expect(stdout).toBe('pod/a\npod/b\npod/c\n')
    expect(stderr.match(/limit=1/g)).toHaveLength(3)
    expect(stderr).toContain('continue=')
  })

  test('reads a page and its continuation with --raw', async () => {
    const path = `/api/v1/namespaces/${kubectl.namespace}/pods?limit=2`
    const first = JSON.parse(await kubectl.ok('get', '--raw', path))
    expect([first.kind, first.items.length, first.metadata.remainingItemCount]).toEqual(['PodList', 2, 1])
    const second = JSON.parse(
      await kubectl.ok('get', '--raw', `${path}&continue=${encodeURIComponent(first.metadata.continue)}`),
    )
    expect(second.items.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['c'])
    expect(second.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion })
  })

  test('reads the status subresource', async () => {
    expect(await kubectl.ok('get', 'pod', 'a', '--subresource=status', '-o', 'jsonpath={.status.phase}')).toBe(
      'Pending',
    )
  })

  test('says that there is nothing', async () => {
    const empty = await inNewNamespace()
    expect(await empty.run(['get', 'pods'])).toEqual({
      code: 0,
      stdout: '',
      stderr: `No resources found in ${empty.namespace} namespace.\n`,
    })
    expect(await inNamespace('nowhere').run(['get', 'pods'])).toMatchObject({
      code: 0,
      stderr: 'No resources found in nowhere namespace.\n',
    })
    expect(await empty.run(['get', 'pods', '-A', '-l', 'none=such'])).toMatchObject({
      code: 0,
      stderr: 'No resources found\n',
    })
  })

  test.each([
    [['get', 'pod', 'zz'], 'Error from server (NotFound): pods "zz" not found\n'],
    [['get', 'deploy', 'zz'], 'Error from server (NotFound): deployments.apps "zz" not found\n'],
    [['get', 'nonsense'], `error: the server doesn't have a resource type "nonsense"\n`],
    [
      ['get', 'pods', '--field-selector', 'spec.nope=b'],
      'Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "", field selector "spec.nope=b": field label not supported: spec.nope\n',
    ],
    [
      ['get', 'cm', '--field-selector', 'data=b'],
      'Error from server (BadRequest): Unable to find "/v1, Resource=configmaps" that match label selector "", field selector "data=b": "data" is not a known field selector: only "metadata.name", "metadata.namespace"\n',
    ],
    [
      ['get', 'pods', '-l', 'a b'],
      `Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "a b", field selector "": unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt\n`,
    ],
    [['get', '--raw', '/nowhere'], 'Error from server (NotFound): the server could not find the requested resource\n'],
    [['get', 'cm', '--token=wrong'], 'error: You must be logged in to the server (Unauthorized)\n'],
  ])('answers %j with its error', async (args, text) => {
    expect(await inNamespace('default').fails(...args)).toBe(text)
  })
})
