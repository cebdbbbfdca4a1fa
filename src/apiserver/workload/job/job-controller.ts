import { labelSelectorOf } from '../../../kinds/rule/label-selector.ts'
import type { Pod } from '../../../builtin/core-v1.ts'
import type { Job } from '../../../builtin/batch-v1.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { compiledSelector } from '../../../machinery/selector/compiled.ts'
import { withoutFinalizer } from '../../operation/collection-decision.ts'
import { numberOf, objectOf, specOf, statusOf, textOf } from '../../../machinery/read.ts'
import type { WorkloadPort } from '../../port/workload-port.ts'
import { conditionIn } from '../../../api/condition.ts'
import { ControllerClient } from '../shared/controller-client.ts'
import { ControllerLoop, RequeueAfter } from '../shared/controller-loop.ts'
import { INDEX, isOver, type JobPlan, planJob, TRACKING } from './job-plan.ts'
import type { OwnedObjects } from '../shared/owned-objects.ts'
import { isActive, isDeleting, podFrom } from '../shared/pod-facts.ts'
import { ReplicaPods, type WriteRejection } from '../shared/replica-pods.ts'

const BUCKET = 'jobs.batch'

/** Runs a Job's pods to its completions, counts how they end, and takes finished Jobs away when their time is over. */
export class JobController {
  readonly #client: ControllerClient
  readonly #owned: OwnedObjects
  readonly #pods: ReplicaPods
  readonly loop: ControllerLoop

  constructor(port: WorkloadPort, pods: OwnedObjects, onError: (key: string, error: unknown) => void) {
    this.#client = new ControllerClient(port, 'job-controller')
    this.#owned = pods
    this.#pods = new ReplicaPods(this.#client, pods)
    const sync = (object: Job): Promise<void> => this.#sync(object)
    this.loop = new ControllerLoop({
      port,
      bucket: BUCKET,
      kind: 'Job',
      owns: ['pods'],
      reports: this.#client.reports,
      sync,
      onError,
    })
  }

  async #sync(job: Job): Promise<void> {
    if (textOf(specOf(job)['managedBy']) !== '' && specOf(job)['managedBy'] !== 'kubernetes.io/job-controller') return
    const fits = compiledSelector(labelSelectorOf(specOf(job).selector) ?? {})
    const pods = await this.#pods.adopt(job, fits)
    if (isDeleting(job)) return await this.#release(pods)
    const plan = planJob(job, pods, this.#client.now())
    // The status counts a finished pod before its finalizer goes: a stop in between is made good by counting what it lists.
    await this.#report(job, plan)
    await this.#release(plan.counted)
    if (plan.next !== undefined) this.#lookAgain(job, plan.next)
    await this.#expire(job)
    const kept = await this.#pods.remove(job, plan.remove)
    const refusal = (await this.#create(job, plan)) ?? kept
    if (refusal !== undefined) throw new RequeueAfter(refusal)
  }

  async #create(job: Job, { create }: JobPlan): Promise<WriteRejection> {
    const refusal = await this.#pods.create(job, create.length, (at) => podOf(job, create[at] ?? -1))
    if (refusal === undefined) return undefined
    // The planned active count may not be reached: the status shows the existing pods.
    await this.#client.report(BUCKET, job, (current) => {
      const { active: _planned, ...status } = statusOf<Job>(current)
      const active = this.#owned.of(job.metadata.uid).filter(isActive).length
      return { ...status, ...(active === 0 ? {} : { active }) }
    })
    return refusal
  }

  async #report(job: Job, plan: JobPlan): Promise<void> {
    const wasOver = isOver(job)
    await this.#client.report(BUCKET, job, () => plan.status)
    const { namespace = '', name = '' } = job.metadata
    const now = this.#client.get(BUCKET, `${namespace}/${name}`)
    if (now === undefined || wasOver || !isOver(now)) return
    const failed = conditionIn(now, 'Failed')
    if (failed === undefined) await this.#client.event(job, 'Normal', 'Completed', 'Job completed')
    else await this.#client.event(job, 'Warning', textOf(failed['reason']), textOf(failed['message']))
  }

  async #release(pods: readonly Pod[]): Promise<void> {
    for (const pod of pods) {
      if (pod.metadata.finalizers?.includes(TRACKING) !== true) continue
      await this.#client.update('pods', pod, (current) => withoutFinalizer(current, TRACKING))
    }
  }

  /** A finished Job goes `ttlSecondsAfterFinished` after its end. */
  async #expire(before: Job): Promise<void> {
    const { namespace = '', name = '' } = before.metadata
    const job = this.#client.get(BUCKET, `${namespace}/${name}`)
    const seconds = job === undefined ? undefined : numberOf(specOf<Job>(job)['ttlSecondsAfterFinished'])
    if (job === undefined || seconds === undefined || !isOver(job)) return
    const ended = conditionIn(job, 'Complete') ?? conditionIn(job, 'Failed')
    const due = Date.parse(textOf(ended?.['lastTransitionTime'])) + seconds * 1000
    if (due <= this.#client.now()) await this.#client.remove(BUCKET, job)
    else this.#lookAgain(job, due)
  }

  #lookAgain({ metadata }: KubeObject, at: number): void {
    this.loop.addAt(`${metadata.namespace ?? ''}/${metadata.name ?? ''}`, at)
  }
}

function podOf(job: Job, index: number): KubeObject {
  const { name = '' } = job.metadata
  const template = objectOf(specOf(job)['template'])
  const finalizers = [TRACKING]
  if (index < 0) return podFrom(template, job, { metadata: { generateName: `${name}-`, finalizers } })
  const mark = { [INDEX]: String(index) }
  const spec: JsonObject = objectOf(template['spec'])
  return podFrom(template, job, {
    metadata: { generateName: `${name}-${index}-`, finalizers, annotations: mark, labels: mark },
    spec: {
      hostname: `${name}-${index}`,
      ...Object.fromEntries(
        ['containers', 'initContainers']
          .filter((list) => Array.isArray(spec[list]))
          .map((list) => [list, (spec[list] as readonly unknown[]).map((one) => withIndex(objectOf(one)))]),
      ),
    },
  })
}

const VARIABLE = 'JOB_COMPLETION_INDEX'

function withIndex(container: JsonObject): JsonObject {
  const env = Array.isArray(container['env']) ? (container['env'] as readonly unknown[]) : []
  if (env.some((one) => objectOf(one)['name'] === VARIABLE)) return container
  const fieldPath = `metadata.annotations['${INDEX}']`
  return { ...container, env: [...env, { name: VARIABLE, valueFrom: { fieldRef: { fieldPath } } }] }
}
