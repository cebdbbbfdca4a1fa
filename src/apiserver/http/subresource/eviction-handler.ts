import { labelSelectorOf } from '../../../kinds/rule/label-selector.ts'
import type { PodDisruptionBudget } from '../../../builtin/policy-v1.ts'
import type { Pod } from '../../../builtin/core-v1.ts'
import { wholeNumber } from '../../../machinery/json-value.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { compiledSelector } from '../../../machinery/selector/compiled.ts'
import { type ApiError, badRequest, failure, notFound } from '../../../machinery/status.ts'
import type { Exchange } from '../../../runtime/http/exchange.ts'
import type { StoredRecord } from '../../../store/record/record.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import { countOf, listOf, objectOf, objectsOf, specOf, statusOf, textAt, textOf } from '../../../machinery/read.ts'
import type { ObjectOperations } from '../../operation/object-operations.ts'
import type { BodyDecoders } from '../../decoding/body-decoders.ts'
import type { Registry } from '../../resource/registry.ts'
import type { StoredObjects } from '../../storing/stored-objects.ts'
import { keyOf } from '../../storing/outcome.ts'
import type { ObjectRequest } from '../../storing/object-request.ts'
import { EVICTION } from '../../operation/subresource-body.ts'
import { warnings } from '../answer/answer.ts'
import { parseDeleteOptions } from '../request/delete-options.ts'
import { readValue } from '../../decoding/read-object.ts'
import { answerVirtual, virtualRendering } from '../answer/virtual-answer.ts'
import { writeOptions } from '../request/write-options.ts'

const BUDGETS = 'poddisruptionbudgets.policy'
const RETRY_SECONDS = 10
/** Pods that have not begun or have ended serve nobody: nothing is disrupted when they go. */
const IDLE_PHASES: ReadonlySet<string> = new Set(['Pending', 'Succeeded', 'Failed'])

/** The serverContext of evictions. */
export interface EvictionContext {
  readonly operations: Pick<ObjectOperations, 'admittedBody' | 'remove' | 'update'>
  readonly store: Pick<StoredObjects, 'latest' | 'latestIn'>
  readonly registry: Pick<Registry, 'ofBucket'>
  readonly decoders: BodyDecoders
  readonly now: () => number
}

/** Deletes a pod, unless its PodDisruptionBudget says that none may be spared now (upstream `EvictionREST`). */
export async function handleEviction(
  context: EvictionContext,
  exchange: Exchange,
  request: ObjectRequest,
): Promise<void> {
  const rendering = virtualRendering(exchange, request.resource)
  const { value } = await readValue(context.decoders, exchange, 'Ignore', 'Eviction')
  const eviction = objectOf(value)
  const named = textAt(eviction, 'metadata', 'name')
  if (named !== request.name) throw badRequest('name in URL does not match name in Eviction object')
  const { options, dryRun } = parseDeleteOptions(deleteOptionsOf(eviction, exchange.query))
  const { warn } = warnings(exchange)
  const { manager, options: given } = writeOptions(exchange, 'CreateOptions')
  await context.operations.admittedBody({ ...request, dryRun, manager, options: given, warn }, EVICTION, eviction)
  const pod = context.store.latest('pods', keyOf(request.resource, request.namespace, request.name))?.object
  if (pod === undefined) throw notFound(request.resource.id, request.name)
  // The two writes of an eviction belong together: a deadline that admits the first must admit the second.
  if (!dryRun) request.deadline?.beginCommit()
  const deletion = { ...request, subresource: '', dryRun, admitted: true, deadline: undefined }
  // Asked once beforehand: a refused deletion must spend nothing.
  await context.operations.remove({ ...deletion, dryRun: true }, options)
  const budget = budgetOf(context, request.namespace, pod)
  if (budget !== undefined && !isIdle(pod) && !isSparedUnready(pod, budget.object))
    await spend(context, deletion, budget)
  if (!dryRun) await markDisrupted(context, deletion)
  await context.operations.remove(deletion, options)
  answerVirtual(exchange, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }, rendering)
}

/** Says on the pod why it goes, so that a Job's failure policy can distinguish an eviction from a failure (upstream `addConditionAndDeletePod`). */
async function markDisrupted(context: EvictionContext, request: ObjectRequest): Promise<void> {
  const lastTransitionTime = timestamp(context.now())
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime,
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  }
  const mark = (pod: Pod): KubeObject => {
    const conditions = objectsOf(statusOf(pod)['conditions'])
    if (conditions.some(({ type, status }) => type === condition.type && status === condition.status)) return pod
    const others = conditions.filter(({ type }) => type !== condition.type)
    return { ...pod, status: { ...statusOf(pod), conditions: [...others, condition] } }
  }
  await context.operations.update({ ...request, subresource: 'status' }, mark, { wholeObject: false })
}

