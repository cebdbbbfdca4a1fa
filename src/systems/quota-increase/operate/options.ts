import { FILE_PROVIDER } from '../api/increase-names.ts'

/** Where the definitions of base quotas come from, and how they are followed. */
export interface QuotaIncreaseOptions {
  /** Left out: nobody asked for quota increases, and nothing is done about them. */
  readonly definitions?: DefinitionsPlace
  /** Are definitions followed although they lack some that are in use? */
  readonly prune: boolean
  /** Where the record of what was followed last is kept. */
  readonly systemNamespace: string
  /** How many namespaces are reconciled at a time. */
  readonly workers: number
}

/** A file as the quota operator reads it up to 0.18, or the QuotaServiceConfig of this name as 1.0 does. */
export type DefinitionsPlace = { readonly file: string } | { readonly config: string }

/** The manager of the quotas, as their label names it. */
export const providerOf = (place: DefinitionsPlace): string => ('file' in place ? FILE_PROVIDER : place.config)
