/** One permission that the operator cannot do without, in all namespaces unless it says otherwise. */
export interface Need {
  readonly group: string
  readonly resource: string
  readonly subresource?: string
  readonly verbs: readonly string[]
  /** Only on objects with these names; left out: on all. No rule can limit `create` so. */
  readonly names?: readonly string[]
  /** Only in the namespace of the operator's own objects. */
  readonly inSystemNamespace?: true
}
