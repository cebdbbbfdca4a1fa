import type { KubeObject } from '../../machinery/object.ts'
import { validateObjectMeta } from '../../machinery/object-meta.ts'
import { sentence } from '../../machinery/field-error.ts'
import { ApiError, qualified } from '../../machinery/status.ts'
import { customResources } from '../../systems/custom-resources.ts'
import { type KnownKind, nameRuleOf, strategyOf } from './admission.ts'
import { schemaRules } from './custom-kind.ts'

const CUSTOM = new Map(customResources.map((kind) => [qualified(kind), kind]))

/** Why an API server would not have an object of files. One with a resourceVersion comes from an API server, which has looked at the fields itself. */
export function givenProblem(
  kind: KnownKind,
  object: KubeObject,
  decodeStrictly: (object: KubeObject) => KubeObject,
): string | undefined {
  try {
    const decoded = decodeStrictly(object)
    if (object.metadata.resourceVersion !== undefined) return undefined
    const custom = CUSTOM.get(qualified(kind))
    if (custom !== undefined) {
      const schema = schemaRules(custom)
      schema.check(schema.withDefaults(decoded), undefined)
    }
    const strategy = strategyOf(kind) ?? {}
    const { creationTimestamp = '2026-01-01T00:00:00Z', uid = 'uid', ...metadata } = decoded.metadata
    const named = { ...decoded, metadata: { ...metadata, creationTimestamp, uid } }
    const defaulted = strategy.defaults?.(named) ?? named
    const created = strategy.prepareForCreate?.(defaulted, { now: creationTimestamp }) ?? defaulted
    const rules = { namespaced: kind.namespaced, nameRule: nameRuleOf(strategy) }
    const errors = [...validateObjectMeta(created.metadata, rules), ...(strategy.validate?.(created) ?? [])]
    return errors.length === 0 ? undefined : errors.map(sentence).join('; ')
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return error.message
  }
}
