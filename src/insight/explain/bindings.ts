import { podEvaluator } from '../../charges/evaluators/pod.ts'
import { podTemplateOf } from '../../kinds/apps/pod-template.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { numberOf, objectOf, objectsOf, textAt, valueAt } from '../../machinery/read.ts'
import { qualified } from '../../machinery/status.ts'
import { formatResourceList } from '../../quantity/resource-list.ts'
import { RESOURCE_BINDINGS } from '../../systems/karmada-quota/api/names.ts'
import { isUnplaced } from '../../systems/karmada-quota/decide/binding-placement.ts'
import type { Demand } from './demanded.ts'
import type { Facts } from './facts.ts'
import { workloadKind } from './workload-kinds.ts'

/** Marks that Karmada puts on an object that a policy of its propagates. */
const POLICY = /^(?:cluster)?propagationpolicy\.karmada\.io\//

/** On every object that Karmada keeps in a member cluster. */
const MANAGED = 'karmada.io/managed'

/** Is it a ResourceBinding of Karmada? */
export const isBinding = ({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean =>
  kind === RESOURCE_BINDINGS.kind && apiVersion.startsWith(`${RESOURCE_BINDINGS.group}/`)

/**
 * Returns the work that Karmada has left for a workload or a binding. Each binding needs clusters, and a workload that
 * a policy propagates needs a binding. Undefined for objects that Karmada does not propagate, whose pods run in this
 * cluster.
 */
export function bindingDemands(object: KubeObject, facts: Facts): readonly Demand[] | undefined {
  if (isBinding(object)) return [placing(object, undefined)]
  const all = facts.objects.get(qualified(RESOURCE_BINDINGS))
  const { labels = {}, annotations = {} } = object.metadata
  // Karmada copies its marks to the clusters where pods do run.
  if (all === undefined || labels[MANAGED] !== undefined) return undefined
  const bindings = all.filter((one) => propagates(one, object))
  if (bindings.length > 0) return bindings.map((one) => placing(one, object))
  const isPropagated = [...Object.keys(labels), ...Object.keys(annotations)].some((name) => POLICY.test(name))
  return isPropagated ? [binding(object, facts)] : undefined
}

/** Of a binding that the scheduler could not place, the quotas count what runs: next they count all of it. */
function placing(stored: KubeObject, maker: KubeObject | undefined): Demand {
  const { status: _before, ...next } = stored
  const demand = { next, resource: RESOURCE_BINDINGS, maker, refusal: undefined, wanted: 1 }
  return isUnplaced(stored) || isNowhere(stored)
    ? { ...demand, existing: 0, replaces: stored }
    : { ...demand, existing: 1 }
}

/** Has nobody given it clusters? Karmada does not say so of an object that asks for nothing, or that its scheduler has not looked at. */
const isNowhere = (stored: KubeObject): boolean => objectsOf(valueAt(stored, 'spec', 'clusters')).length === 0

function propagates(one: KubeObject, { apiVersion, kind, metadata }: KubeObject): boolean {
  const [version, of, name] = ['apiVersion', 'kind', 'name'].map((field) => textAt(one, 'spec', 'resource', field))
  return version === apiVersion && of === kind && name === metadata.name
}

/** The pod that Karmada sees in a workload: it asks for the pods of an object itself, and knows those of no CronJob. */
export function declaredPod(workload: KubeObject, namespace: string): KubeObject {
  const makes = workloadKind(workload)?.makes
  const template = makes === undefined ? workload : makes === 'Job' ? {} : podTemplateOf(workload)
  return { apiVersion: 'v1', kind: 'Pod', metadata: { namespace }, spec: objectOf(template['spec']) }
}

/** The requests of a pod as a binding declares them. Throws QuantityError. */
export const declaredRequests = (pod: KubeObject, now: number): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(formatResourceList(podEvaluator.usage(pod, { now })))
      .filter(([name]) => name.startsWith('requests.'))
      .map(([name, amount]) => [name.slice('requests.'.length), amount] as const),
  )

/** The binding that Karmada makes for a workload. */
function binding(workload: KubeObject, { namespace, now }: Facts): Demand {
  const { apiVersion, kind, metadata } = workload
  const pod = declaredPod(workload, namespace)
  const name = metadata.name ?? ''
  const next: KubeObject = {
    apiVersion: `${RESOURCE_BINDINGS.group}/${RESOURCE_BINDINGS.version}`,
    kind: RESOURCE_BINDINGS.kind,
    metadata: { name: `${name}-${kind.toLowerCase()}`, namespace },
    spec: {
      resource: { apiVersion, kind, namespace, name },
      replicas: numberOf(valueAt(workload, 'spec', 'replicas')) ?? 1,
      replicaRequirements: { resourceRequest: declaredRequests(pod, now) },
    },
  }
  return { next, resource: RESOURCE_BINDINGS, wanted: 1, existing: 0, maker: workload, refusal: undefined }
}
