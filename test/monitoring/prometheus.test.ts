// Covers config/monitoring: rules and dashboards name only what a live server shows.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { EXHAUSTION_METRICS } from '../../src/insight/history/exhaustion-metrics.ts'
import { toolPath } from '../clients/tool.ts'
import { eventually } from '../eventually.ts'
import { freePort } from '../free-ports.ts'
import { type Allot, startAllot, temporaryDirectory } from '../start-allot.ts'

const MONITORING = fileURLToPath(new URL('../../config/monitoring', import.meta.url))
const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url))
const PROMETHEUS = toolPath('prometheus') ?? ''
const RULES = join(MONITORING, 'rules.yaml')

interface Panel {
  readonly title: string
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[]
}

const { groups } = parse(readFileSync(RULES, 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}
const dashboards = readdirSync(join(MONITORING, 'dashboards')).map((file) => ({
  file,
  panels: (JSON.parse(readFileSync(join(MONITORING, 'dashboards', file), 'utf8')) as { panels: readonly Panel[] })
    .panels,
}))
const expressions = [
  ...groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr, ''] as const)),
  ...dashboards.flatMap(({ file, panels }) =>
    panels.flatMap(({ title, targets }) =>
      targets.map(({ expr, legendFormat }) => [`${file}: ${title}`, expr, legendFormat] as const),
    ),
  ),
]

/** A metric that is there only after what it counts has happened for the first time. */
const LATER = new Set(['allot_ledgers_lost_total', 'capsule_pool_exhaustion'])

/** Those that are there with the first full limit of each kind, as soon as usage is recorded. */
const EXHAUSTIONS = Object.keys(EXHAUSTION_METRICS).filter((name) => name.endsWith('_exhaustion_seconds'))

/** The metrics that an expression names. */
const metricsIn = (expr: string): readonly string[] =>
  [...expr.matchAll(/\b(?:allot|capsule)_[a-z_]*[a-z]\b(?!=)/g)].map(([name]) => name)

let allot: Allot
let port: number
let ended: Promise<unknown> = Promise.resolve()
let stop: () => void = () => undefined

/** A quota that is not ready yet asks for another try. */
async function create(path: string, object: object): Promise<void> {
  const { status, text } = await eventually(
    () => allot.call(path, { method: 'POST', body: object }),
    (answer) => answer.status !== 429,
    { what: path },
  )
  expect(status, text).toBe(201)
}

