import {
  FILE_PROVIDER,
  OPENMCP_GROUP,
  OPENMCP_VERSION,
} from '../../../src/systems/quota-increase/api/increase-names.ts'
import { type QuotaIncrease, quotaIncrease } from '../../../src/systems/quota-increase/api/quota-increase.ts'
import type { ResourceQuota } from '../../../src/kinds/resource-quota/resource-quota.ts'
import type { QuotaDefinitions } from '../../../src/systems/quota-increase/decide/definitions.ts'
import {
  type NamespacePlan,
  type NamespaceState,
  planNamespace,
} from '../../../src/systems/quota-increase/decide/namespace-plan.ts'
import { readDefinitionsFile } from '../../../src/systems/quota-increase/decide/read-definitions.ts'
import { sentence } from '../../../src/machinery/field-error.ts'
import type { KubeObject } from '../../../src/machinery/object.ts'
import type { LabelSelector } from '../../../src/machinery/selector/label.ts'

interface ExpectedIncrease {
  readonly deleted: boolean
  readonly annotationsAdded?: Readonly<Record<string, string>>
  readonly labelsAdded?: Readonly<Record<string, string>>
}

/** One case of `increases.json`. */
export interface Case {
  readonly name: string
  readonly kind: string
  readonly applies_to?: readonly string[]
  readonly config?: unknown
  readonly namespace?: {
    readonly name?: string
    readonly labels?: Record<string, string>
    readonly annotations?: Record<string, string>
  }
  readonly reconciledBy?: string
  readonly responsibleDefinition?: string
  readonly increases?: readonly { readonly name: string; readonly hard?: Record<string, string | number> }[]
  readonly selector?: LabelSelector | null
  readonly namespaceLabels?: Record<string, string>
  readonly path?: string
  readonly text?: string
  readonly text_as_object?: unknown
  readonly object?: KubeObject
  readonly hard?: Record<string, string>
  readonly cases?: readonly Readonly<Record<string, string | number>>[]
  readonly expected: Readonly<Record<string, unknown>> & {
    readonly resourceQuota?: ResourceQuota
    readonly namespaceLabelsAfter?: Record<string, string>
    readonly increases?: Readonly<Record<string, ExpectedIncrease>>
    readonly errors?: readonly { readonly field: string; readonly message: string; readonly type: string }[]
    readonly aggregate?: string
  }
}

export function definitionsOf(config: unknown): QuotaDefinitions {
  const read = readDefinitionsFile(config)
  if (read.errors !== undefined) throw new Error(read.errors.map(sentence).join(', '))
  return read.definitions
}

export const stateOf = ({
  name = 'n',
  labels = {},
  annotations = {},
}: NonNullable<Case['namespace']>): NamespaceState => ({
  name,
  uid: 'u',
  labels,
  annotations,
  deleting: false,
})

export const increaseOf = (name: string, hard: Record<string, string | number> = {}): QuotaIncrease =>
  quotaIncrease.read({
    apiVersion: `${OPENMCP_GROUP}/${OPENMCP_VERSION}`,
    kind: 'QuotaIncrease',
    metadata: { name, uid: name },
    spec: { hard },
  })

export function planOf(
  { config, namespace = {}, increases = [] }: Case,
  provider: string = FILE_PROVIDER,
): NamespacePlan {
  return planNamespace({
    definitions: definitionsOf(config),
    provider,
    namespace: stateOf(namespace),
    quotas: [],
    increases: increases.map(({ name, hard }) => increaseOf(name, hard)),
    now: 0,
  })
}

export const isIdle = ({ take, quota, standing, increases, deletions, orphans, release }: NamespacePlan): boolean =>
  quota.kind === 'none' &&
  [take, standing, release].every((change) => Object.values(change).every((part) => Object.keys(part).length === 0)) &&
  increases.length + deletions.length + orphans.length === 0
