import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { rbacObjects } from '../../src/install/rbac/objects.ts'
import type { KubeObject } from '../../src/machinery/object.ts'
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
})
