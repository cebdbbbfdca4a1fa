import { describe, expect, test } from 'vitest'
import { hasKubectl, session } from './kubectl.ts'
import { claim, limitRange, pod } from './kubectl-objects.ts'

const CONTAINER = {
  type: 'Container',
  min: { cpu: '100m' },
  max: { cpu: '2' },
  default: { cpu: '500m' },
  defaultRequest: { cpu: '250m' },
  maxLimitRequestRatio: { cpu: '4' },
}

describe.skipIf(!hasKubectl)('a limit range, through kubectl', { concurrent: true }, () => {
  const { inNewNamespace } = session()

  test('shows its defaults in the pods, with a note of what it set', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(limitRange('lr', CONTAINER))
    await kubectl.has(pod('p'))
    const { metadata, spec } = await kubectl.get('pod', 'p')
    expect(spec.containers[0].resources).toEqual({ limits: { cpu: '500m' }, requests: { cpu: '250m' } })
    expect(metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger':
        'LimitRanger plugin set: cpu request for container main; cpu limit for container main',
    })
  })

  test('lets a pod that sets its own be as it is', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(limitRange('lr', CONTAINER))
    await kubectl.has(pod('p', { requests: { cpu: '1' }, limits: { cpu: '2' } }))
    const { metadata, spec } = await kubectl.get('pod', 'p')
    expect([spec.containers[0].resources, metadata.annotations]).toEqual([
      { limits: { cpu: '2' }, requests: { cpu: '1' } },
      undefined,
    ])
  })

  test('takes its defaults from its own minimum and maximum', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(limitRange('lr', { type: 'Container', max: { memory: '1Gi' } }))
    expect((await kubectl.get('limits', 'lr')).spec.limits[0]).toEqual({
      type: 'Container',
      max: { memory: '1Gi' },
      default: { memory: '1Gi' },
      defaultRequest: { memory: '1Gi' },
    })
  })

  test.each([
    [
      'below the minimum',
      { requests: { cpu: '50m' }, limits: { cpu: '100m' } },
      'minimum cpu usage per Container is 100m, but request is 50m',
    ],
    ['above the maximum', { limits: { cpu: '3' } }, 'maximum cpu usage per Container is 2, but limit is 3'],
    [
      'of too wide a ratio',
      { requests: { cpu: '200m' }, limits: { cpu: '2' } },
      'cpu max limit to request ratio per Container is 4, but provided ratio is 10.000000',
    ],
    [
      'of several faults',
      { requests: { cpu: '50m' } },
      '[minimum cpu usage per Container is 100m, but request is 50m, cpu max limit to request ratio per Container is 4, but provided ratio is 10.000000]',
    ],
  ])('refuses a pod %s', async (_what, resources, text) => {
    const kubectl = await inNewNamespace()
    await kubectl.has(limitRange('lr', CONTAINER))
    expect(await kubectl.refuses(pod('p', resources))).toBe(
      `Error from server (Forbidden): error when creating "STDIN": pods "p" is forbidden: ${text}\n`,
    )
  })

  test('refuses a pod whose request is above the default limit', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(limitRange('lr', CONTAINER))
    expect(await kubectl.refuses(pod('p', { requests: { cpu: '1' } }))).toBe(
      'The Pod "p" is invalid: spec.containers[0].resources.requests: Invalid value: "1": must be less than or equal to cpu limit of 500m\n',
    )
  })

  test('sums the containers of a pod', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(limitRange('lr', { type: 'Pod', max: { cpu: '1' } }))
    const container = (name: string): object => ({ name, image: 'i', resources: { limits: { cpu: '600m' } } })
    expect(await kubectl.refuses(pod('p', {}, { containers: [container('a'), container('b')] }))).toBe(
      'Error from server (Forbidden): error when creating "STDIN": pods "p" is forbidden: maximum cpu usage per Pod is 1, but limit is 1200m\n',
    )
  })

  test('bounds the storage of claims', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(
      limitRange('lr', { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } }),
    )
    expect(await kubectl.refuses(claim('c', '3Gi'))).toBe(
      'Error from server (Forbidden): error when creating "STDIN": persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 2Gi, but request is 3Gi\n',
    )
    expect(await kubectl.refuses(claim('c', '1Mi'))).toContain(
      'minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 1Mi\n',
    )
    expect(await kubectl.create(claim('c', '2Gi'))).toBe('persistentvolumeclaim/c created\n')
  })

  test('sets what a quota then counts', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(limitRange('lr', CONTAINER))
    await kubectl.ok('create', 'quota', 'q', '--hard=requests.cpu=300m,limits.cpu=2')
    await kubectl.has(pod('p'))
    expect(await kubectl.refuses(pod('p2'))).toContain(
      'exceeded quota: q, requested: requests.cpu=250m, used: requests.cpu=250m, limited: requests.cpu=300m\n',
    )
  })

  test('is described by itself and with its namespace', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(limitRange('lr', CONTAINER, { type: 'PersistentVolumeClaim', max: { storage: '2Gi' } }))
    expect(await kubectl.ok('describe', 'limits', 'lr')).toBe(`Name:                  lr
Namespace:             ${kubectl.namespace}
Type                   Resource  Min   Max  Default Request  Default Limit  Max Limit/Request Ratio
----                   --------  ---   ---  ---------------  -------------  -----------------------
Container              cpu       100m  2    250m             500m           4
PersistentVolumeClaim  storage   -     2Gi  -                -              -
`)
    expect(await kubectl.ok('describe', 'namespace', kubectl.namespace)).toContain(`
No resource quota.

Resource Limits
 Type                   Resource  Min   Max  Default Request  Default Limit  Max Limit/Request Ratio
 ----                   --------  ---   ---  ---------------  -------------  -----------------------
 Container              cpu       100m  2    250m             500m           4
 PersistentVolumeClaim  storage   -     2Gi  -                -              -
`)
  })

  test('is refused when it contradicts itself', async () => {
    const kubectl = await inNewNamespace()
    expect(await kubectl.refuses(limitRange('lr', { type: 'Pod', min: { cpu: '2' }, max: { cpu: '1' } }))).toContain(
      'The LimitRange "lr" is invalid: spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
    )
  })
})

