import { isResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import { CLUSTER_NAMESPACES } from '../../api/cluster-namespaces.ts'
import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import { countedResources } from '../../systems/resource-quota/decide/count/recount.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { type GroupResource, qualified } from '../../machinery/status.ts'
import { customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { kindOfObject, sourceKind } from '../../systems/custom-quota/decide/source-kind.ts'
import { karmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { RESOURCE_BINDINGS } from '../../systems/karmada-quota/api/names.ts'
import { quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import { quotaServiceConfig } from '../../systems/quota-increase/api/quota-service-config.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { countsInNamespace } from '../budgets/custom-quota.ts'
import { type AnyCustomQuota, readCustomQuota } from './custom-quota-tally.ts'
import { CUSTOM_QUOTAS } from './custom-quotas.ts'
import { POOLS_NEED } from './pools.ts'
import type { ChangeResult, ClaimShift, IncreaseShift, WorkloadShift } from './simulation.ts'
import { type Changed, RESOURCE_QUOTAS, type World, NAMESPACES } from './world.ts'
import { isBinding } from '../explain/bindings.ts'

/** A resource that could not be read, as `pods`, with the reason. */
export interface NotSeen {
  readonly resource: string
  readonly reason: string
  /** Could it be read in the namespaces of the changes, and only not in others? */
  readonly isElsewhere?: boolean
}

/** What could not be read in the namespaces of the changes either. */
export const blindSpots = (notSeen: readonly NotSeen[] = []): readonly NotSeen[] =>
  notSeen.filter(({ isElsewhere = false }) => !isElsewhere)

export interface UndecidedInput {
  readonly before: World
  readonly after: World
  readonly changed: readonly Changed[]
  readonly changes: readonly ChangeResult[]
  readonly notSeen: readonly NotSeen[]
  readonly unusable: readonly string[]
  /** What decides about increases. */
  readonly needs: readonly string[]
  readonly claims: readonly ClaimShift[]
  readonly increases: readonly IncreaseShift[]
  readonly workloads: readonly WorkloadShift[]
  /** Why the usage of a custom quota is not known. */
  readonly doubtOf: (quota: KubeObject) => string | undefined
}

const idsOf = (kinds: readonly GroupResource[]): ReadonlySet<string> => new Set(kinds.map(qualified))

/** What decides about whatever is in a namespace. */
const DECIDING: ReadonlySet<string> = new Set(['resourcequotas', 'limitranges', 'pods', qualified(customQuota)])
/** What controllers answer by decisions of the whole cluster. */
const OF_POOLS = idsOf([resourcePool, resourcePoolClaim, NAMESPACES])
const OF_INCREASES = idsOf([quotaIncrease, quotaServiceConfig, NAMESPACES])
/** Those of other namespaces say nothing of the changes, but for decisions of the whole cluster. */
const WIDE: ReadonlySet<string> = new Set([
  ...POOLS_NEED,
  ...idsOf([quotaIncrease, customQuota, karmadaQuota]),
  'limitranges',
])

/** Why it is not known what comes of changes, a sentence each; none where everything that decides was seen. */
export function undecided(input: UndecidedInput): readonly string[] {
  const { changes, claims, increases, workloads } = input
  const sentences = [
    ...changes
      .filter(({ result }) => result === 'ignored')
      .map(({ object: { kind, name } }) => `${kind} ${name} is ignored: the API server does not serve its kind`),
    ...input.unusable,
    ...unseenSentences(input),
    ...uncertainQuotas(input),
    ...claims
      .filter(({ after }) => after?.state === 'undecided')
      .map(({ namespace, name }) => `claim ${namespace}/${name} is not decided`),
    ...increases
      .filter(({ after }) => after?.state === 'undecided')
      .map(({ namespace, name }) => `increase ${namespace}/${name} is not decided`),
    ...workloads
      .filter(({ verdict }) => verdict === 'unknown')
      .map(({ object }) => `allot may not read what decides about ${object.kind} ${object.namespace}/${object.name}`),
  ]
  return [...new Set(sentences)]
}

function unseenSentences({ changed, notSeen, needs }: UndecidedInput): readonly string[] {
  const isInNamespaces = changed.some(({ namespace }) => namespace !== '')
  const kinds = changed.map(({ of }) => qualified(of))
  const counted = idsOf(changed.flatMap(countedAnew))
  const isNeeded = ({ resource, isElsewhere = false }: NotSeen): boolean =>
    (POOLS_NEED.includes(resource) && kinds.some((kind) => OF_POOLS.has(kind))) ||
    (resource === qualified(karmadaQuota) && !isElsewhere && kinds.includes(qualified(RESOURCE_BINDINGS))) ||
    (needs.includes(resource) && kinds.some((kind) => OF_INCREASES.has(kind))) ||
    (isElsewhere ? !WIDE.has(resource) : counted.has(resource) || (isInNamespaces && DECIDING.has(resource)))
  return notSeen.filter(isNeeded).map(({ resource, reason }) => `${resource}: ${reason}`)
}

/** What a quota counts that is new, or limits something else than before. */
function countedAnew({ of, before, after }: Changed): readonly GroupResource[] {
  if (qualified(of) !== qualified(RESOURCE_QUOTAS) || after === undefined || !isResourceQuota(after)) return []
  return jsonEqual(before?.['spec'], after.spec) ? [] : countedResources(after, QUOTA_EVALUATORS)
}

/** Returns the quotas that count the changed objects and whose room is unknown. */
export const uncertainQuotas = (input: DoubtInput): readonly string[] => [
  ...doubtfulSentences(input),
  ...doubtfulKarmadaQuotas(input),
]

type DoubtInput = Pick<UndecidedInput, 'after' | 'changed' | 'doubtOf'>

/** The custom quotas that count what changes in a way that is not known. */
function doubtfulSentences({ after, changed, doubtOf }: DoubtInput): readonly string[] {
  const made = changed.flatMap(({ after: object }) => (object === undefined ? [] : [object]))
  return CUSTOM_QUOTAS.flatMap((kind) => after.all(kind)).flatMap((object) => {
    const quota = readCustomQuota(object)
    const counted = made.filter((one) => mayCount(quota, one, after))
    const doubt = doubtOf(object) ?? counted.flatMap((one) => unreadableIn(quota, one) ?? [])[0]
    if (doubt === undefined || (counted.length === 0 && !made.includes(object))) return []
    const { namespace = '', name = '' } = object.metadata
    return [`${object.kind} ${namespace === '' ? name : `${namespace}/${name}`} counts what changes: ${doubt}`]
  })
}

/** Does a quota count an object, in whatever version? */
function mayCount(quota: AnyCustomQuota, object: KubeObject, world: World): boolean {
  const { namespace = '' } = object.metadata
  const { group, kind } = kindOfObject(object)
  const found = world.find(NAMESPACES, '', namespace)
  return (
    quota.spec.sources.map(sourceKind).some((one) => one.group === group && one.kind === kind) &&
    !CLUSTER_NAMESPACES.has(namespace) &&
    countsInNamespace(quota, namespace, found && (found.metadata.labels ?? {}))
  )
}

/** What of a changed object a quota reads that is not there; undefined where all of it is. */
function unreadableIn(quota: AnyCustomQuota, object: KubeObject): string | undefined {
  const { group, version, kind } = kindOfObject(object)
  const own = quota.spec.sources.filter((source) => {
    const one = sourceKind(source)
    return one.group === group && one.kind === kind
  })
  const other = own.map((source) => sourceKind(source).version).find((one) => one !== '' && one !== version)
  if (other !== undefined) return `it reads ${kind} in version ${other}, and the manifest is in ${version}`
  if (kind === 'ReplicaSet' && own.some(({ op }) => op !== 'count'))
    return 'it reads fields of ReplicaSets, and refusals of their controllers are not simulated'
  return own.some((source) => /\bstatus\b/.test(JSON.stringify(source)))
    ? `it reads the status of ${kind} objects, which is not simulated`
    : undefined
}

/** The KarmadaQuotas that count what changes in a way that is not known. */
function doubtfulKarmadaQuotas({ after, changed, doubtOf }: DoubtInput): readonly string[] {
  const made = changed.flatMap(({ after: object }) => (object === undefined ? [] : [object]))
  return after.all(karmadaQuota).flatMap((quota) => {
    const { namespace = '', name = '' } = quota.metadata
    const bindings = made.filter((one) => isBinding(one) && one.metadata.namespace === namespace)
    const other = bindings.map((one) => kindOfObject(one).version).find((one) => one !== RESOURCE_BINDINGS.version)
    const doubt =
      doubtOf(quota) ??
      (other === undefined
        ? undefined
        : `it reads ${RESOURCE_BINDINGS.kind} in version ${RESOURCE_BINDINGS.version}, and the manifest is in ${other}`)
    if (doubt === undefined || (bindings.length === 0 && !made.includes(quota))) return []
    return [`${quota.kind} ${namespace}/${name} counts what changes: ${doubt}`]
  })
}
