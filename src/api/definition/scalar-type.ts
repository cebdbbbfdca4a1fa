import { isRawNumber } from '../../machinery/json-value.ts'
import { described, type Schema } from './schema.ts'

/** The checks that API servers make of a text. */
export interface TextRules {
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: 'date-time'
}

export interface IntegerRules {
  readonly format?: 'int32' | 'int64'
  readonly minimum?: number
}

/** An amount as JSON holds it: `2`, `"500m"`. `Quantity.fromJson` reads it. */
export type QuantityJson = string | number

/** The pattern that Kubernetes itself puts on quantities in the CRDs of controller-gen. */
const QUANTITY_PATTERN =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$'

/** Any text that obeys the rules. */
export function text(description?: string, rules: TextRules = {}): Schema<string> {
  return {
    openapi: { ...described(description), type: 'string', ...rules },
    blank: '',
    read: (value) => (typeof value === 'string' ? value : undefined),
  }
}

/** One of the given texts; `blank` stands for it where it is required and missing. */
export function choice<const Choice extends string>(
  description: string,
  choices: readonly Choice[],
  blank: NoInfer<Choice>,
): Schema<Choice> {
  return {
    openapi: { description, type: 'string', enum: choices },
    blank,
    read: (value) => choices.find((one) => one === value),
  }
}

/** A whole number. */
export function integer(description?: string, rules: IntegerRules = {}): Schema<number> {
  return {
    openapi: { ...described(description), type: 'integer', ...rules },
    blank: 0,
    read: (value) => {
      if (typeof value === 'number') return value
      return isRawNumber(value) ? Number(value.rawJSON) : undefined
    },
  }
}

export function boolean(description?: string): Schema<boolean> {
  return {
    openapi: { ...described(description), type: 'boolean' },
    blank: false,
    read: (value) => (typeof value === 'boolean' ? value : undefined),
  }
}

/** A Kubernetes quantity. A number that JavaScript cannot hold is read as its text, so that no digit is lost. */
export function quantity(description?: string): Schema<QuantityJson> {
  return {
    openapi: {
      ...described(description),
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      pattern: QUANTITY_PATTERN,
      'x-kubernetes-int-or-string': true,
    },
    blank: '0',
    read: (value) => {
      if (typeof value === 'string' || typeof value === 'number') return value
      return isRawNumber(value) ? value.rawJSON : undefined
    },
  }
}
