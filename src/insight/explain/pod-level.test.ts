import { describe, expect, test } from 'vitest'
import { app, explained, quota } from '../../../test/insight/explained.ts'
import { explanationText } from './explanation-text.ts'

describe('the resources of a pod as a whole', () => {
  const template = [app('c', { cpu: '100m' }), app('d', { cpu: '100m' })]
  const resources = { requests: { cpu: '400m', memory: '300Mi' }, limits: { cpu: '800m' } }
  const hard = { 'limits.cpu': '3', 'requests.cpu': '1', 'requests.memory': '900Mi' }
  const none = { 'limits.cpu': '0', 'requests.cpu': '0', 'requests.memory': '0' }
  const given = { template, spec: { resources }, replicas: 3, pods: [], quota: quota(hard, none) }
  const lowered = (more: object) =>
    explained({ ...given, ...more })
      .remedies.filter(({ type }) => type === 'lower')
      .map(({ text, command }) => [text, command])

  test('are named as the source of the cost, and no container is put down as injected', () => {
    const said = explained(given)
    expect(said.wanted[0]?.costs.map(({ resource, sources }) => [resource, sources])).toEqual([
      ['limits.cpu', [{ container: '', amount: '800m', from: 'pod' }]],
      ['requests.cpu', [{ container: '', amount: '400m', from: 'pod' }]],
      ['requests.memory', [{ container: '', amount: '300Mi', from: 'pod' }]],
    ])
    expect(explanationText(said, () => '')).toContain("\n    requests.cpu 400m = the pod's own resources 400m\n")
    expect(said.causes.map(({ containers }) => containers)).toEqual([[]])
  })

  test('are lowered to what fits, to the unit', () => {
    expect(lowered({})).toEqual([
      [
        'ask for less: cpu requests of the pod at most 333m; then all 3 missing pods fit',
        `kubectl -n shop patch deployment/web --patch '{"spec":{"template":{"spec":{"resources":{"requests":{"cpu":"333m"}}}}}}'`,
      ],
    ])
  })

  test('are not lowered below what their containers request', () => {
    expect(lowered({ quota: quota({ ...hard, 'requests.cpu': '599m' }, none) })).toEqual([])
    expect(lowered({ quota: quota({ ...hard, 'requests.cpu': '600m' }, none) })).toHaveLength(1)
  })

  test('ask for less on both sides where the limit falls below the request', () => {
    const [[text] = []] = lowered({ quota: quota({ ...hard, 'requests.cpu': '9', 'limits.cpu': '900m' }, none) })
    expect(text).toContain('cpu limits of the pod at most 300m, cpu requests of the pod at most 300m')
  })
})
