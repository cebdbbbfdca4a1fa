import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import type { Explanation, Remedy } from '../../../src/insight/explain/explanation.ts'
import { assets, borrowRealServer } from '../../differential/real-server.ts'
import { eventually } from '../../eventually.ts'
import { kubeconfigOf } from '../../install/pod-process.ts'
import { runInProcess } from '../../migrate/run-in-process.ts'
import { created } from '../../operator/operator-account.ts'
import { type BareServer, forSuite, over } from '../../operator/operated.ts'
import { MERGE, podsIn } from '../../operator/pool-objects.ts'
import { startAllot, temporaryDirectory } from '../../start-allot.ts'
import { explained, isExplanation, namespaceForPods } from './asked-explanation.ts'
import { deployment, type Given, quota, STUCK } from './stuck-workloads.ts'

const SERVERS = [
  {
    name: 'allot up, without its operator',
    hasNodes: true,
    healthyNamespaces: 100,
    available: true,
    start: () => up(),
  },
  {
    name: 'a real API server, without allot',
    hasNodes: false,
    // To make them and to clean the server of them takes most of the time of all that is tested there.
    healthyNamespaces: 20,
    available: assets !== undefined,
    start: async () => over(await borrowRealServer()),
  },
]

async function up(): Promise<BareServer> {
  const allot = await startAllot({ workloads: true })
  return over({ ...allot, [Symbol.asyncDispose]: async () => void (await allot.stop()) })
}

async function give(server: BareServer, namespace: string, { path, object, patch, pods }: Given): Promise<void> {
  const [group = '', resource = ''] = path.split(':')
  const place = `${group}/namespaces/${namespace}/${resource}`
  const { status, text } =
    patch === undefined
      ? await server.send('POST', place, object)
      : await server.send('PATCH', `${place}/${patch}`, object, MERGE)
  expect([200, 201], text).toContain(status)
  if (resource === 'resourcequotas') {
    const { name } = (object as { readonly metadata: { readonly name: string } }).metadata
    await server.until(`${place}/${name}`, ({ json }) => json.status?.used !== undefined)
  }
  if (pods !== undefined) await untilPods(server, namespace, pods)
}

/** Remedies that let pods come about without any of those that run being replaced. */
const FREES: ReadonlySet<string> = new Set(['raise', 'limit-range', 'free'])

const untilPods = (server: BareServer, namespace: string, count: number): Promise<unknown> =>
  server.until(podsIn(namespace), ({ json }) => json.items.length === count)

/** Does what a remedy says, as its reader would. */
async function apply(server: BareServer, namespace: string, { command, manifest }: Remedy): Promise<void> {
  const { kind, name, patch } = patchIn(scaled(command))
  if (patch !== undefined) {
    const [group, resource] = PLACES[kind] ?? ['', '']
    const form = / --type=(\w+) /.exec(command ?? '')?.[1] ?? 'strategic'
    const type = { 'content-type': FORMS[form] ?? '' }
    const { status, text } = await server.send(
      'PATCH',
      `${group}/namespaces/${namespace}/${resource}/${name}`,
      patch,
      type,
    )
    expect(status, text).toBe(200)
  } else if (manifest !== undefined) {
    const { status, text } = await server.send('POST', `/api/v1/namespaces/${namespace}/limitranges`, manifest)
    expect(status, text).toBe(201)
  } else throw new Error(`a remedy has neither a command that patches nor a manifest: ${command ?? ''}`)
}

/** A command that scales, as the patch that it makes. */
const scaled = (command = ''): string =>
  command.replace(/ scale (\S+) --replicas=(\d+)$/, ` patch $1 --patch '{"spec":{"replicas":$2}}'`)

/** By the flag `--type` of `kubectl patch`. */
const FORMS: Readonly<Record<string, string>> = {
  merge: MERGE['content-type'],
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
}

const PLACES: Readonly<Record<string, readonly [string, string]>> = {
  deployment: ['/apis/apps/v1', 'deployments'],
  resourcequota: ['/api/v1', 'resourcequotas'],
  limitrange: ['/api/v1', 'limitranges'],
}

function patchIn(command = ''): { readonly kind: string; readonly name: string; readonly patch?: object } {
  const [, kind = '', name = '', patch] = /patch ([^\s/]+)\/(\S+).* --patch '(.*)'$/.exec(command) ?? []
  return { kind, name, ...(patch === undefined ? {} : { patch: JSON.parse(patch) as object }) }
}

