import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { customResources } from '../../../src/systems/custom-resources.ts'
import type { OperatorFeature } from '../../../src/install/rbac/operator-roles.ts'
import type { KubeObject } from '../../../src/machinery/object.ts'
import { objectsOf, textsOf } from '../../../src/machinery/read.ts'
import { eventually } from '../../eventually.ts'
import { hasKubectl } from '../../kubectl/kubectl.ts'
import { ROOT, shell } from '../../readme/document-shell.ts'
import { temporaryDirectory } from '../../start-allot.ts'
import { allObjects } from '../../all-objects.ts'
import { bareServers, type BareServer, startOperator, representative } from '../operated.ts'
import { bindingsIn, deployed, KarmadaWorld, kquotasIn } from '../karmada-quota/karmada-world.ts'
import {
  COUNTED_MAPS,
  GLOBAL_QUOTAS,
  ledgersIn,
  map,
  mapsIn,
  quotasIn as customQuotasIn,
  QuotaWorld,
} from '../custom-quota/quota-world.ts'
import { claimsIn, MERGE, POOLS, quotasIn } from '../pool-objects.ts'
import { increasesIn, IncreaseWorld } from '../quota-increase/increase-world.ts'
import { allowToRead, installAccount } from '../access/installed-account.ts'
import { RecordingProxy, type RecordedWrite } from './recording-proxy.ts'
import type { RecordedRequest } from './recorded-requests.ts'
import { kubeconfigFor } from '../replicas.ts'

const SYSTEM = 'allot'
const page = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** A row of "What it writes", as writes are compared with it. */
interface Row {
  readonly text: string
  readonly covers: (write: RecordedWrite) => boolean
}

/** The names by which a row may call a kind. */
const KINDS: Readonly<Record<string, string>> = {
  namespaces: 'namespace',
  mutatingwebhookconfigurations: 'MutatingWebhookConfiguration',
  validatingwebhookconfigurations: 'ValidatingWebhookConfiguration',
  secrets: 'Secret',
  leases: 'Lease',
  configmaps: 'ConfigMap',
  limitranges: 'LimitRange',
  resourcequotas: 'ResourceQuota',
  events: 'Event',
  customresourcedefinitions: 'CustomResourceDefinition',
  resourcebindings: 'ResourceBinding',
  ...Object.fromEntries(customResources.map(({ resource, kind }) => [resource, kind])),
}

function rows(): readonly Row[] {
  const [, section = ''] = page('docs/reference/allot-run.md').split('## What it writes\n')
  const lines = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Object'))
  return lines.map((text) => {
    const [object = '', where = ''] = text.slice(2).split(' | ')
    const names = object.split('`').filter((_, at) => at % 2 === 1)
    const patterns = names.map((name) =>
      name === '--system-namespace'
        ? SYSTEM
        : name.startsWith('spec.')
          ? '.+'
          : name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/<[^>]+>/g, '.+'),
    )
    const words: readonly string[] = object.match(/[A-Za-z]+/g) ?? []
    const covers = ({ resource, namespace, name }: RecordedWrite): boolean => {
      const [plural = '', subresource] = resource.split('/')
      const kind = KINDS[plural] ?? plural
      return (
        (words.includes(kind) || words.includes(`${kind}s`)) &&
        (subresource === undefined || object.includes('status')) &&
        (patterns.length === 0 || patterns.some((one) => new RegExp(`^${one}$`).test(name))) &&
        (!where.startsWith('system namespace') || namespace === SYSTEM)
      )
    }
    return { text, covers }
  })
}

const definitions = join(temporaryDirectory(), 'definitions.yaml')
writeFileSync(
  definitions,
  JSON.stringify({
    quotas: [
      {
        name: 'base',
        selector: { matchLabels: { suite: 'base' } },
        mode: 'maximum',
        deleteIneffectiveQuotas: true,
        template: { spec: { hard: { 'count/secrets': 3 } } },
      },
    ],
  }),
)

