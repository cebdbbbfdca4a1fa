import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Allot, startAllot } from '../start-allot.ts'
import { check, LimitedNamespace } from './limited-namespace.ts'
import { pod, type PodWishes } from './behaviour-objects.ts'

let allot: Allot
let made = 0
beforeAll(async () => {
  allot = await startAllot({ inMemory: true })
})
afterAll(() => allot.stop())

const namespace = (): Promise<LimitedNamespace> => LimitedNamespace.make(allot, `scoped-${++made}`)

/** The same scope said in both ways. */
const WAYS: readonly (readonly [string, (scope: string) => object])[] = [
  ['as a scope', (scope) => ({ scopes: [scope] })],
  ['as a selector', (scope) => ({ scopeSelector: { matchExpressions: [{ scopeName: scope, operator: 'Exists' }] } })],
]
const burstable: PodWishes = { requests: { cpu: '500m', memory: '200Mi' }, limits: { cpu: '1', memory: '400Mi' } }

describe.each(WAYS)('%s', (_way, scoped) => {
  test('best effort counts pods without requests and limits, and not best effort all others', async () => {
    const ns = await namespace()
    await ns.limit('poor', { pods: '5' }, scoped('BestEffort'))
    await ns.limit('rich', { pods: '5' }, scoped('NotBestEffort'))
    await ns.create('pods', pod('best-effort'))
    await check.usage(ns, 'poor', { pods: '1' })
    await check.usage(ns, 'rich', { pods: '0' })
    await ns.remove('pods/best-effort')
    await check.usage(ns, 'poor', { pods: '0' })
    await ns.create('pods', pod('burstable', burstable))
    await check.usage(ns, 'rich', { pods: '1' })
    await check.usage(ns, 'poor', { pods: '0' })
    await ns.remove('pods/burstable')
    await check.usage(ns, 'rich', { pods: '0' })
  })

  test('terminating counts pods with a deadline, and not terminating all others', async () => {
    const ns = await namespace()
    const hard = {
      pods: '5',
      'requests.cpu': '1',
      'requests.memory': '500Mi',
      'limits.cpu': '2',
      'limits.memory': '1Gi',
    }
    const used = {
      pods: '1',
      'requests.cpu': '500m',
      'requests.memory': '200Mi',
      'limits.cpu': '1',
      'limits.memory': '400Mi',
    }
    const none = { pods: '0', 'requests.cpu': '0', 'requests.memory': '0', 'limits.cpu': '0', 'limits.memory': '0' }
    await ns.limit('brief', hard, scoped('Terminating'))
    await ns.limit('lasting', hard, scoped('NotTerminating'))
    await ns.create('pods', pod('server', burstable))
    await check.usage(ns, 'lasting', used)
    await check.usage(ns, 'brief', none)
    await ns.remove('pods/server')
    await check.usage(ns, 'lasting', none)
    await ns.create('pods', pod('task', { ...burstable, spec: { activeDeadlineSeconds: 3600 } }))
    await check.usage(ns, 'brief', used)
    await check.usage(ns, 'lasting', none)
    await ns.remove('pods/task')
    await check.usage(ns, 'brief', none)
  })
})

describe('a quota with a priority class selector', () => {
  const CLASSES = ['low', 'middle', 'high']
  beforeAll(async () => {
    for (const [index, name] of CLASSES.entries()) {
      const body = { metadata: { name }, value: 1000 + index }
      await allot.call('/apis/scheduling.k8s.io/v1/priorityclasses', { method: 'POST', body })
    }
  })

  const selecting = (operator: string, values?: readonly string[]): object => ({
    scopeSelector: {
      matchExpressions: [{ scopeName: 'PriorityClass', operator, ...(values === undefined ? {} : { values }) }],
    },
  })
  const ranked = (name: string, priorityClassName: string, wishes: PodWishes = {}): object =>
    pod(name, { ...wishes, spec: { priorityClassName } })

  test('counts a pod of the class', async () => {
    const ns = await namespace()
    await ns.limit('q', { pods: '1' }, selecting('In', ['low']))
    await ns.create('pods', ranked('a', 'low'))
    await check.usage(ns, 'q', { pods: '1' })
    await ns.remove('pods/a')
    await check.usage(ns, 'q', { pods: '0' })
  })

  test('refuses a second pod of the class', async () => {
    const ns = await namespace()
    await ns.limit('q', { pods: '1' }, selecting('In', ['low']))
    await ns.create('pods', ranked('a', 'low'))
    expect(await ns.refused('pods', ranked('b', 'low'))).toBe(
      'pods "b" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    )
    await ns.remove('pods/a')
    await ns.create('pods', ranked('b', 'low'))
  })

  test('does not count pods of another class', async () => {
    const ns = await namespace()
    await ns.limit('q', { pods: '1' }, selecting('In', ['high']))
    await ns.create('pods', ranked('a', 'low'))
    await ns.create('pods', ranked('b', 'low'))
    await check.usage(ns, 'q', { pods: '0' })
  })

  test('counts pods of each class that it names', async () => {
    const ns = await namespace()
    await ns.limit('q', { pods: '2' }, selecting('In', ['low', 'middle']))
    await ns.create('pods', ranked('a', 'low'))
    await check.usage(ns, 'q', { pods: '1' })
    await ns.create('pods', ranked('b', 'middle'))
    await check.usage(ns, 'q', { pods: '2' })
    await ns.refused('pods', ranked('c', 'middle'))
  })

  test('counts pods of the classes that it does not name', async () => {
    const ns = await namespace()
    await ns.limit('q', { pods: '1' }, selecting('NotIn', ['high']))
    await ns.create('pods', ranked('a', 'high'))
    await check.usage(ns, 'q', { pods: '0' })
    await ns.create('pods', ranked('b', 'middle'))
    await check.usage(ns, 'q', { pods: '1' })
    await ns.remove('pods/b')
    await check.usage(ns, 'q', { pods: '0' })
  })

  test('counts pods of any class, and no pod without one', async () => {
    const ns = await namespace()
    await ns.limit('q', { pods: '1' }, selecting('Exists'))
    await ns.create('pods', pod('none'))
    await check.usage(ns, 'q', { pods: '0' })
    await ns.create('pods', ranked('a', 'middle'))
    await check.usage(ns, 'q', { pods: '1' })
    await ns.refused('pods', ranked('b', 'high'))
  })

  test('counts what the pods of the class request and may use', async () => {
    const ns = await namespace()
    const hard = { pods: '1', 'requests.cpu': '1', 'requests.memory': '1Gi', 'limits.cpu': '3', 'limits.memory': '3Gi' }
    const wishes = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '2Gi' } }
    await ns.limit('q', hard, selecting('In', ['high']))
    await ns.create('pods', ranked('a', 'high', wishes))
    await check.usage(ns, 'q', {
      pods: '1',
      'requests.cpu': '1',
      'requests.memory': '1Gi',
      'limits.cpu': '2',
      'limits.memory': '2Gi',
    })
    await ns.remove('pods/a')
    await check.usage(ns, 'q', {
      pods: '0',
      'requests.cpu': '0',
      'requests.memory': '0',
      'limits.cpu': '0',
      'limits.memory': '0',
    })
  })
})
