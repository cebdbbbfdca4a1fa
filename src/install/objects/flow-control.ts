import {
  all,
  from,
  hole,
  isServed,
  isSet,
  NAMESPACE,
  not,
  type ObjectTemplate,
  type TemplateObject,
} from '../template/template.ts'
import { INSTALLED_NAME } from '../installed-names.ts'
import { clusterMetadata } from '../template/common-metadata.ts'

const GROUP = 'flowcontrol.apiserver.k8s.io'
/** The newest first; an API server has at most two of them. Before v1beta3 shares had another name. */
const VERSIONS = [
  { version: 'v1', shares: 'nominalConcurrencyShares' },
  { version: 'v1beta3', shares: 'nominalConcurrencyShares' },
  { version: 'v1beta2', shares: 'assuredConcurrencyShares' },
  { version: 'v1beta1', shares: 'assuredConcurrencyShares' },
] as const
/** Before the rule for all service accounts (9000), after those for leases and the control plane. */
const PRECEDENCE = 900
const QUEUES = { queues: 16, handSize: 4, queueLengthLimit: 100 }

const EVERYTHING: TemplateObject = {
  subjects: [{ kind: 'ServiceAccount', serviceAccount: { name: INSTALLED_NAME, namespace: hole(NAMESPACE) } }],
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
}

/**
 * A request that waits for a review holds its place at the API server. If the writes that the review needs queued for places of the same
 * level, all would wait for each other. So allot has a level of its own.
 */
export const FLOW_CONTROL: readonly ObjectTemplate[] = VERSIONS.flatMap(({ version, shares }, at) => {
  const apiVersion = `${GROUP}/${version}`
  const newer = VERSIONS.slice(0, at).map((one) => not(isServed(`${GROUP}/${one.version}`)))
  const condition = all(isSet('priorityAndFairness.enabled'), isServed(apiVersion), ...newer)
  const suffix = at === 0 ? '' : `-${version}`
  return [
    {
      file: `prioritylevelconfiguration${suffix}`,
      condition,
      object: {
        apiVersion,
        kind: 'PriorityLevelConfiguration',
        metadata: clusterMetadata(),
        spec: {
          type: 'Limited',
          limited: {
            [shares]: from('priorityAndFairness.concurrencyShares'),
            limitResponse: { type: 'Queue', queuing: QUEUES },
          },
        },
      },
    },
    {
      file: `flowschema${suffix}`,
      condition,
      object: {
        apiVersion,
        kind: 'FlowSchema',
        metadata: clusterMetadata(),
        spec: {
          priorityLevelConfiguration: { name: INSTALLED_NAME },
          matchingPrecedence: PRECEDENCE,
          distinguisherMethod: { type: 'ByUser' },
          rules: [EVERYTHING],
        },
      },
    },
  ]
})
