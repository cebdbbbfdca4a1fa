import { describe, expect, test } from 'vitest'
import { hasKubectl, type Kubectl, session } from './kubectl.ts'
import { claim, pod, quota, workload } from './kubectl-objects.ts'

const CPU = { requests: { cpu: '500m' } }

describe.skipIf(!hasKubectl)('a quota as kubectl shows it', { concurrent: true }, () => {
  const { inNewNamespace, inNamespace } = session()

  test('is in get: requests, limits and age', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'quota', 'compute', '--hard=pods=10,requests.cpu=4,limits.cpu=8,limits.memory=16Gi')
    await kubectl.has(pod('p', { requests: { cpu: '1500m' }, limits: { cpu: '3', memory: '4Gi' } }))
    expect(await kubectl.ok('get', 'quota')).toMatch(
      /^NAME {6}REQUEST {29}LIMIT {38}AGE\ncompute {3}pods: 1\/10, requests\.cpu: 1500m\/4 {3}limits\.cpu: 3\/8, limits\.memory: 4Gi\/16Gi {3}\d+s\n$/,
    )
  })

  test('is in describe quota', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'quota', 'compute', '--hard=pods=10,requests.cpu=4,limits.cpu=8')
    await kubectl.has(pod('p', { requests: { cpu: '1500m' }, limits: { cpu: '3' } }))
    expect(await kubectl.ok('describe', 'quota', 'compute')).toBe(`Name:         compute
Namespace:    ${kubectl.namespace}
Resource      Used   Hard
--------      ----   ----
limits.cpu    3      8
pods          1      10
requests.cpu  1500m  4
`)
  })

  test('is in describe quota, with what its scopes mean', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'quota', 'be', '--hard=pods=5', '--scopes=NotTerminating,BestEffort')
    await kubectl.ok('create', 'quota', 'burst', '--hard=pods=4', '--scopes=Terminating,NotBestEffort')
    await kubectl.has(pod('p'))
    expect(await kubectl.ok('describe', 'quota')).toBe(`Name:       be
Namespace:  ${kubectl.namespace}
Scopes:     BestEffort, NotTerminating
 * Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.
 * Matches all pods that do not have an active deadline. These pods usually include long running pods whose container command is not expected to terminate.
Resource  Used  Hard
--------  ----  ----
pods      1     5


Name:       burst
Namespace:  ${kubectl.namespace}
Scopes:     NotBestEffort, Terminating
 * Matches all pods that have at least one resource requirement set. These pods have a burstable or guaranteed quality of service.
 * Matches all pods that have an active deadline. These pods have a limited lifespan on a node before being actively terminated by the system.
Resource  Used  Hard
--------  ----  ----
pods      0     4
`)
  })

  test('is in describe namespace', async () => {
    const kubectl = await inNewNamespace({ team: 'blue' })
    await kubectl.ok('annotate', 'namespace', kubectl.namespace, 'x=y')
    await kubectl.ok('create', 'quota', 'zeta', '--hard=pods=10', '--scopes=BestEffort')
    await kubectl.ok('create', 'quota', 'compute', '--hard=pods=10,requests.cpu=4')
    await kubectl.has(pod('p', { requests: { cpu: '1500m' } }))
    expect(await kubectl.ok('describe', 'namespace', kubectl.namespace)).toBe(`Name:         ${kubectl.namespace}
Labels:       kubernetes.io/metadata.name=${kubectl.namespace}
              team=blue
Annotations:  x: y
Status:       Active

Resource Quotas
  Name:         compute
  Resource      Used   Hard
  --------      ---    ---
  pods          1      10
  requests.cpu  1500m  4
  Name:         zeta
  Scopes:       BestEffort
  * Matches all pods that do not have resource requirements set. These pods have a best effort quality of service.
  Resource  Used  Hard
  --------  ---   ---
  pods      0     10

No LimitRange resource.
`)
  })

  test('is that there is none', async () => {
    const kubectl = await inNewNamespace()
    expect(await kubectl.ok('describe', 'namespace', kubectl.namespace)).toBe(`Name:         ${kubectl.namespace}
Labels:       kubernetes.io/metadata.name=${kubectl.namespace}
Annotations:  <none>
Status:       Active

No resource quota.

No LimitRange resource.
`)
    expect(await kubectl.fails('describe', 'quota', 'none')).toBe(
      'Error from server (NotFound): resourcequotas "none" not found\n',
    )
    expect(await kubectl.run(['describe', 'quota'])).toMatchObject({
      stdout: '',
      stderr: `No resources found in ${kubectl.namespace} namespace.\n`,
    })
  })

  test('is in describe pod: requests, limits and class', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(
      pod(
        'p',
        { requests: { cpu: '250m' }, limits: { cpu: '500m', memory: '1Gi' } },
        { automountServiceAccountToken: false },
        { labels: { app: 'p' } },
      ),
    )
    expect(await kubectl.ok('describe', 'pod', 'p')).toBe(`Name:             p
Namespace:        ${kubectl.namespace}
Priority:         0
Service Account:  default
Node:             <none>
Labels:           app=p
Annotations:      <none>
Status:           Pending
IP:               
IPs:              <none>
Containers:
  main:
    Image:      nginx:1
    Port:       <none>
    Host Port:  <none>
    Limits:
      cpu:     500m
      memory:  1Gi
    Requests:
      cpu:        250m
      memory:     1Gi
    Environment:  <none>
    Mounts:       <none>
Volumes:          <none>
QoS Class:        Burstable
Node-Selectors:   <none>
Tolerations:      node.kubernetes.io/not-ready:NoExecute op=Exists for 300s
                  node.kubernetes.io/unreachable:NoExecute op=Exists for 300s
Events:           <none>
`)
  })

  const used = (kubectl: Kubectl, name: string): Promise<unknown> =>
    kubectl.get('quota', name).then(({ status }) => status.used)

  describe('is a refusal', () => {
    test('of one pod too many', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.ok('create', 'quota', 'small', '--hard=pods=1')
      await kubectl.ok('run', 'one', '--image=nginx:1')
      expect(await kubectl.fails('run', 'two', '--image=nginx:1')).toBe(
        'Error from server (Forbidden): pods "two" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1\n',
      )
      expect(await kubectl.refuses(pod('two'))).toBe(
        'Error from server (Forbidden): error when creating "STDIN": pods "two" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1\n',
      )
      expect(await used(kubectl, 'small')).toEqual({ pods: '1' })
    })

    test('of too much, naming only what is exceeded', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.ok(
        'create',
        'quota',
        'compute',
        '--hard=pods=9,requests.cpu=1,limits.memory=1Gi,requests.memory=1Gi',
      )
      const resources = { requests: { cpu: '600m', memory: '100Mi' }, limits: { memory: '600Mi' } }
      await kubectl.has(pod('one', resources))
      expect(await kubectl.refuses(pod('two', resources))).toContain(
        'pods "two" is forbidden: exceeded quota: compute, requested: limits.memory=600Mi,requests.cpu=600m, used: limits.memory=600Mi,requests.cpu=600m, limited: limits.memory=1Gi,requests.cpu=1\n',
      )
    })

    test('of a pod that does not say what it needs', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.ok('create', 'quota', 'compute', '--hard=requests.cpu=1,limits.memory=1Gi')
      expect(await kubectl.fails('run', 'two', '--image=nginx:1')).toBe(
        'Error from server (Forbidden): pods "two" is forbidden: failed quota: compute: must specify limits.memory for: two; requests.cpu for: two\n',
      )
    })

    test('in a dry run of the server, and none in one of the client', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.ok('create', 'quota', 'none', '--hard=pods=0')
      expect(await kubectl.fails('run', 'p', '--image=nginx:1', '--dry-run=server')).toContain('exceeded quota: none')
      expect(await kubectl.ok('run', 'p', '--image=nginx:1', '--dry-run=client')).toBe('pod/p created (dry run)\n')
    })

    test('of a scoped quota, for what it matches alone', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.ok('create', 'quota', 'be', '--hard=pods=0', '--scopes=BestEffort')
      expect(await kubectl.refuses(pod('free'))).toContain(
        'exceeded quota: be, requested: pods=1, used: pods=0, limited: pods=0\n',
      )
      expect(await kubectl.create(pod('paid', CPU))).toBe('pod/paid created\n')
    })

    test.each([
      [
        'services',
        ['create', 'service', 'clusterip', 'x', '--tcp=80'],
        'error: failed to create ClusterIP service: services "x"',
      ],
      ['secrets', ['create', 'secret', 'generic', 'x'], 'error: failed to create secret secrets "x"'],
      ['configmaps', ['create', 'configmap', 'x'], 'error: failed to create configmap: configmaps "x"'],
      [
        'count/deployments.apps',
        ['create', 'deployment', 'x', '--image=i'],
        'error: failed to create deployment: deployments.apps "x"',
      ],
      ['count/jobs.batch', ['create', 'job', 'x', '--image=i'], 'error: failed to create job: jobs.batch "x"'],
      [
        'count/roles.rbac.authorization.k8s.io',
        ['create', 'role', 'x', '--verb=get', '--resource=pods'],
        'Error from server (Forbidden): roles.rbac.authorization.k8s.io "x"',
      ],
      ['resourcequotas', ['create', 'quota', 'x'], 'error: failed to create quota: resourcequotas "x"'],
    ])('of the count %s', async (name, args, start) => {
      const kubectl = await inNewNamespace()
      const count = name === 'configmaps' || name === 'resourcequotas' ? '1' : '0'
      if (count === '1') await kubectl.until('kube-root-ca.crt', 'get', 'configmap', '-o', 'name')
      await kubectl.ok('create', 'quota', 'few', `--hard=${name}=${count}`)
      await kubectl.ok(
        'wait',
        `--for=jsonpath={.status.used.${name.replaceAll('.', String.raw`\.`)}}=${count}`,
        'quota/few',
        '--timeout=10s',
      )
      expect(await kubectl.fails(...args)).toBe(
        `${start} is forbidden: exceeded quota: few, requested: ${name}=1, used: ${name}=${count}, limited: ${name}=${count}\n`,
      )
    })

    test('of node ports and load balancers', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.ok('create', 'quota', 'svc', '--hard=services.nodeports=1,services.loadbalancers=1')
      expect(await kubectl.fails('create', 'service', 'nodeport', 'a', '--tcp=80', '--tcp=81')).toBe(
        'error: failed to create NodePort service: services "a" is forbidden: exceeded quota: svc, requested: services.nodeports=2, used: services.nodeports=0, limited: services.nodeports=1\n',
      )
      await kubectl.ok('create', 'service', 'loadbalancer', 'b', '--tcp=80')
      expect(await used(kubectl, 'svc')).toEqual({ 'services.loadbalancers': '1', 'services.nodeports': '1' })
      await kubectl.ok('create', 'service', 'clusterip', 'c', '--tcp=80')
      expect(await kubectl.fails('patch', 'service', 'c', '-p', '{"spec":{"type":"LoadBalancer"}}')).toBe(
        'Error from server (Forbidden): services "c" is forbidden: exceeded quota: svc, requested: services.loadbalancers=1,services.nodeports=1, used: services.loadbalancers=1,services.nodeports=1, limited: services.loadbalancers=1,services.nodeports=1\n',
      )
    })

    test('of storage, in all and of a class', async () => {
      const kubectl = await inNewNamespace()
      const gold = 'gold.storageclass.storage.k8s.io/requests.storage'
      await kubectl.has(quota('disk', { 'requests.storage': '5Gi', [gold]: '2Gi', persistentvolumeclaims: '2' }))
      expect(await kubectl.refuses(claim('c', '3Gi', 'gold'))).toBe(
        `Error from server (Forbidden): error when creating "STDIN": persistentvolumeclaims "c" is forbidden: exceeded quota: disk, requested: ${gold}=3Gi, used: ${gold}=0, limited: ${gold}=2Gi\n`,
      )
      await kubectl.has(claim('c', '1Gi', 'gold'), claim('d', '3Gi'))
      expect(await used(kubectl, 'disk')).toEqual({
        [gold]: '1Gi',
        persistentvolumeclaims: '2',
        'requests.storage': '4Gi',
      })
      expect(await kubectl.refuses(claim('e', '2Gi'))).toContain(
        'requested: persistentvolumeclaims=1,requests.storage=2Gi, used: persistentvolumeclaims=2,requests.storage=4Gi, limited: persistentvolumeclaims=2,requests.storage=5Gi\n',
      )
    })
  })

  test('is room again after a delete', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'quota', 'small', '--hard=pods=1')
    await kubectl.ok('run', 'one', '--image=nginx:1')
    await kubectl.ok('delete', 'pod', 'one')
    await kubectl.ok('wait', '--for=jsonpath={.status.used.pods}=0', 'quota/small', '--timeout=10s')
    expect(await kubectl.ok('run', 'two', '--image=nginx:1')).toBe('pod/two created\n')
  })

  test('is room again when a pod has ended', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'quota', 'small', '--hard=pods=1,count/pods=5')
    await kubectl.ok('run', 'one', '--image=nginx:1')
    await kubectl.ok('patch', 'pod', 'one', '--subresource=status', '-p', '{"status":{"phase":"Succeeded"}}')
    await kubectl.ok('wait', '--for=jsonpath={.status.used.pods}=0', 'quota/small', '--timeout=10s')
    expect(await used(kubectl, 'small')).toEqual({ pods: '0', 'count/pods': '1' })
  })

  test('follows a change of its limits', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'quota', 'small', '--hard=pods=1')
    await kubectl.ok('patch', 'quota', 'small', '--type=merge', '-p', '{"spec":{"hard":{"pods":"2","secrets":"3"}}}')
    await kubectl.ok('wait', '--for=jsonpath={.status.hard.secrets}=3', 'quota/small', '--timeout=10s')
    expect((await kubectl.get('quota', 'small')).status).toEqual({
      hard: { pods: '2', secrets: '3' },
      used: { pods: '0', secrets: '0' },
    })
  })

  test('does not let its scopes change', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'quota', 'be', '--hard=pods=1', '--scopes=BestEffort')
    expect(
      await kubectl.fails('patch', 'quota', 'be', '--type=merge', '-p', '{"spec":{"scopes":["NotBestEffort"]}}'),
    ).toBe('The ResourceQuota "be" is invalid: spec.scopes: Invalid value: ["NotBestEffort"]: field is immutable\n')
  })

  test('counts itself', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(quota('self', { resourcequotas: '1' }))
    const condition = '--for=jsonpath={.status.used.resourcequotas}=1'
    expect(await kubectl.ok('wait', condition, 'quota/self', '--timeout=10s')).toBe(
      'resourcequota/self condition met\n',
    )
  })

  test('is not spent by objects that hold a template only', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'quota', 'small', '--hard=pods=1')
    expect(await kubectl.create(workload('Deployment', 'web', 5))).toBe('deployment.apps/web created\n')
    expect(await used(kubectl, 'small')).toEqual({ pods: '0' })
  })

  test('is nothing in a namespace that is not there', async () => {
    expect(await inNamespace('nowhere').fails('create', 'quota', 'q', '--hard=pods=1')).toBe(
      'error: failed to create quota: namespaces "nowhere" not found\n',
    )
  })
})
