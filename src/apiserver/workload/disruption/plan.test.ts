import { describe, expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import { expectationOf, failedStatus, needsScale, planDisruption } from './plan.ts'

const NOW = Date.parse('2026-01-01T00:00:00Z')
const budgetOf = (spec: JsonObject, status: JsonObject = {}): KubeObject => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b', namespace: 'n', generation: 3 },
  spec,
  status,
})
const podOf = (name: string, ready = true, metadata: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
})
const ready = (count: number): readonly KubeObject[] => Array.from({ length: count }, (_, at) => podOf(`p${at}`))

describe('a budget expects', () => {
  test.each([
    [{ minAvailable: 2 }, 10, 3, { expected: 3, desired: 2 }],
    [{ minAvailable: '50%' }, 5, 3, { expected: 5, desired: 3 }],
    [{ maxUnavailable: 1 }, 5, 3, { expected: 5, desired: 4 }],
    [{ maxUnavailable: '30%' }, 5, 3, { expected: 5, desired: 3 }],
    [{ maxUnavailable: 7 }, 5, 3, { expected: 5, desired: 0 }],
    [{}, 5, 3, { expected: 0, desired: 0 }],
  ])('with %j, %d wanted and %d there, %j', (spec, scale, present, expectation) => {
    expect(expectationOf(budgetOf(spec), scale, present)).toEqual(expectation)
  })

  test.each([
    [{ minAvailable: 2 }, false],
    [{ minAvailable: '2%' }, true],
    [{ maxUnavailable: 0 }, true],
    [{}, false],
  ])('by the scale of the owners with %j: %s', (spec, expected) => {
    expect(needsScale(budgetOf(spec))).toBe(expected)
  })
})

describe('the status of a budget', () => {
  const two = { expected: 3, desired: 2 }
  const planned = (budget: KubeObject, pods: readonly KubeObject[]): JsonObject =>
    planDisruption({ budget, pods, now: NOW }, two).status

  test('allows what is healthy beyond what is desired', () => {
    expect(planned(budgetOf({}), ready(3))).toEqual({
      disruptionsAllowed: 1,
      currentHealthy: 3,
      desiredHealthy: 2,
      expectedPods: 3,
      observedGeneration: 3,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'True',
          observedGeneration: 3,
          lastTransitionTime: '2026-01-01T00:00:00Z',
          reason: 'SufficientPods',
          message: '',
        },
      ],
    })
  })

  test('counts neither pods that are not ready nor those that are being deleted', () => {
    const pods = [podOf('a'), podOf('b', false), podOf('c', true, { deletionTimestamp: '2026-01-01T00:00:00Z' })]
    expect(planned(budgetOf({}), pods)).toMatchObject({ disruptionsAllowed: 0, currentHealthy: 1 })
  })

  test('takes an evicted pod for gone until two minutes have passed, and then reports that it is still there', () => {
    const at = (time: string): KubeObject => budgetOf({}, { disruptedPods: { p0: time, other: time } })
    const early = planDisruption({ budget: at('2025-12-31T23:59:00Z'), pods: ready(3), now: NOW }, two)
    expect(early.status).toMatchObject({ currentHealthy: 2, disruptedPods: { p0: '2025-12-31T23:59:00Z' } })
    expect([early.next, early.overdue]).toEqual([NOW + 60_000, []])
    const late = planDisruption({ budget: at('2025-12-31T23:58:00Z'), pods: ready(3), now: NOW }, two)
    expect(late.status).toMatchObject({ currentHealthy: 3 })
    expect(late.status).not.toHaveProperty('disruptedPods')
    expect([late.next, late.overdue.map(({ metadata }) => metadata.name)]).toEqual([undefined, ['p0']])
  })

  test('keeps the time of its condition while nothing changes, and allows nothing where it cannot count', () => {
    const before = budgetOf({}, planned(budgetOf({}), ready(3)))
    expect(planDisruption({ budget: before, pods: ready(3), now: NOW + 5000 }, two).status).toEqual(before.status)
    expect(failedStatus(before, 'why', NOW + 5000)).toMatchObject({
      disruptionsAllowed: 0,
      currentHealthy: 3,
      conditions: [
        { status: 'False', reason: 'SyncFailed', message: 'why', lastTransitionTime: '2026-01-01T00:00:05Z' },
      ],
    })
  })
})
