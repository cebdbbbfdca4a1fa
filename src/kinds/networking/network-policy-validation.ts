import type {
  IPBlock,
  NetworkPolicy,
  NetworkPolicyEgressRule,
  NetworkPolicyIngressRule,
  NetworkPolicyPeer,
  NetworkPolicyPort,
} from '../../builtin/networking-v1.ts'
import { append, type FieldError, forbidden, invalid, notSupported, required } from '../../machinery/field-error.ts'
import { validateLabelSelector } from '../../machinery/selector/label.ts'
import { cidrOf, isCIDR, validateCIDR } from '../rule/ip.ts'
import { isPort, PORT_TEXT, portNameProblems } from '../rule/number.ts'
import { absent, listOf, numberOf, objectOf, objectsOf, specOf, textOf, textsOf } from '../../machinery/read.ts'
import { labelSelectorOf } from '../rule/label-selector.ts'
import { obeys, oneOfIfSet } from '../rule/value.ts'
import { PROTOCOLS } from '../core/protocols.ts'

const TYPES = ['Egress', 'Ingress']

/** The errors in a NetworkPolicy (networking `ValidateNetworkPolicySpec`). */
export function validateNetworkPolicy(object: NetworkPolicy): readonly FieldError[] {
  const spec = specOf(object)
  const errors: FieldError[] = [...validateLabelSelector(labelSelectorOf(spec.podSelector), 'spec.podSelector')]
  for (const [direction, peers] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const)
    objectsOf(spec[direction]).forEach((rule: NetworkPolicyIngressRule & NetworkPolicyEgressRule, index) => {
      const path = `spec.${direction}[${index}]`
      objectsOf(rule.ports).forEach((port, place) => append(errors, validatePort(port, `${path}.ports[${place}]`)))
      objectsOf(rule[peers]).forEach((peer, place) => append(errors, validatePeer(peer, `${path}.${peers}[${place}]`)))
    })
  const types = listOf(spec.policyTypes)
  if (types.length > TYPES.length)
    return [...errors, invalid('spec.policyTypes', types, 'may not specify more than two policyTypes')]
  types.forEach((type, index) => {
    if (!TYPES.includes(textOf(type))) errors.push(notSupported(`spec.policyTypes[${index}]`, type, TYPES))
  })
  return errors
}

function validatePort(port: NetworkPolicyPort, path: string): readonly FieldError[] {
  const errors: FieldError[] = [...oneOfIfSet(port.protocol, PROTOCOLS, `${path}.protocol`)]
  const end = numberOf(port.endPort)
  const at = `${path}.endPort`
  if (typeof port.port === 'string') {
    if (end !== undefined) errors.push(invalid(at, end, 'may not be specified when `port` is non-numeric'))
    return [...errors, ...obeys(port.port, portNameProblems, `${path}.port`)]
  }
  const start = numberOf(port.port)
  if (start === undefined)
    return end === undefined
      ? errors
      : [...errors, invalid(at, end, 'may not be specified when `port` is not specified')]
  if (!isPort(start)) errors.push(invalid(`${path}.port`, start, PORT_TEXT))
  if (end === undefined) return errors
  if (end < start) errors.push(invalid(at, end, 'must be greater than or equal to `port`'))
  if (!isPort(end)) errors.push(invalid(at, end, PORT_TEXT))
  return errors
}

function validatePeer(peer: NetworkPolicyPeer, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  const given = (['podSelector', 'namespaceSelector', 'ipBlock'] as const).filter((field) => !absent(peer[field]))
  for (const field of given)
    append(
      errors,
      field === 'ipBlock'
        ? validateBlock(objectOf(peer.ipBlock), `${path}.ipBlock`)
        : validateLabelSelector(labelSelectorOf(peer[field]), `${path}.${field}`),
    )
  if (given.length === 0) errors.push(required(path, 'must specify a peer'))
  else if (given.length > 1 && given.includes('ipBlock'))
    errors.push(forbidden(path, 'may not specify both ipBlock and another peer'))
  return errors
}

function validateBlock(block: IPBlock, path: string): readonly FieldError[] {
  const cidr = textOf(block.cidr)
  if (cidr === '') return [required(`${path}.cidr`)]
  if (!isCIDR(cidr)) return validateCIDR(cidr, `${path}.cidr`)
  return textsOf(block.except).flatMap((except, index) => {
    const at = `${path}.except[${index}]`
    const wrong = validateCIDR(except, at)
    if (wrong.length > 0) return wrong
    return isWithin(except, cidr) ? [] : [invalid(at, except, 'must be a strict subset of `cidr`')]
  })
}

/** Is one network a part of another, and smaller? */
function isWithin(inner: string, outer: string): boolean {
  const [one, other] = [cidrOf(inner), cidrOf(outer)]
  return one !== undefined && other !== undefined && one.bits > other.bits && other.containsPrefix(one)
}