describe.skipIf(!hasKubectl)('a priority class, through kubectl', () => {
  const { inNewNamespace, inNamespace } = session()
  const priority = 'jsonpath={.spec.priority} {.spec.priorityClassName} {.spec.preemptionPolicy}'

  test('gives the pods that name it its value and policy', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'priorityclass', 'gold', '--value=5', '--preemption-policy=Never')
    await kubectl.has(pod('p', {}, { priorityClassName: 'gold' }), pod('plain'))
    expect(await kubectl.ok('get', 'pod', 'p', '-o', priority)).toBe('5 gold Never')
    expect(await kubectl.ok('get', 'pod', 'plain', '-o', priority)).toBe('0  PreemptLowerPriority')
    expect(await kubectl.ok('describe', 'pod', 'p')).toContain('Priority:             5\nPriority Class Name:  gold\n')
  })

  test('is asked for by a quota', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'priorityclass', 'silver', '--value=4')
    const selector = { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['silver'] }] }
    await kubectl.has({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'dear' },
      spec: { hard: { pods: '0' }, scopeSelector: selector },
    })
    expect(await kubectl.refuses(pod('p', {}, { priorityClassName: 'silver' }))).toContain(
      'exceeded quota: dear, requested: pods=1, used: pods=0, limited: pods=0\n',
    )
    expect(await kubectl.create(pod('p'))).toBe('pod/p created\n')
  })

  test('must be there', async () => {
    const kubectl = await inNewNamespace()
    expect(await kubectl.refuses(pod('p', {}, { priorityClassName: 'none' }))).toBe(
      'Error from server (Forbidden): error when creating "STDIN": pods "p" is forbidden: no PriorityClass with name none was found\n',
    )
    expect(await kubectl.refuses(pod('p', {}, { priorityClassName: 'system-node-critical', priority: 3 }))).toBe(
      'Error from server (Forbidden): error when creating "STDIN": pods "p" is forbidden: the integer value of priority (3) must not be provided in pod spec; priority admission controller computed 2000001000 from the given PriorityClass name\n',
    )
  })

  test('can be the default, one alone', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'priorityclass', 'usual', '--value=7', '--global-default')
    await kubectl.has(pod('p'))
    expect(await kubectl.ok('get', 'pod', 'p', '-o', priority)).toBe('7 usual PreemptLowerPriority')
    expect(await kubectl.fails('create', 'priorityclass', 'second', '--value=7', '--global-default')).toBe(
      'error: failed to create priorityclass: priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass usual is already marked as default. Only one default can exist\n',
    )
    await kubectl.ok('delete', 'priorityclass', 'usual')
  })

  test.each([
    [
      ['system-x', '--value=7'],
      `PriorityClass.scheduling.k8s.io "system-x" is invalid: metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-x is not a known system priority class`,
    ],
    [
      ['big', '--value=2000000000'],
      'PriorityClass.scheduling.k8s.io "big" is invalid: value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
    ],
  ])('is refused as %j', async (args, text) => {
    expect(await inNamespace('default').fails('create', 'priorityclass', ...args)).toBe(
      `error: failed to create priorityclass: ${text}\n`,
    )
  })

  test('keeps its value', async () => {
    const kubectl = inNamespace('default')
    await kubectl.ok('create', 'priorityclass', 'fixed', '--value=5')
    expect(await kubectl.fails('patch', 'priorityclass', 'fixed', '-p', '{"value":6}')).toBe(
      'The PriorityClass "fixed" is invalid: Value: Forbidden: may not be changed in an update.\n',
    )
  })

  test('of the system is there from the beginning', async () => {
    expect(
      await inNamespace('default').ok(
        'get',
        'priorityclass',
        'system-cluster-critical',
        'system-node-critical',
        '-o',
        'jsonpath={.items[*].value}',
      ),
    ).toBe('2000000000 2000001000')
  })
})
