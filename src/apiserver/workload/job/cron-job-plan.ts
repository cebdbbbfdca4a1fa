import type { CronJob, CronJobStatus, Job } from '../../../builtin/batch-v1.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import type { EventDetails } from '../../event/details.ts'
import { timestamp } from '../../../runtime/time/timestamp.ts'
import { numberOf, objectOf, objectsOf, specOf, statusOf, textOf } from '../../../machinery/read.ts'
import { conditionIn } from '../../../api/condition.ts'
import { listed } from '../shared/condition.ts'
import { latestRun, nextRun, parseSchedule, roughCount } from './cron-times.ts'
import { isOver } from './job-plan.ts'
import { controllerReference } from '../shared/owned-objects.ts'
import { isDeleting } from '../shared/pod-facts.ts'
import { zonedTimestamp } from './wall-clock.ts'

const SCHEDULED = 'batch.kubernetes.io/cronjob-scheduled-timestamp'
/** A little later than the time itself, as upstream: clocks differ. */
const MARGIN_MS = 100
const MANY = 100
const TOO_MANY = 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew'
const STILL_ACTIVE = 'Not starting job because prior execution is running and concurrency policy is Forbid'

/** The content of an Event about the CronJob. */
export type CronJobEvent = Omit<EventDetails, 'component'>

/** The next steps for a CronJob. */
export interface CronPlan {
  readonly events: readonly CronJobEvent[]
  /** The status before a Job is started. */
  readonly status: JsonObject
  /** The Job to start, and those that it replaces. */
  readonly start?: { readonly job: Job; readonly time: number; readonly instead: readonly string[] }
  /** Look again at this time, in milliseconds since the epoch. */
  readonly next?: number
}

/** `jobs` are those that the CronJob manages; `now`: milliseconds since the epoch. Pure. */
export function planCronJob(cronJob: CronJob, jobs: readonly Job[], now: number): CronPlan {
  const { events, status } = withoutEnded(cronJob, jobs)
  const spec = specOf(cronJob)
  if (isDeleting(cronJob) || spec['suspend'] === true) return { events, status }
  const zone = textOf(spec['timeZone']) || 'UTC'
  const text = textOf(spec['schedule'])
  const schedule = parseSchedule(text, zone)
  if (schedule === undefined) {
    const message = `unparseable schedule: ${JSON.stringify(text)}`
    return { events: [...events, warning('UnparseableSchedule', message)], status }
  }
  const earliest = Date.parse(textOf(status['lastScheduleTime']) || (cronJob.metadata.creationTimestamp ?? ''))
  const upcoming = nextRun(schedule, latestRun(schedule, earliest, now) ?? earliest)
  const idle: CronPlan = { events, status, ...(upcoming === undefined ? {} : { next: upcoming + MARGIN_MS }) }
  const seconds = numberOf(spec['startingDeadlineSeconds'])
  const from = seconds === undefined ? earliest : Math.max(earliest, now - seconds * 1000)
  const time = latestRun(schedule, from, now)
  if (time === undefined) return idle
  const missed = roughCount(schedule, from, now) > MANY ? [warning('TooManyMissedTimes', TOO_MANY)] : []
  const warned: CronPlan = { ...idle, events: [...events, ...missed] }
  if (seconds !== undefined && time + seconds * 1000 < now) return withEvent(warned, lateBy(time))
  const job = jobFor(cronJob, time, zone)
  const active = objectsOf(status['active']).map(({ name }) => textOf(name))
  if (active.includes(job.metadata.name ?? '')) return warned
  if (spec['concurrencyPolicy'] === 'Forbid' && active.length > 0)
    return withEvent(warned, { type: 'Normal', reason: 'JobAlreadyActive', message: STILL_ACTIVE })
  return { ...warned, start: { job, time, instead: spec['concurrencyPolicy'] === 'Replace' ? active : [] } }
}

/** The status of a CronJob whose Job has been started: it is active, and its time is the last. */
export function startedStatus(cronJob: CronJob, job: Job, time: number): JsonObject {
  const status = statusOf(cronJob)
  const { name, namespace, uid, resourceVersion } = job.metadata
  const reference = { kind: job.kind, namespace, name, uid, apiVersion: job.apiVersion, resourceVersion }
  return { ...status, active: [...objectsOf(status['active']), reference], lastScheduleTime: timestamp(time) }
}

