import { controllerOf } from '../../../machinery/object.ts'
import type { CronJob, Job } from '../../../builtin/batch-v1.ts'
import { ApiError, isAlreadyExists } from '../../../machinery/status.ts'
import { objectsOf, statusOf } from '../../../machinery/read.ts'
import type { WorkloadPort } from '../../port/workload-port.ts'
import { ControllerClient, isNamespaceGoing } from '../shared/controller-client.ts'
import { ControllerLoop, RequeueAfter } from '../shared/controller-loop.ts'
import { beyondHistory, type CronPlan, planCronJob, startedStatus, withoutActive } from './cron-job-plan.ts'
import type { OwnedObjects } from '../shared/owned-objects.ts'
import type { WriteRejection } from '../shared/replica-pods.ts'

const BUCKET = 'cronjobs.batch'
const JOBS = 'jobs.batch'

/** Starts a CronJob's Jobs at their times, and keeps some of those that have ended. */
export class CronJobController {
  readonly #client: ControllerClient
  readonly #jobs: OwnedObjects
  readonly loop: ControllerLoop

  constructor(port: WorkloadPort, jobs: OwnedObjects, onError: (key: string, error: unknown) => void) {
    this.#client = new ControllerClient(port, 'cronjob-controller')
    this.#jobs = jobs
    const sync = (object: CronJob): Promise<void> => this.#sync(object)
    this.loop = new ControllerLoop({
      port,
      bucket: BUCKET,
      kind: 'CronJob',
      owns: [JOBS],
      reports: this.#client.reports,
      sync,
      onError,
    })
  }

  async #sync(cronJob: CronJob): Promise<void> {
    const { namespace = '', name = '' } = cronJob.metadata
    const now = this.#client.now()
    const jobs = this.#jobs.of(cronJob.metadata.uid)
    const plan = planCronJob(cronJob, jobs, now)
    if (plan.next !== undefined) this.loop.addAt(`${namespace}/${name}`, plan.next)
    for (const { type, reason, message } of plan.events) await this.#client.event(cronJob, type, reason, message)
    await this.#client.report(BUCKET, cronJob, () => plan.status)
    // Deletions make room for the Job that is started.
    const kept = await this.#removeAll(cronJob, beyondHistory(cronJob, jobs))
    const refusal = (await this.#start(cronJob, plan)) ?? kept
    if (refusal !== undefined) throw new RequeueAfter(refusal)
  }

  /** Returns what refused the start; undefined if nothing did. */
  async #start(cronJob: CronJob, { start }: CronPlan): Promise<WriteRejection> {
    if (start === undefined) return undefined
    const { namespace = '' } = cronJob.metadata
    const replaced = start.instead.flatMap((name) => this.#client.get(JOBS, `${namespace}/${name}`) ?? [])
    const kept = await this.#removeAll(cronJob, replaced)
    if (kept !== undefined) return kept
    const { job, refusal } = await this.#create(cronJob, start.job)
    if (job === undefined) return refusal
    await this.#client.report(BUCKET, cronJob, (current) => {
      const isKnown = objectsOf(statusOf<CronJob>(current)['active']).some(({ uid }) => uid === job.metadata.uid)
      return isKnown ? statusOf<CronJob>(current) : startedStatus(current, job, start.time)
    })
    return undefined
  }

  /** Gives the Job, one that is there already only if it is this CronJob's, or what refused it. */
  async #create(cronJob: CronJob, job: Job): Promise<{ readonly job?: Job; readonly refusal?: string }> {
    const { namespace = '', uid } = cronJob.metadata
    try {
      const made = await this.#client.create(JOBS, namespace, job)
      await this.#client.event(cronJob, 'Normal', 'SuccessfulCreate', `Created job ${made.metadata.name ?? ''}`)
      return { job: made }
    } catch (error) {
      if (isNamespaceGoing(error)) return {}
      if (!(error instanceof ApiError)) throw error
      const isTaken: boolean = isAlreadyExists(error)
      if (isTaken) {
        const present = this.#client.get(JOBS, `${namespace}/${job.metadata.name ?? ''}`)
        return present !== undefined && controllerOf(present)?.uid === uid ? { job: present } : {}
      }
      await this.#client.event(cronJob, 'Warning', 'FailedCreate', `Error creating job: ${error.message}`)
      return { refusal: error.message }
    }
  }

  /** Deletes as many of the Jobs as can be deleted. Returns the first refusal. */
  async #removeAll(cronJob: CronJob, jobs: readonly Job[]): Promise<WriteRejection> {
    let refusal: WriteRejection
    for (const job of jobs) refusal = (await this.#remove(cronJob, job)) ?? refusal
    return refusal
  }

  async #remove(cronJob: CronJob, job: Job): Promise<WriteRejection> {
    const { name = '' } = job.metadata
    try {
      await this.#client.remove(JOBS, job)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      await this.#client.event(cronJob, 'Warning', 'FailedDelete', `Deleted job: ${error.message}`)
      return error.message
    }
    await this.#client.report(BUCKET, cronJob, (current) => withoutActive(statusOf<CronJob>(current), [name]))
    await this.#client.event(cronJob, 'Normal', 'SuccessfulDelete', `Deleted job ${name}`)
    return undefined
  }
}
