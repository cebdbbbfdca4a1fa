import type {
  NetworkPolicy,
  NetworkPolicyEgressRule,
  NetworkPolicyIngressRule,
} from '../../../builtin/networking-v1.ts'
import type { Service } from '../../../builtin/core-v1.ts'
import { addressWarnings, rangeWarnings } from '../../rule/address-warnings.ts'
import { objectOf, objectsOf, specOf, textOf, textsOf } from '../../../machinery/read.ts'
import { isHeadless } from './defaults.ts'

const HINTS = 'service.kubernetes.io/topology-aware-hints'
const MODE = 'service.kubernetes.io/topology-mode'
const EXTERNAL_NAME = '"ExternalName"'

/** Returns the warnings about a Service (core `GetWarningsForService`). */
export function serviceWarnings(service: Service): readonly string[] {
  const spec = specOf(service)
  const hints = service.metadata.annotations?.[HINTS] !== undefined
  const headless = spec.type === 'ClusterIP' && isHeadless(spec)
  const named = spec.type === 'ExternalName'
  const external = textsOf(spec.externalIPs)
  const balanced = textOf(spec.loadBalancerIP)
  const ifHeadless = (isSet: boolean, field: string): readonly string[] =>
    headless && isSet ? [`spec.${field} is ignored for headless services`] : []
  return [
    ...(hints ? [`annotation ${HINTS} is deprecated, please use ${MODE} instead`] : []),
    ...textsOf(spec.clusterIPs).flatMap((ip, index) => addressWarnings(ip, `spec.clusterIPs[${index}]`)),
    ...ifHeadless(balanced !== '', 'loadBalancerIP'),
    ...ifHeadless(external.length > 0, 'externalIPs'),
    ...ifHeadless(spec.sessionAffinity !== 'None', 'SessionAffinity'),
    ...external.flatMap((ip, index) => addressWarnings(ip, `spec.externalIPs[${index}]`)),
    ...(external.length > 0 && !headless && !named
      ? ['spec.externalIPs is deprecated and may no longer be implemented in some clusters']
      : []),
    ...addressWarnings(balanced, 'spec.loadBalancerIP'),
    ...textsOf(spec.loadBalancerSourceRanges).flatMap((range, index) =>
      rangeWarnings(range, `spec.loadBalancerSourceRanges[${index}]`),
    ),
    ...(named && external.length > 0 ? [`spec.externalIPs is ignored when spec.type is ${EXTERNAL_NAME}`] : []),
    ...(!named && textOf(spec.externalName) !== ''
      ? [`spec.externalName is ignored when spec.type is not ${EXTERNAL_NAME}`]
      : []),
    ...(spec.trafficDistribution === 'PreferClose'
      ? ['spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"']
      : []),
  ]
}

/** Returns the warnings about the peers of a NetworkPolicy: CIDRs that are not in canonical form. */
export const networkPolicyWarnings = (policy: NetworkPolicy): readonly string[] =>
  (
    [
      ['ingress', 'from'],
      ['egress', 'to'],
    ] as const
  ).flatMap(([direction, peers]) =>
    objectsOf(specOf(policy)[direction]).flatMap((rule: NetworkPolicyIngressRule & NetworkPolicyEgressRule, index) =>
      objectsOf(rule[peers]).flatMap(({ ipBlock }, place) => {
        const { cidr, except } = objectOf(ipBlock)
        const path = `spec.${direction}[${index}].${peers}[${place}].ipBlock`
        return [
          ...rangeWarnings(textOf(cidr), `${path}.cidr`),
          ...textsOf(except).flatMap((range, at) => rangeWarnings(range, `${path}.except[${at}]`)),
        ]
      }),
    ),
  )
