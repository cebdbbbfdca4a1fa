import { labelSelectorOf } from '../../kinds/rule/label-selector.ts'
import type {
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../builtin/admissionregistration-v1.ts'
import { objectsOf, textOf } from '../../machinery/read.ts'
import type { ConfigurationName, OperatorHook, OperatorHookRule } from './configuration.ts'

/** A webhook whose rules follow quotas. */
export type FollowingHook = Pick<OperatorHook, 'phase' | 'name' | 'path' | 'sideEffects'>

/**
 * Returns webhooks with the rules of a stored configuration that follow quotas. An earlier replica stored it. The path,
 * the address and the trusted authorities are the current ones. Each webhook has a name of its own.
 */
export function formerHooks(
  { metadata, webhooks }: MutatingWebhookConfiguration | ValidatingWebhookConfiguration,
  phase: OperatorHook['phase'],
  following: readonly FollowingHook[],
): readonly OperatorHook[] {
  const found = objectsOf(webhooks).flatMap((entry) => {
    const name = textOf(entry.name)
    const hook = following.find((one) => one.phase === phase && (name === one.name || name.endsWith(`.${one.name}`)))
    return hook === undefined ? [] : [{ ...hook, ...reviewed(entry) }]
  })
  const configuration = metadata.name as ConfigurationName
  const once = new Map(found.map((hook) => [JSON.stringify(hook), hook]))
  return [...once.values()].map((hook, index) => ({ ...hook, configuration, name: `former${index + 1}.${hook.name}` }))
}

type Reviewed = Pick<OperatorHook, 'rules' | 'namespaceSelector' | 'objectSelector' | 'conditions'>

function reviewed({ rules, namespaceSelector, objectSelector, matchConditions }: ValidatingWebhook): Reviewed {
  const [namespaces, objects] = [labelSelectorOf(namespaceSelector), labelSelectorOf(objectSelector)]
  return {
    rules: objectsOf(rules).map(({ apiGroups, apiVersions, resources, operations, scope }): OperatorHookRule => ({
      groups: texts(apiGroups),
      versions: texts(apiVersions),
      resources: texts(resources),
      operations: texts(operations) as OperatorHookRule['operations'],
      ...(scope === 'Cluster' || scope === 'Namespaced' ? { scope } : {}),
    })),
    ...(namespaces === undefined ? {} : { namespaceSelector: namespaces }),
    ...(objects === undefined ? {} : { objectSelector: objects }),
    ...(Array.isArray(matchConditions) ? { conditions: matchConditions } : {}),
  }
}

const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : [])
