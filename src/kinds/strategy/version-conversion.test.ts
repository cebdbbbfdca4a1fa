import { expect, test } from 'vitest'
import type { KubeObject } from '../../machinery/object.ts'
import { conversions } from './version-conversion.ts'

const events = conversions['events.k8s.io/v1/events']
const autoscalers = conversions['autoscaling/v1/horizontalpodautoscalers']

test('an event of either group is the same event', () => {
  const core = {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: 'e' },
    involvedObject: { kind: 'Pod' },
    message: 'm',
    source: { component: 'c' },
    count: 2,
    reportingComponent: 'r',
    type: 'Normal',
  }
  const newer = events?.fromStored(core)
  expect(newer).toEqual({
    kind: 'Event',
    apiVersion: 'events.k8s.io/v1',
    metadata: { name: 'e' },
    regarding: { kind: 'Pod' },
    note: 'm',
    deprecatedSource: { component: 'c' },
    deprecatedCount: 2,
    reportingController: 'r',
    type: 'Normal',
  })
  expect(events?.toStored(newer as KubeObject)).toEqual(core)
})

test('an autoscaler of version 1 has only the CPU as a metric and carries the rest along', () => {
  const cpu = { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } } }
  const other = { type: 'Pods', pods: {} }
  const stored = {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v2',
    metadata: { name: 'h', annotations: { mine: 'kept' } },
    spec: { maxReplicas: 3, metrics: [other, cpu], behavior: { scaleUp: {} } },
    status: { desiredReplicas: 1, conditions: [{ type: 'AbleToScale' }] },
  }
  const old = autoscalers?.fromStored(stored) as KubeObject
  expect(old['spec']).toEqual({ maxReplicas: 3, targetCPUUtilizationPercentage: 60 })
  expect(autoscalers?.toStored(old)).toEqual({ ...stored, spec: { ...stored.spec, metrics: [other, cpu] } })
})

test('annotations that a person broke are left out rather than refused', () => {
  const old = {
    kind: 'HorizontalPodAutoscaler',
    apiVersion: 'autoscaling/v1',
    metadata: { annotations: { 'autoscaling.alpha.kubernetes.io/metrics': '{' } },
    spec: { maxReplicas: 1 },
  }
  expect(autoscalers?.toStored(old)['spec']).toEqual({ maxReplicas: 1 })
})
