import { describe, expect, test } from 'vitest'
import { isResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import { readManifests } from '../../migrate/read-manifests.ts'
import { explain } from './explain.ts'
import type { Explanation } from './explanation.ts'
import { type Facts, indexed } from './facts.ts'
import { withPlannedLimits } from './planned-limits.ts'

const PODS = readManifests(
  'pods',
  ['a', 'b']
    .map(
      (name) =>
        `{apiVersion: v1, kind: Pod, metadata: {name: ${name}, namespace: shop}, spec: {containers: [{name: c, resources: {requests: {cpu: 200m}}}]}}`,
    )
    .join('\n---\n'),
)
const NEW = '{apiVersion: v1, kind: Pod, metadata: {name: new, namespace: shop}, spec: {containers: [{name: c}]}}'
const quotaOf = (hard: string, more = ''): string =>
  `{apiVersion: v1, kind: ResourceQuota, metadata: {name: small, namespace: shop}, spec: {hard: {${hard}}}${more}}`
const RANGE =
  '{apiVersion: v1, kind: LimitRange, metadata: {name: usual, namespace: shop}, spec: {limits: [{type: Container, defaultRequest: {cpu: 300m}}]}}'

interface Planned {
  readonly stored?: string
  readonly manifests: readonly string[]
  readonly notSeen?: Facts['notSeen']
}

/** What is said of the pod `new` among manifests. */
function planned({ stored = '', manifests, notSeen = [] }: Planned): Explanation {
  const [object] = readManifests('new', NEW)
  if (object === undefined) throw new Error('there is no manifest')
  const objects = new Map([['pods', notSeen.length > 0 ? [] : PODS]])
  const facts: Facts = {
    namespace: 'shop',
    quotas: readManifests('stored', stored).filter(isResourceQuota),
    limitRanges: [],
    customQuotas: [],
    karmadaQuotas: [],
    namespaceLabels: {},
    objects,
    ...indexed(objects),
    kubectl: 'kubectl -n shop',
    autoscalers: [],
    classes: new Map(),
    failures: [],
    notSeen,
    now: 0,
  }
  const all = manifests.flatMap((text) => readManifests('manifests', text))
  return explain({ object, isStored: false }, { group: '', resource: 'pods' }, withPlannedLimits(facts, all))
}
const texts = ({ causes }: Explanation): readonly string[] => causes.map(({ text }) => text)

describe('ResourceQuotas and LimitRanges among manifests', () => {
  test('count what is there, wherever they stand, with the defaults of the LimitRange', () => {
    const limits = [quotaOf('pods: "9", requests.cpu: 600m'), RANGE]
    const expected = ['quota small: requests.cpu 400m of 600m used, 300m more requested']
    expect(texts(planned({ manifests: [...limits, NEW] }))).toEqual(expected)
    expect(texts(planned({ manifests: [NEW, ...limits.toReversed()] }))).toEqual(expected)
    expect(texts(planned({ manifests: [quotaOf('pods: "9"'), NEW] }))).toEqual([])
  })

  test.each(['default: {cpu: 400m}', 'max: {cpu: 400m}', 'default: {cpu: 400m}, defaultRequest: {}'])(
    'get the defaults of the API server, so that a LimitRange with %s gives requests, too',
    (amounts) => {
      const range = `{apiVersion: v1, kind: LimitRange, metadata: {name: usual, namespace: shop}, spec: {limits: [{type: Container, ${amounts}}]}}`
      expect(texts(planned({ manifests: [quotaOf('requests.cpu: 700m, limits.cpu: "1"'), range, NEW] }))).toEqual([
        'quota small: requests.cpu 400m of 700m used, 400m more requested',
      ])
    },
  )

  test('take the place of those that are stored, and keep the usage that was counted', () => {
    const stored = quotaOf('pods: "2"', ', status: {hard: {pods: "2"}, used: {pods: "2"}}')
    expect(texts(planned({ stored, manifests: [NEW] }))).toEqual(['quota small: pods 2 of 2 used, 1 more requested'])
    expect(texts(planned({ stored, manifests: [quotaOf('pods: "3"'), NEW] }))).toEqual([])
    expect(texts(planned({ stored, manifests: [quotaOf('pods: "2"'), NEW] }))).toEqual([
      'quota small: pods 2 of 2 used, 1 more requested',
    ])
  })

  test('of what may not be read limit nothing, and are named', () => {
    const notSeen = [{ resource: 'pods', reason: 'you may not list them' }]
    const { causes, notSeen: said } = planned({ manifests: [quotaOf('pods: "1"'), NEW], notSeen })
    expect([causes, said]).toEqual([
      [],
      ['pods: you may not list them', 'pods: the use under quota small of the manifests is not known'],
    ])
    const known = quotaOf('pods: "2"', ', status: {hard: {pods: "2"}, used: {pods: "2"}}')
    expect(texts(planned({ stored: known, manifests: [quotaOf('pods: "1"'), NEW], notSeen }))).toEqual([
      'quota small: pods 2 of 1 used, 1 more requested',
    ])
  })
})
