import type { OmitsEmpty } from '../../schema/type/compile.ts'
import type { ProtobufData, Rule } from './data.ts'

/** To send an empty list of these asks to forget them all. */
const RESET = 'managedFields'

/**
 * Returns the fields that the JSON of built-in kinds omits when they are empty: scalars by the data, lists and maps if
 * they are optional.
 */
export function omittedFields({ messages }: ProtobufData): OmitsEmpty {
  const ruleOf = (message: string, field: string): Rule | undefined => {
    const facts = messages[message] ?? {}
    const found = facts[field]?.[2]
    if (found !== undefined) return found
    for (const [, type, rule] of Object.values(facts)) {
      const inlined = rule === 'inline' ? ruleOf(type, field) : undefined
      if (inlined !== undefined) return inlined
    }
    return undefined
  }
  return (definition, field, required) => {
    if (field === RESET) return false
    const rule = ruleOf(definition, field)
    return rule === 'omitempty' || ((rule === 'repeated' || rule === 'map') && !required)
  }
}
