import type { FieldError } from '../machinery/field-error.ts'
import { duplicate, forbidden, invalid, required } from '../machinery/field-error.ts'
import type { CelActivation } from './program.ts'
import { PER_CALL_LIMIT } from './program.ts'
import type { CompiledRule, ValidationRule } from './validation-rule.ts'

/** The most that all rules may cost for one object. */
export const OBJECT_BUDGET = 10_000_000

/**
 * The most work of all rules for one object, in units of `Run.work`. It bounds work that Kubernetes counts for little
 * or nothing, such as joining, flattening and comparing lists of any length. This much takes about a second.
 */
export const OBJECT_WORK = 20_000_000

/** One value whose rules are to be evaluated. */
export interface RuledValue {
  readonly rules: readonly CompiledRule[]
  /** Not null. */
  readonly value: unknown
  /** The value before; `undefined` where there is none to compare with. */
  readonly old: unknown
  /** Of the value: `spec.replicas`, or `<nil>` for the whole object. */
  readonly path: string
  /** The path below the value that a rule's `fieldPath` names, such as `spec.replicas`; `undefined` for none. */
  readonly pathOf: (rule: ValidationRule) => string | undefined
  /** The type that the schema names: `object`, `string`, … */
  readonly type: string
  /** Is the value as it was before? Then only transition rules fail, the others warn. */
  readonly isUnchanged: () => boolean
  /** The rest of `OBJECT_BUDGET`. */
  readonly budget: number
  /** The rest of `OBJECT_WORK`. */
  readonly work: number
}

export interface RulesOutcome {
  readonly errors: readonly FieldError[]
  /** The complaints that would have been errors if the value had changed. */
  readonly warnings: readonly FieldError[]
  /** The rest of the budget; -1 when no more rules may be evaluated for this object. */
  readonly budget: number
  /** The rest of the work. */
  readonly work: number
}

const EXHAUSTED = 'validation failed due to running out of cost budget, no further validation rules will be run'

/** Evaluates the rules of one value, in order. The messages are those of Kubernetes' CRD validation. */
export function evaluateRules(place: RuledValue): RulesOutcome {
  const errors: FieldError[] = []
  const warnings: FieldError[] = []
  let { budget, work } = place
  const stop = (error: FieldError): RulesOutcome => ({ errors: [...errors, error], warnings, budget: -1, work })
  if (place.rules.length > 0 && budget <= 0) return stop(invalid(place.path, place.type, EXHAUSTED))
  for (const compiled of place.rules) {
    const { rule, program, error } = compiled
    if (error !== undefined) errors.push(invalid(place.path, place.type, `rule compile error: ${error}`))
    if (program === undefined) continue
    if (compiled.isTransition && place.old === undefined && rule.optionalOldSelf !== true) continue
    const activation: CelActivation = { self: place.value, oldSelf: place.old }
    const { cost, work: done, result } = program.run(activation, { maxCost: PER_CALL_LIMIT, maxWork: work })
    work -= done
    if (cost > budget || work < 0) return stop(invalid(place.path, place.type, EXHAUSTED))
    budget -= cost
    if ('error' in result) {
      if (result.error.cancelled) {
        const why = 'no further validation rules will be run due to call cost exceeds limit for rule'
        return stop(invalid(place.path, place.type, `'${result.error.message}': ${why}: ${ruleText(rule)}`))
      }
      errors.push(invalid(place.path, place.type, runtimeDetail(result.error.message, rule)))
      continue
    }
    if (result.value === true) continue
    const message = evaluateMessage(compiled, activation, { budget, work })
    ;({ budget, work } = message)
    const failure = failureOf(place, rule, message)
    const isWarning = !compiled.isTransition && place.isUnchanged()
    if (isWarning) warnings.push(failure)
    else errors.push(failure)
    if (budget < 0) return { errors, warnings, budget, work }
  }
  return { errors, warnings, budget, work }
}

const ruleText = (rule: ValidationRule): string => (rule.message === '' ? rule.rule : rule.message).trim()

function runtimeDetail(message: string, rule: ValidationRule): string {
  if (!message.startsWith('no such overload')) return `${message} evaluating rule: ${ruleText(rule)}`
  const why = 'call arguments did not match a supported operator, function or macro signature for rule'
  return `'${message}': ${why}: ${ruleText(rule)}`
}

interface Message {
  /** `undefined` where the rule's own message stands. */
  readonly text: string | undefined
  /** Is the text about the message itself, which could not be paid for? */
  readonly isAboutBudget: boolean
  readonly budget: number
  readonly work: number
}

type Left = Pick<Message, 'budget' | 'work'>

const MAX_MESSAGE_BYTES = 5 * 1024

/** A message that cannot be made is left to the rule's own one, unless it is the budget that is at an end. */
function evaluateMessage({ rule, message }: CompiledRule, activation: CelActivation, left: Left): Message {
  if (message === undefined) return { text: undefined, isAboutBudget: false, ...left }
  const { cost, work: done, result } = message.run(activation, { maxCost: PER_CALL_LIMIT, maxWork: left.work })
  const budget = left.budget - cost
  const work = left.work - done
  if (budget < 0 || work < 0) {
    const text =
      'messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run'
    return { text, isAboutBudget: true, budget: -1, work }
  }
  if ('error' in result) {
    if (!result.error.cancelled) return { text: undefined, isAboutBudget: false, budget, work }
    const why = 'no further validation rules will be run due to call cost exceeds limit for messageExpression'
    return { text: `${why}: ${JSON.stringify(rule.messageExpression)}`, isAboutBudget: true, budget: -1, work }
  }
  const text = typeof result.value === 'string' ? result.value.trim() : ''
  const isGood = text !== '' && !text.includes('\n') && new TextEncoder().encode(text).length <= MAX_MESSAGE_BYTES
  return { text: isGood ? text : undefined, isAboutBudget: false, budget, work }
}

function failureOf(place: RuledValue, rule: ValidationRule, message: Message): FieldError {
  const below = place.pathOf(rule)
  const path = below === undefined ? place.path : joinPath(place.path, below)
  if (message.isAboutBudget) return invalid(path, place.type, message.text ?? '')
  const own = rule.message === '' ? `failed rule: ${rule.rule.trim()}` : rule.message.trim()
  const detail = message.text ?? own
  switch (rule.reason) {
    case 'FieldValueForbidden':
      return forbidden(path, detail)
    case 'FieldValueRequired':
      return required(path, detail)
    case 'FieldValueDuplicate':
      return duplicate(path, place.value)
    default: {
      // A whole object or list would be no use in a message: it has then no value at all, not even an undefined one.
      const isLarge = place.type === 'object' || place.type === 'array'
      return isLarge ? { code: 'FieldValueInvalid', path, detail } : invalid(path, place.value, detail)
    }
  }
}

const joinPath = (path: string, below: string): string => (path === '' || path === '<nil>' ? below : `${path}.${below}`)
