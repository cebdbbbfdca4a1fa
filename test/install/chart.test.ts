import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { customResources } from '../../src/systems/custom-resources.ts'
import { INSTALLED } from '../../src/install/objects.ts'
import { defaultValues } from '../../src/install/read-values.ts'
import { allObjects } from '../all-objects.ts'
import { toolPath } from '../clients/tool.ts'
import { shell } from '../readme/document-shell.ts'
import { commandsFor } from '../readme/task-commands.ts'
import { runAllot, startAllot, temporaryDirectory } from '../start-allot.ts'

const HELM = toolPath('helm') ?? ''
const CHART = fileURLToPath(new URL('../../config/chart', import.meta.url))
const run = promisify(execFile)

interface Installed {
  readonly kind: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly annotations?: Readonly<Record<string, string>>
  }
}

const objectsIn = (text: string): readonly Installed[] =>
  parseAllDocuments(text, { version: '1.1' }).flatMap((one) => (one.toJS() as Installed | null) ?? [])

const byName = (objects: readonly Installed[]): Readonly<Record<string, Installed>> =>
  Object.fromEntries(
    objects.map((one) => [`${one.kind} ${one.metadata.namespace ?? ''}/${one.metadata.name}`, one] as const),
  )

/** The values in a file, as a user writes them. */
function fileOf(values: object): string {
  const file = join(temporaryDirectory(), 'values.yaml')
  writeFileSync(file, JSON.stringify(values))
  return file
}

interface Case {
  readonly values?: object
  readonly namespace?: string
  readonly apiVersions?: readonly string[]
}

async function byHelm({ values = {}, namespace = 'allot', apiVersions = [] }: Case): Promise<readonly Installed[]> {
  const flags = ['--include-crds', '--namespace', namespace, '--values', fileOf(values)]
  const { stdout } = await run(HELM, [
    'template',
    'allot',
    CHART,
    ...flags,
    ...apiVersions.flatMap((one) => ['--api-versions', one]),
  ])
  return objectsIn(stdout)
}

async function byAllot({ values = {}, namespace = 'allot', apiVersions = [] }: Case): Promise<readonly Installed[]> {
  const flags = ['--namespace', namespace, '--values', fileOf(values), '--kube-version', '1.36']
  const more = apiVersions.length === 0 ? [] : ['--api-versions', apiVersions.join(',')]
  const { code, stdout, stderr } = await runAllot('install', ...flags, ...more)
  expect([code, stderr]).toEqual([0, ''])
  return objectsIn(stdout)
}

/** What each namespace has. */
const OF_NAMESPACES = /^(?:configmaps allot kube-root-ca\.crt|serviceaccounts allot default)/

const isHook = ({ metadata }: Installed): boolean => metadata.annotations?.['helm.sh/hook'] !== undefined

const CALCULATIONS = {
  enabled: true,
  namespaceSelector: { matchExpressions: [{ key: 'capsule.clastix.io/tenant', operator: 'Exists' }] },
  rules: [
    {
      apiGroups: [''],
      apiVersions: [''],
      operations: ['CREATE', 'UPDATE', 'DELETE'],
      resources: ['pods'],
      scope: 'Namespaced',
    },
  ],
  matchConditions: [
    { name: 'exclude-kubelet-requests', expression: '!("system:nodes" in request.userInfo.groups) && 1 < 2 > false' },
  ],
}

const CASES: Readonly<Record<string, Case>> = {
  'by default': {},
  'with the calculations of Capsule, in another namespace': {
    namespace: 'quotas',
    values: { webhooks: { hooks: { calculations: CALCULATIONS }, service: { port: 8443 }, timeoutSeconds: 30 } },
  },
  'with everything that is off by default': {
    apiVersions: ['monitoring.coreos.com/v1'],
    values: {
      image: { repository: 'registry.example.com/allot', digest: `sha256:${'0a'.repeat(32)}` },
      imagePullSecrets: [{ name: 'pull' }],
      replicas: 3,
      resources: { requests: { cpu: 1 }, limits: { memory: '1Gi' } },
      nodeSelector: { 'kubernetes.io/arch': 'amd64', zone: 'yes' },
      tolerations: [{ operator: 'Exists' }],
      affinity: { podAntiAffinity: {} },
      certificate: {
        source: 'cert-manager',
        secretName: 'tls',
        issuerRef: { kind: 'ClusterIssuer', name: 'internal' },
      },
      networkPolicy: {
        webhookPeers: [{ ipBlock: { cidr: '10.0.0.0/8' } }],
        metricsPeers: [{ namespaceSelector: {} }],
        dashboardPeers: [{ podSelector: {} }],
      },
      dashboard: { enabled: true, port: 9443 },
      metrics: {
        auth: true,
        serviceMonitor: { enabled: true, interval: '1m', labels: { release: 'prometheus' } },
        rules: { enabled: true, labels: { release: 'prometheus', number: '1' } },
      },
      tenantsMayCreate: { claims: false, increases: true, customQuotas: true },
      quotaServiceConfig: 'main',
      enforceResourceQuota: 'auto',
      logLevel: 'debug',
      warnAt: '50,90',
      extraArgs: ['--strict-paths'],
      webhooks: { hooks: { calculations: { enabled: false } } },
    },
  },
  'with everything off that is on by default': {
    values: {
      image: { tag: '1.2.3' },
      replicas: 1,
      resources: { requests: null },
      priorityClass: { create: false, name: '' },
      podDisruptionBudget: { enabled: false },
      certificate: { source: 'secret' },
      networkPolicy: { enabled: false },
      priorityAndFairness: { enabled: false },
      refusalEvents: false,
      warnAt: 90,
      tenantsMayCreate: { claims: false },
      metrics: { serviceMonitor: { enabled: true } },
    },
  },
}

