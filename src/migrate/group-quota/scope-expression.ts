import type { ScopeRequirement } from '../../kinds/resource-quota/resource-quota.ts'
import { literal } from './milli-expression.ts'

type Expression = (requirement: ScopeRequirement) => string | undefined

const TERMINATING = 'object.spec.?activeDeadlineSeconds.orValue(-1)>=0'
const BEARERS =
  "(['requests','limits'].exists(s,object.spec.?resources[?s].orValue({}).exists(k,k=='cpu'||k=='memory'||k.startsWith('hugepages-')))" +
  '?[object.spec]:object.spec.containers+object.spec.?initContainers.orValue([]))'
const ASKS = `${BEARERS}.exists(b,['requests','limits'].exists(s,['cpu','memory'].exists(r,quantity(b.?resources[?s][?r].orValue('0')).isGreaterThan(quantity('0')))))`
const CLASS = "object.?status.?qosClass.orValue('')"
const BEST_EFFORT = `(${CLASS} in ['Guaranteed','Burstable','BestEffort']?${CLASS}=='BestEffort':!${ASKS})`
const TERMS = ['podAffinity', 'podAntiAffinity']
  .flatMap((kind) => [
    `object.spec.?affinity.?${kind}.?requiredDuringSchedulingIgnoredDuringExecution.orValue([])`,
    `object.spec.?affinity.?${kind}.?preferredDuringSchedulingIgnoredDuringExecution.orValue([]).map(p,p.podAffinityTerm)`,
  ])
  .join('+')
const ATTRIBUTES_CLASSES =
  "[?object.spec.?volumeAttributesClassName,?object.?status.?currentVolumeAttributesClassName,?object.?status.?modifyVolumeStatus.?targetVolumeAttributesClassName].filter(n,n!='')"

/** The conditions of a quota's scopes on an object, as expressions of CEL (`POD_SCOPES`, `CLAIM_SCOPES`). */
const EXPRESSIONS: ReadonlyMap<string, Expression> = new Map<string, Expression>([
  ['Terminating', () => TERMINATING],
  ['NotTerminating', () => `!(${TERMINATING})`],
  ['BestEffort', () => BEST_EFFORT],
  ['NotBestEffort', () => `!${BEST_EFFORT}`],
  [
    'CrossNamespacePodAffinity',
    () => `(${TERMS}).exists(t,t.?namespaces.orValue([]).size()>0||has(t.namespaceSelector))`,
  ],
  ['PriorityClass', (requirement) => selected(requirement, "object.spec.?priorityClassName.orValue('')")],
  [
    'VolumeAttributesClass',
    (requirement) => {
      const one = selected(requirement, 'n')
      if (one === undefined) return undefined
      if (requirement.operator === 'Exists') return `${ATTRIBUTES_CLASSES}.size()>0`
      return `[${ATTRIBUTES_CLASSES}].map(l,l.size()==0?['']:l)[0].exists(n,${one})`
    },
  ],
])

/** Undefined for a scope or an operator that no object can be asked about. */
export const scopeExpression = (requirement: ScopeRequirement): string | undefined =>
  EXPRESSIONS.get(requirement.scopeName)?.(requirement)

/** Does a requirement select a name? The empty one stands for none. */
function selected({ operator, values = [] }: ScopeRequirement, name: string): string | undefined {
  const list = `[${values.map(literal).join(',')}]`
  switch (operator) {
    case 'Exists':
      return `${name}!=''`
    case 'DoesNotExist':
      return `${name}==''`
    case 'In':
      return values.length === 0 ? undefined : `${name}!=''&&${name} in ${list}`
    case 'NotIn':
      return values.length === 0 ? undefined : `${name}==''||!(${name} in ${list})`
    case undefined:
    default:
      return undefined
  }
}