/** The status without the Jobs of these names among the active ones. */
export function withoutActive({ active, ...status }: CronJobStatus, names: readonly string[]): JsonObject {
  return {
    ...status,
    ...listed(
      'active',
      objectsOf(active).filter(({ name }) => !names.includes(textOf(name))),
    ),
  }
}

/** Finished Jobs beyond what the history keeps of each kind of end, oldest first. */
export function beyondHistory(cronJob: CronJob, jobs: readonly Job[]): readonly KubeObject[] {
  const spec = specOf(cronJob)
  const tooMany = (condition: string, limit: number | undefined): readonly KubeObject[] => {
    const ended = jobs.filter((job) => conditionIn(job, condition)?.['status'] === 'True' && !isDeleting(job))
    return limit === undefined ? [] : ended.toSorted(byStart).slice(0, Math.max(0, ended.length - limit))
  }
  return [
    ...tooMany('Complete', numberOf(spec['successfulJobsHistoryLimit'])),
    ...tooMany('Failed', numberOf(spec['failedJobsHistoryLimit'])),
  ]
}

/** Takes out of the status what has ended or gone, and says so. */
function withoutEnded(cronJob: CronJob, jobs: readonly Job[]): Pick<CronPlan, 'events' | 'status'> {
  const status = statusOf(cronJob)
  const active = objectsOf(status['active'])
  const known = new Set(active.map(({ uid }) => uid))
  const present = new Set<unknown>(jobs.map(({ metadata }) => metadata.uid))
  const over = jobs.filter(isOver)
  const strange = jobs.filter((job) => !isOver(job) && !known.has(job.metadata.uid))
  const ended = over.filter(({ metadata }) => known.has(metadata.uid))
  const gone = active.filter(({ uid }) => !present.has(uid))
  const successes = over.flatMap((job) =>
    conditionIn(job, 'Complete')?.['status'] === 'True' ? [textOf(statusOf(job)['completionTime'])] : [],
  )
  // Times of the API sort as texts.
  const success = [textOf(status['lastSuccessfulTime']), ...successes].toSorted().at(-1) ?? ''
  return {
    events: [
      ...strange.map(({ metadata }) =>
        warning('UnexpectedJob', `Saw a job that the controller did not create or forgot: ${metadata.name ?? ''}`),
      ),
      ...ended.map((job) => normal('SawCompletedJob', endOf(job))),
      ...gone.map(({ name }) => normal('MissingJob', `Active job went missing: ${textOf(name)}`)),
    ],
    status: {
      ...withoutActive(status, [
        ...ended.map(({ metadata }) => metadata.name ?? ''),
        ...gone.map(({ name }) => textOf(name)),
      ]),
      ...(success === '' ? {} : { lastSuccessfulTime: success }),
    },
  }
}

const normal = (reason: string, message: string): CronJobEvent => ({ type: 'Normal', reason, message })
const warning = (reason: string, message: string): CronJobEvent => ({ type: 'Warning', reason, message })
const withEvent = (plan: CronPlan, event: CronJobEvent): CronPlan => ({ ...plan, events: [...plan.events, event] })

const endOf = (job: Job): string => {
  const condition = conditionIn(job, 'Failed')?.['status'] === 'True' ? 'Failed' : 'Complete'
  return `Saw completed job: ${job.metadata.name ?? ''}, condition: ${condition}`
}

/** RFC 1123, with the name that Go gives to UTC. */
const lateBy = (time: number): CronJobEvent =>
  warning('MissSchedule', `Missed scheduled time to start a job: ${new Date(time).toUTCString().replace('GMT', 'UTC')}`)

/** By start; those that have not started come last, and the name decides between equals. */
function byStart(a: Job, b: Job): number {
  const [first, second] = [a, b].map((job) => textOf(statusOf(job)['startTime']) || '~')
  if (first !== second) return (first ?? '') < (second ?? '') ? -1 : 1
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1
}

/** Its name is made of the time, so that one time starts one Job. */
function jobFor(cronJob: CronJob, time: number, zone: string): KubeObject {
  const { name = '', namespace = '' } = cronJob.metadata
  const template = objectOf(specOf(cronJob)['jobTemplate'])
  const { labels, annotations } = objectOf(template['metadata'])
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${name}-${Math.floor(time / 60_000)}`,
      namespace,
      ...(labels === undefined ? {} : { labels: objectOf(labels) as Record<string, string> }),
      annotations: { ...(objectOf(annotations) as Record<string, string>), [SCHEDULED]: zonedTimestamp(zone, time) },
      ownerReferences: [controllerReference(cronJob)],
    },
    spec: objectOf(template['spec']),
  }
}
