import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { rbacObjects } from '../../src/install/rbac/rbac-objects.ts'
import { EXHAUSTION_METRICS } from '../../src/insight/history/exhaustion-metrics.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
import { CUSTOM_QUOTA_METRICS } from '../../src/systems/custom-quota/decide/quota-metrics.ts'
import { INCREASE_METRICS } from '../../src/systems/quota-increase/decide/increase-metrics.ts'
import { CLAIM_METRICS, POOL_METRICS } from '../../src/systems/resource-pool/decide/pool-metrics.ts'
import { ROOT } from './document-shell.ts'

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

/** The manifests of the roles, as the page shows them. */
const manifests = /^```yaml\n(apiVersion: rbac[^]*?)^```$/m.exec(read('docs/reference/allot-run.md'))?.[1] ?? ''

const unlabelled = ({ name, namespace }: KubeObject['metadata']) => ({
  name,
  ...(namespace === undefined ? {} : { namespace }),
})

describe('the reference of the operator', () => {
  test('the roles that the reference shows are those that an installation brings', () => {
    const objects = rbacObjects({
      namespace: 'allot-system',
      serviceAccount: 'allot',
      tenantsMayCreate: { claims: false, increases: false, customQuotas: false },
      features: ['base-quotas', 'enforce-resourcequota', 'metrics-auth', 'refusal-events', 'exempt-labels'],
    })
    const people = new Set(['allot-tenant-view', 'allot-platform-admin', 'allot-viewer'])
    const roles = objects.filter(({ kind, metadata }) => kind.endsWith('Role') && !people.has(metadata.name ?? ''))
    const shown = parseAllDocuments(manifests).map((document) => document.toJS() as unknown)
    // The page leaves out the labels.
    expect(shown).toEqual(roles.map(({ metadata, ...role }) => ({ ...role, metadata: unlabelled(metadata) })))
  })

  test('the reference names every metric of pools and claims, with its labels', () => {
    const rows = read('docs/reference/metrics.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    const missing = Object.entries({
      ...POOL_METRICS,
      ...CLAIM_METRICS,
      ...CUSTOM_QUOTA_METRICS,
      ...INCREASE_METRICS,
      ...EXHAUSTION_METRICS,
    }).filter(([name, { labels }]) => {
      const row = rows.find((line) => line.includes(`\`${name}\``)) ?? ''
      return !labels.every((label) => row.includes(`\`${label}\``))
    })
    expect(missing).toEqual([])
  })
})
