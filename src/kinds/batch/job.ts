import type { CronJob, Job, JobSpec } from '../../builtin/batch-v1.ts'
import { append, type FieldError, invalid, notSupported, required } from '../../machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { validateLabelSelector } from '../../machinery/selector/label.ts'
import { all, at, type Change, each, fill, set, within } from '../rule/change.ts'
import { validateSchedule } from './cron-schedule.ts'
import { lifecycle } from '../strategy/lifecycle.ts'
import { nonNegative } from '../rule/number.ts'
import { templateDefaults } from '../core/pod/spec-defaults.ts'
import { absent, isEmptyMap, objectOf, specOf, statusOf, textOf, valueAt } from '../../machinery/read.ts'
import { JOB_COUNTS, validateCounts } from '../rule/status-count.ts'
import type { Strategies, Strategy } from '../strategy/strategy.ts'
import { immutable, validateTemplate } from '../core/pod/template-validation.ts'
import { labelSelectorOf, queryOf, templateMatches } from '../rule/label-selector.ts'

const UID = 'batch.kubernetes.io/controller-uid'
const NAME = 'batch.kubernetes.io/job-name'
/** The labels that a Job gives its pods, unless it has a manual selector. */
export const GENERATED_LABELS: readonly string[] = [UID, NAME, 'controller-uid', 'job-name']
const UNLIMITED = 2_147_483_647
const CONCURRENCY = ['Allow', 'Forbid', 'Replace']

/** One pod by default; a work queue (parallelism without completions) has no number of completions. */
const counts: Change = (spec) => {
  const neither = absent(spec.completions) && absent(spec.parallelism)
  return fill(neither ? { completions: 1, parallelism: 1 } : { parallelism: 1 })(spec)
}

const limits: Change = (spec) =>
  fill({
    backoffLimit: absent(spec.backoffLimitPerIndex) ? 6 : UNLIMITED,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: absent(spec.podFailurePolicy) ? 'TerminatingOrFailed' : 'Failed',
  })(spec)

const templateLabels = (object: { readonly spec?: unknown }): JsonObject =>
  objectOf(valueAt(object as Pick<Job, 'spec'>, 'spec', 'template', 'metadata', 'labels'))

/** A failure policy is about conditions that hold, unless it says otherwise. */
const failurePolicy: Change = at('podFailurePolicy', each('rules', each('onPodConditions', fill({ status: 'True' }))))

const labelsFromTemplate: Change = (object) => {
  const metadata = objectOf(object.metadata)
  const labels = templateLabels(object)
  return isEmptyMap(metadata.labels) && !isEmptyMap(labels)
    ? set(object, 'metadata', set(metadata, 'labels', labels))
    : object
}

/** Labels that were sent are the job's own, even where YAML gives them and the template's by one anchor. */
const ownLabels: Change = (object) => {
  const metadata = objectOf(object.metadata)
  return metadata.labels === templateLabels(object) && !isEmptyMap(metadata.labels)
    ? set(object, 'metadata', set(metadata, 'labels', { ...objectOf(metadata.labels) }))
    : object
}

/** A job finds its pods by its own uid: upstream's `generateSelector`. `manualSelector` leaves the selector to the user. */
function withGeneratedSelector(object: Job): KubeObject {
  const spec = specOf(object)
  if (spec.manualSelector === true) return object
  const uid = object.metadata.uid ?? ''
  const name = object.metadata.name ?? ''
  const template = objectOf(spec.template)
  const metadata = objectOf(template.metadata)
  const labels = { [NAME]: name, [UID]: uid, 'controller-uid': uid, 'job-name': name, ...objectOf(metadata.labels) }
  const selector = objectOf(spec.selector)
  return set(object, 'spec', {
    ...spec,
    selector: { ...selector, matchLabels: { ...objectOf(selector.matchLabels), [UID]: uid } },
    template: { ...template, metadata: { ...metadata, labels } },
  })
}

/** The errors in a job's spec, in a job or a cron job's template (batch `ValidateJobSpec`). */
function validateJobSpec(spec: JobSpec, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  for (const key of [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
  ] as const) {
    append(errors, nonNegative(spec[key], `${path}.${key}`))
  }
  const mode = textOf(spec.completionMode)
  if (mode !== '' && mode !== 'NonIndexed' && mode !== 'Indexed') {
    errors.push(notSupported(`${path}.completionMode`, mode, ['Indexed', 'NonIndexed']))
  }
  if (mode === 'Indexed' && absent(spec.completions)) {
    errors.push(required(`${path}.completions`, `when completion mode is Indexed`))
  }
  append(errors, validateTemplate(objectOf(spec.template), `${path}.template`))
  const policy = textOf(objectOf(objectOf(spec.template).spec).restartPolicy)
  const at = `${path}.template.spec.restartPolicy`
  if (policy === 'Always' || policy === '') errors.push(required(at, 'valid values: "OnFailure", "Never"'))
  else if (policy !== 'OnFailure' && policy !== 'Never') errors.push(notSupported(at, policy, ['Never', 'OnFailure']))
  return errors
}

