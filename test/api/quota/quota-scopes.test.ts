import { describe, expect, test } from 'vitest'
import { apiServer, MERGE, pod } from '../api-server.ts'
import { quotaChecks } from './quota-checks.ts'

const api = apiServer()
const { limit, used, refused, usage } = quotaChecks(api)
const check = { usage }

describe('scopes', () => {
  test('a deadline moves a pod from one quota to the other', async () => {
    const path = await api.namespace()
    await limit(path, { pods: '1' }, { scopes: ['Terminating'] }, 'short')
    await limit(path, { pods: '1' }, { scopes: ['NotTerminating'] }, 'long')
    await api.create(`${path}/pods`, pod('p'))
    expect([await used(path, 'short'), await used(path, 'long')]).toEqual([{ pods: '0' }, { pods: '1' }])
    await api.patch(`${path}/pods/p`, { spec: { activeDeadlineSeconds: 60 } })
    expect(await used(path, 'short')).toEqual({ pods: '1' })
    await check.usage(path, { pods: '0' }, 'long')
  })

  test('a flip that the other quota has no room for is refused', async () => {
    const path = await api.namespace()
    await limit(path, { pods: '0' }, { scopes: ['Terminating'] }, 'short')
    await api.create(`${path}/pods`, pod('p'))
    const { status, body } = await api.send('PATCH', `${path}/pods/p`, { spec: { activeDeadlineSeconds: 60 } }, MERGE)
    expect([status, body.message]).toEqual([
      403,
      'pods "p" is forbidden: exceeded quota: short, requested: pods=1, used: pods=0, limited: pods=0',
    ])
  })

  test('best effort and the others are apart', async () => {
    const path = await api.namespace()
    await limit(path, { pods: '1' }, { scopes: ['BestEffort'] }, 'best')
    await limit(path, { pods: '1', 'requests.cpu': '1' }, { scopes: ['NotBestEffort'] }, 'other')
    await api.create(`${path}/pods`, pod('a'))
    await api.create(`${path}/pods`, pod('b', {}, { cpu: '1' }))
    expect([await used(path, 'best'), await used(path, 'other')]).toEqual([
      { pods: '1' },
      { pods: '1', 'requests.cpu': '1' },
    ])
  })

  test('a selector by priority class counts what it selects', async () => {
    const path = await api.namespace()
    await api.send('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'high' }, value: 9 })
    const selector = {
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['high'] }] },
    }
    await limit(path, { pods: '1' }, selector)
    await api.create(`${path}/pods`, pod('low'))
    await api.create(`${path}/pods`, pod('high', { priorityClassName: 'high' }))
    await check.usage(path, { pods: '1' })
    expect(await refused(`${path}/pods`, pod('high-2', { priorityClassName: 'high' }))).toContain('exceeded quota: q')
  })

  test('a selector that changes makes the quota count anew', async () => {
    const path = await api.namespace()
    for (const name of ['gold', 'silver'])
      await api.send('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name }, value: 9 })
    const selector = (...values: string[]): object => ({
      scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values }] },
    })
    await limit(path, { pods: '9' }, selector('gold'))
    await api.create(`${path}/pods`, pod('g', { priorityClassName: 'gold' }))
    await api.create(`${path}/pods`, pod('s', { priorityClassName: 'silver' }))
    await check.usage(path, { pods: '1' })
    await api.patch(`${path}/resourcequotas/q`, { spec: selector('gold', 'silver') })
    await check.usage(path, { pods: '2' })
  })
})
