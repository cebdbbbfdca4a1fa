import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../src/insight/doctor/finding.ts'
import { eventually } from '../../eventually.ts'
import { runInProcess } from '../../migrate/run-in-process.ts'
import { customResources } from '../../../src/systems/custom-resources.ts'
import { customQuota } from '../../../src/systems/custom-quota/api/custom-quota.ts'
import { POD_LABELS } from '../../../src/install/installed-names.ts'
import { resourcePoolClaim } from '../../../src/systems/resource-pool/api/claim.ts'
import { quantityLedger } from '../../../src/systems/counted/api/quantity-ledger.ts'
import { DEFINITIONS, QuotaWorld } from '../../operator/custom-quota/quota-world.ts'
import { bareServers, forWorld, operatedServers } from '../../operator/operated.ts'
import { MERGE, POOLS } from '../../operator/pool-objects.ts'
import { temporaryDirectory } from '../../start-allot.ts'
import { diagnosed, SETTLE } from './diagnosed.ts'

const CONFIGURATIONS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations'
const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices'

const about = ({ severity, object: { kind, name }, part }: Finding): string =>
  `${severity} ${kind} ${name} ${part}`.trim()

for (const [place, { name, available, start }] of bareServers.entries())
  describe.skipIf(!available)(`${name}: allot doctor without an operator`, () => {
    const suite = forWorld(start, (server) => new QuotaWorld(server))

    // The embedded server puts a wrong usage right at once, since its usage is part of each transaction.
    if (place === 1)
      test('finds a usage that is wrong, previews the repair, and mends it', async () => {
        const { server, world } = suite
        await world.namespace('ailing')
        const quotas = '/api/v1/namespaces/ailing/resourcequotas'
        await world.create(quotas, {
          metadata: { name: 'stuck' },
          spec: { hard: { secrets: '50', 'count/ships': '1' } },
        })
        await world.until(`${quotas}/stuck`, ({ status }) => status?.used?.secrets === '1')
        // The controller manager looks at all quotas now and then, and puts it right.
        const ill = async <T>(work: () => Promise<T>): Promise<T> => {
          await server.send('PATCH', `${quotas}/stuck/status`, { status: { used: { secrets: '31' } } }, MERGE)
          return await work()
        }
        const { code, findings } = await eventually(
          () =>
            ill(async () => {
              const diagnosis = await diagnosed(server.kubeconfig, '-n', 'ailing')
              // The server may have kinds of allot from a test before.
              const own = diagnosis.findings.filter(({ object }) => object.kind === 'ResourceQuota')
              return { ...diagnosis, findings: own }
            }),
          (one) => one.findings.length === 2,
          { what: 'the wrong usage' },
        )
        expect([code, findings.map(about)]).toEqual([
          3,
          ['error ResourceQuota stuck secrets', 'warning ResourceQuota stuck count/ships'],
        ])
        expect(findings[0]?.text).toBe('the status says that secrets 31 is used, and the objects use 1')
        const fix = (...more: readonly string[]): ReturnType<typeof runInProcess> =>
          runInProcess(server.kubeconfig, 'doctor', ...SETTLE, '-n', 'ailing', '--fix', ...more)
        const repair = 'write secrets 1, which the objects use, into the status of ResourceQuota ailing/stuck'
        await eventually(
          () => ill(() => fix()),
          ({ stdout }) => stdout.includes(`This would be changed, with --fix --yes:\n${repair}`),
        )
        const mended = await eventually(
          () => ill(() => fix('--yes')),
          ({ stdout }) => stdout.includes(`done: ${repair}`),
        )
        expect(mended.stdout).toContain('\nThis is left:\nwarning: ResourceQuota ailing/stuck: count/ships')
        expect((await world.read(`${quotas}/stuck`)).status.used.secrets).toBe('1')
      })

    test('finds that nobody looks after the kinds of allot, with and without objects of them', async () => {
      const { server, world } = suite
      const namespace = 'unattended'
      await world.create('/api/v1/namespaces', { metadata: { name: namespace } })
      for (const { crd } of customResources) await server.send('POST', DEFINITIONS, crd)
      const pathOf = ({ group, version, resource, namespaced }: (typeof customResources)[number]): string =>
        `/apis/${group}/${version}/${namespaced ? `namespaces/${namespace}/` : ''}${resource}`
      for (const one of customResources) await server.until(pathOf(one), ({ status }) => status === 200)
      const controllers = async (...args: readonly string[]) => {
        const { findings } = await diagnosed(server.kubeconfig, ...args)
        const own = findings.filter(({ check }) => check === 'controller')
        return own.map((one) => `${one.severity} ${one.object.kind}`).toSorted()
      }
      expect(await controllers()).toEqual(['note CustomResourceDefinition'])
      expect((await diagnosed(server.kubeconfig, '-n', namespace)).code).toBe(0)
      const limit = { limit: '9', sources: [{ apiVersion: 'v1', kind: 'Secret', op: 'count' }] }
      const specs: Readonly<Record<string, object>> = {
        ResourcePool: { selectors: [{ matchLabels: { pool: namespace } }], quota: { hard: { pods: '3' } } },
        ResourcePoolClaim: { pool: 'one', claim: { pods: '1' } },
        CustomQuota: limit,
        GlobalCustomQuota: limit,
        QuotaIncrease: { hard: { pods: '1' } },
        KarmadaQuota: { hard: { pods: '1' } },
      }
      for (const one of customResources) {
        const spec = specs[one.kind]
        const apiVersion = `${one.group}/${one.version}`
        if (spec !== undefined)
          await world.create(pathOf(one), { apiVersion, kind: one.kind, metadata: { name: 'one' }, spec })
      }
      const errors = Object.keys(specs).map((kind) => `error ${kind}`)
      expect(await controllers()).toEqual(errors.toSorted())
      const wide = ['error ResourcePool', 'error GlobalCustomQuota']
      expect(await controllers('-n', namespace)).toEqual(errors.filter((one) => !wide.includes(one)).toSorted())
      for (const one of customResources) if (specs[one.kind] !== undefined) await world.delete(`${pathOf(one)}/one`)
    })

    test('finds custom quotas that nobody counts, and webhooks whose Service is not there', async () => {
      const { server, world } = suite
      await world.create('/api/v1/namespaces', { metadata: { name: 'orphaned', labels: { called: 'yes' } } })
      for (const { crd } of [customQuota, quantityLedger, resourcePoolClaim])
        await server.send('POST', DEFINITIONS, crd)
      const quotas = '/apis/capsule.clastix.io/v1beta2/namespaces/orphaned/customquotas'
      await server.until(quotas, ({ status }) => status === 200)
      await server.until('/apis/capsule.clastix.io/v1beta2/resourcepoolclaims', ({ status }) => status === 200)
      await world.create('/apis/apps/v1/namespaces/orphaned/deployments', {
        metadata: { name: 'allot', labels: POD_LABELS },
        spec: {
          replicas: 0,
          selector: { matchLabels: POD_LABELS },
          template: { metadata: { labels: POD_LABELS }, spec: { containers: [{ name: 'allot', image: 'i' }] } },
        },
      })
      await world.create(quotas, {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'CustomQuota',
        metadata: { name: 'unseen' },
        spec: { limit: '2', sources: [{ apiVersion: 'v1', kind: 'Secret', op: 'count' }] },
      })
      await world.create(CONFIGURATIONS, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'nobody-there' },
        webhooks: [
          {
            name: 'nobody.there.example',
            failurePolicy: 'Fail',
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
            clientConfig: { service: { namespace: 'orphaned', name: 'gone' } },
            rules: [{ apiGroups: ['sea.example'], apiVersions: ['*'], operations: ['CREATE'], resources: ['ships'] }],
          },
        ],
      })
      const head = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' }
      await world.create(CONFIGURATIONS, {
        ...head,
        metadata: { name: 'allot' },
        webhooks: [
          {
            name: 'claims.projectcapsule.dev',
            failurePolicy: 'Fail',
            sideEffects: 'None',
            timeoutSeconds: 1,
            admissionReviewVersions: ['v1'],
            clientConfig: { url: 'https://127.0.0.1:1/a-secret-key' },
            namespaceSelector: { matchLabels: { called: 'yes' } },
            rules: [
              {
                apiGroups: ['capsule.clastix.io'],
                apiVersions: ['*'],
                operations: ['CREATE'],
                resources: ['resourcepoolclaims'],
              },
            ],
          },
        ],
      })
      const { code, findings, stdout } = await eventually(
        () => diagnosed(server.kubeconfig, '-n', 'orphaned'),
        (one) => one.findings.some(({ part }) => part === 'probe'),
        { what: 'a webhook that does not answer' },
      )
      await world.delete(`${CONFIGURATIONS}/allot`)
      await world.delete(`${CONFIGURATIONS}/nobody-there`)
      expect(stdout).not.toContain('a-secret-key')
      expect(findings.filter(({ check }) => check === 'permission').map(about)).toEqual(['error Deployment allot'])
      expect(code).toBe(3)
      const said = findings.map((one) => `${about(one)}: ${one.text}`)
      expect(said).toContain(
        'note ValidatingWebhookConfiguration nobody-there nobody.there.example: webhook nobody.there.example cannot be reached: Service orphaned/gone does not exist',
      )
      expect(said.filter((one) => one.includes('CustomQuota unseen'))).toEqual([
        'error CustomQuota unseen: no controller has looked at it: nothing counts or refuses what it limits',
      ])
    })

    // The embedded server serves no aggregated APIs, and says nothing of their state.
    if (place === 0) return
    test('finds an API service that stalls the controllers of quotas', async () => {
      const { server } = suite
      const { status } = await server.send('POST', SERVICES, {
        apiVersion: 'apiregistration.k8s.io/v1',
        kind: 'APIService',
        metadata: { name: 'v1.gone.example' },
        spec: {
          group: 'gone.example',
          version: 'v1',
          service: { namespace: 'default', name: 'gone' },
          groupPriorityMinimum: 100,
          versionPriority: 100,
          insecureSkipTLSVerify: true,
        },
      })
      expect(status).toBe(201)
      try {
        const { findings } = await eventually(
          () => diagnosed(server.kubeconfig, '-n', 'orphaned'),
          (one) => one.findings.some(({ check }) => check === 'api'),
          { what: 'the broken API service' },
        )
        expect(findings.filter(({ check }) => check === 'api').map(about)).toEqual(['error APIService v1.gone.example'])
      } finally {
        // It keeps namespaces from being deleted.
        await server.send('DELETE', `${SERVICES}/v1.gone.example`)
      }
    })
  })

