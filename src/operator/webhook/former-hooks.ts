import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import type { ConfigurationName, OperatorHook, OperatorHookRule } from './webhook-configuration.ts'

/** A webhook whose rules follow quotas. */
export type FollowingHook = Pick<OperatorHook, 'phase' | 'name' | 'path' | 'sideEffects'>

/**
 * Returns webhooks that ask about all that those of a stored configuration ask about, as far as their rules follow quotas. An earlier replica
 * stored it; the path, the address and the trusted authorities are those of today. Each stands once, under a name of its own.
 */
export function formerHooks(
  { metadata, webhooks }: KubeObject,
  phase: OperatorHook['phase'],
  following: readonly FollowingHook[],
): readonly OperatorHook[] {
  const stored = Array.isArray(webhooks) ? webhooks.filter(isObject) : []
  const found = stored.flatMap((entry) => {
    const name = String(entry['name'])
    const hook = following.find((one) => one.phase === phase && (name === one.name || name.endsWith(`.${one.name}`)))
    return hook === undefined ? [] : [{ ...hook, ...reviewed(entry) }]
  })
  const configuration = metadata.name as ConfigurationName
  const once = new Map(found.map((hook) => [JSON.stringify(hook), hook]))
  return [...once.values()].map((hook, index) => ({ ...hook, configuration, name: `former${index + 1}.${hook.name}` }))
}

type Reviewed = Pick<OperatorHook, 'rules' | 'namespaceSelector' | 'objectSelector' | 'conditions'>

function reviewed({ rules, namespaceSelector, objectSelector, matchConditions }: JsonObject): Reviewed {
  return {
    rules: (Array.isArray(rules) ? rules : [])
      .filter(isObject)
      .map(({ apiGroups, apiVersions, resources, operations, scope }): OperatorHookRule => ({
        groups: texts(apiGroups),
        versions: texts(apiVersions),
        resources: texts(resources),
        operations: texts(operations) as OperatorHookRule['operations'],
        ...(scope === 'Cluster' || scope === 'Namespaced' ? { scope } : {}),
      })),
    ...(isObject(namespaceSelector) ? { namespaceSelector } : {}),
    ...(isObject(objectSelector) ? { objectSelector } : {}),
    ...(Array.isArray(matchConditions) ? { conditions: matchConditions } : {}),
  }
}

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
