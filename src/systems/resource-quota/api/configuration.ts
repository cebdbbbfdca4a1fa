import { type FieldError, invalid, notSupported, required, typeInvalid } from '../../../machinery/field-error.ts'
import { isObject, type JsonObject } from '../../../machinery/object.ts'
import { SCOPE_NAMES } from '../../../kinds/resource-quota/resource-names.ts'
import type { ScopeRequirement } from '../../../kinds/resource-quota/resource-quota.ts'

/** Consumption that is refused where no quota covers it (`limitedResources` of the configuration of the admission plug-in). */
export interface LimitedResource {
  /** Empty for the core group. */
  readonly apiGroup?: string
  readonly resource: string
  /** Parts of resource names; a name that contains one is limited. */
  readonly matchContains?: readonly string[] | null
  /** Applied to every object, whatever its resource, as upstream does. */
  readonly matchScopes?: readonly ScopeRequirement[] | null
}

/** The configuration, or everything that is wrong with it. */
export type ConfigurationResult =
  | { readonly limitedResources: readonly LimitedResource[]; readonly errors?: undefined }
  | { readonly errors: readonly FieldError[] }

const KIND = 'ResourceQuotaConfiguration'
const WRAPPER = 'AdmissionConfiguration'
const PLUGIN = 'ResourceQuota'
/** Upstream has read the same fields under all of these. */
const VERSIONS = [
  'apiserver.config.k8s.io/v1',
  'resourcequota.admission.k8s.io/v1beta1',
  'resourcequota.admission.k8s.io/v1alpha1',
  'resourcequota.admission.k8s.io/v1',
]
const WRAPPER_VERSIONS = ['apiserver.config.k8s.io/v1', 'apiserver.k8s.io/v1alpha1']
const OPERATORS = ['In', 'NotIn', 'Exists', 'DoesNotExist']

/**
 * Reads a decoded `ResourceQuotaConfiguration` (upstream's configuration of the ResourceQuota plugin), or an `AdmissionConfiguration` that
 * holds one for the plug-in ResourceQuota, as a cluster's `--admission-control-config-file` does.
 */
export function readQuotaConfiguration(document: unknown): ConfigurationResult {
  if (!isObject(document)) return { errors: [typeInvalid('', document, `must be an object of kind ${KIND}`)] }
  if (document['kind'] !== WRAPPER) return configuration(document, '')
  const errors = [...versionErrors(document, WRAPPER_VERSIONS, ''), ...unknown(document, FIELDS.wrapper, '')]
  if (errors.length > 0) return { errors }
  const plugins = Array.isArray(document['plugins']) ? document['plugins'] : []
  const index = plugins.findIndex((plugin) => isObject(plugin) && plugin['name'] === PLUGIN)
  if (index === -1) return { errors: [required('plugins', `no plug-in is named ${PLUGIN}`)] }
  const at = `plugins[${index}].configuration`
  const plugin: unknown = plugins[index]
  const inner = isObject(plugin) ? plugin['configuration'] : undefined
  const besides = isObject(plugin) ? unknown(plugin, FIELDS.plugin, `plugins[${index}]`) : []
  if (besides.length > 0) return { errors: besides }
  return isObject(inner)
    ? configuration(inner, at)
    : { errors: [required(at, 'the configuration must stand here, not in another file')] }
}

function configuration(document: JsonObject, at: string): ConfigurationResult {
  const field = joiner(at)
  const limited = document['limitedResources'] ?? []
  const errors: FieldError[] = [
    ...versionErrors(document, VERSIONS, at),
    ...unknown(document, FIELDS.configuration, at),
  ]
  if (document['kind'] !== KIND) errors.push(notSupported(field('kind'), document['kind'], [KIND]))
  if (!Array.isArray(limited)) errors.push(typeInvalid(field('limitedResources'), limited, 'must be a list'))
  const entries: readonly unknown[] = Array.isArray(limited) ? limited : []
  errors.push(...entries.flatMap((entry, index) => entryErrors(entry, `${field('limitedResources')}[${index}]`)))
  // A configuration without errors has the shape of the type.
  return errors.length > 0 ? { errors } : { limitedResources: entries as readonly LimitedResource[] }
}

