// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'

export type ExemptPriorityLevelConfiguration = {
  readonly lendablePercent?: unknown
  readonly nominalConcurrencyShares?: unknown
}

export type FlowDistinguisherMethod = {
  readonly type?: unknown
}

export type FlowSchema = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<FlowSchemaSpec>
  readonly status?: Unchecked<FlowSchemaStatus>
}

export type FlowSchemaCondition = {
  readonly lastTransitionTime?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type FlowSchemaSpec = {
  readonly distinguisherMethod?: Unchecked<FlowDistinguisherMethod>
  readonly matchingPrecedence?: unknown
  readonly priorityLevelConfiguration?: Unchecked<PriorityLevelConfigurationReference>
  readonly rules?: Unchecked<readonly PolicyRulesWithSubjects[]>
}

export type FlowSchemaStatus = {
  readonly conditions?: Unchecked<readonly FlowSchemaCondition[]>
}

export type GroupSubject = {
  readonly name?: unknown
}

export type LimitResponse = {
  readonly queuing?: Unchecked<QueuingConfiguration>
  readonly type?: unknown
}

export type LimitedPriorityLevelConfiguration = {
  readonly borrowingLimitPercent?: unknown
  readonly lendablePercent?: unknown
  readonly limitResponse?: Unchecked<LimitResponse>
  readonly nominalConcurrencyShares?: unknown
}

export type NonResourcePolicyRule = {
  readonly nonResourceURLs?: unknown
  readonly verbs?: unknown
}

export type PolicyRulesWithSubjects = {
  readonly nonResourceRules?: Unchecked<readonly NonResourcePolicyRule[]>
  readonly resourceRules?: Unchecked<readonly ResourcePolicyRule[]>
  readonly subjects?: Unchecked<readonly Subject[]>
}

export type PriorityLevelConfiguration = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<PriorityLevelConfigurationSpec>
  readonly status?: Unchecked<PriorityLevelConfigurationStatus>
}

export type PriorityLevelConfigurationCondition = {
  readonly lastTransitionTime?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly status?: unknown
  readonly type?: unknown
}

export type PriorityLevelConfigurationReference = {
  readonly name?: unknown
}

export type PriorityLevelConfigurationSpec = {
  readonly exempt?: Unchecked<ExemptPriorityLevelConfiguration>
  readonly limited?: Unchecked<LimitedPriorityLevelConfiguration>
  readonly type?: unknown
}

export type PriorityLevelConfigurationStatus = {
  readonly conditions?: Unchecked<readonly PriorityLevelConfigurationCondition[]>
}

export type QueuingConfiguration = {
  readonly handSize?: unknown
  readonly queueLengthLimit?: unknown
  readonly queues?: unknown
}

export type ResourcePolicyRule = {
  readonly apiGroups?: unknown
  readonly clusterScope?: unknown
  readonly namespaces?: unknown
  readonly resources?: unknown
  readonly verbs?: unknown
}

export type ServiceAccountSubject = {
  readonly name?: unknown
  readonly namespace?: unknown
}

export type Subject = {
  readonly group?: Unchecked<GroupSubject>
  readonly kind?: unknown
  readonly serviceAccount?: Unchecked<ServiceAccountSubject>
  readonly user?: Unchecked<UserSubject>
}

export type UserSubject = {
  readonly name?: unknown
}
