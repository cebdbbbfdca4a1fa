/** The features that the operator uses where an API server offers them: found by asking, never concluded from a version. */
export interface ServerFeatures {
  /** `matchConditions` of webhooks, from 1.28. */
  readonly matchConditions: boolean
  /** Each namespace carries its name as a label that cannot be changed, from 1.21. */
  readonly labelsNamespaces: boolean
}