const FIELDS = {
  wrapper: ['apiVersion', 'kind', 'plugins'],
  plugin: ['name', 'path', 'configuration'],
  configuration: ['apiVersion', 'kind', 'limitedResources'],
  entry: ['apiGroup', 'resource', 'matchContains', 'matchScopes'],
  requirement: ['scopeName', 'operator', 'values'],
} as const

function entryErrors(entry: unknown, at: string): readonly FieldError[] {
  if (!isObject(entry)) return [typeInvalid(at, entry, 'must be an object')]
  const { apiGroup = '', resource, matchContains, matchScopes } = entry
  const errors: FieldError[] = [...unknown(entry, FIELDS.entry, at)]
  if (typeof apiGroup !== 'string') errors.push(typeInvalid(`${at}.apiGroup`, apiGroup, 'must be a string'))
  if (resource === undefined || resource === '') errors.push(required(`${at}.resource`))
  else if (typeof resource !== 'string') errors.push(typeInvalid(`${at}.resource`, resource, 'must be a string'))
  errors.push(...textErrors(matchContains, `${at}.matchContains`))
  if (matchScopes === undefined || matchScopes === null) return errors
  if (!Array.isArray(matchScopes)) return [...errors, typeInvalid(`${at}.matchScopes`, matchScopes, 'must be a list')]
  return [...errors, ...matchScopes.flatMap((scope, index) => scopeErrors(scope, `${at}.matchScopes[${index}]`))]
}

function scopeErrors(scope: unknown, at: string): readonly FieldError[] {
  if (!isObject(scope)) return [typeInvalid(at, scope, 'must be an object')]
  const { scopeName, operator, values } = scope
  const errors: FieldError[] = [...unknown(scope, FIELDS.requirement, at), ...textErrors(values, `${at}.values`)]
  if (typeof scopeName !== 'string' || !SCOPE_NAMES.has(scopeName))
    errors.push(notSupported(`${at}.scopeName`, scopeName, [...SCOPE_NAMES.keys()]))
  if (typeof operator !== 'string' || !OPERATORS.includes(operator))
    return [...errors, notSupported(`${at}.operator`, operator, OPERATORS)]
  const count = Array.isArray(values) ? values.length : 0
  const takesValues = operator === 'In' || operator === 'NotIn'
  if (takesValues && count === 0) errors.push(required(`${at}.values`, `${operator} needs at least one value`))
  if (!takesValues && count > 0) errors.push(invalid(`${at}.values`, values, `${operator} takes no values`))
  return errors
}

function textErrors(list: unknown, at: string): readonly FieldError[] {
  if (list === undefined || list === null) return []
  if (!Array.isArray(list)) return [typeInvalid(at, list, 'must be a list of strings')]
  return list.flatMap((text, index) =>
    typeof text === 'string' ? [] : [typeInvalid(`${at}[${index}]`, text, 'must be a string')],
  )
}

function versionErrors({ apiVersion }: JsonObject, known: readonly string[], at: string): readonly FieldError[] {
  const isKnown = typeof apiVersion === 'string' && known.includes(apiVersion)
  return isKnown ? [] : [notSupported(joiner(at)('apiVersion'), apiVersion, known)]
}

function unknown(object: JsonObject, known: readonly string[], at: string): readonly FieldError[] {
  return Object.keys(object)
    .filter((name) => !known.includes(name))
    .map((name) => invalid(joiner(at)(name), object[name], 'unknown field'))
}

const joiner =
  (at: string) =>
  (name: string): string =>
    at === '' ? name : `${at}.${name}`
