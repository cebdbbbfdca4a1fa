import { at, create, MERGE_PATCH, patch, type Scenario } from '../../scenario.ts'
import { changes, creates } from '../../variants.ts'

const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }
const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j' }, spec: { parallelism: 0, template } }
const jobs = 'batch/v1/jobs'
const templates = 'podtemplates'

export const scenarios: readonly Scenario[] = [
  {
    name: 'jobs',
    steps: [
      ...creates(jobs, job, [
        {},
        { spec: undefined },
        { 'spec.template': undefined },
        { 'spec.template.spec.restartPolicy': undefined },
        { 'spec.template.spec.restartPolicy': 'Always' },
        { 'spec.template.spec.restartPolicy': 'x' },
        { 'spec.template.spec.containers': [] },
        { 'spec.parallelism': -1, 'spec.completions': -1, 'spec.backoffLimit': -1 },
        { 'spec.activeDeadlineSeconds': -1 },
        { 'spec.completions': 3 },
        { 'spec.selector': { matchLabels: { a: 'b' } } },
        { 'spec.manualSelector': true },
        { 'spec.manualSelector': true, 'spec.selector': { matchLabels: { a: 'b' } } },
        {
          'spec.manualSelector': true,
          'spec.selector': { matchLabels: { a: 'b' } },
          'spec.template.metadata': { labels: { a: 'b' } },
        },
        { 'spec.template.metadata': { labels: { 'job-name': 'mine' } } },
        { 'spec.template.metadata': { labels: { a: 'b' } } },
        { 'metadata.labels': { mine: 'x' }, 'spec.template.metadata': { labels: { a: 'b' } } },
        { 'metadata.name': 'A_b' },
      ]),
      { ...create(jobs, job), name: 'made' },
      ...changes(at(jobs, 'j'), 'made', [
        {},
        { 'spec.parallelism': 0, 'spec.backoffLimit': 3 },
        { 'spec.completions': 9 },
        { 'spec.selector': { matchLabels: { a: 'b' } } },
        { 'spec.template.spec.containers.0.image': 'k' },
        { 'spec.activeDeadlineSeconds': 100 },
      ]),
      {
        method: 'PATCH',
        path: at(jobs, 'j', 'status'),
        type: MERGE_PATCH,
        body: { status: { active: -1, succeeded: -1, failed: -1 } },
      },
      patch(MERGE_PATCH, jobs, 'j', { metadata: { labels: { a: 'b' } } }),
    ],
  },
  {
    name: 'pod templates',
    steps: creates(templates, { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 't' }, template }, [
      {},
      { template: undefined },
      { 'template.metadata': { labels: { 'a b': 'c' } } },
      { 'template.spec.containers': [{}] },
    ]),
  },
]
