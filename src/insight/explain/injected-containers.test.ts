// Covers causes.ts and next-pod.ts: containers that somebody injects.
import { describe, expect, test } from 'vitest'
import { app, explained, object, quota } from '../../../test/insight/explained.ts'
import { explanationText } from './explanation-text.ts'
import type { KubeObject } from '../../machinery/object.ts'

describe('containers that somebody injects', () => {
  test('are priced as those of the pods that run, and named apart among the holders', () => {
    const [template, sidecar] = [[app('web', { cpu: '100m' })], app('proxy', { cpu: '70m' })]
    const { causes, wanted, holders } = explained({
      template,
      replicas: 2,
      pods: [[...template, sidecar]],
      quota: quota({ 'requests.cpu': '300m' }, { 'requests.cpu': '170m' }),
    })
    expect(causes.map(({ text }) => text)).toEqual([
      'quota compute: requests.cpu 170m of 300m used, 170m more requested',
    ])
    expect(causes[0]?.containers).toEqual([
      { name: 'web', injected: false },
      { name: 'proxy', injected: true },
    ])
    expect(wanted[0]?.costs[0]?.sources).toEqual([
      { container: 'web', amount: '100m', from: 'spec' },
      { container: 'proxy', amount: '70m', from: 'injected' },
    ])
    expect(holders).toEqual([expect.objectContaining({ amount: '170m', injected: '70m', objects: 1 })])
  })

  test('are known by the refusal alone where no pod was ever made', () => {
    const { causes, remedies } = explained({
      template: [app('web', { cpu: '100m' })],
      replicas: 1,
      pods: [],
      quota: quota({ 'requests.cpu': '1' }, { 'requests.cpu': '0' }),
      failure: 'pods "web-1-x" is forbidden: failed quota: compute: must specify requests.cpu for: proxy',
    })
    expect(causes).toEqual([
      expect.objectContaining({
        type: 'missing-values',
        text: 'quota compute: each container must specify requests.cpu (missing in the injected proxy)',
        containers: [{ name: 'proxy', injected: true }],
      }),
    ])
    expect(remedies.map(({ type, manifest }) => [type, manifest?.['kind']])).toEqual([['limit-range', 'LimitRange']])
  })

  test('raise the cost to what the refusal says that a pod costs', () => {
    const { causes, wanted } = explained({
      template: [app('web', { cpu: '100m' })],
      replicas: 1,
      pods: [],
      quota: quota({ 'requests.cpu': '250m' }, { 'requests.cpu': '0' }),
      failure:
        'pods "web-1-x" is forbidden: exceeded quota: compute, requested: requests.cpu=300m, used: requests.cpu=0, limited: requests.cpu=250m',
    })
    expect(causes.map(({ text }) => text)).toEqual(['quota compute: requests.cpu 0 of 250m used, 300m more requested'])
    expect(wanted[0]?.costs[0]?.sources.at(-1)).toEqual({ container: '', amount: '200m', from: 'injected' })
  })

  test('says which values an injected container lacks, and no others', () => {
    const { causes } = explained({
      template: [{ name: 'web', resources: { requests: { cpu: '1' }, limits: { cpu: '1' } } }],
      replicas: 1,
      pods: [],
      quota: quota({ 'requests.cpu': '9', 'limits.cpu': '9' }, { 'requests.cpu': '0', 'limits.cpu': '0' }),
      failure: 'pods "web-1-x" is forbidden: failed quota: compute: must specify limits.cpu for: mesh',
    })
    expect(causes.map(({ text }) => text)).toEqual([
      'quota compute: each container must specify limits.cpu (missing in the injected mesh)',
    ])
  })

  test('lack what the refusal of an API server before 1.24 demands and the template says, without a name', () => {
    const given = {
      template: [app('web', { cpu: '200m', memory: '100Mi' })],
      replicas: 4,
      pods: [],
      quota: quota({ 'requests.cpu': '1', 'requests.memory': '1Gi' }, { 'requests.cpu': '0', 'requests.memory': '0' }),
      failure: 'pods "web-1-x" is forbidden: failed quota: compute: must specify limits.cpu,requests.memory',
    }
    const { verdict, causes, warnings, remedies } = explained(given)
    expect([verdict, causes, warnings]).toEqual([
      'blocked',
      [
        expect.objectContaining({
          type: 'missing-values',
          text: 'quota compute: each container must specify requests.memory (missing in a container that admission injected or changed)',
          containers: [{ name: '', injected: true }],
        }),
      ],
      [],
    ])
    expect(remedies.map(({ type }) => type)).toEqual(['limit-range'])
    const range = object('v1', 'LimitRange', 'defaults', {
      limits: [{ type: 'Container', defaultRequest: { memory: '64Mi' } }],
    })
    expect(explained({ ...given, more: { limitRanges: [range] } }).causes).toEqual([])
    const silent = explained({ ...given, template: [app('web', { cpu: '200m' })] })
    expect(silent.causes.map(({ containers }) => containers)).toEqual([[{ name: 'web', injected: false }]])
  })
})