/** A dry run may also be asked for in the query. */
const deleteOptionsOf = (eviction: JsonObject, query: URLSearchParams): JsonObject => {
  const given = objectOf(eviction['deleteOptions'])
  return { ...given, dryRun: [...query.getAll('dryRun'), ...listOf(given['dryRun'])] }
}

function budgetOf(context: EvictionContext, namespace: string, pod: Pod): StoredRecord | undefined {
  const budgets = [...context.store.latestIn(BUDGETS, namespace)].filter(({ object }) => {
    const selector = labelSelectorOf(specOf<PodDisruptionBudget>(object).selector)
    return selector !== undefined && compiledSelector(selector)(pod.metadata.labels)
  })
  if (budgets.length > 1 && !isIdle(pod))
    throw failure(
      500,
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    )
  return budgets[0]
}

const isIdle = (pod: Pod): boolean =>
  IDLE_PHASES.has(textOf(statusOf(pod)['phase'])) || pod.metadata.deletionTimestamp !== undefined

/** A pod that is not ready does not count as healthy: it may go if the budget always allows that, or is met without it. */
function isSparedUnready(pod: Pod, budget: PodDisruptionBudget): boolean {
  if (objectsOf(statusOf(pod)['conditions']).some((one) => one['type'] === 'Ready' && one['status'] === 'True'))
    return false
  if (specOf(budget)['unhealthyPodEvictionPolicy'] === 'AlwaysAllow') return true
  const desired = countOf(statusOf(budget)['desiredHealthy'])
  return desired > 0 && countOf(statusOf(budget)['currentHealthy']) >= desired
}

/** Takes one disruption from the budget and notes the pod. Throws 429 when there is none left, or nobody has counted yet. */
async function spend(
  context: EvictionContext,
  { namespace, name, caller, dryRun }: ObjectRequest,
  { object }: StoredRecord,
): Promise<void> {
  const resource = context.registry.ofBucket(BUDGETS)
  if (resource === undefined) return
  const now = timestamp(context.now())
  const request = { resource, namespace, name: object.metadata.name ?? '', subresource: 'status', caller, dryRun }
  await context.operations.update(
    request,
    (budget) => {
      const status = statusOf<PodDisruptionBudget>(budget)
      const allowed = countOf(status['disruptionsAllowed'])
      const { name: title, generation = 0 } = budget.metadata
      if ((wholeNumber(status['observedGeneration']) ?? 0n) < (wholeNumber(generation) ?? 0n))
        throw refusal(`The disruption budget ${title} is still being processed by the server.`, RETRY_SECONDS)
      if (allowed <= 0) throw refusal(whyNot(budget))
      const disruptedPods = { ...objectOf(status['disruptedPods']), [name]: now }
      return { ...budget, status: { ...status, disruptionsAllowed: allowed - 1, disruptedPods } }
    },
    { wholeObject: false },
  )
}

/** Why a budget allows no disruption; counts are not to be trusted where they could not be made. */
function whyNot({ metadata: { name }, ...budget }: KubeObject): string {
  const { conditions, desiredHealthy, currentHealthy } = objectOf(budget['status'])
  const condition = objectsOf(conditions).find(({ type, status }) => type === 'DisruptionAllowed' && status === 'False')
  const [reason, message] = [textOf(condition?.['reason']), textOf(condition?.['message'])]
  if (message !== '' && reason === 'SyncFailed')
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${message}`
  if (countOf(currentHealthy) <= countOf(desiredHealthy))
    return `The disruption budget ${name} needs ${countOf(desiredHealthy)} healthy pods and has ${countOf(currentHealthy)} currently`
  const detail = message === '' ? '' : ` (${reason}): ${message}`
  return `The disruption budget ${name} does not allow evicting pods currently${detail}`
}

/** A client that must wait for other pods gets no Retry-After: clients that obey it would wait in silence. */
const refusal = (message: string, retryAfterSeconds = 0): ApiError =>
  failure(429, 'TooManyRequests', "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: 'DisruptionBudget', message }],
    ...(retryAfterSeconds === 0 ? {} : { retryAfterSeconds }),
  })
