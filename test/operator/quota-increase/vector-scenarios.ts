import { FILE_PROVIDER, MODE_LABEL } from '../../../src/systems/quota-increase/api/increase-names.ts'
import type { QuotaDefinition } from '../../../src/systems/quota-increase/api/quota-definition.ts'
import type { ResourceQuota } from '../../../src/kinds/resource-quota/resource-quota.ts'
import { generatedQuota } from '../../../src/systems/quota-increase/decide/generated-quota.ts'
import { planNamespace } from '../../../src/systems/quota-increase/decide/namespace-plan.ts'
import { FollowedDefinitions } from '../../../src/systems/quota-increase/operate/definitions-controller.ts'
import type { IncreaseCaches } from '../../../src/systems/quota-increase/operate/increase-caches.ts'
import { NamespaceQuotaController } from '../../../src/systems/quota-increase/operate/namespace-quota-controller.ts'
import type { NamespaceWriter } from '../../../src/systems/quota-increase/operate/namespace-quota-writer.ts'
import { Quantity } from '../../../src/quantity/quantity.ts'
import {
  type Case,
  definitionsOf,
  increaseOf,
  isIdle,
  planOf,
  stateOf,
} from '../../systems/quota-increase/increase-vectors.ts'
import { ManualClock } from '../../kube/manual-clock.ts'

const ALL = { quotas: [{ name: 'old-name', mode: 'maximum', template: { spec: { hard: { pods: '1' } } } }] }
const quotaNamed = (name: string, scopes?: readonly string[]): ResourceQuota => ({
  ...generatedQuota({
    definition: { ...definitionsOf(ALL).quotas[0], name } as QuotaDefinition,
    namespace: { name: 'n', uid: 'u' },
    hard: { pods: Quantity.of(1n) },
    provider: FILE_PROVIDER,
  }),
  status: { hard: { pods: '1' }, used: {} },
  ...(scopes === undefined ? {} : { spec: { hard: { pods: '1' }, scopes } }),
})

/** The steps of each scenario, in the terms of its expectation. */
export const SCENARIOS: Readonly<Record<string, (one: Case) => unknown>> = {
  'edge: terminating namespace is ignored': () => ({
    writes: isIdle(
      planNamespace({
        definitions: definitionsOf(ALL),
        provider: FILE_PROVIDER,
        namespace: { ...stateOf({}), deleting: true },
        quotas: [],
        increases: [increaseOf('a')],
        now: 0,
      }),
    )
      ? []
      : ['some'],
  }),
  'edge: v1.0: namespace annotated quota.openmcp.cloud/operation=ignore is filtered on namespace events only': ({
    namespace,
  }) => {
    const reconciles = !isIdle(planOf({ config: ALL, namespace } as Case))
    return {
      namespaceEventReconciles: reconciles,
      quotaIncreaseEventReconciles: reconciles,
      resourceQuotaDeleteEventReconciles: reconciles,
      configChangeReconciles: reconciles,
    }
  },
  'edge: v1.0: namespace annotated openmcp.cloud/operation=ignore is filtered likewise': ({ namespace }) => ({
    namespaceEventReconciles: !isIdle(planOf({ config: ALL, namespace } as Case)),
  }),
  'edge: renaming a definition leaves the old ResourceQuota behind (both enforced)': () => {
    const config = { quotas: [{ ...ALL.quotas[0], name: 'new-name' }] }
    const quotas = [quotaNamed('old-name'), quotaNamed('new-name')]
    const { orphans } = planNamespace({
      definitions: definitionsOf(config),
      provider: FILE_PROVIDER,
      namespace: stateOf({}),
      quotas,
      increases: [],
      now: 0,
    })
    const left = quotas.filter((quota) => !orphans.includes(quota)).map(({ metadata }) => metadata.name)
    return { resourceQuotaNamesAfter: left, cleanup: orphans.length > 0 }
  },
  'edge: namespace that stops matching keeps its ResourceQuota and labels': () => {
    const config = { quotas: [{ ...ALL.quotas[0], selector: { matchLabels: { a: 'b' } } }] }
    const labels = { 'quota.openmcp.cloud/base': 'old-name', [MODE_LABEL]: 'maximum' }
    const plan = planNamespace({
      definitions: definitionsOf(config),
      provider: FILE_PROVIDER,
      namespace: stateOf({ labels }),
      quotas: [quotaNamed('old-name')],
      increases: [],
      now: 0,
    })
    return { cleanup: plan.orphans.length > 0 && Object.keys(plan.release.labels).length === 2 }
  },
  'edge: changing spec.scopes in the template is rejected by kube-apiserver': () => {
    const plan = planNamespace({
      definitions: definitionsOf(ALL),
      provider: FILE_PROVIDER,
      namespace: stateOf({}),
      quotas: [quotaNamed('old-name', ['NotTerminating'])],
      increases: [],
      now: 0,
    })
    return plan.quota.kind === 'replace' ? { replaced: true } : { error: plan.quota.kind }
  },
  'edge: namespace not found is not an error': async () => {
    const writes: string[] = []
    const view = { onChange: () => () => undefined, get: () => undefined, list: () => [] }
    const controller = new NamespaceQuotaController({
      context: { clock: new ManualClock() },
      caches: { namespaces: view, increases: view, quotas: view, quotasIn: () => [] } as unknown as IncreaseCaches,
      followed: Object.assign(new FollowedDefinitions(), { current: definitionsOf(ALL) }),
      writer: { write: async (name: string) => void writes.push(name) } as unknown as NamespaceWriter,
      provider: FILE_PROVIDER,
      workers: 1,
    })
    const failed = controller.reconcile('gone', undefined, new AbortController().signal).then(
      () => null,
      (error: unknown) => error,
    )
    return { error: await failed, writes }
  },
}
