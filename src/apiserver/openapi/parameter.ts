/** A parameter in the path or the query, in words that OpenAPI v2 and v3 share. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly type: 'string' | 'integer' | 'boolean'
}

const query = (type: Parameter['type'], ...names: readonly string[]): readonly Parameter[] =>
  names.map((name) => ({ name, in: 'query', type }))

const path = (name: string): Parameter => ({ name, in: 'path', type: 'string' })

export const NAMESPACE_IN_PATH = path('namespace')
export const NAME_IN_PATH = path('name')
export const PRETTY: readonly Parameter[] = query('string', 'pretty')

const SELECTION = [
  ...query('string', 'continue', 'fieldSelector', 'labelSelector'),
  ...query('integer', 'limit'),
  ...query('string', 'resourceVersion', 'resourceVersionMatch'),
  ...query('boolean', 'sendInitialEvents'),
  ...query('integer', 'timeoutSeconds'),
]
const DELETION = [
  ...query('string', 'dryRun'),
  ...query('integer', 'gracePeriodSeconds'),
  ...query('boolean', 'ignoreStoreReadErrorWithClusterBreakingPotential', 'orphanDependents'),
  ...query('string', 'propagationPolicy'),
]

export const LIST_PARAMETERS = SELECTION
export const WATCH_PARAMETERS = query('boolean', 'allowWatchBookmarks', 'watch')
/** kubectl looks for dryRun and fieldValidation here and otherwise validates on its own (cli-runtime `QueryParamVerifier`). */
export const WRITE_PARAMETERS = query('string', 'dryRun', 'fieldManager', 'fieldValidation')
export const PATCH_PARAMETERS = [...WRITE_PARAMETERS, ...query('boolean', 'force')]
export const DELETE_PARAMETERS = DELETION
export const DELETE_COLLECTION_PARAMETERS = [
  ...SELECTION,
  ...DELETION.filter(({ name }) => !SELECTION.some((other) => other.name === name)),
]
export const LOG_PARAMETERS = [
  ...query('string', 'container'),
  ...query('boolean', 'follow', 'insecureSkipTLSVerifyBackend'),
  ...query('integer', 'limitBytes'),
  ...query('boolean', 'previous'),
  ...query('integer', 'sinceSeconds'),
  ...query('string', 'stream'),
  ...query('integer', 'tailLines'),
  ...query('boolean', 'timestamps'),
]
