// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'
import type { Condition, LabelSelector } from './meta-v1.ts'

export type ApplyConfiguration = {
  readonly expression?: unknown
}

export type AuditAnnotation = {
  readonly key?: unknown
  readonly valueExpression?: unknown
}

export type ExpressionWarning = {
  readonly fieldRef?: unknown
  readonly warning?: unknown
}

export type JSONPatch = {
  readonly expression?: unknown
}

export type MatchCondition = {
  readonly expression?: unknown
  readonly name?: unknown
}

export type MatchResources = {
  readonly excludeResourceRules?: Unchecked<readonly NamedRuleWithOperations[]>
  readonly matchPolicy?: unknown
  readonly namespaceSelector?: Unchecked<LabelSelector>
  readonly objectSelector?: Unchecked<LabelSelector>
  readonly resourceRules?: Unchecked<readonly NamedRuleWithOperations[]>
}

export type MutatingAdmissionPolicy = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<MutatingAdmissionPolicySpec>
}

export type MutatingAdmissionPolicyBinding = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<MutatingAdmissionPolicyBindingSpec>
}

export type MutatingAdmissionPolicyBindingSpec = {
  readonly matchResources?: Unchecked<MatchResources>
  readonly paramRef?: Unchecked<ParamRef>
  readonly policyName?: unknown
}

export type MutatingAdmissionPolicySpec = {
  readonly failurePolicy?: unknown
  readonly matchConditions?: Unchecked<readonly MatchCondition[]>
  readonly matchConstraints?: Unchecked<MatchResources>
  readonly mutations?: Unchecked<readonly Mutation[]>
  readonly paramKind?: Unchecked<ParamKind>
  readonly reinvocationPolicy?: unknown
  readonly variables?: Unchecked<readonly Variable[]>
}

export type MutatingWebhook = {
  readonly admissionReviewVersions?: unknown
  readonly clientConfig?: Unchecked<WebhookClientConfig>
  readonly failurePolicy?: unknown
  readonly matchConditions?: Unchecked<readonly MatchCondition[]>
  readonly matchPolicy?: unknown
  readonly name?: unknown
  readonly namespaceSelector?: Unchecked<LabelSelector>
  readonly objectSelector?: Unchecked<LabelSelector>
  readonly reinvocationPolicy?: unknown
  readonly rules?: Unchecked<readonly RuleWithOperations[]>
  readonly sideEffects?: unknown
  readonly timeoutSeconds?: unknown
}

export type MutatingWebhookConfiguration = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly webhooks?: Unchecked<readonly MutatingWebhook[]>
}

export type Mutation = {
  readonly applyConfiguration?: Unchecked<ApplyConfiguration>
  readonly jsonPatch?: Unchecked<JSONPatch>
  readonly patchType?: unknown
}

export type NamedRuleWithOperations = {
  readonly apiGroups?: unknown
  readonly apiVersions?: unknown
  readonly operations?: unknown
  readonly resourceNames?: unknown
  readonly resources?: unknown
  readonly scope?: unknown
}

export type ParamKind = {
  readonly apiVersion?: unknown
  readonly kind?: unknown
}

export type ParamRef = {
  readonly name?: unknown
  readonly namespace?: unknown
  readonly parameterNotFoundAction?: unknown
  readonly selector?: Unchecked<LabelSelector>
}

export type RuleWithOperations = {
  readonly apiGroups?: unknown
  readonly apiVersions?: unknown
  readonly operations?: unknown
  readonly resources?: unknown
  readonly scope?: unknown
}

export type ServiceReference = {
  readonly name?: unknown
  readonly namespace?: unknown
  readonly path?: unknown
  readonly port?: unknown
}

export type TypeChecking = {
  readonly expressionWarnings?: Unchecked<readonly ExpressionWarning[]>
}

export type ValidatingAdmissionPolicy = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<ValidatingAdmissionPolicySpec>
  readonly status?: Unchecked<ValidatingAdmissionPolicyStatus>
}

export type ValidatingAdmissionPolicyBinding = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<ValidatingAdmissionPolicyBindingSpec>
}

export type ValidatingAdmissionPolicyBindingSpec = {
  readonly matchResources?: Unchecked<MatchResources>
  readonly paramRef?: Unchecked<ParamRef>
  readonly policyName?: unknown
  readonly validationActions?: unknown
}

export type ValidatingAdmissionPolicySpec = {
  readonly auditAnnotations?: Unchecked<readonly AuditAnnotation[]>
  readonly failurePolicy?: unknown
  readonly matchConditions?: Unchecked<readonly MatchCondition[]>
  readonly matchConstraints?: Unchecked<MatchResources>
  readonly paramKind?: Unchecked<ParamKind>
  readonly validations?: Unchecked<readonly Validation[]>
  readonly variables?: Unchecked<readonly Variable[]>
}

export type ValidatingAdmissionPolicyStatus = {
  readonly conditions?: Unchecked<readonly Condition[]>
  readonly observedGeneration?: unknown
  readonly typeChecking?: Unchecked<TypeChecking>
}

export type ValidatingWebhook = {
  readonly admissionReviewVersions?: unknown
  readonly clientConfig?: Unchecked<WebhookClientConfig>
  readonly failurePolicy?: unknown
  readonly matchConditions?: Unchecked<readonly MatchCondition[]>
  readonly matchPolicy?: unknown
  readonly name?: unknown
  readonly namespaceSelector?: Unchecked<LabelSelector>
  readonly objectSelector?: Unchecked<LabelSelector>
  readonly rules?: Unchecked<readonly RuleWithOperations[]>
  readonly sideEffects?: unknown
  readonly timeoutSeconds?: unknown
}

export type ValidatingWebhookConfiguration = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly webhooks?: Unchecked<readonly ValidatingWebhook[]>
}

export type Validation = {
  readonly expression?: unknown
  readonly message?: unknown
  readonly messageExpression?: unknown
  readonly reason?: unknown
}

export type Variable = {
  readonly expression?: unknown
  readonly name?: unknown
}

export type WebhookClientConfig = {
  readonly caBundle?: unknown
  readonly service?: Unchecked<ServiceReference>
  readonly url?: unknown
}
