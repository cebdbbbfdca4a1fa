import { describe, expect, test } from 'vitest'
import { sentence } from '../../machinery/field-error.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { autoscalingStrategies } from './autoscaling.ts'

const { defaults, validate } = autoscalingStrategies['horizontalpodautoscalers.autoscaling']!
const autoscaler = (spec: JsonObject): KubeObject => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'till', namespace: 'shop' },
  spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'till' }, ...spec },
})
const problems = (spec: JsonObject): readonly string[] => validate!(defaults!(autoscaler(spec))).map(sentence)
const target = { type: 'Utilization', averageUtilization: 50 }

describe('an autoscaler is refused', () => {
  test.each([
    ['without a kind of metric', [{}], ['[0].type: Required value: must specify a metric source type']],
    [
      'without what its metric is about',
      [{ type: 'Resource' }],
      ['[0].resource: Required value: must populate information for the given metric source'],
    ],
    [
      'with a resource that has no target',
      [{ type: 'Resource', resource: { name: 'cpu' } }],
      [
        '[0].resource.target.type: Required value: must specify a metric target type',
        '[0].resource.target.type: Invalid value: "": must be either Utilization, Value, or AverageValue',
        '[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
      ],
    ],
    [
      'with a container that has no name',
      [{ type: 'ContainerResource', containerResource: { name: 'cpu', target } }],
      ['[0].containerResource.container: Required value: must specify a container'],
    ],
    [
      'with a target that is nothing',
      [{ type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '0' } } }],
      ['[0].pods.target.averageValue: Invalid value: "0": must be positive'],
    ],
    [
      'with two targets of which one will do',
      [{ type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: 1, averageValue: 1 } } }],
      ['[0].external.target.value: Forbidden: may not set both a target value for metric and a per-pod target'],
    ],
    [
      'with two metrics in one',
      [{ type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'Value', averageValue: 1 } }, resource: {} }],
      ['[0].resource: Forbidden: must populate the given metric source only'],
    ],
  ])('%s', (_, metrics, expected) => {
    const texts = problems({ metrics }).slice(0, expected.length)
    expect(texts).toEqual(expected.map((text) => `spec.metrics${text}`))
  })

  test('when it moves in ways that there are not', () => {
    const policies = [{ type: 'Share', value: 0, periodSeconds: 2000 }]
    expect(
      problems({ behavior: { scaleUp: { stabilizationWindowSeconds: 4000, selectPolicy: 'x', policies } } }),
    ).toEqual(
      [
        'stabilizationWindowSeconds: Invalid value: 4000: must be less than or equal to 3600',
        'selectPolicy: Unsupported value: "x": supported values: "Disabled", "Max", "Min"',
        'policies[0].type: Unsupported value: "Share": supported values: "Percent", "Pods"',
        'policies[0].value: Invalid value: 0: must be greater than zero',
        'policies[0].periodSeconds: Invalid value: 2000: must be less than or equal to 1800',
      ].map((text) => `spec.behavior.scaleUp.${text}`),
    )
  })
})

test('an autoscaler follows the cpu by default', () => {
  const object = { ...autoscaler({}), spec: { maxReplicas: 3 } }
  expect(defaults!(object).spec).toMatchObject({
    minReplicas: 1,
    metrics: [{ resource: { target: { averageUtilization: 80 } } }],
  })
})
