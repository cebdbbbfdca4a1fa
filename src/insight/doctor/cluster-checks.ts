import { timeText } from '../../machinery/text/time.ts'
import { EFFECTIVE, conditionIn, conditionOf } from '../../api/condition.ts'
import { scopeRequirements } from '../../kinds/resource-quota/resource-quota.ts'
import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import { countedResource } from '../../charges/evaluators/object-count.ts'
import { idleLimits } from '../../charges/limit-names/idle-limits.ts'
import { sentence } from '../../machinery/field-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { textOf } from '../../machinery/read.ts'
import { idleKarmadaLimits } from '../../systems/karmada-quota/decide/idle-karmada-limits.ts'
import { parseResourceList, add, equals, type ResourceList } from '../../quantity/resource-list.ts'
import { ifReadable } from '../../quantity/quantity.ts'
import { CONFIGURATION_NAMES } from '../../install/installed-names.ts'
import { idOf } from '../explain/facts.ts'
import type { CalledService, ClusterFacts } from './cluster-facts.ts'
import type { Finding } from './finding.ts'
import type { ServiceProblem } from './service-problem.ts'
import { asksAbout } from './webhook-rules.ts'

/** Limits that other distributions count. */
const OF_OTHERS = /^openshift\.io\//
const DAY_MS = 24 * 3_600_000
/** allot renews its own certificates long before. */
const SOON_MS = 7 * DAY_MS

/** Limits and quotas that limit nothing, whatever objects there are. */
export function idleQuotas({
  quotas,
  customQuotas,
  karmadaQuotas,
  offered,
  brokenGroups,
}: ClusterFacts): readonly Finding[] {
  const about = {
    check: 'idle',
    severity: 'warning',
    advice: 'correct the limit, or remove it',
    mayPass: false,
  } as const
  const unknown = new Set(brokenGroups.map(({ group }) => group))
  // What an API server does not list now may be counted as ever, and OpenShift counts more than Kubernetes.
  const isKnown = (name: string): boolean => !OF_OTHERS.test(name) && !unknown.has(countedResource(name)?.group ?? '')
  return [
    ...quotas.flatMap((quota) =>
      idleLimits(Object.keys(quota.spec?.hard ?? {}).filter(isKnown), {
        evaluators: QUOTA_EVALUATORS,
        offered,
        requirements: scopeRequirements(quota.spec),
      }).map(({ name, text }) => ({ ...about, object: idOf(quota), part: name, text: `${name} ${text}` })),
    ),
    ...customQuotas.flatMap((quota) => {
      const effective = conditionOf(quota.status?.conditions, EFFECTIVE)
      return effective?.status === 'False' ? [{ ...about, object: idOf(quota), part: '', text: effective.message }] : []
    }),
    ...karmadaQuotas.flatMap((quota) =>
      idleKarmadaLimits(quota.spec).map((error) => ({
        ...about,
        object: idOf(quota),
        part: error.path,
        text: sentence(error),
      })),
    ),
  ]
}

/** Webhooks that cannot be reached, and certificates that are over. */
export function brokenWebhooks({ webhooks, probe, now, concerned }: ClusterFacts): readonly Finding[] {
  const found = webhooks.flatMap((webhook): readonly Finding[] => {
    const { configuration, name, isRequired, service, trustedUntil, rules } = webhook
    const about = { object: idOf(configuration), part: name, mayPass: false } as const
    const problem = service?.problem
    const isOwn = CONFIGURATION_NAMES.some((own) => own === configuration.metadata.name)
    // What another program is asked about may be no matter of quotas.
    const isOther = !isOwn && concerned !== undefined && !asksAbout(rules, concerned)
    const inScope = (severity: Finding['severity']): Finding['severity'] => (isOther ? 'note' : severity)
    const unreachable: readonly Finding[] =
      service === undefined || problem === undefined
        ? []
        : [
            {
              ...about,
              check: 'webhook',
              severity: inScope(problem.severity === 'error' && !isRequired ? 'warning' : problem.severity),
              text: `webhook ${name} ${unreachedText(service, problem)}`,
              advice: isOther ? OF_NO_QUOTA : adviceOf(problem, isRequired),
            },
          ]
    const latest = trustedUntil.length === 0 ? undefined : Math.max(...trustedUntil)
    if (latest === undefined || latest > now + (isOwn ? SOON_MS : 0)) return unreachable
    return [
      ...unreachable,
      {
        ...about,
        check: 'certificate',
        severity: inScope(latest <= now ? 'error' : 'warning'),
        text: `the certificate that the API server trusts for webhook ${name} ${latest <= now ? 'was' : 'is'} valid until ${timeText(latest)}`,
        advice: isOwn ? 'allot renews it while it runs: look at its log' : isOther ? OF_NO_QUOTA : 'renew it',
      },
    ]
  })
  if (probe === undefined) return found
  const configuration = webhooks.find(({ configuration: { metadata } }) =>
    CONFIGURATION_NAMES.some((own) => own === metadata.name),
  )?.configuration
  const object =
    configuration === undefined ? { apiVersion: '', kind: 'Webhook', namespace: '', name: '' } : idOf(configuration)
  return [
    ...found,
    {
      check: 'webhook',
      severity: 'error',
      object,
      part: 'probe',
      text: `a dry run was not answered: ${probe}`,
      advice: 'look whether allot runs, and whether the API server reaches it',
      mayPass: true,
    },
  ]
}

