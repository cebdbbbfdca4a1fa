import { compileLabelSelector } from '../../../machinery/selector/label.ts'
import type { KeptNamespace } from '../../../operator/cluster/keep-namespace.ts'
import { ENFORCEMENT_OFF, EXEMPT_NAMESPACE } from '../api/quota-names.ts'
import { isExemptResource } from './admission/calculation-rules.ts'
import { type ConfiguredRules, coversWrites } from './admission/configured-rules.ts'
import type { Lack } from '../decide/quota-status.ts'
import type { TrackedQuota } from './tracking/tracked-quota.ts'
import type { UnservedResource } from './tracking/unserved-kinds.ts'

/** Why a quota refuses nothing, or not everything that it counts: as a word for programs and a sentence. */
export type Unenforced = Lack<'Enforced'>

/** The requests that quotas should refuse, and those that are left out. */
export interface EnforcementScope {
  /** Undefined where quotas refuse; else the setting that ends it. */
  readonly endedBy: string | undefined
  /** Namespaces that nothing is refused in. */
  readonly exempt: ReadonlySet<string>
  readonly configured: ConfiguredRules | undefined
  /** The resources of a quota that are not served in the version that it reads; their writes wait until they are counted. */
  readonly unserved: (tracked: TrackedQuota) => readonly UnservedResource[]
  /** All that there are. */
  readonly namespaces: () => Iterable<KeptNamespace>
}

/** More names than these are only counted. */
const MOST_NAMED = 10

/** Returns the message of the condition `Enforced` of a quota; undefined where it refuses all requests that exceed it. */
export function unenforced(tracked: TrackedQuota, scope: EnforcementScope): Unenforced | undefined {
  const { endedBy, exempt, configured } = scope
  if (endedBy !== undefined)
    return {
      reason: ENFORCEMENT_OFF,
      message: `the quota counts and reports, and refuses nothing: the operator runs with ${endedBy}`,
    }
  if (!tracked.isGlobal && exempt.has(tracked.namespace))
    return {
      reason: EXEMPT_NAMESPACE,
      message: `the quota counts and reports: nothing is refused in the namespace ${tracked.namespace}`,
    }
  const found = [
    gapOf('ExemptKind', 'objects of these kinds are counted and never refused', exemptKinds(tracked)),
    ...(configured === undefined
      ? []
      : [
          gapOf(
            'UncoveredKind',
            'the configured rules do not name creates and updates of these kinds, which are counted and not refused',
            uncoveredKinds(tracked, configured, scope),
          ),
          gapOf(
            'UncoveredNamespace',
            'the configured namespaceSelector leaves out these namespaces, in which objects are counted and not refused',
            uncoveredNamespaces(tracked, configured, scope),
          ),
        ]),
  ].filter((gap) => gap !== undefined)
  const [first] = found
  return first && { reason: first.reason, message: found.map(({ message }) => message).join('; ') }
}

function gapOf(reason: Unenforced['reason'], text: string, names: readonly string[]): Unenforced | undefined {
  if (names.length === 0) return undefined
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : ''
  return { reason, message: `${text}: ${names.slice(0, MOST_NAMED).join(', ')}${more}` }
}

function exemptKinds({ resolution }: TrackedQuota): readonly string[] {
  return (resolution?.targets ?? []).flatMap(({ resource }) => (isExemptResource(resource) ? [resource.resource] : []))
}

function uncoveredKinds(
  tracked: TrackedQuota,
  configured: ConfiguredRules,
  { unserved }: EnforcementScope,
): readonly string[] {
  const counted = (tracked.resolution?.targets ?? []).map(({ resource }) => resource)
  return [...counted, ...unserved(tracked)].flatMap((resource) => {
    if (isExemptResource(resource) || coversWrites(configured, resource)) return []
    return [resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`]
  })
}

function uncoveredNamespaces(
  tracked: TrackedQuota,
  { namespaceSelector }: ConfiguredRules,
  { exempt, namespaces }: EnforcementScope,
): readonly string[] {
  if (namespaceSelector === undefined) return []
  const selects = compileLabelSelector(namespaceSelector)
  const counts = (name: string): boolean =>
    tracked.isGlobal ? tracked.selection.has(name) && !exempt.has(name) : name === tracked.namespace
  return [...namespaces()].flatMap(({ name, labels }) => (counts(name) && !selects(labels) ? [name] : [])).toSorted()
}
