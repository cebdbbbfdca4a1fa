/** The features that the operator uses where an API server offers them: found by asking, never concluded from a version. */
export interface ServerFeatures {
  /** `matchConditions` of webhooks, from 1.28. */
  readonly matchConditions: boolean
  /** Each namespace carries its name as a label that cannot be changed, from 1.21. */
  readonly labelsNamespaces: boolean
}

/** The label by which the operator distinguishes exempt namespaces where the API server does not label namespaces with their names. */
export interface ExemptLabel {
  readonly key: string
  /** The value of each exempt namespace, which no other has. */
  readonly values: ReadonlyMap<string, string>
}
