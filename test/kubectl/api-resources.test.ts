import { execFileSync } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasKubectl, runs, session } from './kubectl.ts'
import { pod, workload } from './kubectl-objects.ts'

/** Further kubectls, beside the one of the PATH, that should work with the server. */
const OTHERS = [32, 33, 34, 35, 36].flatMap((minor) => {
  const program = join(hasKubectl ? folderOf('kubectl') : '', `kubectl.1.${minor}`)
  return existsSync(program) && runs(program) ? [[`1.${minor}`, program] as const] : []
})

function folderOf(program: string): string {
  return dirname(realpathSync(execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim()))
}

describe.skipIf(!hasKubectl)('kubectl learns from the server', () => {
  const { allot, inNewNamespace, inNamespace } = session()

  test('which resources there are', async () => {
    const printed = await inNamespace('default').ok('api-resources')
    const rows = printed.split('\n').map((line) => line.replaceAll(/ +/g, ' '))
    expect(rows[0]).toBe('NAME SHORTNAMES APIVERSION NAMESPACED KIND')
    for (const row of [
      'pods po v1 true Pod',
      'resourcequotas quota v1 true ResourceQuota',
      'namespaces ns v1 false Namespace',
      'deployments deploy apps/v1 true Deployment',
      'cronjobs cj batch/v1 true CronJob',
      'horizontalpodautoscalers hpa autoscaling/v2 true HorizontalPodAutoscaler',
      'poddisruptionbudgets pdb policy/v1 true PodDisruptionBudget',
      'ingresses ing networking.k8s.io/v1 true Ingress',
      'priorityclasses pc scheduling.k8s.io/v1 false PriorityClass',
      'storageclasses sc storage.k8s.io/v1 false StorageClass',
      'customresourcedefinitions crd,crds apiextensions.k8s.io/v1 false CustomResourceDefinition',
      'resourceclaims resource.k8s.io/v1 true ResourceClaim',
    ])
      expect(rows).toContain(row)
  })

  test('which of them can do what', async () => {
    const kubectl = inNamespace('default')
    const named = await kubectl.ok(
      'api-resources',
      '--namespaced=false',
      '--api-group=rbac.authorization.k8s.io',
      '-o',
      'name',
    )
    expect(named).toBe('clusterrolebindings.rbac.authorization.k8s.io\nclusterroles.rbac.authorization.k8s.io\n')
    expect(
      await kubectl.ok(
        'api-resources',
        '--verbs=create',
        '--api-group=authentication.k8s.io',
        '--no-headers',
        '-o',
        'wide',
      ),
    ).toMatch(/^selfsubjectreviews .* create *\ntokenreviews .* create *\n$/)
    expect(await kubectl.ok('api-resources', '--categories=all', '--api-group=apps', '-o', 'name')).toBe(
      'daemonsets.apps\ndeployments.apps\nreplicasets.apps\nstatefulsets.apps\n',
    )
  })

  test('which versions there are', async () => {
    const versions = (await inNamespace('default').ok('api-versions')).trimEnd().split('\n')
    expect(versions).toEqual(versions.toSorted())
    expect(versions).toEqual(
      expect.arrayContaining([
        'admissionregistration.k8s.io/v1',
        'apps/v1',
        'autoscaling/v1',
        'autoscaling/v2',
        'batch/v1',
        'events.k8s.io/v1',
        'v1',
      ]),
    )
  })

  test('its version and address', async () => {
    const kubectl = inNamespace('default')
    expect(JSON.parse(await kubectl.ok('version', '-o', 'json')).serverVersion).toMatchObject({
      major: '1',
      minor: '36',
      gitVersion: 'v1.36.0+allot',
    })
    expect(await kubectl.ok('version')).toContain('Server Version: v1.36.0+allot\n')
    const escape = String.fromCodePoint(27)
    const plain = (await kubectl.ok('cluster-info')).replaceAll(new RegExp(`${escape}\\[[0-9;]*m`, 'g'), '')
    expect(plain).toContain(`Kubernetes control plane is running at ${allot().url}\n`)
  })

  test('its own user and permissions', async () => {
    const kubectl = inNamespace('default')
    expect(await kubectl.ok('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.groups}')).toContain('system:masters')
    expect(await kubectl.ok('auth', 'can-i', 'create', 'pods')).toBe('yes\n')
    expect(await kubectl.run(['auth', 'can-i', '*', '*', '-A'])).toMatchObject({ code: 0, stdout: 'yes\n' })
    expect(await kubectl.ok('auth', 'can-i', '--list')).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m)
  })

  test.each([
    ['/livez', 'ok'],
    ['/readyz', 'ok'],
    ['/healthz', 'ok'],
  ])('how it is, with get --raw %s', async (path, text) => {
    expect(await inNamespace('default').ok('get', '--raw', path)).toBe(text)
  })

  test('its checks and metrics', async () => {
    const kubectl = inNamespace('default')
    expect(await kubectl.ok('get', '--raw', '/readyz?verbose')).toMatch(/^(\[\+\]\S+ ok\n)+readyz check passed\n$/)
    expect(await kubectl.ok('get', '--raw', '/metrics')).toMatch(/^# HELP /m)
    expect(JSON.parse(await kubectl.ok('get', '--raw', '/')).paths).toContain('/apis/apps/v1')
  })

  test('the fields of a kind', async () => {
    const kubectl = inNamespace('default')
    expect(await kubectl.ok('explain', 'quota.spec.hard')).toMatch(
      /^KIND: +ResourceQuota\nVERSION: +v1\n\nFIELD: hard <map\[string\]Quantity>\n/,
    )
    expect(await kubectl.ok('explain', 'deployment.spec')).toMatch(
      /^GROUP: +apps\nKIND: +Deployment\nVERSION: +v1\n[^]*replicas\t<integer>\n/,
    )
    expect(await kubectl.fails('explain', 'quota.nope')).toBe('error: field "nope" does not exist\n')
  })

  describe('events', () => {
    const event = (name: string, uid: string, namespace: string): object => ({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      involvedObject: { kind: 'Pod', apiVersion: 'v1', name: 'p', namespace, uid },
      reason: 'Started',
      message: 'it runs',
      type: 'Normal',
      source: { component: 'a-test' },
      firstTimestamp: '2026-01-01T00:00:00Z',
      lastTimestamp: '2026-01-01T00:05:00Z',
      count: 3,
    })

    test('that are written in one group are read in the other', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(pod('p'))
      const { uid } = (await kubectl.get('pod', 'p')).metadata
      expect(await kubectl.create(event('p.1', uid, kubectl.namespace))).toBe('event/p.1 created\n')
      expect(await kubectl.ok('get', 'events')).toMatch(
        /^LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\n\d+d +Normal +Started +pod\/p +it runs\n$/,
      )
      expect(await kubectl.get('events.v1.events.k8s.io', 'p.1')).toMatchObject({
        apiVersion: 'events.k8s.io/v1',
        note: 'it runs',
        reason: 'Started',
        regarding: { kind: 'Pod', name: 'p', uid },
        deprecatedCount: 3,
        deprecatedLastTimestamp: '2026-01-01T00:05:00Z',
        deprecatedSource: { component: 'a-test' },
      })
      expect(await kubectl.ok('events')).toMatch(/Normal +Started +Pod\/p +it runs\n$/)
      expect(await kubectl.ok('describe', 'pod', 'p')).toMatch(
        /^ {2}Normal +Started +\S+ \(x3 over \S+\) +a-test +it runs\n$/m,
      )
    })

    test('are selected by what they are about', async () => {
      const kubectl = await inNewNamespace()
      await kubectl.has(event('one', 'u-1', kubectl.namespace), event('two', 'u-2', kubectl.namespace))
      expect(
        await kubectl.ok(
          'get',
          'events',
          '--field-selector',
          'involvedObject.uid=u-2,reason=Started,type!=Warning',
          '-o',
          'name',
        ),
      ).toBe('event/two\n')
      expect(await kubectl.ok('events', '--for', 'pod/p', '--types=Normal', '--no-headers')).toMatch(
        /(Normal +Started +Pod\/p +it runs\n){2}|(.*Started.*\n){2}/,
      )
    })
  })

  test.each([
    ['a pod that is on no node', {}, 'Error from server (BadRequest): pod p does not have a host assigned\n'],
    [
      'a pod whose node runs nothing',
      { nodeName: 'n' },
      'Error from server (ServiceUnavailable): nothing runs on node n: this server keeps objects only\n',
    ],
  ])('that there are no logs of %s', async (_what, spec, text) => {
    const kubectl = await inNewNamespace()
    await kubectl.has(pod('p', {}, spec))
    expect(await kubectl.fails('logs', 'p')).toContain(text)
  })

  test('that nothing is rolled out yet', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.has(workload('Deployment', 'web'))
    expect(await kubectl.ok('rollout', 'restart', 'deployment/web')).toBe('deployment.apps/web restarted\n')
    expect(await kubectl.run(['rollout', 'status', 'deployment/web', '--watch=false'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Waiting for'),
    })
  })

  test.each(OTHERS)('as kubectl %s too', async (_version, program) => {
    const kubectl = await inNewNamespace()
    const ok = async (...args: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await kubectl.run(args, { program })
      expect([args, code, stderr]).toEqual([args, 0, ''])
      return stdout
    }
    await ok('create', 'deployment', 'web', '--image=nginx:1')
    await ok('scale', 'deployment', 'web', '--replicas=2')
    await ok('create', 'quota', 'small', '--hard=pods=1')
    const warned = await kubectl.run(['run', 'p', '--image=nginx:1'], { program })
    expect(warned).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Warning: ResourceQuota .* 100 % .*\n$/) })
    expect(await ok('get', 'deployment', 'web', '-o', 'jsonpath={.spec.replicas}')).toBe('2')
    expect(await ok('describe', 'quota', 'small')).toContain('pods        1     1\n')
    const refused = await kubectl.run(['run', 'q', '--image=nginx:1'], { program })
    expect(refused.stderr).toBe(
      'Error from server (Forbidden): pods "q" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1\n',
    )
  })
})
