import type { KubeObject } from '../../../machinery/object.ts'
import { ApiError, isAlreadyExists } from '../../../machinery/status.ts'
import { objectsOf, statusOf } from '../../../machinery/read.ts'
import type { WorkloadPort } from '../../port/workload-port.ts'
import { ControllerClient, isNamespaceGoing } from '../shared/controller-client.ts'
import { ControllerLoop, RequeueAfter } from '../shared/controller-loop.ts'
import { beyondHistory, type CronPlan, planCronJob, startedStatus, withoutActive } from './cron-job-plan.ts'
import { controllerOf, type OwnedObjects } from '../shared/owned-objects.ts'

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
    const sync = (object: KubeObject): Promise<void> => this.#sync(object)
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

  async #sync(cronJob: KubeObject): Promise<void> {
    const { namespace = '', name = '' } = cronJob.metadata
    const now = this.#client.now()
    const plan = planCronJob(cronJob, this.#jobs.of(cronJob.metadata.uid), now)
    for (const { type, reason, message } of plan.events) await this.#client.event(cronJob, type, reason, message)
    await this.#client.report(BUCKET, cronJob, () => plan.status)
    await this.#start(cronJob, plan)
    for (const job of beyondHistory(cronJob, this.#jobs.of(cronJob.metadata.uid))) await this.#remove(cronJob, job)
    if (plan.next !== undefined) this.loop.addAt(`${namespace}/${name}`, plan.next)
  }

  async #start(cronJob: KubeObject, { start }: CronPlan): Promise<void> {
    if (start === undefined) return
    const { namespace = '' } = cronJob.metadata
    for (const name of start.instead) {
      const job = this.#client.get(JOBS, `${namespace}/${name}`)
      if (job !== undefined) await this.#remove(cronJob, job)
    }
    const job = await this.#create(cronJob, start.job)
    if (job === undefined) return
    await this.#client.report(BUCKET, cronJob, (current) => {
      const isKnown = objectsOf(statusOf(current)['active']).some(({ uid }) => uid === job.metadata.uid)
      return isKnown ? statusOf(current) : startedStatus(current, job, start.time)
    })
  }

  /** Gives the Job; one that is there already only if it is this CronJob's. */
  async #create(cronJob: KubeObject, job: KubeObject): Promise<KubeObject | undefined> {
    const { namespace = '', uid } = cronJob.metadata
    try {
      const made = await this.#client.create(JOBS, namespace, job)
      await this.#client.event(cronJob, 'Normal', 'SuccessfulCreate', `Created job ${made.metadata.name ?? ''}`)
      return made
    } catch (error) {
      if (isNamespaceGoing(error)) return undefined
      if (!(error instanceof ApiError)) throw error
      const isTaken: boolean = isAlreadyExists(error)
      if (isTaken) {
        const present = this.#client.get(JOBS, `${namespace}/${job.metadata.name ?? ''}`)
        return present !== undefined && controllerOf(present)?.uid === uid ? present : undefined
      }
      await this.#client.event(cronJob, 'Warning', 'FailedCreate', `Error creating job: ${error.message}`)
      throw new RequeueAfter(error.message)
    }
  }

  async #remove(cronJob: KubeObject, job: KubeObject): Promise<void> {
    const { name = '' } = job.metadata
    try {
      await this.#client.remove(JOBS, job)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      await this.#client.event(cronJob, 'Warning', 'FailedDelete', `Deleted job: ${error.message}`)
      throw new RequeueAfter(error.message)
    }
    await this.#client.report(BUCKET, cronJob, (current) => withoutActive(statusOf(current), [name]))
    await this.#client.event(cronJob, 'Normal', 'SuccessfulDelete', `Deleted job ${name}`)
  }
}
