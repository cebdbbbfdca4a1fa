import { wholeNumber } from '../machinery/json-value.ts'
import { isObject, type JsonObject, type KubeObject } from '../machinery/object.ts'
import { add, type ResourceList } from '../quantity/resource-list.ts'
import { type GivenObject, readGiven } from './given-object.ts'
import { InputError } from './input-error.ts'
import { usageOf, type UsageOptions } from './usage-of.ts'

export interface PodsUsageOptions extends Omit<UsageOptions, 'resource'> {
  /** On how many nodes a DaemonSet runs; default 1. */
  readonly nodes?: number
}

interface Making {
  /** Where the pod template is. */
  readonly template: readonly string[]
  /** How many pods there are at a time. */
  readonly count: (spec: JsonObject, nodes: number) => bigint
}

const objectAt = (value: unknown, path: readonly string[]): JsonObject => {
  let here = value
  for (const key of path) here = isObject(here) ? here[key] : undefined
  return isObject(here) ? here : {}
}

const replicas = ({ replicas: wanted }: JsonObject): bigint => wholeNumber(wanted) ?? 1n

/** No more than run at a time, nor than are to complete. */
function parallel({ parallelism, completions }: JsonObject): bigint {
  const most = wholeNumber(parallelism) ?? 1n
  const all = wholeNumber(completions)
  return all !== undefined && all < most ? all : most
}

const keeping: Making = { template: ['spec', 'template'], count: replicas }
const MAKERS: Readonly<Record<string, Making>> = {
  Deployment: keeping,
  ReplicaSet: keeping,
  ReplicationController: keeping,
  StatefulSet: keeping,
  DaemonSet: { template: ['spec', 'template'], count: (_spec, nodes) => BigInt(nodes) },
  Job: { template: ['spec', 'template'], count: parallel },
  CronJob: {
    template: ['spec', 'jobTemplate', 'spec', 'template'],
    count: (spec) => parallel(objectAt(spec, ['jobTemplate', 'spec'])),
  },
}

/**
 * Returns the cost of the pods of a workload while all of them run, with the volume claims that a StatefulSet makes for each:
 * `usageOfPods(deployment)['requests.cpu']`. The workload itself costs `usageOf(workload)`. Counted are the pods of one run of
 * a CronJob, and those that a Job runs at a time; what a rollout has in addition is not. Throws InputError for an object that makes no
 * pods, and QuantityError for an invalid amount.
 */
export function usageOfPods(given: GivenObject, { nodes = 1, ...options }: PodsUsageOptions = {}): ResourceList {
  const workload = readGiven(given, 'workload')
  if (!Number.isSafeInteger(nodes) || nodes < 0)
    throw new InputError('nodes', 'must be a whole number that is not negative')
  const making = Object.hasOwn(MAKERS, workload.kind) ? MAKERS[workload.kind] : undefined
  if (making === undefined)
    throw new InputError('workload.kind', `must be one of ${Object.keys(MAKERS).join(', ')}, not ${workload.kind}`)
  const namespace = workload.metadata.namespace === undefined ? {} : { namespace: workload.metadata.namespace }
  const { metadata, spec } = objectAt(workload, making.template)
  const pod: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...objectAt(metadata, []), ...namespace },
    spec: objectAt(spec, []),
  }
  const each = [pod, ...claimsOf(workload)].map((object) => usageOf(object, options)).reduce(add)
  const count = making.count(objectAt(workload, ['spec']), nodes)
  return Object.fromEntries(Object.entries(each).map(([name, amount]) => [name, amount.mul(count)]))
}

function claimsOf({ kind, spec }: KubeObject): readonly KubeObject[] {
  const templates = isObject(spec) ? spec['volumeClaimTemplates'] : undefined
  if (kind !== 'StatefulSet' || !Array.isArray(templates)) return []
  return (templates as readonly unknown[]).map((template) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: objectAt(template, ['metadata']),
    spec: objectAt(template, ['spec']),
  }))
}
