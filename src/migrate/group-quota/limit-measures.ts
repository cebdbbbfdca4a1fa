import { isHugePagesName } from '../../kinds/resource-quota/resource-names.ts'
import type { Evaluator } from '../../charges/evaluator.ts'
import { countsExtended, podEvaluator, REQUESTS } from '../../charges/evaluators/pod.ts'
import { persistentVolumeClaimEvaluator } from '../../charges/evaluators/persistent-volume-claim.ts'
import { resourceClaimEvaluator } from '../../charges/evaluators/resource-claim.ts'
import { serviceEvaluator } from '../../charges/evaluators/service.ts'
import { amountExpression, literal } from './milli-expression.ts'
import { ACTIVE, podAmount } from './pod-measure.ts'
import { CLASS_ANNOTATION } from '../../kinds/core/volume/class-annotation.ts'

/** How a custom quota counts the objects of one kind for a limit: by their number, or by an expression; only some of them, where conditions are given. */
export interface Measure {
  readonly cel?: string
  readonly fieldSelectors?: readonly string[]
  readonly celExpressions?: readonly string[]
  /** Names the objects that are charged under the limit today, and not by this. */
  readonly lacks?: string
}

/** Undefined: under this name objects of the kind cannot be counted, though they are charged. */
type MeasureOf = (name: string, isBinary: boolean) => Measure | undefined

const LIMITS = 'limits.'
const OF_CLASS = '.storageclass.storage.k8s.io/'
const DEVICES = '.deviceclass.resource.k8s.io/devices'
const COUNT = 'count/'

/** How the kinds are counted that are charged for more than their number. */
const MEASURES: ReadonlyMap<Evaluator, MeasureOf> = new Map<Evaluator, MeasureOf>([
  [podEvaluator, podMeasure],
  [serviceEvaluator, serviceMeasure],
  [persistentVolumeClaimEvaluator, volumeClaimMeasure],
  [resourceClaimEvaluator, deviceMeasure],
])

/** How objects that the evaluator charges are counted under a limit. `isBinary`: the limit is written in Ki, Mi and so on. */
export function measureOf(evaluator: Evaluator, name: string, isBinary: boolean): Measure | undefined {
  if (evaluator.isUniform === true) return {}
  return MEASURES.get(evaluator)?.(name, isBinary)
}

function podMeasure(name: string, isBinary: boolean): Measure | undefined {
  if (name === `${COUNT}pods`) return {}
  if (name === 'pods') return { fieldSelectors: ACTIVE }
  const [side, resource] = name.startsWith(LIMITS)
    ? (['limits', name.slice(LIMITS.length)] as const)
    : (['requests', name.startsWith(REQUESTS) ? name.slice(REQUESTS.length) : name] as const)
  const lacks = 'devices that ResourceClaims get under the name of this extended resource are no longer counted'
  return {
    cel: podAmount(side, resource, isBinary),
    fieldSelectors: ACTIVE,
    ...(countsExtended(name) && !isHugePagesName(name) ? { lacks } : {}),
  }
}

function serviceMeasure(name: string): Measure | undefined {
  switch (name) {
    case 'services.loadbalancers':
      return { fieldSelectors: ['.spec.type=LoadBalancer'] }
    case 'services.nodeports':
      return { cel: NODE_PORTS }
    default:
      return {}
  }
}

const PORTS = 'object.spec.?ports.orValue([])'
const TYPE = "object.spec.?type.orValue('')"
const NODE_PORTS =
  `quantity(string(${TYPE}=='NodePort'||${TYPE}=='LoadBalancer'&&object.spec.?allocateLoadBalancerNodePorts.orValue(true)!=false?${PORTS}.size():` +
  `${TYPE}=='LoadBalancer'?${PORTS}.filter(p,p.?nodePort.orValue(0)!=0).size():0))`

const WANTED = 'object.spec.?resources.?requests.?storage'
const HELD = 'object.?status.?allocatedResources.?storage'
/** While a volume shrinks back, what is still allocated counts; whole bytes. */
const STORAGE =
  `[${WANTED}.orValue('0')].map(w,[${HELD}.orValue(w)].map(h,${WANTED}.hasValue()&&quantity(h).isGreaterThan(quantity(w))?h:w)[0])` +
  ".map(v,quantity(v).isInteger()?quantity(v):quantity(string((int(v.split('m')[0].split('e')[0])+999)/1000)))"
const STORAGE_CLASS = `object.metadata.?annotations[?'${CLASS_ANNOTATION}'].or(object.spec.?storageClassName).orValue('')`

function volumeClaimMeasure(name: string): Measure | undefined {
  const at = name.indexOf(OF_CLASS)
  const ofClass = at < 0 ? {} : { celExpressions: [`${STORAGE_CLASS}==${literal(name.slice(0, at))}`] }
  return name.endsWith('requests.storage') ? { cel: STORAGE, ...ofClass } : ofClass
}

function deviceMeasure(name: string): Measure | undefined {
  if (name.startsWith(COUNT)) return {}
  if (!name.endsWith(DEVICES)) return undefined
  const ofClass = `e.deviceClassName==${literal(name.slice(0, -DEVICES.length))}`
  const mode = "e.?allocationMode.orValue('ExactCount')"
  // An allocation holds 32 devices at most; of alternatives only one is allocated.
  const devices = `(${mode}=='All'?32:${mode}=='ExactCount'?int(e.?count.orValue(1)):0)`
  const alternatives = 'has(r.exactly)?[r.exactly]:r.?firstAvailable.orValue([])'
  const most = `([0]+l.filter(e,${ofClass}).map(e,${devices})).max()`
  const sum = `object.spec.?devices.?requests.orValue([]).map(r,${alternatives}).map(l,${most}).sum()`
  return { cel: amountExpression(`${sum}*1000`, false) }
}
