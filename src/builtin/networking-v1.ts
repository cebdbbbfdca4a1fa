// Generated from schemas by scripts/generate-types.ts. Do not edit.
import type { KubeObject } from '../machinery/object.ts'
import type { Unchecked } from '../machinery/read.ts'
import type { TypedLocalObjectReference } from './core-v1.ts'
import type { Condition, LabelSelector } from './meta-v1.ts'

export type HTTPIngressPath = {
  readonly backend?: Unchecked<IngressBackend>
  readonly path?: unknown
  readonly pathType?: unknown
}

export type HTTPIngressRuleValue = {
  readonly paths?: Unchecked<readonly HTTPIngressPath[]>
}

export type IPAddress = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<IPAddressSpec>
}

export type IPAddressSpec = {
  readonly parentRef?: Unchecked<ParentReference>
}

export type IPBlock = {
  readonly cidr?: unknown
  readonly except?: unknown
}

export type Ingress = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<IngressSpec>
  readonly status?: Unchecked<IngressStatus>
}

export type IngressBackend = {
  readonly resource?: Unchecked<TypedLocalObjectReference>
  readonly service?: Unchecked<IngressServiceBackend>
}

export type IngressClass = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<IngressClassSpec>
}

export type IngressClassParametersReference = {
  readonly apiGroup?: unknown
  readonly kind?: unknown
  readonly name?: unknown
  readonly namespace?: unknown
  readonly scope?: unknown
}

export type IngressClassSpec = {
  readonly controller?: unknown
  readonly parameters?: Unchecked<IngressClassParametersReference>
}

export type IngressLoadBalancerIngress = {
  readonly hostname?: unknown
  readonly ip?: unknown
  readonly ports?: Unchecked<readonly IngressPortStatus[]>
}

export type IngressLoadBalancerStatus = {
  readonly ingress?: Unchecked<readonly IngressLoadBalancerIngress[]>
}

export type IngressPortStatus = {
  readonly error?: unknown
  readonly port?: unknown
  readonly protocol?: unknown
}

export type IngressRule = {
  readonly host?: unknown
  readonly http?: Unchecked<HTTPIngressRuleValue>
}

export type IngressServiceBackend = {
  readonly name?: unknown
  readonly port?: Unchecked<ServiceBackendPort>
}

export type IngressSpec = {
  readonly defaultBackend?: Unchecked<IngressBackend>
  readonly ingressClassName?: unknown
  readonly rules?: Unchecked<readonly IngressRule[]>
  readonly tls?: Unchecked<readonly IngressTLS[]>
}

export type IngressStatus = {
  readonly loadBalancer?: Unchecked<IngressLoadBalancerStatus>
}

export type IngressTLS = {
  readonly hosts?: unknown
  readonly secretName?: unknown
}

export type NetworkPolicy = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<NetworkPolicySpec>
}

export type NetworkPolicyEgressRule = {
  readonly ports?: Unchecked<readonly NetworkPolicyPort[]>
  readonly to?: Unchecked<readonly NetworkPolicyPeer[]>
}

export type NetworkPolicyIngressRule = {
  readonly from?: Unchecked<readonly NetworkPolicyPeer[]>
  readonly ports?: Unchecked<readonly NetworkPolicyPort[]>
}

export type NetworkPolicyPeer = {
  readonly ipBlock?: Unchecked<IPBlock>
  readonly namespaceSelector?: Unchecked<LabelSelector>
  readonly podSelector?: Unchecked<LabelSelector>
}

export type NetworkPolicyPort = {
  readonly endPort?: unknown
  readonly port?: unknown
  readonly protocol?: unknown
}

export type NetworkPolicySpec = {
  readonly egress?: Unchecked<readonly NetworkPolicyEgressRule[]>
  readonly ingress?: Unchecked<readonly NetworkPolicyIngressRule[]>
  readonly podSelector?: Unchecked<LabelSelector>
  readonly policyTypes?: unknown
}

export type ParentReference = {
  readonly group?: unknown
  readonly name?: unknown
  readonly namespace?: unknown
  readonly resource?: unknown
}

export type ServiceBackendPort = {
  readonly name?: unknown
  readonly number?: unknown
}

export type ServiceCIDR = {
  readonly apiVersion: KubeObject['apiVersion']
  readonly kind: KubeObject['kind']
  readonly metadata: KubeObject['metadata']
  readonly spec?: Unchecked<ServiceCIDRSpec>
  readonly status?: Unchecked<ServiceCIDRStatus>
}

export type ServiceCIDRSpec = {
  readonly cidrs?: unknown
}

export type ServiceCIDRStatus = {
  readonly conditions?: Unchecked<readonly Condition[]>
}