for (const { name, available, share } of operatedServers)
  describe.skipIf(!available)(`${name}: allot doctor beside an operator`, () => {
    const suite = forWorld(share, (server) => new QuotaWorld(server))

    test('finds nothing in quotas, pools and ledgers that are well', async () => {
      const { server, world } = suite
      await world.namespace('hale', 'hale')
      await world.create(POOLS, {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'ResourcePool',
        metadata: { name: 'hale' },
        spec: { selectors: [{ matchLabels: { pool: 'hale' } }], quota: { hard: { secrets: '30' } } },
      })
      await world.claim('hale', 'one', { secrets: '20' }, 'hale')
      await world.allocated('hale', 'one')
      await world.quota('hale', 'maps', { limit: '9', sources: [{ apiVersion: 'v1', kind: 'ConfigMap', op: 'count' }] })
      await world.create('/api/v1/namespaces/hale/configmaps', { metadata: { name: 'kept' }, data: { word: 'hush' } })
      const file = join(temporaryDirectory(), 'bundle.json')
      const { code, findings } = await eventually(
        () => diagnosed(server.kubeconfig, '-n', 'hale', '--support-bundle', file),
        ({ findings: found }) => found.length === 0,
        { what: 'a clean bill of health' },
      )
      expect([code, findings]).toEqual([0, []])
      const bundle = readFileSync(file, 'utf8')
      const read = JSON.parse(bundle) as { readonly pools: readonly object[]; readonly ledgers: readonly object[] }
      expect(read.ledgers.length).toBeGreaterThan(0)
      expect(bundle).not.toContain('caBundle')
      expect(bundle).not.toContain('hush')
      // The key of the webhooks is a part of their URL.
      const { items } = await world.read(CONFIGURATIONS)
      const urls = (
        items as readonly { readonly webhooks?: readonly { readonly clientConfig: { readonly url?: string } }[] }[]
      )
        .flatMap(({ webhooks = [] }) => webhooks)
        .flatMap(({ clientConfig: { url } }) => (url === undefined ? [] : [new URL(url).pathname]))
      for (const path of urls) expect(bundle).not.toContain(path)
      await world.delete(`${POOLS}/hale`)
    })
  })
