import type { Node, Pod, PodSpec, Taint, Toleration } from '../../builtin/core-v1.ts'
import type { JsonObject } from '../../machinery/object.ts'
import type { LabelMatcher, SelectionOperator } from '../../machinery/selector/requirement.ts'
import { matcherOf } from '../../machinery/selector/requirement-matcher.ts'
import { objectOf, objectsOf, specOf, textEntries, textOf, textsOf } from '../../machinery/read.ts'

const NODE_NAME = 'metadata.name'
const CORDONED = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }
const OPERATORS: ReadonlyMap<string, SelectionOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
  ['Gt', 'gt'],
  ['Lt', 'lt'],
])

/** Does the node have what a pod's nodeSelector and required node affinity ask for? `spec` is a pod's. */
export function wantsNode(spec: JsonObject, node: Node): boolean {
  const labels = node.metadata.labels ?? {}
  if (!textEntries(spec['nodeSelector']).every(([key, value]) => labels[key] === value)) return false
  const required = requiredAffinity(spec)
  if (required === undefined) return true
  return objectsOf(required['nodeSelectorTerms']).some((term) => fitsTerm(term, node))
}

/** Are all taints of the node with these effects tolerated? */
export function toleratesNode(spec: JsonObject, node: Node, effects: readonly string[]): boolean {
  const tolerations = objectsOf(spec['tolerations'])
  return objectsOf(specOf(node)['taints'])
    .filter(({ effect }) => effects.includes(textOf(effect)))
    .every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)))
}

/** Are new pods let on the node? One that was cordoned takes only those that tolerate it. `spec` is a pod's. */
export function takesPods(spec: PodSpec, node: Node): boolean {
  if (specOf(node)['unschedulable'] !== true) return true
  return objectsOf(spec['tolerations']).some((toleration) => tolerates(toleration, CORDONED))
}

/** The affinity of a pod that is for one node, whatever its template requires of nodes. */
export function affinityTo(name: string, affinity: unknown): JsonObject {
  const matchFields = [{ key: NODE_NAME, operator: 'In', values: [name] }]
  const required = { nodeSelectorTerms: [{ matchFields }] }
  const before = objectOf(affinity)
  return {
    ...before,
    nodeAffinity: {
      ...objectOf(before['nodeAffinity']),
      requiredDuringSchedulingIgnoredDuringExecution: required,
    },
  }
}

/** The node that a pod is on, or the one that it is for; '' when it may be on several. */
export function targetNode(pod: Pod): string {
  const spec = specOf(pod)
  const bound = textOf(spec['nodeName'])
  if (bound !== '') return bound
  const fields = objectsOf(requiredAffinity(spec)?.['nodeSelectorTerms']).flatMap((term) =>
    objectsOf(term['matchFields']),
  )
  const named = fields.find(({ key, operator }) => key === NODE_NAME && operator === 'In')
  const [name = '', ...others] = textsOf(named?.['values'])
  return others.length === 0 ? name : ''
}

function requiredAffinity(spec: PodSpec): JsonObject | undefined {
  const required = objectOf(objectOf(spec['affinity'])['nodeAffinity'])[
    'requiredDuringSchedulingIgnoredDuringExecution'
  ]
  return required === undefined || required === null ? undefined : objectOf(required)
}

/** A term that asks for nothing fits no node. */
function fitsTerm(term: JsonObject, node: Node): boolean {
  const expressions = objectsOf(term['matchExpressions'])
  const fields = objectsOf(term['matchFields'])
  if (expressions.length === 0 && fields.length === 0) return false
  return matcher(expressions)(node.metadata.labels ?? {}) && matcher(fields)({ [NODE_NAME]: node.metadata.name ?? '' })
}

function matcher(requirements: readonly JsonObject[]): LabelMatcher {
  const read = requirements.map(({ key, operator, values }) => ({
    key: textOf(key),
    operator: OPERATORS.get(textOf(operator)),
    values: textsOf(values),
  }))
  const known = read.flatMap(({ operator, ...rest }) => (operator === undefined ? [] : [{ ...rest, operator }]))
  return known.length === read.length ? matcherOf(known) : () => false
}

function tolerates(toleration: Toleration, taint: Taint): boolean {
  const key = textOf(toleration['key'])
  if (!['', textOf(taint['effect'])].includes(textOf(toleration['effect']))) return false
  if (key !== '' && key !== taint['key']) return false
  if (toleration['operator'] === 'Exists') return true
  return key !== '' && textOf(toleration['value']) === textOf(taint['value'])
}
