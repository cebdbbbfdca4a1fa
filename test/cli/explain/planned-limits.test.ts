// Covers src/insight/simulate/simulated-limits.ts
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Explanation } from '../../../src/insight/explain/explanation.ts'
import { eventually } from '../../eventually.ts'
import { runInProcess } from '../../migrate/run-in-process.ts'
import { QuotaWorld } from '../../operator/custom-quota/quota-world.ts'
import { KarmadaWorld } from '../../operator/karmada-quota/karmada-world.ts'
import { forWorld, operatedServers } from '../../operator/operated.ts'
import { podsIn } from '../../operator/pool-objects.ts'
import { temporaryDirectory } from '../../start-allot.ts'
import { isExplanation } from './asked-explanation.ts'
import { deployment } from './stuck-workloads.ts'

const CAPSULE = 'capsule.clastix.io/v1beta2'
const INCREASES = 'openmcp.cloud/v1alpha1'
const POD = { apiVersion: 'v1', kind: 'Pod', op: 'count' }
const BINDING = {
  apiVersion: 'work.karmada.io/v1alpha2',
  kind: 'ResourceBinding',
  metadata: { name: 'web' },
  spec: { resource: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, replicas: 3, replicaRequirements: {} },
}
const WORKLOAD = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  ...deployment('web', 3, [{ name: 'web', image: 'i' }]).object,
}

interface Case {
  readonly title: string
  /** Of the namespace, which has one pod and so has another one with its label. */
  readonly limits: (namespace: string) => readonly object[]
  readonly wanted?: object
  readonly cause: string
}

const CASES: readonly Case[] = [
  {
    title: 'each of two quotas that get their names from the API server',
    limits: () =>
      [{ pods: '2' }, { secrets: '90' }].map((hard) => ({
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { generateName: 'more-' },
        spec: { hard },
      })),
    cause: 'quota more-2: pods 1 of 2 used, 3 more requested',
  },
  {
    title: 'a custom quota',
    limits: () => [
      { apiVersion: CAPSULE, kind: 'CustomQuota', metadata: { name: 'crew' }, spec: { limit: '3', sources: [POD] } },
    ],
    cause: 'CustomQuota crew: 1 of 3 used, 3 more requested',
  },
  {
    title: 'a global custom quota, which other namespaces hold, too',
    limits: (namespace) => [
      {
        apiVersion: CAPSULE,
        kind: 'GlobalCustomQuota',
        metadata: { name: namespace },
        spec: { limit: '4', sources: [POD], namespaceSelectors: [{ matchLabels: { planned: namespace } }] },
      },
    ],
    cause: 'GlobalCustomQuota NS: 2 of 4 used, 3 more requested',
  },
  {
    title: 'a pool with a claim',
    limits: (namespace) => [
      {
        apiVersion: CAPSULE,
        kind: 'ResourcePool',
        metadata: { name: namespace },
        spec: { selectors: [{ matchLabels: { planned: namespace } }], quota: { hard: { pods: '9' } } },
      },
      {
        apiVersion: CAPSULE,
        kind: 'ResourcePoolClaim',
        metadata: { name: 'few' },
        spec: { pool: namespace, claim: { pods: '2' } },
      },
    ],
    cause: 'quota capsule-pool-NS: pods 1 of 2 used, 3 more requested',
  },
  {
    title: 'a base quota with an increase',
    limits: (namespace) => [
      {
        apiVersion: INCREASES,
        kind: 'QuotaServiceConfig',
        metadata: { name: namespace },
        spec: {
          quotas: [
            {
              name: 'base',
              selector: { matchLabels: { planned: namespace } },
              mode: 'cumulative',
              template: { spec: { hard: { pods: '1' } } },
            },
          ],
        },
      },
      { apiVersion: INCREASES, kind: 'QuotaIncrease', metadata: { name: 'more' }, spec: { hard: { pods: '2' } } },
    ],
    cause: 'quota base: pods 1 of 3 used, 3 more requested',
  },
  {
    title: 'a KarmadaQuota',
    limits: () => [
      {
        apiVersion: 'quota.karmada.io/v1alpha1',
        kind: 'KarmadaQuota',
        metadata: { name: 'fleet' },
        spec: { hard: { pods: '2' } },
      },
    ],
    wanted: BINDING,
    cause: 'KarmadaQuota fleet: pods 0 of 2 used, 3 more requested',
  },
]

for (const [place, { name, available, share }] of operatedServers.entries())
  describe.skipIf(!available)(`${name}: explain -f with limits among the manifests`, () => {
    const suite = forWorld(share, async (server) => {
      await new KarmadaWorld(server).define()
      return new QuotaWorld(server)
    })

    for (const [index, { title, limits, wanted = WORKLOAD, cause }] of CASES.entries())
      test(`${title} among manifests counts what is there, and is said to be of a manifest`, async () => {
        const { server, world } = suite
        const namespace = `planned-${place}-${index}`
        for (const one of [namespace, `${namespace}-other`]) {
          await world.create('/api/v1/namespaces', { metadata: { name: one, labels: { planned: namespace } } })
          await eventually(
            () =>
              server.send('POST', podsIn(one), {
                metadata: { name: 'there' },
                spec: { containers: [{ name: 'c', image: 'i' }] },
              }),
            ({ status }) => status === 201,
            { what: 'a pod' },
          )
        }
        const file = join(temporaryDirectory(), 'planned.json')
        writeFileSync(file, [wanted, ...limits(namespace)].map((one) => JSON.stringify(one)).join('\n---\n'))
        const asked = ['explain', '-n', namespace, '-f', file]
        const { code, stdout, stderr } = await runInProcess(server.kubeconfig, ...asked, '-o', 'json')
        expect([code, stderr]).toEqual([3, ''])
        expect([isExplanation(JSON.parse(stdout)), isExplanation.errors]).toEqual([true, null])
        const [{ causes, budgets, remedies } = { causes: [], budgets: [], remedies: [] }] = JSON.parse(
          stdout,
        ) as readonly Explanation[]
        const expected = cause.replace('NS', namespace)
        expect(causes.map(({ text, planned }) => [text, planned])).toEqual([[expected, true]])
        expect(
          budgets.filter(({ counts, fits }) => counts && fits !== undefined).map(({ planned }) => planned),
        ).toEqual([true])
        // What is not there yet cannot be patched.
        expect(remedies.filter(({ type, command }) => type === 'raise' && command !== undefined)).toEqual([])
        const { stdout: text } = await runInProcess(server.kubeconfig, ...asked)
        expect(text).toContain(`  ${expected} (of a manifest)\n`)
      })
  })