test('what an injected container costs that no pod has is not guessed, and only what is missing is given', () => {
  const said = explained({
    template: [app('c', { cpu: '200m', memory: '100Mi' })],
    replicas: 4,
    pods: [],
    quota: quota({ 'requests.cpu': '1', 'requests.memory': '1Gi' }, { 'requests.cpu': '0', 'requests.memory': '0' }),
    failure: 'pods "web-1-x" is forbidden: failed quota: compute: must specify requests.memory for: mesh-proxy',
  })
  const text = explanationText(said, () => '')
  expect(text).toContain('requests.memory (missing in the injected mesh-proxy)\n')
  expect(text).toContain('requests.cpu at least 200m = c 200m + mesh-proxy (injected, not known)\n')
  expect(text).toContain(
    'requests.cpu 0 of 1 used, at least 800m requested; requests.memory 0 of 1Gi used, 400Mi requested\n',
  )
  expect(said.remedies.map(({ manifest }) => manifest?.['spec'])).toEqual([
    { limits: [{ type: 'Container', defaultRequest: { memory: '128Mi' } }] },
  ])
})

test('a raise beside an injected container that nobody knows says that it is the least', () => {
  const raisedIn = (labels: Readonly<Record<string, string>>) =>
    explained({
      template: [app('c', { cpu: '200m', memory: '100Mi' })],
      replicas: 6,
      pods: [],
      quota: quota(
        { 'requests.cpu': '1', 'requests.memory': '500Mi' },
        { 'requests.cpu': '0', 'requests.memory': '0' },
        { labels },
      ),
      failure: 'pods "web-1-x" is forbidden: failed quota: compute: must specify requests.memory for: mesh-proxy',
    }).remedies.flatMap(({ type, text }) => (['raise', 'claim'].includes(type) ? [text] : []))
  expect(raisedIn({})).toEqual(['have quota compute raised to at least requests.cpu 1200m, requests.memory 600Mi'])
  expect(raisedIn({ 'projectcapsule.dev/pool': 'gold' })).toEqual([
    'claim at least requests.cpu 200m, requests.memory 100Mi from pool gold',
  ])
})

describe('a refusal that has nothing to do with room', () => {
  const template = [app('web', { cpu: '200m' })]
  const roomy = { template, replicas: 1, pods: [], quota: quota({ 'requests.cpu': '9' }, { 'requests.cpu': '0' }) }
  const range = (name: string, item: object): KubeObject =>
    object('v1', 'LimitRange', name, { limits: [{ type: 'Container', ...item }] })
  const said = (failure: string, limitRanges: readonly KubeObject[] = []) => {
    const { verdict, causes, warnings } = explained({ ...roomy, failure, more: { limitRanges } })
    return [verdict, ...causes.map(({ type }) => type), ...warnings.map(({ text }) => text)]
  }
  const stripped = 'pods "web-1-x" is forbidden: failed quota: compute: must specify requests.cpu for: web'
  const over = (failure: string): readonly string[] => [
    'clear',
    `the last attempt was refused, and its reason is gone; its controller tries again: ${failure}`,
  ]

  test('stands for values that admission takes away, until a LimitRange gives them', () => {
    expect(said(stripped)).toEqual(['blocked', 'reported'])
    expect(said(stripped, [range('defaults', { defaultRequest: { cpu: '1' } })])).toEqual(over(stripped))
    const other = stripped.replace('requests.cpu', 'requests.memory')
    expect(said(other)).toEqual(over(other))
  })

  test.each([
    ['maximum', 'maximum cpu usage per Container is 1500m, but limit is 3', { max: { cpu: '1.5' } }],
    ['minimum', 'minimum memory usage per Container is 64Mi.  No request is specified', { min: { memory: '64Mi' } }],
    [
      'ratio',
      'cpu max limit to request ratio per Container is 4, but provided ratio is 9.000000',
      { maxLimitRequestRatio: { cpu: '4' } },
    ],
  ])('stands for the %s of a LimitRange, as long as this is so', (_title, message, item) => {
    const failure = `pods "web-1-x" is forbidden: ${message}`
    const template = [
      { name: 'web', resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } } },
    ]
    const verdictWith = (limitRanges: readonly KubeObject[]) =>
      explained({ ...roomy, template, failure, more: { limitRanges } }).causes.map(({ type }) => type)
    expect(verdictWith([range('bounds', item)])).toEqual(['reported'])
    expect(verdictWith([])).toEqual([])
    expect(verdictWith([range('bounds', { max: { cpu: '2' } })])).toEqual([])
  })
})
