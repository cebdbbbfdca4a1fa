import type { Evaluator } from '../../../../charges/evaluator.ts'
import { podEvaluator } from '../../../../charges/evaluators/pod.ts'
import { type GroupResource, qualified } from '../../../../machinery/status.ts'
import type { OperatorHookRule } from '../../../../operator/webhook/configuration.ts'
import type { QuotaAsking } from '../../../counted/adapter.ts'
import type { TrackedResourceQuota } from './tracked-quota.ts'

/** Where API servers ask about objects that ResourceQuotas count. */
export const ENFORCEMENT_PATH = '/resourcequotas/enforcement/validating'
const HOOK = { phase: 'validating', name: 'resourcequota.validating.allot.dev', path: ENFORCEMENT_PATH } as const
const PODS = qualified(podEvaluator)

/** How API servers are asked for ResourceQuotas: about all that a quota counts, served or not. */
export function resourceQuotaAsking(): QuotaAsking<TrackedResourceQuota> {
  /** The versions in which resources were counted last: quotas that come and go change no rules. */
  const versions = new Map<string, string>()
  return {
    plural: 'ResourceQuotas',
    hookOf: (handle) => ({ ...HOOK, handle }),
    // A kind that is defined later is asked about from its first object on.
    asked: (quotas) => {
      const needed = new Map<string, { readonly evaluator: Evaluator; readonly namespaces: Set<string> }>()
      for (const tracked of quotas)
        for (const evaluator of tracked.evaluators) {
          const key = qualified(evaluator)
          const known = needed.get(key) ?? { evaluator, namespaces: new Set() }
          known.namespaces.add(tracked.namespace)
          needed.set(key, known)
          const version = tracked.target(evaluator)?.resource.version
          if (version !== undefined) versions.set(key, version)
        }
      return [...needed]
        .map(([key, { evaluator, namespaces }]) => ({ key, rules: rulesOf(evaluator, versions.get(key)), namespaces }))
        .toSorted((a, b) => (a.key < b.key ? -1 : 1))
    },
    askedFor: ({ evaluators, namespace }) => {
      const namespaces = new Set([namespace])
      return evaluators.map((evaluator) => [qualified(evaluator), namespaces] as const)
    },
  }
}

function rulesOf(evaluator: Evaluator, version: string | undefined): readonly OperatorHookRule[] {
  const { group, resource, isUniform } = evaluator
  const of = (...resources: string[]): Omit<OperatorHookRule, 'operations'> => ({
    groups: [group],
    resources,
    scope: 'Namespaced',
  })
  if (isUniform === true) return [{ ...of(resource), operations: ['CREATE'] }]
  // The cost of an object is read from it in the version that is counted.
  const read = version === undefined ? {} : { versions: [version] }
  return [
    { ...of(resource), ...read, operations: ['CREATE', 'UPDATE'] },
    ...(isPod(evaluator) ? [{ ...of(`${resource}/resize`), ...read, operations: ['UPDATE'] as const }] : []),
  ]
}

const isPod = (of: GroupResource): boolean => qualified(of) === PODS
