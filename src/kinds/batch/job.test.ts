import { describe, expect, test } from 'vitest'
import { defaulted, objectOf, problems, stored, strategy, template } from '../../../test/apiserver/object-life.ts'
import { sentence } from '../../machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { scheduleProblem } from './cron-schedule.ts'

describe('jobs', () => {
  const job = (spec: JsonObject = {}): KubeObject =>
    objectOf({ spec: { template: template({}, { restartPolicy: 'Never' }), ...spec } }, { name: 'nightly' })

  test('find their pods by their uid', () => {
    const object = stored('jobs.batch', job())
    expect(object.spec).toMatchObject({
      completions: 1,
      parallelism: 1,
      backoffLimit: 6,
      completionMode: 'NonIndexed',
      suspend: false,
      podReplacementPolicy: 'TerminatingOrFailed',
      selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'b7f0' } },
      template: {
        metadata: {
          labels: {
            'batch.kubernetes.io/controller-uid': 'b7f0',
            'batch.kubernetes.io/job-name': 'nightly',
            'controller-uid': 'b7f0',
            'job-name': 'nightly',
          },
        },
      },
    })
    expect(problems('jobs.batch', job())).toEqual([])
  })

  test('as work queues have no number of completions', () => {
    expect((defaulted('jobs.batch', job({ parallelism: 3 })).spec as JsonObject).completions).toBeUndefined()
  })

  test('end', () => {
    expect(problems('jobs.batch', job({ template: template({}) }))).toEqual([
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ])
  })

  test('keep their template', () => {
    const old = stored('jobs.batch', job())
    const spec = old.spec as JsonObject
    const next = { ...old, spec: { ...spec, parallelism: 5 } }
    expect(strategy('jobs.batch').validateUpdate!(next, old)).toEqual([])
    const other = { ...old, spec: { ...spec, completions: 5 } }
    expect(strategy('jobs.batch').validateUpdate!(other, old).map(sentence)).toEqual([
      'spec.completions: Invalid value: 5: field is immutable',
    ])
  })

  const cron = (schedule: string): KubeObject =>
    objectOf({ spec: { schedule, jobTemplate: { spec: { template: template({}, { restartPolicy: 'OnFailure' }) } } } })
  test('start by the clock', () => {
    expect(stored('cronjobs.batch', cron('*/5 * * * mon-fri')).spec).toMatchObject({
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    })
    expect(problems('cronjobs.batch', cron('@daily'))).toEqual([])
    expect(problems('cronjobs.batch', cron('often'))).toEqual([
      'spec.schedule: Invalid value: "often": expected exactly 5 fields, found 1: [often]',
    ])
  })

  test.each([
    ['0 0 1 jan *', undefined],
    ['0 0 * * 7', 'end of range (7) above maximum (6): 7'],
    ['61 * * * *', 'end of range (61) above maximum (59): 61'],
    ['0 0 0 * *', 'beginning of range (0) below minimum (1): 0'],
    ['*/0 * * * *', 'step of range should be a positive number: */0'],
    ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ['@every 90m', undefined],
    ['@sometimes', 'unrecognized descriptor: @sometimes'],
  ])('%s: %s', (schedule, problem) => {
    expect(scheduleProblem(schedule)).toBe(problem)
  })
})
