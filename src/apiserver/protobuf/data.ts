/**
 * How a field is printed. `omitempty`: left out when it is zero. `inline`: a message whose fields stand among those of
 * its parent. The empty rule prints whatever is present: pointers, structs and required fields.
 */
export type Rule = '' | 'omitempty' | 'repeated' | 'map' | 'inline'

/** JSON name of a field → its number, the name of its type, its rule. */
export type FieldFacts = Readonly<Record<string, readonly [number: number, type: string, rule: Rule]>>

/** The content of `schemas/kubernetes-1.36-protobuf.json`, which `scripts/refresh-protobuf` makes. */
export interface ProtobufData {
  /** apiVersion → the package of its kinds; package and kind make the name of the message. */
  readonly packages: Readonly<Record<string, string>>
  /** Messages that JSON shows as a plain list → the type of the items. */
  readonly lists: Readonly<Record<string, string>>
  readonly messages: Readonly<Record<string, FieldFacts>>
}