for (const { name, hasNodes, healthyNamespaces, available, start } of SERVERS)
  describe.skipIf(!available)(`${name}: allot explain`, () => {
    const suite = forSuite(start)
    const explain = async (
      ...args: readonly string[]
    ): Promise<{ readonly code: number; readonly explanation: Explanation }> => {
      const { code, said, stderr } = await explained(suite.server.kubeconfig, ...args)
      if (said === undefined) throw new Error(stderr)
      if (!isExplanation(said)) throw new Error(JSON.stringify(isExplanation.errors))
      return { code, explanation: said }
    }

    for (const [
      index,
      { title, given, asked, causes, says = [], remedies, solvedBy, isEndedByNodes },
    ] of STUCK.entries()) {
      if (isEndedByNodes === true && hasNodes) continue
      test.concurrent(`finds all causes and no other: ${title}`, async () => {
        const namespace = `stuck-${index}`
        const { server } = suite
        await namespaceForPods(server, namespace)
        for (const one of given) await give(server, namespace, one)
        // The usage follows the last pod.
        const { code, explanation } = await eventually(
          () => explain(...asked, '-n', namespace),
          (said) => said.explanation.causes.map(({ text }) => text).join() === causes.join(),
          { what: causes.join() },
        )
        expect(code).toBe(3)
        expect(explanation.remedies.map(({ type }) => type).toSorted()).toEqual([...remedies].toSorted())
        const { stdout } = await runInProcess(server.kubeconfig, 'explain', ...asked, '-n', namespace)
        for (const text of [...causes, ...says]) expect(stdout).toContain(text)
        // Without nodes no pod becomes ready, so that no rollout goes on.
        const isSeen = hasNodes || (solvedBy?.needsNodes !== true && FREES.has(solvedBy?.type ?? ''))
        if (solvedBy === undefined || !isSeen) return
        const remedy = explanation.remedies.find(
          (one) => one.type === solvedBy.type && one.text.includes(solvedBy.containing ?? ''),
        )
        if (remedy === undefined) throw new Error(stringify(explanation.remedies))
        const { command = '' } = remedy
        for (const one of command.split(' && '))
          await apply(server, namespace, command === '' ? remedy : { ...remedy, command: one })
        await eventually(
          () => explain(...asked, '-n', namespace),
          (said) =>
            said.explanation.verdict === 'clear' &&
            said.explanation.wanted.every(({ wanted, existing }) => wanted === existing),
          { what: `an end of ${remedy.text}` },
        )
        await eventually(
          () => server.send('GET', podsIn(namespace)),
          ({ json }) =>
            json.items.filter(
              (pod: { readonly metadata: { readonly deletionTimestamp?: string } }) =>
                pod.metadata.deletionTimestamp === undefined,
            ).length === solvedBy.pods,
          { what: `${solvedBy.pods} pods` },
        )
      })
    }

    test(`finds nothing in ${healthyNamespaces} namespaces in which all is well`, async () => {
      const { server } = suite
      const namespaces = Array.from({ length: healthyNamespaces }, (_, index) => `well-${index}`)
      await Promise.all(
        namespaces.map(async (namespace, index) => {
          await namespaceForPods(server, namespace)
          for (const one of healthy(index)) await give(server, namespace, one)
        }),
      )
      for (const namespace of namespaces) {
        const { code, explanation } = await explain('deployment', 'web', '-n', namespace)
        expect([code, explanation.verdict, explanation.causes, explanation.remedies], namespace).toEqual([
          0,
          'clear',
          [],
          [],
        ])
      }
    })

    test('says of manifests how much of them fits, and what a caller may not see it does not guess', async () => {
      const { server } = suite
      const namespace = 'planned'
      await namespaceForPods(server, namespace)
      await give(server, namespace, quota('compute', { 'requests.cpu': '1', 'count/deployments.apps': '4' }))
      const file = join(temporaryDirectory(), 'planned.yaml')
      const planned = deployment('planned', 3, [{ name: 'c', image: 'i', resources: { requests: { cpu: '400m' } } }])
      writeFileSync(file, stringify({ apiVersion: 'apps/v1', kind: 'Deployment', ...planned.object }))
      const of = [server.kubeconfig, '-n', namespace, '-f', file] as const
      const { code, said: printed } = await explained<readonly Explanation[]>(...of)
      expect([isExplanation(printed), isExplanation.errors]).toEqual([true, null])
      const [explanation] = printed ?? []
      expect([code, explanation?.summary]).toEqual([3, 'Deployment planned is blocked: 0 of 3 Pods exist, 2 more fit'])
      expect(explanation?.causes.map(({ text }) => text)).toEqual([
        'quota compute: requests.cpu 0 of 1 used, 1200m more requested',
      ])

      await server.send('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'guest' } })
      const kubeconfig = await kubeconfigOf(server, namespace, 'guest')
      await grant(server, namespace, 'guest', [
        { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get', 'list'] },
      ])
      await give(server, namespace, planned)
      // Nothing was refused of this one, so that its own status does not tell.
      await give(server, namespace, { ...deployment('calm', 0, [{ name: 'c', image: 'i' }]) })
      const poor = await eventually(
        () => runInProcess(kubeconfig, 'explain', 'deployment', 'calm', '-n', namespace),
        ({ stdout: said }) => said !== '',
        { what: 'an answer to the guest' },
      )
      expect(poor.code).toBe(1)
      expect(poor.stderr).toMatch(
        /^you may not list .*pods, .*resourcequotas.* in namespace planned; ask for the right/,
      )
      expect(poor.stdout).toContain('  resourcequotas: you may not list them\n')
      expect(poor.stdout).not.toContain('compute')

      // Of an object that the caller may not read it is not known whether it is new.
      const hidden = join(temporaryDirectory(), 'hidden.yaml')
      writeFileSync(
        hidden,
        stringify({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'hidden' },
          spec: { containers: [{ name: 'c', image: 'i' }] },
        }),
      )
      const unseen = await runInProcess(kubeconfig, 'explain', '-n', namespace, '-f', hidden)
      expect([unseen.code, unseen.stderr]).toEqual([
        1,
        expect.stringMatching(/^you may not read pods in namespace planned, /),
      ])
      expect(unseen.stdout).toContain('  pods: you may not read Pod hidden\n')

      // Whoever may read quotas and no LimitRanges cannot tell whether one of these gives what a quota demands.
      await server.send('POST', `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'reader' } })
      const reader = await kubeconfigOf(server, namespace, 'reader')
      const readable = ['resourcequotas', 'pods', 'persistentvolumeclaims', 'replicationcontrollers', 'events']
      await grant(server, namespace, 'reader', [
        { apiGroups: [''], resources: readable, verbs: ['get', 'list'] },
        { apiGroups: ['apps', 'batch', 'autoscaling'], resources: ['*'], verbs: ['get', 'list'] },
      ])
      const bare = join(temporaryDirectory(), 'bare.yaml')
      const { object: bareSpec } = deployment('bare', 1, [{ name: 'c', image: 'i' }])
      writeFileSync(bare, stringify({ apiVersion: 'apps/v1', kind: 'Deployment', ...bareSpec }))
      const blind = await eventually(
        () => explained<readonly Explanation[]>(reader, '-n', namespace, '-f', bare),
        ({ said }) => said?.[0]?.notSeen.some((one) => one.startsWith('jobs')) === false,
        { what: 'an answer to one who may not read LimitRanges' },
      )
      expect([blind.code, blind.said?.[0]?.verdict, blind.said?.[0]?.causes]).toEqual([1, 'unknown', []])
      expect(blind.stderr).toMatch(/you may not list .*limitranges.* in namespace planned/)
      expect(blind.said?.[0]?.warnings).toEqual([
        {
          type: 'missing-values',
          text: 'quota compute: each container must specify requests.cpu (missing in c); whether a LimitRange gives it is not known, because LimitRanges cannot be read',
        },
      ])

      await grant(server, namespace, 'guest', [
        { apiGroups: ['', 'apps'], resources: ['*'], verbs: ['get', 'list'] },
        { apiGroups: ['apps'], resources: ['deployments'], verbs: ['patch'] },
      ])
      const patching = await eventually(
        () => explained(kubeconfig, 'deployment', 'planned', '-n', namespace),
        ({ code: ended, said }) => ended === 3 && said?.remedies.some(({ allowed }) => allowed) === true,
        { what: 'an answer to one who may patch Deployments' },
      )
      const { remedies = [], notSeen } = patching.said ?? {}
      expect(remedies.map(({ type, allowed }) => [type, allowed])).toEqual(
        expect.arrayContaining([
          ['lower', true],
          ['raise', false],
        ]),
      )
      const rights = remedies.map(({ allowed }) => Number(allowed))
      expect(rights).toEqual(rights.toSorted((a, b) => b - a))
      expect(notSeen).toContain('jobs.batch: you may not list them')
    })
  })

async function grant(server: BareServer, namespace: string, account: string, rules: readonly object[]): Promise<void> {
  const place = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`
  const name = `${account}-${rules.length}`
  await created(server, `${place}/roles`, { metadata: { name }, rules })
  await created(server, `${place}/rolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', namespace, name: account }],
  })
}

/** A namespace in which all is well, of every sort: with and without quotas, scopes, LimitRanges, exactly full and half empty. */
function healthy(index: number): readonly Given[] {
  const replicas = index % 3
  const cpu = 50 * (1 + (index % 4))
  const requests = index % 2 === 0 ? { cpu: `${cpu}m` } : {}
  const needed = index % 2 === 0 ? { 'requests.cpu': `${cpu * replicas + (index % 5)}m` } : {}
  return [
    ...(index % 7 === 0 ? [] : [quota('exact', { pods: `${replicas}`, ...needed })]),
    ...(index % 4 === 0 ? [quota('none-of-these', { pods: '0' }, { scopes: ['Terminating'] })] : []),
    deployment('web', replicas, [{ name: 'web', image: 'i', resources: { requests } }], { pods: replicas }),
  ]
}
