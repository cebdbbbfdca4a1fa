// Covers persistent-volume-claim.ts with ../decide.ts, by the vectors.
import { expect } from 'vitest'
import { eachCase, vectors } from '../../../test/load-vectors.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { formatResourceList } from '../../quantity/resource-list.ts'
import { decide } from '../decide.ts'
import { quotaBudget } from '../../systems/resource-quota/decide/quota-budget.ts'
import { QUOTA_EVALUATORS } from './table.ts'

const FILE = 'kubernetes/pvc-usage.json'

interface Case {
  readonly name: string
  readonly quotas: readonly string[]
  readonly eachQuota: { readonly hard: Record<string, string>; readonly used: Record<string, string> }
  readonly claimRequest: string
  readonly subresource: string
  readonly old: Record<string, string | null>
  readonly new: Record<string, string | null>
  readonly usedAfter: Record<string, Record<string, string>>
}

/** Builds a claim from the dotted paths that a case gives. */
function claim(storage: string, paths: Record<string, string | null>): KubeObject {
  const set = (path: string): JsonObject => (paths[path] === null ? {} : { [path.split('.').at(-1)!]: paths[path] })
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'v', namespace: 'ns', resourceVersion: '1' },
    spec: { resources: { requests: { storage } }, ...set('spec.volumeAttributesClassName') },
    status: {
      ...set('status.currentVolumeAttributesClassName'),
      modifyVolumeStatus: set('status.modifyVolumeStatus.targetVolumeAttributesClassName'),
    },
  }
}

eachCase(
  `${FILE}#vacAdmission`,
  vectors<{ vacAdmission: Case[] }>(FILE).vacAdmission,
  (value) => value.name,
  (value) => {
    const overfull = value.name.includes('exceeds')
    const budgets = value.quotas.map((name) =>
      quotaBudget(
        {
          apiVersion: 'v1',
          kind: 'ResourceQuota',
          metadata: { name, namespace: 'ns' },
          spec: {
            scopeSelector: {
              matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: [name] }],
            },
          },
          status: overfull
            ? { ...value.eachQuota, hard: { persistentvolumeclaims: '1', 'requests.storage': '10Gi' } }
            : value.eachQuota,
        },
        QUOTA_EVALUATORS,
      ),
    )
    const decision = decide({
      budgets,
      attributes: {
        group: '',
        resource: 'persistentvolumeclaims',
        subresource: value.subresource,
        operation: 'UPDATE',
        name: 'v',
        namespace: 'ns',
        object: claim(value.claimRequest, value.new),
        oldObject: claim(value.claimRequest, value.old),
        dryRun: false,
      },
      now: 0,
    })
    expect(decision.verdict).toBe('admitted')
    const charges = decision.verdict === 'admitted' ? decision.charges : []
    expect(Object.fromEntries(charges.map(({ budget, used }) => [budget.name, formatResourceList(used)]))).toEqual(
      value.usedAfter,
    )
  },
)