describe.skipIf(HELM === '')('where Go is on the machine: the chart', () => {
  test.each(Object.keys(CASES))('renders the objects that allot install prints, %s', async (name) => {
    const { namespace = 'allot' } = CASES[name] ?? {}
    const [helm, allot] = await Promise.all([byHelm(CASES[name] ?? {}), byAllot(CASES[name] ?? {})])
    // Helm makes the namespace of a release by itself, and runs hooks only when the release is deleted.
    const { [`Namespace /${namespace}`]: made, ...others } = byName(allot)
    expect(made).toBeDefined()
    expect(byName(helm.filter((one) => !isHook(one)))).toEqual(others)
  })

  test('knows every value that a template reads: each case above differs from the others', async () => {
    const rendered = await Promise.all(Object.values(CASES).map(async (one) => JSON.stringify(await byHelm(one))))
    expect(new Set(rendered).size).toBe(rendered.length)
    const kinds = new Set(rendered.flatMap((one) => [...one.matchAll(/"kind":"(\w+)"/g)].map(([, kind]) => kind)))
    const declared = INSTALLED.map(({ object }) => JSON.stringify(object['kind']).slice(1, -1))
    expect(declared.filter((kind) => !kinds.has(kind))).toEqual([])
  })

  test.each([
    [{ replicas: 0 }, 'replicas'],
    [{ image: { tag: null } }, 'tag'],
    [{ image: { digest: 'latest' } }, 'digest'],
    [{ warnAt: '80,101' }, 'warnAt'],
    [{ warnAt: 101 }, 'warnAt'],
    [{ warnAt: 0.5 }, 'warnAt'],
    [{ webhooks: { hooks: { calculations: { rule: [] } } } }, 'rule'],
  ])('refuses the same values as allot install: %j', async (values, field) => {
    const file = fileOf(values)
    await expect(run(HELM, ['template', 'allot', CHART, '--values', file])).rejects.toThrow(field)
    const { code, stderr, stdout } = await runAllot('install', '--values', file, '--kube-version', '1.36')
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(field)])
  })

  test('is one that Helm finds nothing wrong with, and its values say all that allot install takes', async () => {
    const { stdout } = await run(HELM, ['lint', '--strict', CHART])
    expect(stdout).toContain('0 chart(s) failed')
    const shown = await run(HELM, ['show', 'values', CHART])
    expect(parse(shown.stdout, { version: '1.1' })).toEqual(defaultValues())
  })

  test('is installed, upgraded, rolled back and uninstalled with the commands of the pages', async () => {
    await using server = await startAllot({ workloads: true })
    const [first, upgrade, last, ...changes] = commandsFor('helm').map(({ command }) => command)
    // One page comes after the other, and its commands are for what the first has installed.
    const commands = [first, upgrade, ...changes, last].filter((line) => line !== undefined)
    expect(commands.map((line) => line.split(' ')[1])).toEqual([
      'install',
      'upgrade',
      'upgrade',
      'rollback',
      'uninstall',
    ])
    const printed: string[] = []
    const names = () => allObjects(server.call)
    // The namespace of a release stays, as Helm has it.
    const before = new Set(await names())
    for (const line of commands) {
      const { code, text } = await shell(`PATH=${dirname(HELM)}:$PATH ${line}`, {
        kubeconfig: server.kubeconfig,
        home: temporaryDirectory(),
      })
      expect([line, code, text]).toEqual([line, 0, text])
      printed.push(text)
    }
    const notes = printed[0] ?? ''
    expect(notes).toContain('kind: ResourcePool')
    expect(notes).toContain('that it made stay')
    expect(notes.trimEnd().split('\n').at(-1)).toBe('  helm uninstall allot -n allot')
    expect(printed[1]).toContain('REVISION: 2')
    const left = (await names()).filter((one) => !before.has(one))
    const isKept = (one: string): boolean => /^customresourcedefinitions |^namespaces {2}allot /.test(one)
    await expect
      .poll(async () => (await names()).filter((one) => !before.has(one) && !isKept(one) && !OF_NAMESPACES.test(one)))
      .toEqual([])
    expect(left.filter(isKept)).toHaveLength(customResources.length + 1)
  })
})
