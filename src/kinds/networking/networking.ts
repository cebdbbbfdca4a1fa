import type { RuntimeClass } from '../../builtin/node-v1.ts'
import type { EndpointSlice } from '../../builtin/discovery-v1.ts'
import type { IngressClass, NetworkPolicy, IPAddress, ServiceCIDR } from '../../builtin/networking-v1.ts'
import { notSupported, required, type FieldError, invalid } from '../../machinery/field-error.ts'
import { all, at, type Change, each, fill, nullAbsent, set, within } from '../rule/change.ts'
import {
  validateIngress,
  validateIngressAddresses,
  validateIngressClass,
  validateNewIngress,
} from './ingress-validation.ts'
import { lifecycle } from '../strategy/lifecycle.ts'
import { validateNetworkPolicy } from './network-policy-validation.ts'
import { absent, listOf, specOf, textOf, objectOf, textsOf } from '../../machinery/read.ts'
import { validateRuntimeClass } from '../node/runtime-class-validation.ts'
import type { Strategies } from '../strategy/strategy.ts'
import { immutable } from '../core/pod/template-validation.ts'
import { isCIDR, validateCIDR } from '../rule/ip.ts'
import { needed } from '../rule/value.ts'

/** Without policyTypes a policy is about ingress, and about egress if it has such rules. */
const policyTypes: Change = (spec) => {
  if (listOf(spec.policyTypes).length > 0) return spec
  return set(spec, 'policyTypes', listOf(spec.egress).length > 0 ? ['Ingress', 'Egress'] : ['Ingress'])
}

const rulePorts: Change = each('ports', fill({ protocol: 'TCP' }))

const slice = lifecycle({ generation: true })

export const networkingStrategies: Strategies = {
  'ingresses.networking.k8s.io': {
    ...lifecycle({ status: { loadBalancer: {} }, generation: true }),
    shortNames: ['ing'],
    validate: validateNewIngress,
    validateUpdate: validateIngress,
    validateStatusUpdate: validateIngressAddresses,
  },
  'ingressclasses.networking.k8s.io': {
    ...lifecycle({ generation: true }),
    defaults: at('spec', at('parameters', fill({ scope: 'Cluster' }))),
    validate: validateIngressClass,
    validateUpdate: (object: IngressClass, old: IngressClass) => [
      ...immutable(specOf(object).controller, specOf(old).controller, 'spec.controller'),
      ...validateIngressClass(object),
    ],
  },
  'networkpolicies.networking.k8s.io': {
    ...lifecycle({ generation: true }),
    shortNames: ['netpol'],
    validate: validateNetworkPolicy,
    // Upstream checks an update as a whole twice, and reports each error twice.
    validateUpdate: (object: NetworkPolicy) => [...validateNetworkPolicy(object), ...validateNetworkPolicy(object)],
    defaults: within('spec', all(each('ingress', rulePorts), each('egress', rulePorts), policyTypes)),
  },
  'ipaddresses.networking.k8s.io': {
    ...lifecycle({ generation: true }),
    shortNames: ['ip'],
    validate: validateAddress,
  },
  'servicecidrs.networking.k8s.io': {
    ...lifecycle({ status: {}, generation: true }),
    validate: validateServiceRange,
    validateStatusUpdate: () => [],
  },
  'endpointslices.discovery.k8s.io': {
    ...slice,
    defaults: all(
      each('ports', (port) => {
        const named = absent(port.name) ? set(port, 'name', '') : port
        return fill({ protocol: 'TCP' })(named)
      }),
      nullAbsent('endpoints', 'ports'),
    ),
    validate: (object: EndpointSlice) => {
      const type = textOf(object.addressType)
      const types = ['FQDN', 'IPv4', 'IPv6']
      if (type === '') return [required('addressType')]
      return types.includes(type) ? [] : [notSupported('addressType', type, types)]
    },
    validateUpdate: (object: EndpointSlice, old: EndpointSlice) =>
      immutable(object.addressType, old.addressType, 'addressType'),
  },
  'runtimeclasses.node.k8s.io': {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    validate: validateRuntimeClass,
    validateUpdate: (object: RuntimeClass, old: RuntimeClass) => immutable(object.handler, old.handler, 'handler'),
  },
}

/** The errors in an IPAddress (networking `ValidateIPAddress`): it belongs to something. */
function validateAddress(object: IPAddress): readonly FieldError[] {
  const { parentRef } = specOf(object)
  if (absent(parentRef)) return [required('spec.parentRef')]
  const { name, resource } = objectOf(parentRef)
  return [...needed(resource, 'spec.parentRef.resource'), ...needed(name, 'spec.parentRef.name')]
}

/** The errors in a ServiceCIDR (networking `ValidateServiceCIDR`): one range, or one of each family. */
function validateServiceRange(object: ServiceCIDR): readonly FieldError[] {
  const cidrs = textsOf(specOf(object).cidrs)
  const path = 'spec.cidrs'
  if (cidrs.length === 0) return [required(path, 'at least one CIDR required')]
  if (cidrs.length > 2) return [invalid(path, cidrs, 'may only hold up to 2 values')]
  const errors = cidrs.flatMap((cidr, index) => validateCIDR(cidr, `${path}[${index}]`))
  const families = new Set(cidrs.filter(isCIDR).map((cidr) => cidr.includes(':')))
  if (errors.length === 0 && families.size < cidrs.length)
    errors.push(
      invalid(path, cidrs, 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64'),
    )
  return errors
}
