import { describe, expect, test } from 'vitest'
import { defaulted, objectOf, problems } from '../../../test/apiserver/object-life.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'

describe('limit ranges', () => {
  const range = (...limits: JsonObject[]): KubeObject => objectOf({ spec: { limits } })
  test('default what containers get from their bounds', () => {
    const object = defaulted(
      'limitranges',
      range({
        type: 'Container',
        max: { cpu: '4', memory: '7Gi' },
        min: { pods: '1', cpu: '1' },
        default: { cpu: '3' },
      }),
    )
    expect((object.spec as { limits: unknown[] }).limits).toEqual([
      {
        type: 'Container',
        max: { cpu: '4', memory: '7Gi' },
        min: { pods: '1', cpu: '1' },
        default: { cpu: '3', memory: '7Gi' },
        defaultRequest: { cpu: '3', memory: '7Gi', pods: '1' },
      },
    ])
  })

  test.each([
    [
      { type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } },
      [
        'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
        'spec.limits[0].defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
        'spec.limits[0].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
      ],
    ],
    [
      { type: 'Container', default: { memory: '9Gi' }, max: { memory: '8Gi' }, defaultRequest: { memory: '1Gi' } },
      ['spec.limits[0].default[memory]: Invalid value: "8Gi": default value 9Gi is greater than max value 8Gi'],
    ],
    [
      { type: 'Container', defaultRequest: { cpu: '3' }, default: { cpu: '2' } },
      [
        'spec.limits[0].defaultRequest[cpu]: Invalid value: "3": default request value 3 is greater than default limit value 2',
      ],
    ],
    [
      { type: 'Pod', default: { cpu: '1' } },
      ["spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'"],
    ],
    [
      { type: 'PersistentVolumeClaim' },
      [
        'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
      ],
    ],
    [
      { type: 'Pod', maxLimitRequestRatio: { cpu: '500m' } },
      ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1'],
    ],
    [
      { type: 'Pod', min: { cpu: '1' }, max: { cpu: '2' }, maxLimitRequestRatio: { cpu: '3' } },
      ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "3": ratio 3 is greater than max/min = 2.000000'],
    ],
    [
      { type: 'Room' },
      ['spec.limits[0].type: Invalid value: "Room": must be a standard limit type or fully qualified'],
    ],
    [{ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } }, []],
  ])('%j', (item, expected) => {
    expect(problems('limitranges', range(item))).toEqual(expected)
  })

  test('have lists that follow from others rounded as these are, one and the same list', () => {
    const object = defaulted('limitranges', range({ type: 'Container', max: { cpu: '1500u', memory: '1Gi' } }))
    const [item] = (object.spec as { limits: JsonObject[] }).limits
    expect(item).toEqual({
      type: 'Container',
      max: { cpu: '2m', memory: '1Gi' },
      default: { cpu: '2m', memory: '1Gi' },
      defaultRequest: { cpu: '2m', memory: '1Gi' },
    })
    expect([item?.default === item?.max, item?.defaultRequest === item?.max]).toEqual([true, true])
  })

  test('with more wrong names than an answer holds are looked at no further', () => {
    const max = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`a b${index}`, '1']))
    const found = problems('limitranges', range({ type: 'Container', max }))
    expect([found.length >= 2000, found.length < 2010]).toEqual([true, true])
    expect(found[0]).toContain('spec.limits[0].max[a b0]')
  })

  test('name what is wrong in the order of the names, and a wrong name in each list', () => {
    const max = { memory: '1', cpu: '1', 'a b': '1' }
    const min = { memory: '2', 'a b': '1', cpu: '2' }
    const paths = problems('limitranges', range({ type: 'Pod', max, min })).map(
      (text) => /^spec\.limits\[0\]\.(\w+\[[^\]]+\])/.exec(text)?.[1],
    )
    expect([...new Set(paths)]).toEqual(['max[a b]', 'min[a b]', 'min[cpu]', 'min[memory]'])
  })
})