const OF_NO_QUOTA = 'it is asked about nothing that the quotas count: whoever it belongs to may mend it'

const unreachedText = ({ namespace, name }: CalledService, { text, severity }: ServiceProblem): string =>
  `${severity === 'error' ? 'cannot' : 'may not'} be reached: Service ${namespace}/${name} ${text}`

function adviceOf({ severity }: ServiceProblem, isRequired: boolean): string {
  if (severity !== 'error') return 'look at the flags of the API server'
  const [what, then] = [
    isRequired ? 'refused' : 'allowed unseen',
    'mend the Service or what answers it, or delete the configuration',
  ]
  return `what it is asked about is ${what}: ${then}`
}

/** Definitions and API services that are broken: the quota controller of Kubernetes stops while it cannot list all kinds. */
export function brokenApis({ definitions, conversions, apiServices, brokenGroups }: ClusterFacts): readonly Finding[] {
  const STALLS =
    'while it lasts, the controllers of quotas and garbage may not count or collect anything new: mend it, or delete it'
  const about = { check: 'api', severity: 'error', part: '', advice: STALLS, mayPass: true } as const
  const services = apiServices.flatMap((one) => {
    const available = conditionIn(one, 'Available')
    return available?.['status'] === 'False'
      ? [{ ...about, object: idOf(one), text: `the API service is not available: ${textOf(available['message'])}` }]
      : []
  })
  const named = new Set(
    apiServices.filter((one) => conditionIn(one, 'Available')?.['status'] === 'False').map(groupVersionOf),
  )
  const groups = brokenGroups
    .filter(({ group, version }) => !named.has(`${version}.${group}`))
    .map(({ group, version, message }) => ({
      ...about,
      object: { apiVersion: '', kind: 'APIService', namespace: '', name: `${version}.${group}` },
      text: `the API server cannot list what is in ${group}/${version}: ${message}`,
    }))
  const broken = definitions.flatMap((one) => {
    const [established, names] = [conditionIn(one, 'Established'), conditionIn(one, 'NamesAccepted')]
    const wrong = [names, established].find((condition) => condition?.['status'] === 'False')
    const isStuck = one.metadata.deletionTimestamp !== undefined
    const text = isStuck
      ? 'the definition is being deleted, and does not go'
      : wrong === undefined
        ? undefined
        : `the definition is not served: ${textOf(wrong['message'])}`
    return text === undefined ? [] : [{ ...about, object: idOf(one), text }]
  })
  const unconverted = conversions.flatMap(({ definition, service }) =>
    service.problem === undefined
      ? []
      : [
          {
            ...about,
            severity: service.problem.severity,
            object: idOf(definition),
            part: 'conversion',
            text: `what converts its objects ${unreachedText(service, service.problem)}`,
          },
        ],
  )
  return [...services, ...groups, ...broken, ...unconverted]
}

const groupVersionOf = ({ metadata }: KubeObject): string => metadata.name ?? ''

/** Rights that an operator of the cluster lacks. */
export const missingRights = ({ operators }: ClusterFacts): readonly Finding[] =>
  operators.map(({ deployment, missing }) => ({
    check: 'permission',
    severity: 'error',
    object: idOf(deployment),
    part: '',
    text: `its service account lacks rights: ${missing}`,
    advice: 'apply the roles of this version: allot install, or the chart',
    mayPass: false,
  }))

/** Pools whose allocation is not the sum of the claims that they list, and claims of which pool and claim say different things. */
export function wrongPools({ pools, claims, namespace: only }: ClusterFacts): readonly Finding[] {
  const known = claims && new Set(claims.map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`))
  return pools.flatMap((pool) => {
    const { status } = pool
    if (status === undefined) return []
    const about = { check: 'pool', object: idOf(pool), mayPass: true, advice: 'look at the log of allot' } as const
    const listed = Object.values(status.claims ?? {}).flat()
    return ifReadable(() => {
      const sum = listed.map((one) => parseResourceList(one.claims ?? {})).reduce<ResourceList>(add, {})
      const used = parseResourceList(status.allocation?.used ?? {})
      const isEqual = equals(nonZero(sum), nonZero(used))
      const gone = listed.filter(
        ({ namespace, name }) =>
          (only === undefined || only === namespace) && known?.has(`${namespace}/${name}`) === false,
      )
      return [
        ...(isEqual
          ? []
          : [{ ...about, severity: 'error', part: 'used', text: 'its usage is not the sum of its claims' } as const]),
        ...gone.map(({ namespace, name }) => ({
          ...about,
          severity: 'error' as const,
          part: `${namespace}/${name}`,
          text: `it keeps room for claim ${namespace}/${name}, which does not exist`,
        })),
      ]
    }, [])
  })
}

const nonZero = (list: ResourceList): ResourceList =>
  Object.fromEntries(Object.entries(list).filter(([, amount]) => !amount.isZero()))
