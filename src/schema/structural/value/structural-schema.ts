import type { ValidationRule } from '../../../cel/validation-rule.ts'
import type { JsonObject } from '../../../machinery/object.ts'
import type { Enumeration } from './enumeration.ts'
import type { NumberLimits } from './numbers.ts'
import type { SchemaPattern } from './pattern.ts'

/** The checks of a value. Types and nested structure come from the schema itself or from one below `allOf`, `anyOf` and so on. */
export interface ValueCheck {
  /** One type; `integer` and `string` for int-or-string; none where anything goes. */
  readonly types: readonly string[]
  readonly nullable: boolean
  /** `string` or `boolean` when to be of that type is all there is to check, else empty. */
  readonly onlyType: string
  /** As it is spelled; empty when there is none that Kubernetes knows for the type. */
  readonly format: string
  /** The format's test of a text, for those formats that have one. */
  readonly matchesFormat: ((text: string) => boolean) | undefined
  /** Limits of numbers; `undefined` when no number that the type admits could break one. */
  readonly numbers: NumberLimits | undefined
  readonly maxLength: number | undefined
  readonly minLength: number | undefined
  readonly pattern: SchemaPattern | undefined
  readonly maxItems: number | undefined
  readonly minItems: number | undefined
  readonly maxProperties: number | undefined
  readonly minProperties: number | undefined
  readonly enum: Enumeration | undefined
  readonly required: readonly string[]
  readonly properties: ReadonlyMap<string, ValueCheck>
  readonly items: ValueCheck | undefined
  /** `true` and `undefined` let every further field be, `false` none. */
  readonly additionalProperties: ValueCheck | boolean | undefined
  /** `undefined` when the schema has none of `allOf`, `anyOf`, `oneOf` and `not`. */
  readonly logic: Logic | undefined
}

export interface Logic {
  readonly allOf: readonly ValueCheck[]
  readonly anyOf: readonly ValueCheck[]
  readonly oneOf: readonly ValueCheck[]
  readonly not: ValueCheck | undefined
  /** Nothing but `anyOf` an integer and a string, as it goes with `x-kubernetes-int-or-string`. */
  readonly isIntOrString: boolean
}

/** A node of a compiled structural schema. The root stands for the whole custom resource. */
export interface StructuralSchema extends ValueCheck {
  /** `object`, `array`, `string`, `integer`, `number`, `boolean`, or empty. */
  readonly type: string
  readonly properties: ReadonlyMap<string, StructuralSchema>
  readonly items: StructuralSchema | undefined
  readonly additionalProperties: StructuralSchema | boolean | undefined
  /** With the defaults below it applied already; `undefined` when there is none. Shared: never to be changed. */
  readonly default: unknown
  /** How long the JSON of the default is; 0 when there is none. */
  readonly defaultSize: number
  /** Is the default as it was given, because those below it would make too much of it? */
  readonly defaultOverflows: boolean
  /** The fields that have a default, with it and its size. */
  readonly fieldDefaults: readonly (readonly [name: string, value: unknown, size: number])[]
  readonly preserveUnknownFields: boolean
  readonly embeddedResource: boolean
  readonly intOrString: boolean
  readonly listType: 'atomic' | 'set' | 'map' | undefined
  readonly listMapKeys: readonly string[]
  readonly mapType: 'atomic' | 'granular' | undefined
  readonly rules: readonly ValidationRule[]
  /** The JSON schema that this node was made of: descriptions, examples and all. */
  readonly source: JsonObject
  /** Is there anything of the kind here or below? What is not there needs no walk. */
  readonly holds: Holdings
}

export interface Holdings {
  readonly defaults: boolean
  /** Lists of type set or map. */
  readonly keyedLists: boolean
  readonly embeddedResources: boolean
  readonly rules: boolean
}
