// Covers causes.ts and next-pod.ts: containers that somebody injects.
import { describe, expect, test } from 'vitest'
import { app, explained, quota } from '../../../test/insight/explained.ts'

describe('containers that somebody injects', () => {
  test('are priced as those of the pods that run, and named apart among the holders [32/injected]', () => {
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

  test('are known by the refusal alone where no pod was ever made [32/injected]', () => {
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
        text: 'quota compute: each container must specify requests.cpu (missing in proxy)',
        containers: [{ name: 'proxy', injected: true }],
      }),
    ])
    expect(remedies.map(({ type, manifest }) => [type, manifest?.['kind']])).toEqual([['limit-range', 'LimitRange']])
  })

  test('raise the cost to what the refusal says that a pod costs [32/injected]', () => {
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

  test('says which values an injected container lacks, and no others [32/injected]', () => {
    const { causes } = explained({
      template: [{ name: 'web', resources: { requests: { cpu: '1' }, limits: { cpu: '1' } } }],
      replicas: 1,
      pods: [],
      quota: quota({ 'requests.cpu': '9', 'limits.cpu': '9' }, { 'requests.cpu': '0', 'limits.cpu': '0' }),
      failure: 'pods "web-1-x" is forbidden: failed quota: compute: must specify limits.cpu for: mesh',
    })
    expect(causes.map(({ text }) => text)).toEqual([
      'quota compute: each container must specify limits.cpu (missing in mesh)',
    ])
  })
})
