import type { ResourceQuotaSpec, ScopeRequirement } from '../../kinds/resource-quota/resource-quota.ts'
import { isValidLabelKey, isValidLabelValue } from '../../machinery/names.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { listOf, objectOf, objectsOf, textEntries, textOf, textsOf, valueAt } from '../../machinery/read.ts'
import type { LabelSelector } from '../../machinery/selector/label.ts'
import { amountTexts } from '../amount-texts.ts'
import type { GroupQuota, Shortfall } from './group-quota.ts'

const MOST_NAMED = 20

export const isClusterResourceQuota = ({ apiVersion, kind }: KubeObject): boolean =>
  apiVersion === 'quota.openshift.io/v1' && kind === 'ClusterResourceQuota'

/** Reads a ClusterResourceQuota of OpenShift. Undefined, with the reason, for one that selects nothing that custom quotas can select. */
export function readClusterResourceQuota(
  object: KubeObject,
): GroupQuota | { readonly shortfalls: readonly Shortfall[] } {
  const name = object.metadata.name ?? ''
  const title = `ClusterResourceQuota ${name}`
  const selector = objectOf(objectOf(object.spec)['selector'])
  const labels = objectOf(selector['labels'])
  const annotations = textEntries(selector['annotations'])
  const lost = (text: string) => ({ shortfalls: [{ quota: title, effect: 'NotCarriedOver' as const, text }] })
  const unusable = annotations.find(
    ([key, value]) => isValidLabelKey(key).length > 0 || isValidLabelValue(value).length > 0,
  )
  if (unusable !== undefined)
    return lost(
      `namespaces are selected by labels only, and the annotation ${unusable[0]}=${unusable[1]} cannot be a label; give the namespaces a label and select that`,
    )
  const namespaces = selectorOf(labels, annotations)
  if (Object.keys(namespaces).length === 0) return lost('it selects no namespaces')
  return {
    title,
    origin: { kind: 'crq', path: [name] },
    quota: quotaSpecOf(objectOf(objectOf(object.spec)['quota'])),
    namespaces,
    shortfalls: annotations.length === 0 ? [] : [labelling(title, annotations, object)],
  }
}

function selectorOf(labels: JsonObject, annotations: readonly (readonly [string, string])[]): LabelSelector {
  const matchLabels = textEntries(labels['matchLabels'])
  const matchExpressions = objectsOf(labels['matchExpressions']).map((one) => ({
    key: textOf(one['key']),
    operator: textOf(one['operator']),
    ...(listOf(one['values']).length === 0 ? {} : { values: textsOf(one['values']) }),
  }))
  // A label that an annotation asks for otherwise is a requirement of its own, so that both hold.
  const given = new Map(matchLabels)
  const more = annotations.filter(([key]) => given.has(key))
  const all = { ...Object.fromEntries(annotations), ...Object.fromEntries(matchLabels) }
  const expressions = [...matchExpressions, ...more.map(([key, value]) => ({ key, operator: 'In', values: [value] }))]
  return {
    ...(Object.keys(all).length === 0 ? {} : { matchLabels: all }),
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions }),
  }
}

/** Annotations cannot select for a custom quota: the same label must stand beside each. */
function labelling(quota: string, annotations: readonly (readonly [string, string])[], object: KubeObject): Shortfall {
  const pairs = annotations.map(([key, value]) => `${key}=${value}`).join(' ')
  const names = objectsOf(valueAt(object, 'status', 'namespaces')).map((one) => textOf(one['namespace']))
  const named = names.length === 0 || names.length > MOST_NAMED ? '<namespaces>' : names.join(' ')
  return {
    quota,
    effect: 'ToDo',
    text: `custom quotas select namespaces by labels, not by annotations, so nothing is counted before the namespaces have them: kubectl label namespace ${named} ${pairs}`,
  }
}

function quotaSpecOf(quota: JsonObject): ResourceQuotaSpec {
  const matchExpressions = objectsOf(valueAt(quota, 'scopeSelector', 'matchExpressions')).map(
    (one): ScopeRequirement => ({
      scopeName: textOf(one['scopeName']),
      operator: textOf(one['operator']),
      values: textsOf(one['values']),
    }),
  )
  return {
    hard: amountTexts(objectOf(quota['hard'])),
    scopes: textsOf(quota['scopes']),
    scopeSelector: { matchExpressions },
  }
}