/** Asks Prometheus. */
async function ask<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}?${new URLSearchParams(query).toString()}`)
  const { status, data, error } = (await answer.json()) as { status: string; data: T; error?: string }
  if (status !== 'success') throw new Error(`${path} ${JSON.stringify(query)}: ${error}`)
  return data
}

interface Sample {
  readonly metric: Readonly<Record<string, string>>
  readonly value: readonly [number, string]
}
const samples = async (expr: string): Promise<readonly Sample[]> =>
  (await ask<{ result: readonly Sample[] }>('query', { query: expr })).result

describe.skipIf(PROMETHEUS === '')('Prometheus beside a live server', () => {
  beforeAll(async () => {
    allot = await startAllot({
      inMemory: true,
      operator: true,
      args: ['--quota-definitions', join(EXAMPLES, 'quota-increases/definitions.yml')],
    })
    await create('/api/v1/namespaces', {
      metadata: { name: 'blue', labels: { team: 'blue', 'example.com/quota': 'cumulative' } },
    })
    const capsule = '/apis/capsule.clastix.io/v1beta2'
    const quota = { apiVersion: 'capsule.clastix.io/v1beta2' }
    await create(`${capsule}/resourcepools`, {
      ...quota,
      kind: 'ResourcePool',
      metadata: { name: 'blue' },
      spec: { selectors: [{ matchLabels: { team: 'blue' } }], quota: { hard: { pods: '4' } } },
    })
    await create(`${capsule}/namespaces/blue/resourcepoolclaims`, {
      ...quota,
      kind: 'ResourcePoolClaim',
      metadata: { name: 'most' },
      spec: { pool: 'blue', claim: { pods: '4' } },
    })
    const sources = [{ apiVersion: 'v1', kind: 'ConfigMap', op: 'count' }]
    await create(`${capsule}/namespaces/blue/customquotas`, {
      ...quota,
      kind: 'CustomQuota',
      metadata: { name: 'maps' },
      spec: { limit: '1', sources },
    })
    await create(`${capsule}/globalcustomquotas`, {
      ...quota,
      kind: 'GlobalCustomQuota',
      metadata: { name: 'all-maps' },
      spec: { limit: '50', sources },
    })
    await create(`${capsule}/globalcustomquotas`, {
      ...quota,
      kind: 'GlobalCustomQuota',
      metadata: { name: 'volumes' },
      spec: { limit: '1', sources: [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', op: 'count' }] },
    })
    await create('/api/v1/namespaces/blue/persistentvolumeclaims', {
      metadata: { name: 'only' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    })
    await create('/api/v1/namespaces/blue/resourcequotas', {
      metadata: { name: 'own' },
      spec: { hard: { secrets: '0' } },
    })
    await create(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      parse(readFileSync(join(EXAMPLES, 'karmada-quotas/0-bindings/resourcebindings.yaml'), 'utf8')) as object,
    )
    await create('/apis/quota.karmada.io/v1alpha1/namespaces/blue/karmadaquotas', {
      apiVersion: 'quota.karmada.io/v1alpha1',
      kind: 'KarmadaQuota',
      metadata: { name: 'fleet' },
      spec: { hard: { cpu: '10', memory: '0' } },
    })
    await create('/apis/openmcp.cloud/v1alpha1/namespaces/blue/quotaincreases', {
      apiVersion: 'openmcp.cloud/v1alpha1',
      kind: 'QuotaIncrease',
      metadata: { name: 'more' },
      spec: { hard: { 'count/secrets': '5' } },
    })
    port = await freePort()
    const folder = temporaryDirectory()
    writeFileSync(join(folder, 'token'), allot.token)
    writeFileSync(
      join(folder, 'prometheus.yml'),
      JSON.stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [RULES],
        scrape_configs: [
          {
            job_name: 'allot',
            scheme: 'https',
            tls_config: { insecure_skip_verify: true },
            authorization: { credentials_file: join(folder, 'token') },
            static_configs: [{ targets: [new URL(allot.url).host] }],
          },
        ],
      }),
    )
    const prometheus = spawn(
      PROMETHEUS,
      [
        `--config.file=${folder}/prometheus.yml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=error',
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    stop = () => void prometheus.kill('SIGKILL')
    ended = once(prometheus, 'exit')
    await eventually(
      () =>
        samples(
          ['capsule_custom_quota_resource_limit', 'allot_quota_increases{mode!=""}', ...EXHAUSTIONS].join(' and on() '),
        ).catch(() => []),
      (found) => found.length > 0,
      { what: 'the first scrape', patienceMs: 60_000 },
    )
  }, 120_000)

  afterAll(async () => {
    stop()
    await ended
    await allot.stop()
  })

  test('it evaluates every rule without an error [33/live-metrics]', async () => {
    const found = await eventually(
      () =>
        ask<{ groups: readonly { rules: readonly { name: string; health: string; lastError?: string }[] }[] }>('rules'),
      (all) => all.groups.every(({ rules }) => rules.every(({ health }) => health !== 'unknown')),
    )
    const rules = found.groups.flatMap((group) => group.rules)
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([])
    expect(rules).toHaveLength(groups.flatMap((group) => group.rules).length)
  })

  test.for(expressions)(
    '%s names only metrics that are there, and labels that they have [33/live-metrics]',
    async ([, expr, legend]) => {
      const known = await ask<Readonly<Record<string, unknown>>>('metadata')
      const named = metricsIn(expr.replaceAll('capsule_(global_)?custom', 'capsule_custom'))
      expect(named).not.toEqual([])
      const base = (name: string): string => name.replace(/_bucket$/, '')
      expect(named.filter((name) => !(base(name) in known) && !LATER.has(name))).toEqual([])
      // The comparison of an alert left out, what it compares is shown with these labels.
      const shown = await samples(expr.replace(/ (?:[=><]=?|==) [\d.]+(?: \* \d+)?$/, ''))
      for (const [, label = ''] of legend.matchAll(/\{\{(\w+)\}\}/g))
        for (const { metric } of shown) expect(Object.keys(metric), expr).toContain(label)
    },
  )

  test('the reference has every metric that it scrapes, with its type and its help text [33/reference]', async () => {
    const page = readFileSync(fileURLToPath(new URL('../../docs/reference/all-metrics.md', import.meta.url)), 'utf8')
    const rows = page.split('\n').filter((line) => line.startsWith('| `'))
    const known =
      await ask<Readonly<Record<string, readonly { readonly type: string; readonly help: string }[]>>>('metadata')
    const shown = Object.entries(known).filter(([name]) => /^(?:allot|capsule|apiserver)_/.test(name))
    expect(shown.length).toBeGreaterThan(30)
    const missing = shown.filter(([name, [about]]) => {
      const row = rows.find((line) => line.startsWith(`| \`${name}\` | ${about?.type} |`))
      return row?.includes(about?.help.replace(/\.$/, '') ?? '') !== true
    })
    expect(missing).toEqual([])
  })

  test('what is full is shown as full, and its alert waits for its time [33/live-metrics] [33/exhaustion-metric]', async () => {
    const one = (expr: string) =>
      eventually(
        () => samples(expr),
        (found) => found.length === 1,
        { what: expr },
      )
    const [own] = await one('allot_resourcequota_usage_percentage{resource_quota="own",resource="secrets"}')
    expect(own?.value[1]).toBe('100')
    const [pool] = await one('allot_resourcequota_limit{resource_quota="capsule-pool-blue",resource="pods"}')
    expect(pool?.value[1]).toBe('4')
    const [fleet] = await one('allot_karmadaquota_limit{karmada_quota="fleet",target_namespace="blue",resource="cpu"}')
    expect(fleet?.value[1]).toBe('10')
    const [left] = await one('allot_resourcequota_exhaustion_seconds{resource_quota="own",resource="secrets"}')
    expect(left?.value[1]).toBe('0')
    const [pending] = await one('ALERTS{alertname="CapsuleResourcePoolHighUsageCritical",pool="blue"}')
    expect(pending?.metric['alertstate']).toBe('pending')
  })
})