const FEATURES: readonly OperatorFeature[] = ['base-quotas', 'enforce-resourcequota', 'refusal-events']
const READ_MAPS = { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch'] }

/** The permissions that the operator needs at other times than in this test. */
const SELDOM: readonly string[] = [
  // While a program of the other Lease is alive.
  'get leases.coordination.k8s.io 42c733ea.clastix.capsule.io',
  'list clusterroles.rbac.authorization.k8s.io',
  'list clusterrolebindings.rbac.authorization.k8s.io',
  // When a Secret is damaged, or what it holds is renewed.
  'update secrets allot-ledger-key',
  'update secrets allot-webhook-certificate',
  'update secrets allot-webhook-key',
  // When its rules change, which are made before Kubernetes 1.28 only.
  'update mutatingwebhookconfigurations.admissionregistration.k8s.io allot-deletions',
  'update validatingwebhookconfigurations.admissionregistration.k8s.io allot-deletions',
  // Where the plugin OwnerReferencesPermissionEnforcement runs: for owners that wait for what they own.
  'update resourcepools/finalizers.capsule.clastix.io',
  'update customquotas/finalizers.capsule.clastix.io',
  'update globalcustomquotas/finalizers.capsule.clastix.io',
  'update namespaces/finalizers',
  // When somebody else wrote the status of a quota that the operator keeps.
  'patch resourcequotas/status',
  // With --quota-service-config.
  'list quotaserviceconfigs.openmcp.cloud',
  'watch quotaserviceconfigs.openmcp.cloud',
  // After the last KarmadaQuota of a namespace has gone.
  'get resourcebindings.work.karmada.io',
  // When a ledger has lost its quota, or what it says is of no use.
  'delete quantityledgers.capsule.clastix.io',
  // When a quota refuses what a workload makes.
  'get replicationcontrollers',
  'get daemonsets.apps',
  'get deployments.apps',
  'get replicasets.apps',
  'get statefulsets.apps',
  'get cronjobs.batch',
  'get jobs.batch',
  // When the same Event happens again.
  'patch events.events.k8s.io',
]

/** The permissions of the objects that no request needed, one line each. */
function unused(objects: readonly KubeObject[], asked: readonly RecordedRequest[]): readonly string[] {
  const lines = objects.flatMap(({ metadata: { namespace = '' }, rules }) =>
    objectsOf(rules).flatMap((rule) =>
      textsOf(rule['apiGroups']).flatMap((group) =>
        textsOf(rule['resources']).flatMap((resource) =>
          textsOf(rule['verbs']).flatMap((verb) =>
            (rule['resourceNames'] === undefined ? [''] : textsOf(rule['resourceNames']))
              .filter(
                (name) =>
                  !asked.some(
                    (one) =>
                      one.verb === verb &&
                      one.group === group &&
                      one.resource === resource &&
                      (name === '' || one.name === name) &&
                      (namespace === '' || one.namespace === namespace),
                  ),
              )
              .map((name) => `${verb} ${resource}${group === '' ? '' : `.${group}`} ${name}`.trim()),
          ),
        ),
      ),
    ),
  )
  return [...new Set(lines)].toSorted()
}

/** The command that removes everything, as the page shows it, for an operator that ran outside of the cluster. */
function removal(): string {
  const [, section = ''] = page('docs/tasks/run-on-a-cluster.md').split('## Remove it')
  const [, command] = /^\$ (.* uninstall .*)$/m.exec(section) ?? []
  if (command === undefined) throw new Error('the page shows no command that removes everything')
  return `${command} --system-namespace ${SYSTEM}`
}

/** Has allot do everything that it writes for. */
async function useAll(server: BareServer): Promise<void> {
  const world = new QuotaWorld(server)
  const limitRange = { limits: [{ type: 'Container', defaultRequest: { cpu: '100m' } }] }
  await world.pool('shared', { pods: '5' }, { limitRange }, 'team')
  await world.namespace('in-pool', 'team')
  const range = '/api/v1/namespaces/in-pool/limitranges/capsule-pool-shared'
  await world.until(range, () => true)
  await world.patch(range, { metadata: { labels: null } })
  await world.until(range, ({ metadata }) => metadata.labels !== undefined)
  await world.patch(`${POOLS}/shared`, { spec: { limitRange: null } })
  await world.untilGone(range)
  await world.claim('in-pool', 'one', { pods: '2' })
  await world.allocated('in-pool', 'one')
  await world.patch(`${claimsIn('in-pool')}/one`, {
    metadata: { annotations: { 'projectcapsule.dev/release': 'true' } },
  })
  await world.until(
    `${claimsIn('in-pool')}/one`,
    ({ metadata }) => Object.keys(metadata.annotations ?? {}).length === 0,
  )
  await world.namespace('counted')
  await world.quota('counted', 'maps', { limit: '5', sources: [COUNTED_MAPS] })
  await world.quota(undefined, 'maps', { limit: '9', sources: [COUNTED_MAPS] })
  await world.create(mapsIn('counted'), map('one'))
  const asked = { metadata: { annotations: { 'reconcile.projectcapsule.dev/requestedAt': '2026-01-01T00:00:00Z' } } }
  for (const quota of [`${customQuotasIn('counted')}/maps`, `${GLOBAL_QUOTAS}/maps`]) {
    await world.patch(quota, asked)
    await world.until(quota, ({ metadata }) => Object.keys(metadata.annotations ?? {}).length === 0)
  }
  const increases = new IncreaseWorld(server)
  await increases.namespace('increased', { suite: 'base' })
  await increases.quota('increased', 'base', { 'count/secrets': 3 })
  await increases.increase('increased', 'more', { 'count/secrets': 5 })
  await increases.increase('increased', 'less', { 'count/secrets': 2 })
  await increases.quota('increased', 'base', { 'count/secrets': 5 })
  await increases.left('increased', 'more')
  const karmada = new KarmadaWorld(server)
  await karmada.namespace('federated')
  await karmada.quota('federated', 'q', { cpu: '2' })
  expect((await karmada.bind('federated', 'web', deployed({ requests: { cpu: '1' }, replicas: 1 }))).status).toBe(201)
  const refused = {
    type: 'Scheduled',
    status: 'False',
    reason: 'QuotaExceeded',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }
  await karmada.patch(`${bindingsIn('federated')}/web/status`, { status: { conditions: [refused] } })
  await karmada.until(`${bindingsIn('federated')}/web`, ({ spec }) => spec.rescheduleTriggeredAt !== undefined)
}

/** The requests of the table "When it is gone", as they are made of what `useAll` leaves. `isDeletion`: a server without conditions lets these pass. */
const REFUSED: readonly {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly isDeletion?: true
}[] = [
  { method: 'PATCH', path: `${POOLS}/shared`, body: { spec: { quota: { hard: { pods: '6' } } } } },
  { method: 'PATCH', path: `${claimsIn('in-pool')}/one`, body: { spec: { claim: { pods: '1' } } } },
  { method: 'DELETE', path: `${claimsIn('in-pool')}/one`, isDeletion: true },
  { method: 'PATCH', path: `${customQuotasIn('counted')}/maps`, body: { spec: { limit: '6' } } },
  { method: 'PATCH', path: `${GLOBAL_QUOTAS}/maps`, body: { spec: { limit: '10' } } },
  { method: 'PATCH', path: `${ledgersIn('counted')}/maps`, body: { metadata: { labels: { a: 'b' } } } },
  { method: 'DELETE', path: `${ledgersIn('counted')}/maps`, isDeletion: true },
  { method: 'PATCH', path: `${increasesIn('increased')}/more`, body: { spec: { hard: { 'count/secrets': 9 } } } },
  { method: 'PATCH', path: `${kquotasIn('federated')}/q`, body: { spec: { hard: { cpu: '3' } } } },
  { method: 'PATCH', path: `${quotasIn('in-pool')}/capsule-pool-shared`, body: { spec: { hard: { pods: '9' } } } },
  { method: 'DELETE', path: `${quotasIn('in-pool')}/capsule-pool-shared`, isDeletion: true },
  { method: 'PATCH', path: `${quotasIn('increased')}/base`, body: { spec: { hard: { 'count/secrets': '9' } } } },
  { method: 'DELETE', path: `${quotasIn('increased')}/base`, isDeletion: true },
  { method: 'POST', path: mapsIn('counted'), body: map('two') },
  { method: 'PATCH', path: `${bindingsIn('federated')}/web`, body: { spec: { replicas: 2 } } },
]

/** Not as the operator itself, whose own writes no webhook is asked about. */
const AS_SOMEBODY = { 'impersonate-user': 'somebody', 'impersonate-group': 'system:masters' }

/** Requests of which the table says nothing. */
const GO_ON: readonly (typeof REFUSED)[number][] = [
  { method: 'POST', path: '/api/v1/namespaces/counted/secrets', body: { metadata: { name: 'one' } } },
  { method: 'DELETE', path: `${mapsIn('counted')}/one` },
  { method: 'PATCH', path: '/api/v1/namespaces/counted', body: { metadata: { labels: { a: 'b' } } } },
  {
    method: 'POST',
    path: bindingsIn('counted'),
    body: {
      apiVersion: 'work.karmada.io/v1alpha2',
      kind: 'ResourceBinding',
      metadata: { name: 'free' },
      spec: deployed({ replicas: 1 }),
    },
  },
]

/** The namespaces of the test, and the label that each was made with. */
const OWN: Readonly<Record<string, string>> = {
  'in-pool': '"pool":"team"',
  counted: '"pool":"counted"',
  increased: '"suite":"base"',
  federated: '"pool":"federated"',
}

/** Is it an object that the test or the control plane has made, as it was made? */
function isOfTest(line: string): boolean {
  const [kind = '', namespace = '', name = '', labels = ''] = line.split(' ')
  if (kind === 'namespaces') {
    const others = labels.replace(/"kubernetes\.io\/metadata\.name":"[^"]*"/, '').replaceAll(/[{},]/g, '')
    return name === SYSTEM || others === OWN[name]
  }
  // Control planes make these in all namespaces, some of them late.
  if (/^(?:kube-root-ca\.crt|default|default-token-.+)$/.test(name)) return true
  // The account of the operator, in a namespace that was there before it.
  if (namespace === SYSTEM && /^operator(?:-token-.+)?$/.test(name)) return true
  return namespace in OWN && ['configmaps', 'serviceaccounts', 'secrets', 'resourcebindings'].includes(kind)
}

const asText = ({ method, resource, namespace, name }: RecordedWrite): string =>
  `${method} ${resource} ${namespace}/${name}`

for (const { name, start } of representative(bareServers))
  describe(`${name}: the documents on the operator`, { skip: !hasKubectl }, () => {
    const knowsConditions = name.startsWith('allot up')

    test('list what it writes, what is refused while it is away, and the commands by which all of it goes', async () => {
      await using server = await start({ isBare: true })
      const get = (path: string) => server.send('GET', path)
      await new KarmadaWorld(server).define()
      const before = await allObjects(get)
      await using proxy = await RecordingProxy.before(server.url)
      const flags = ['--system-namespace', SYSTEM, '--quota-definitions', definitions, '--enforce-resourcequota=auto']
      const account = await installAccount(server, SYSTEM, FEATURES)
      const further = await allowToRead(server, account.user, [READ_MAPS])
      await using operator = await startOperator(kubeconfigFor(proxy.url, account.token), flags)
      // A missing permission is named before what it kept from happening.
      await useAll(server).catch((error: unknown) => {
        expect(proxy.refusals).toEqual([])
        throw error
      })
      expect(proxy.refusals).toEqual([])
      const granted = unused(account.objects, [])
      expect(SELDOM.filter((line) => !granted.includes(line))).toEqual([])
      // A lease is renewed a while after it was taken.
      await eventually(
        () => Promise.resolve(unused(account.objects, proxy.asked).filter((line) => !SELDOM.includes(line))),
        (lines) => lines.length === 0,
        { what: 'that the operator needs all of its rights' },
      )
      const listed = rows()
      expect([...new Set(proxy.writes.filter((one) => !listed.some(({ covers }) => covers(one))).map(asText))]).toEqual(
        [],
      )
      const known = listed.filter(({ covers }) => !proxy.writes.some(covers)).map(({ text }) => text)
      // Whatever is listed is written, but for what only other API servers need: those without the plugin, and old ones.
      const isNeeded = (text: string): boolean =>
        !text.includes('--enforce-resourcequota') &&
        // The namespace of the operator's Roles is there before it.
        !text.includes('| when missing |') &&
        !(knowsConditions && text.includes('| on API servers before 1.21 |'))
      expect(known.filter(isNeeded)).toEqual([])

      await operator[Symbol.asyncDispose]()
      await account.uninstall()
      await server.send('DELETE', further)
      const answers = async (requests: typeof REFUSED) => {
        const said: string[] = []
        for (const { method, path, body } of requests) {
          const headers = { ...AS_SOMEBODY, ...(method === 'PATCH' ? MERGE : {}) }
          const { status, json } = await server.send(method, `${path}?dryRun=All`, body, headers)
          const isRefused = status === 500 && String(json.message).includes('failed calling webhook')
          said.push(`${method} ${path} ${isRefused ? 'refused' : status < 300 ? 'goes on' : JSON.stringify(json)}`)
        }
        return said
      }
      expect(await answers(REFUSED)).toEqual(
        REFUSED.map(
          ({ method, path, isDeletion }) =>
            `${method} ${path} ${isDeletion && !knowsConditions ? 'goes on' : 'refused'}`,
        ),
      )
      // Servers before 1.21 do not label namespaces, so that no webhook can leave some out.
      const goOn = GO_ON.filter(({ path }) => knowsConditions || !path.endsWith('resourcebindings'))
      expect(await answers(goOn)).toEqual(goOn.map(({ method, path }) => `${method} ${path} goes on`))

      const again = await startOperator(server.kubeconfig, flags)
      await using _last = again
      const home = temporaryDirectory()
      await again[Symbol.asyncDispose]()
      const { code, text } = await shell(removal(), { kubeconfig: server.kubeconfig, home })
      expect(code, text).toBe(0)
      const left = await eventually(
        async () => (await allObjects(get)).filter((one) => !before.includes(one) && !isOfTest(one)),
        (all) => all.length === 0,
        { what: 'nothing of allot is left' },
      )
      expect(left).toEqual([])
    })
  })
