/** Names that mean what a pod may use; the six of `COMPUTE` are those that a pod scope may limit besides `pods`. */
const COMPUTE = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory'] as const
const EPHEMERAL = ['ephemeral-storage', 'requests.ephemeral-storage', 'limits.ephemeral-storage'] as const

/** Names whose amount must be a whole number (core `IsIntegerResourceName`). */
export const INTEGER_NAMES: ReadonlySet<string> = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
])

const QUOTA_NAMES: ReadonlySet<string> = new Set([...COMPUTE, ...EPHEMERAL, ...INTEGER_NAMES, 'requests.storage'])

/** Is it `hugepages-<size>` or `requests.hugepages-<size>`? The size is not read. */
export function isHugePagesName(name: string): boolean {
  return name.startsWith('hugepages-') || name.startsWith('requests.hugepages-')
}

/** May an unqualified name stand in a quota? (`IsStandardQuotaResourceName`) */
export function isStandardQuotaName(name: string): boolean {
  return QUOTA_NAMES.has(name) || isHugePagesName(name)
}

/** Is it one of the resource names that need no domain? `storage` is one, although no quota may list it. */
export function isStandardName(name: string): boolean {
  return name === 'storage' || isStandardQuotaName(name)
}

/** Is it an amount of Kubernetes' own: unqualified, or under a `kubernetes.io/` domain? (`IsNativeResource`) */
export function isNativeName(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/')
}

/** The names that each scope may be combined with; names that are not standard for quotas are never checked. */
export const SCOPE_NAMES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['BestEffort', new Set<string>(['pods'])],
  ...['Terminating', 'NotTerminating', 'NotBestEffort', 'PriorityClass', 'CrossNamespacePodAffinity'].map(
    (scope): [string, ReadonlySet<string>] => [scope, new Set<string>(['pods', ...COMPUTE])],
  ),
  ['VolumeAttributesClass', new Set<string>(['persistentvolumeclaims', 'requests.storage'])],
])

/** Scopes that no object can meet together; a quota that lists both is refused. */
export const CONFLICTING_SCOPES: readonly (readonly [string, string])[] = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
]

/** Scopes that an object either has or has not: their only operator is `Exists`. */
export const EXISTS_ONLY_SCOPES: ReadonlySet<string> = new Set([
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'CrossNamespacePodAffinity',
])