/** The labels and the selector that a job generates must still be its own (batch `validateGeneratedSelector`). */
function validateGenerated(object: Job): readonly FieldError[] {
  const spec = specOf(object)
  if (spec.manualSelector === true || absent(spec.selector)) return []
  const { uid = '', name = '' } = object.metadata
  const labels = objectOf(objectOf(objectOf(spec.template).metadata).labels)
  const expected = { 'controller-uid': uid, 'job-name': name, [UID]: uid, [NAME]: name }
  const errors: FieldError[] = Object.entries(expected).flatMap(([key, value]) => {
    const at = `spec.template.metadata.labels[${key}]`
    if (!(key in labels)) return [required(at, `must be '${value}'`)]
    return labels[key] === value ? [] : [invalid(at, labels, `must be '${value}'`)]
  })
  const query = queryOf(spec.selector)
  if (query !== undefined && !query.matches(expected))
    errors.push(invalid('spec.selector', spec.selector, '`selector` not auto-generated'))
  return errors
}

const validateJob = (object: Job): readonly FieldError[] => [
  ...validateGenerated(object),
  ...validateSpec(specOf(object)),
]

function validateSpec(spec: JobSpec): readonly FieldError[] {
  const labels = objectOf(objectOf(objectOf(spec.template).metadata).labels)
  return [
    ...validateJobSpec(spec, 'spec'),
    ...(absent(spec.selector)
      ? [required('spec.selector')]
      : validateLabelSelector(labelSelectorOf(spec.selector), 'spec.selector')),
    ...templateMatches(spec.selector, labels, 'spec.template'),
  ]
}

const FIXED_FIELDS = [
  'completionMode',
  'podFailurePolicy',
  'backoffLimitPerIndex',
  'managedBy',
  'successPolicy',
] as const

function validateJobUpdate(object: Job, old: Job): readonly FieldError[] {
  const spec = specOf(object)
  const before = specOf(old)
  const elastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism
  const idle = before.suspend === true && absent(statusOf(old).startTime)
  // Upstream checks the spec of an update twice, and reports each error twice.
  const errors: FieldError[] = [...validateJob(object), ...validateSpec(spec)]
  if (!elastic) append(errors, immutable(spec.completions, before.completions, 'spec.completions'))
  append(errors, immutable(spec.selector, before.selector, 'spec.selector'))
  if (!idle) append(errors, immutable(spec.template, before.template, 'spec.template'))
  for (const key of FIXED_FIELDS) {
    append(errors, immutable(spec[key], before[key], `spec.${key}`))
  }
  return errors
}

const jobLifecycle = lifecycle({ status: {}, generation: true })

const job: Strategy = {
  ...jobLifecycle,
  categories: ['all'],
  defaults: all(ownLabels, labelsFromTemplate, within('spec', all(templateDefaults, counts, limits, failurePolicy))),
  prepareForCreate: (object: Job, context) => {
    const made = withGeneratedSelector(jobLifecycle.prepareForCreate(object, context))
    // Labels that the defaults took from the template are the template's very own, so what the selector adds is among
    // them; labels that were sent are not, even if they say the same.
    if (object.metadata.labels !== templateLabels(object)) return labelsFromTemplate(made)
    const { labels: _taken, ...metadata } = made.metadata
    return labelsFromTemplate({ ...made, metadata })
  },
  validate: validateJob,
  validateUpdate: validateJobUpdate,
  validateStatusUpdate: validateCounts(JOB_COUNTS),
}

function validateCronJob(object: CronJob): readonly FieldError[] {
  const spec = specOf(object)
  const schedule = textOf(spec.schedule)
  const policy = textOf(spec.concurrencyPolicy)
  const errors: FieldError[] = []
  if (schedule === '') errors.push(required('spec.schedule'))
  else append(errors, validateSchedule(schedule, spec.timeZone, 'spec'))
  append(errors, nonNegative(spec.startingDeadlineSeconds, 'spec.startingDeadlineSeconds'))
  if (policy === '') errors.push(required('spec.concurrencyPolicy'))
  else if (!CONCURRENCY.includes(policy)) errors.push(notSupported('spec.concurrencyPolicy', policy, CONCURRENCY))
  append(errors, nonNegative(spec.successfulJobsHistoryLimit, 'spec.successfulJobsHistoryLimit'))
  append(errors, nonNegative(spec.failedJobsHistoryLimit, 'spec.failedJobsHistoryLimit'))
  const jobSpec = objectOf(objectOf(spec.jobTemplate).spec)
  if (jobSpec.manualSelector === true) {
    errors.push(notSupported('spec.jobTemplate.spec.manualSelector', true, ['nil', 'false']))
  }
  if (!absent(jobSpec.selector))
    errors.push(invalid('spec.jobTemplate.spec.selector', jobSpec.selector, '`selector` will be auto-generated'))
  return [...errors, ...validateJobSpec(jobSpec, 'spec.jobTemplate.spec')]
}

/** A cron job's name leaves room for the eleven characters that its jobs add. */
const validateCronJobName = (object: CronJob): readonly FieldError[] => {
  const name = object.metadata.name ?? ''
  return name.length > 52 ? [invalid('metadata.name', name, 'must be no more than 52 bytes')] : []
}

const cronJob: Strategy = {
  ...lifecycle({ status: {}, generation: true }),
  shortNames: ['cj'],
  categories: ['all'],
  defaults: within(
    'spec',
    all(
      fill({ concurrencyPolicy: 'Allow', suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 }),
      within('jobTemplate', within('spec', all(templateDefaults, failurePolicy))),
    ),
  ),
  validate: (object: CronJob) => [...validateCronJobName(object), ...validateCronJob(object)],
  validateUpdate: validateCronJob,
  validateStatusUpdate: () => [],
}

export const jobStrategies: Strategies = { 'jobs.batch': job, 'cronjobs.batch': cronJob }
