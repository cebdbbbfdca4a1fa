import { conditionIn } from '../../api/condition.ts'
import { CONFIGURATION_NAMES } from '../../install/installed-names.ts'
import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { numberOf, objectOf, textOf } from '../../machinery/read.ts'
import { qualified } from '../../machinery/status.ts'
import { momentOf, timeText } from '../../machinery/text/time.ts'
import { customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { customResources } from '../../systems/custom-resources.ts'
import { quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import { idOf } from '../explain/facts.ts'
import type { ClusterFacts } from './cluster-facts.ts'
import type { Finding } from './finding.ts'

const ADVICE = 'look whether allot runs in this cluster, and at its log'
const COUNTED: ReadonlySet<string> = new Set([customQuota, globalCustomQuota].map(({ kind }) => kind))
/** What does not happen while no controller looks at an object, by its kind. */
const MEANWHILE: Readonly<Record<string, string>> = {
  ResourcePool: 'its claims get nothing',
  ResourcePoolClaim: 'it gets nothing',
  CustomQuota: 'nothing counts or refuses what it limits',
  GlobalCustomQuota: 'nothing counts or refuses what it limits',
  KarmadaQuota: 'nothing counts or refuses what it limits',
  QuotaIncrease: 'it raises nothing',
}

/** Objects that wait for a controller, and kinds of allot's in a cluster where nothing shows that allot runs. */
export function idleControllers(facts: ClusterFacts): readonly Finding[] {
  const presence = presenceOf(facts)
  const objects = waitingObjects(facts).flatMap((object) => waiting(object, presence))
  return [...objects, ...abandonedLeases(facts, presence), ...(objects.length > 0 ? [] : unusedKinds(facts, presence))]
}

/** `live`: an operator renews its Lease. `absent`: nothing of a running operator is there. `unknown`: neither can be told. */
type Presence = 'live' | 'absent' | 'unknown'

function presenceOf({ leases, webhooks, isUnread, isInstalled, now }: ClusterFacts): Presence {
  if (leases?.some((lease) => isLive(lease, now)) === true) return 'live'
  const isHidden =
    leases === undefined || WEBHOOKS.some(isUnread) || isUnread({ group: 'apps', resource: 'deployments' })
  const isRegistered = webhooks.some(({ configuration: { metadata } }) =>
    CONFIGURATION_NAMES.some((own) => own === metadata.name),
  )
  return isHidden || isRegistered || isInstalled ? 'unknown' : 'absent'
}

const WEBHOOKS = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations'].map((resource) => ({
  group: 'admissionregistration.k8s.io',
  resource,
}))

/** Until when a Lease is held, in milliseconds since the epoch; undefined where nobody holds it. */
function heldUntil(lease: KubeObject): number | undefined {
  const spec = specIn(lease)
  const renewed = momentOf(textOf(spec['renewTime']))
  if (textOf(spec['holderIdentity']) === '' || renewed === undefined) return undefined
  return renewed + (numberOf(spec['leaseDurationSeconds']) ?? 0) * 1000
}

const specIn = (lease: KubeObject): JsonObject => objectOf(lease['spec'])

const isLive = (lease: KubeObject, now: number): boolean => (heldUntil(lease) ?? 0) > now

/** Pools are of no namespace, so that they are looked at with all of them. */
const waitingObjects = (facts: ClusterFacts): readonly KubeObject[] =>
  [
    ...(facts.namespace === undefined ? facts.pools : []),
    ...(facts.claims ?? []),
    ...facts.customQuotas,
    ...facts.karmadaQuotas,
    ...facts.increases,
  ].filter(({ metadata }) => metadata.deletionTimestamp === undefined)

/** A controller says in the status which generation it has seen; allot's CRDs start with one before the first. */
function waiting(object: KubeObject, presence: Presence): readonly Finding[] {
  const { kind, metadata } = object
  const status = objectOf(object['status'])
  const observed = numberOf(status['observedGeneration'])
  const isBehind = observed !== undefined && observed >= 0 && observed < Number(metadata.generation ?? 0)
  // Where no base quota is defined, nobody says anything of increases.
  const isUndecided = kind === quotaIncrease.kind && isObject(object['status']) && isUntouched(status)
  const isUnseen = COUNTED.has(kind)
    ? conditionIn(object, 'Ready') === undefined
    : (observed !== undefined && observed < 0 && isUntouched(status)) || (isUndecided && presence !== 'live')
  if (!isBehind && !isUnseen) return []
  const text = isUnseen
    ? `no controller has looked at it: ${MEANWHILE[kind] ?? ''}`
    : 'no controller has looked at it since it was changed: the change has no effect'
  const severity = isUndecided && presence === 'unknown' ? 'note' : 'error'
  const advice = isUndecided ? `${ADVICE}; it decides about increases only where base quotas are defined` : ADVICE
  // An object that somebody changes all the time may be behind at each look.
  const evidence = JSON.stringify([metadata.generation, observed])
  return [{ check: 'controller', severity, object: idOf(object), part: '', text, advice, evidence, mayPass: true }]
}

/** Has no controller of any program written the status? Defaults may be there. */
const isUntouched = (status: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(status).every(
    ([name, value]) => name === 'observedGeneration' || value === 0 || (Array.isArray(value) && value.length === 0),
  )

/** A Lease that nobody renews. Clocks may differ: it counts only if it stays as it is. */
const abandonedLeases = ({ leases = [], now }: ClusterFacts, presence: Presence): readonly Finding[] =>
  presence === 'live'
    ? []
    : leases.flatMap((lease): readonly Finding[] => {
        const until = heldUntil(lease)
        return until === undefined || until > now
          ? []
          : [
              {
                check: 'controller',
                severity: 'warning',
                object: idOf(lease),
                part: '',
                text: `${textOf(specIn(lease)['holderIdentity'])} has held it until ${timeText(until)}, and nobody has taken it since: objects wait for a controller`,
                advice: `${ADVICE}; one that runs with --no-leader-elect needs no Lease, and this one can be deleted`,
                evidence: textOf(specIn(lease)['renewTime']),
                mayPass: true,
              },
            ]
      })

/** Kinds of allot's are served, and nothing shows that somebody looks after their objects. */
function unusedKinds({ offered }: ClusterFacts, presence: Presence): readonly Finding[] {
  const served = customResources.filter((one) => offered.find(one) !== undefined)
  const [first] = served
  if (presence !== 'absent' || first === undefined) return []
  return [
    {
      check: 'controller',
      severity: 'note',
      object: {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        namespace: '',
        name: qualified(first),
      },
      part: '',
      text: `the API server serves ${served.map(({ resource }) => resource).join(', ')}, and nothing shows that allot runs: no Lease of it is held, and no webhook of it is registered`,
      advice: 'start allot before somebody makes objects of these kinds, or delete their definitions',
      mayPass: false,
    },
  ]
}
