import { timeText } from '../../machinery/text/time.ts'
import { conditionOf } from '../../api/condition.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { ifReadable, Quantity, QuantityError } from '../../quantity/quantity.ts'
import type { QuantityLedger } from '../../systems/counted/api/quantity-ledger.ts'
import { readLedger } from '../../systems/counted/protocol/ledger-status.ts'
import { RECONCILE_ANNOTATION } from '../../systems/custom-quota/api/quota-names.ts'
import type { CompiledQuota } from '../../systems/custom-quota/decide/compile-quota.ts'
import { shownProblems } from '../../systems/custom-quota/decide/shown-problems.ts'
import { MeasureError } from '../../systems/custom-quota/decide/measure-error.ts'
import { costOf, countsIn } from '../../systems/custom-quota/decide/object-cost.ts'
import type { SourceKind } from '../../systems/custom-quota/decide/source-kind.ts'
import { compiledSpec } from '../budgets/custom-quota.ts'
import { idOf } from '../explain/facts.ts'
import type { ClusterFacts } from './cluster-facts.ts'
import { mayBeShown, objectsOfKind, versioned } from './counted-objects.ts'
import type { Finding, Repair } from './finding.ts'

const UNSEEN = 'objects that you may not see cannot be measured'
/** So many reservations of a ledger are named. */
const MOST_HELD = 10

type AnyCustomQuota = ClusterFacts['customQuotas'][number]

/** Custom quotas of which the ledger, the status and the objects do not say the same. */
export const wrongLedgers = (facts: ClusterFacts): readonly Finding[] =>
  facts.customQuotas.flatMap((quota) => {
    const compilation = compiledSpec(quota.spec)
    return ifReadable(() => (compilation.ok ? findingsOf(quota, compilation.quota, facts) : []), [])
  })

function findingsOf(quota: AnyCustomQuota, compiled: CompiledQuota, facts: ClusterFacts): readonly Finding[] {
  const object = idOf(quota)
  const about = { object, repair: recountOf(quota, facts.now), mayPass: true } as const
  const ready = conditionOf(quota.status?.conditions, 'Ready')
  // A quota of the whole cluster tells of objects that the reader may not list.
  const isWhole = compiled.kinds.every((kind) => mayBeShown(kind, facts))
  const why = shownProblems(ready?.message ?? '', () => isWhole)
  const notReady: readonly Finding[] =
    ready === undefined || ready.status === 'True'
      ? []
      : [
          {
            check: 'ledger',
            severity: 'error',
            object,
            part: 'Ready',
            text: `it is not ready, and requests that it counts are refused: ${why === '' ? UNSEEN : why}`,
            advice: 'correct what the message names',
            mayPass: true,
          },
        ]
  // No controller has looked at it yet, which is a finding of its own.
  if (ready === undefined) return []
  const truth = truthOf(quota, compiled, facts)
  const said = quota.status?.usage?.used
  const shown = said === undefined ? undefined : Quantity.fromJson(said)
  const ofStatus: readonly Finding[] =
    truth === undefined || shown === undefined || shown.equals(truth)
      ? []
      : [
          {
            ...about,
            check: 'usage',
            severity: 'error',
            part: 'status',
            text: `the status says that ${shown.toString()} is used, and the objects use ${truth.toString()}`,
            advice: 'a new count puts it right',
            evidence: `${shown.canonical()} ${truth.canonical()}`,
          },
        ]
  return [...notReady, ...ofStatus, ...ofLedger(quota, truth, facts, { ...about, isWhole })]
}

function ofLedger(
  quota: AnyCustomQuota,
  truth: Quantity | undefined,
  { ledgers }: ClusterFacts,
  {
    object,
    repair,
    isWhole,
  }: { readonly object: Finding['object']; readonly repair: Repair; readonly isWhole: boolean },
): readonly Finding[] {
  if (ledgers === undefined) return []
  const ledger = ledgers.find((one) => isLedgerOf(one, quota))
  const of = { check: 'ledger', severity: 'error', object, part: 'ledger', mayPass: true } as const
  if (ledger === undefined)
    return [{ ...of, text: 'it has no ledger: requests that it counts are refused', advice: 'look whether allot runs' }]
  const read = readLedger(ledger.status)
  if (read.type === 'unreadable') return [{ ...of, text: 'its ledger cannot be read', advice: read.message }]
  if (read.type === 'unwritten') return []
  const { state } = read
  const observed = state.parts.values().reduce((sum, part) => sum.add(part.observed), Quantity.zero)
  const wrong: readonly Finding[] =
    truth === undefined || atLeastZero(observed).equals(truth)
      ? []
      : [
          {
            ...of,
            text: `its ledger has counted ${observed.toString()}, and the objects use ${truth.toString()}`,
            advice: 'a new count puts it right',
            repair,
            evidence: `${observed.canonical()} ${truth.canonical()}`,
          },
        ]
  // Requests under way change from look to look; a reservation that stays has lost its object.
  const held = [...state.names.values()].slice(0, MOST_HELD).map(({ kind, namespace, name, reservations }): Finding => {
    const title = !isWhole ? 'an object that you may not see' : namespace === '' ? name : `${namespace}/${name}`
    return {
      ...of,
      severity: 'warning',
      part: `${kind} ${title}`,
      text: `room is reserved for ${title}, which is not stored as it was allowed`,
      advice: 'a reservation that no object follows is given back after --apiserver-request-timeout and five seconds',
      evidence: reservations.map(({ id }) => id).join(' '),
    }
  })
  return [...wrong, ...held]
}

const isLedgerOf = ({ spec: { targetRef } }: QuantityLedger, { kind, metadata }: KubeObject): boolean =>
  targetRef.kind === kind &&
  targetRef.name === metadata.name &&
  (targetRef.namespace ?? '') === (metadata.namespace ?? '')

/** What the objects cost that the quota counts; undefined where not all of them could be read or measured. */
function truthOf(quota: AnyCustomQuota, compiled: CompiledQuota, facts: ClusterFacts): Quantity | undefined {
  const own = quota.metadata.namespace
  // Without their labels nobody knows which namespaces are selected.
  if (own === undefined && !compiled.everywhere && facts.namespaces === undefined) return undefined
  let sum = Quantity.zero
  try {
    for (const kind of compiled.kinds) {
      const objects = objectsOfKind(kind, facts)
      if (objects === undefined) return undefined
      for (const object of objects) {
        const { namespace = '' } = object.metadata
        const isIn =
          own === undefined
            ? countsIn(compiled, namespace, facts.namespaces?.get(namespace)?.metadata.labels)
            : namespace === own
        const cost = isIn ? costOf(compiled, { ...object, apiVersion: apiVersionOf(kind, object) }) : undefined
        if (cost !== undefined) sum = sum.add(cost)
      }
    }
  } catch (error) {
    if (error instanceof MeasureError || error instanceof QuantityError) return undefined
    throw error
  }
  return atLeastZero(sum)
}

const atLeastZero = (amount: Quantity): Quantity => (amount.sign() < 0 ? Quantity.zero : amount)

const apiVersionOf = ({ group, version }: SourceKind, { apiVersion }: KubeObject): string =>
  version === '' ? apiVersion : versioned(group, version)

/** The annotation that asks for a new count. */
function recountOf(quota: AnyCustomQuota, now: number): Repair {
  const { namespace, name } = idOf(quota)
  return {
    text: `ask allot to count ${quota.kind} ${namespace === '' ? name : `${namespace}/${name}`} again`,
    object: idOf(quota),
    subresource: '',
    patch: { metadata: { annotations: { [RECONCILE_ANNOTATION]: timeText(now) } } },
  }
}
