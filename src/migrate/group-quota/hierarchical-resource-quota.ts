import type { KubeObject } from '../../machinery/object.ts'
import { objectOf } from '../../machinery/read.ts'
import { isValidLabelKey } from '../../machinery/names.ts'
import { amountTexts } from '../amount-texts.ts'
import type { GroupQuota, Shortfall } from './group-quota.ts'

/** On each namespace of a subtree, by HNC: how deep below the root of the subtree it is. */
const DEPTH = '.tree.hnc.x-k8s.io/depth'

export const isHierarchicalResourceQuota = ({ apiVersion, kind }: KubeObject): boolean =>
  apiVersion === 'hnc.x-k8s.io/v1alpha2' && kind === 'HierarchicalResourceQuota'

/** Reads a HierarchicalResourceQuota of HNC. */
export function readHierarchicalResourceQuota(
  object: KubeObject,
): GroupQuota | { readonly shortfalls: readonly Shortfall[] } {
  const { name = '', namespace = '' } = object.metadata
  const title = `HierarchicalResourceQuota ${namespace}/${name}`
  const key = `${namespace}${DEPTH}`
  if (namespace === '' || isValidLabelKey(key).length > 0)
    return {
      shortfalls: [
        { quota: title, effect: 'NotCarriedOver', text: 'metadata.namespace, the root of its subtree, is missing' },
      ],
    }
  return {
    title,
    origin: { kind: 'hrq', path: [namespace, name] },
    quota: { hard: amountTexts(objectOf(objectOf(object.spec)['hard'])) },
    namespaces: { matchExpressions: [{ key, operator: 'Exists' }] },
    shortfalls: [],
  }
}
