import type { JsonObject, KubeObject } from '../../src/machinery/object.ts'

/**
 * The expected usage of quotas, computed without any of the product's code, for the kinds and forms of objects that the
 * suites make. Amounts are in thousandths.
 */
export type Amounts = ReadonlyMap<string, bigint>

const SUFFIXES: Readonly<Record<string, bigint>> = {
  m: 1n,
  '': 1000n,
  k: 10n ** 6n,
  M: 10n ** 9n,
  G: 10n ** 12n,
  Ki: 1000n << 10n,
  Mi: 1000n << 20n,
  Gi: 1000n << 30n,
}

/** A quantity in thousandths. Throws for a form that the suites do not use. */
export function amount(text: unknown): bigint {
  const [, digits, suffix] = /^(\d+)([a-zA-Z]*)$/.exec(String(text)) ?? []
  const unit = suffix === undefined ? undefined : SUFFIXES[suffix]
  if (digits === undefined || unit === undefined) throw new Error(`not a quantity of the suites: ${String(text)}`)
  return BigInt(digits) * unit
}

export const amounts = (list: unknown): Amounts =>
  new Map(Object.entries(list ?? {}).map(([name, value]) => [name, amount(value)]))

interface Container {
  readonly resources?: { readonly requests?: JsonObject; readonly limits?: JsonObject }
}
interface Spec {
  readonly containers?: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly activeDeadlineSeconds?: number
  readonly priorityClassName?: string
  readonly type?: string
  readonly ports?: readonly JsonObject[]
  readonly storageClassName?: string
  readonly resources?: { readonly requests?: JsonObject }
  readonly hard?: JsonObject
  readonly scopes?: readonly string[]
  readonly scopeSelector?: {
    readonly matchExpressions: readonly {
      readonly scopeName: string
      readonly operator: string
      readonly values?: readonly string[]
    }[]
  }
}

export const specOf = (object: KubeObject): Spec => object['spec'] ?? {}
const statusOf = (object: KubeObject): Readonly<{ phase?: unknown }> => object['status'] ?? {}

const ALIASES: Readonly<Record<string, string>> = {
  pods: 'pods',
  services: 'services',
  configmaps: 'configmaps',
  secrets: 'secrets',
  persistentvolumeclaims: 'persistentvolumeclaims',
}
const ONE = 1000n

const costs = new WeakMap<KubeObject, Amounts>()

/** The cost of one object of a resource (`pods`, `widgets.storm.test`); objects never change. */
export function costOf(resource: string, object: KubeObject): Amounts {
  const known = costs.get(object)
  if (known !== undefined) return known
  const cost = measure(resource, object)
  costs.set(object, cost)
  return cost
}

function measure(resource: string, object: KubeObject): Amounts {
  const cost = new Map([[`count/${resource}`, ONE]])
  const finished = ['Succeeded', 'Failed'].includes(String(statusOf(object)['phase']))
  if (resource === 'pods' && finished) return cost
  const alias = ALIASES[resource]
  if (alias !== undefined) cost.set(alias, ONE)
  if (resource === 'pods') addPod(cost, specOf(object))
  if (resource === 'services') addService(cost, specOf(object))
  if (resource === 'persistentvolumeclaims') addClaim(cost, specOf(object))
  return cost
}

function addPod(cost: Map<string, bigint>, { containers = [], initContainers = [] }: Spec): void {
  for (const side of ['requests', 'limits'] as const) {
    for (const name of ['cpu', 'memory']) {
      const of = ({ resources }: Container): bigint => amount(resources?.[side]?.[name] ?? 0)
      const together = containers.reduce((sum, container) => sum + of(container), 0n)
      const most = initContainers.reduce((max, container) => (of(container) > max ? of(container) : max), together)
      cost.set(`${side}.${name}`, most)
      if (side === 'requests') cost.set(name, most)
    }
  }
}

function addService(cost: Map<string, bigint>, { type, ports = [] }: Spec): void {
  const exposed = type === 'NodePort' || type === 'LoadBalancer'
  cost.set('services.nodeports', exposed ? BigInt(ports.length) * ONE : 0n)
  cost.set('services.loadbalancers', type === 'LoadBalancer' ? ONE : 0n)
}

function addClaim(cost: Map<string, bigint>, { storageClassName, resources }: Spec): void {
  const storage = amount(resources?.requests?.['storage'] ?? 0)
  cost.set('requests.storage', storage)
  if (storageClassName === undefined) return
  cost.set(`${storageClassName}.storageclass.storage.k8s.io/requests.storage`, storage)
  cost.set(`${storageClassName}.storageclass.storage.k8s.io/persistentvolumeclaims`, ONE)
}

/** Do all scopes of the quota hold for the object? Kinds other than pods have none. */
export function inScope(quota: KubeObject, resource: string, object: KubeObject): boolean {
  const { scopes = [], scopeSelector } = specOf(quota)
  const wanted = [
    ...scopes.map((scopeName) => ({ scopeName, operator: 'Exists', values: [] as readonly string[] })),
    ...(scopeSelector?.matchExpressions ?? []),
  ]
  if (wanted.length === 0) return true
  if (resource !== 'pods') return false
  const { containers = [], initContainers = [], activeDeadlineSeconds, priorityClassName = '' } = specOf(object)
  const terminating = activeDeadlineSeconds !== undefined
  const bestEffort = [...containers, ...initContainers].every(
    ({ resources }) => Object.keys({ ...resources?.requests, ...resources?.limits }).length === 0,
  )
  return wanted.every(({ scopeName, operator, values = [] }) => {
    switch (scopeName) {
      case 'Terminating':
        return terminating
      case 'NotTerminating':
        return !terminating
      case 'BestEffort':
        return bestEffort
      case 'NotBestEffort':
        return !bestEffort
      case 'PriorityClass':
        if (operator === 'Exists') return priorityClassName !== ''
        return (operator === 'In') === values.includes(priorityClassName)
      default:
        throw new Error(`no scope of the suites: ${scopeName}`)
    }
  })
}

/** The cost of an object to a quota, under the names that the quota limits. */
export function chargeOf(quota: KubeObject, resource: string, object: KubeObject, names: Iterable<string>): Amounts {
  if (!inScope(quota, resource, object)) return new Map()
  const cost = costOf(resource, object)
  return new Map([...names].flatMap((name) => (cost.has(name) ? [[name, cost.get(name) ?? 0n] as const] : [])))
}
