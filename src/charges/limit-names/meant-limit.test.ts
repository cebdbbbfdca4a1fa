import { describe, expect, test } from 'vitest'
import { meantLimit, meantScope, type NamesOfLimits, namesOfferedKind } from './meant-limit.ts'
import { type OfferedResource, OfferedResources } from './offered-resources.ts'

const resource = (id: string, kind = 'Thing'): OfferedResource => {
  const dot = id.indexOf('.')
  const [plural, group] = dot === -1 ? [id, ''] : [id.slice(0, dot), id.slice(dot + 1)]
  return { group, resource: plural, kind, namespaced: true, verbs: [] }
}

interface Known {
  readonly offered?: readonly OfferedResource[]
  readonly patterns?: readonly string[]
  readonly isCharged?: (name: string) => boolean
}

/** Names under which everything is charged, unless a test says less. */
const names = ({ offered = [], patterns = [], isCharged = () => true }: Known): NamesOfLimits => ({
  offered: new OfferedResources(offered),
  patterns,
  isCharged,
})

describe('of resources of one name the group decides', () => {
  const meant = (wanted: string, ...offered: readonly string[]): string | undefined =>
    meantLimit(`count/${wanted}`, {
      ...names({ offered: offered.map((id) => resource(id)) }),
      isCharged: (name) => offered.some((id) => name === `count/${id}`),
    })

  test.each<readonly [string, string, readonly string[], string]>([
    ['the same before one like it', 'things.a.example', ['thingz.a.example', 'things.a.example'], 'things.a.example'],
    ['the nearest, wherever it stands', 'things.abcd', ['things.wxyz', 'things.abcx'], 'things.abcx'],
    ['the first of those that are as near', 'things.abcd', ['things.abcy', 'things.abcx'], 'things.abcy'],
    [
      'a group behind a version before one that is nearer',
      'things.v1.apps',
      ['things.v2.apps', 'things.apps'],
      'things.apps',
    ],
    [
      'a group that goes on before one that is nearer',
      'things.apps',
      ['things.appz', 'things.apps.example'],
      'things.apps.example',
    ],
    ['no group that only begins like it', 'things.apps', ['things.appz', 'things.appserver'], 'things.appz'],
    ['no group that only ends like it', 'things.xyapps', ['things.apps', 'things.xzapps'], 'things.xzapps'],
    ['no group that ends with it', 'things.apps', ['things.appz', 'things.my.apps'], 'things.appz'],
  ])('%s', (_, wanted, offered, right) => {
    // A name that is charged itself is never asked for.
    const misspelled = wanted.replace('things', 'thngs')
    expect(meant(misspelled, ...offered)).toBe(`count/${right}`)
  })

  test('unless it is longer than a thousand characters', () => {
    const near = `things.${'x'.repeat(9)}`
    expect(meant(`thngs.${'x'.repeat(1000)}`, 'things.y', near)).toBe(`count/${near}`)
    expect(meant(`thngs.${'x'.repeat(1001)}`, 'things.y', near)).toBe('count/things.y')
  })
})

describe('the name that was probably meant', () => {
  test.each<readonly [string, string, Known, string | undefined]>([
    ['is never the same name', 'things', {}, undefined],
    ['is the name in lower case, if that is charged', 'Pods', {}, 'pods'],
    [
      'is a resource of the core group behind its name',
      'core/secrets',
      { offered: [resource('secrets.example.com'), resource('secrets')] },
      'count/secrets',
    ],
    [
      'is no resource of another group behind a domain',
      'apps/secrets',
      { offered: [resource('secrets')] },
      'requests.apps/secrets',
    ],
    ['is a request of a device of a vendor', 'example.com/gpu', {}, 'requests.example.com/gpu'],
    ['is no request of Kubernetes', 'k8s.io/gpu', {}, undefined],
    ['is no request of a domain of Kubernetes', 'dra.k8s.io/gpu', {}, undefined],
    ['is a request of a domain that ends almost so', 'myk8s.io/gpu', {}, 'requests.myk8s.io/gpu'],
    ['is a request of a domain that goes on', 'x.k8s.io.example.com/gpu', {}, 'requests.x.k8s.io.example.com/gpu'],
    [
      'is a request in place of a limit',
      'limit.example.com/Gpu',
      { isCharged: (name) => name.endsWith('Gpu') },
      'requests.example.com/Gpu',
    ],
    ['is no pattern of which a third differs', 'pd', { patterns: ['pods'] }, undefined],
    ['may differ by a character', 'podds', { patterns: ['pods'] }, 'pods'],
    ['is no pattern of a size', 'hugepages-x', { patterns: ['hugepages-*'] }, undefined],
    ['is no pattern with a domain', 'example.com.gpu', { patterns: ['example.com/gpu'] }, undefined],
    ['may be the end of a pattern', 'balancers', { patterns: ['x.balancers'] }, 'x.balancers'],
  ])('%s', (_, name, known, right) => {
    expect(meantLimit(name, names(known))).toBe(right)
  })
})

describe('the name of a class', () => {
  const patterns = [
    '*.toolclass.k8s.io/aaaaaa',
    '*.toolclass.k8s.io/aabbbb',
    '*.toolclass.k8s.io/longer.things',
    '*.plainclass.example.com',
    '*.anyclass.example.com/*',
    'x.oneclass.example.com/things',
  ]

  test.each([
    ['the end of its suffix', 'a.toolclass.k8s.io/things', 'a.toolclass.k8s.io/longer.things'],
    ['a misspelled word of its domain', 'a.b.toolclas.k8s.io/longer.things', 'a.b.toolclass.k8s.io/longer.things'],
    ['the suffix that is nearest', 'a.toolclass.k8s.io/aaabbb', 'a.toolclass.k8s.io/aabbbb'],
    ['half of its suffix', 'a.toolclass.k8s.io/longer.', 'a.toolclass.k8s.io/longer.things'],
    ['less than half of its suffix', 'a.toolclass.k8s.io/longe', undefined],
    ['another suffix', 'a.toolclass.k8s.io/zzzzzz', undefined],
    ['the class without a name', 'toolclass.k8s.io/longer.things', undefined],
    ['a pattern without a suffix', 'a.plainclass.example.com/x', 'requests.a.plainclass.example.com/x'],
    ['a pattern with any suffix', 'a.anyclass.example.com/', 'requests.a.anyclass.example.com/'],
    ['a pattern of one class', 'a.oneclas.example.com/things', 'requests.a.oneclas.example.com/things'],
  ])('is found by %s: %s', (_, name, right) => {
    expect(meantLimit(name, names({ patterns }))).toBe(right)
  })

  test('is found by what its resource is called', () => {
    const offered = [{ ...resource('longer.things', 'Thing'), resource: 'aaaaaa', shortNames: ['zz'] }]
    expect(meantLimit('a.toolclass.k8s.io/zz', names({ patterns, offered }))).toBe('a.toolclass.k8s.io/aaaaaa')
  })
})

test.each([
  ['count/thing.example.com', true],
  ['count/Things.example.com', true],
  ['count/thing.other.example.com', false],
  ['count/services.nodeports', true],
  ['count/services', false],
  ['things.example.com', false],
])('whether %s holds what people call a resource: %s', (name, isSo) => {
  const known = names({
    offered: [resource('things.example.com')],
    isCharged: (one) => ['services', 'services.nodeports'].includes(one),
  })
  expect(namesOfferedKind(name, known)).toBe(isSo)
})

test.each([
  ['high.priorityclass.scheduling.k8s.io/pods', 'PriorityClass'],
  ['high.PriorityClass/requests.cpu', 'PriorityClass'],
  ['high.priorityclass/gpus', 'PriorityClass'],
  ['high.priorityclass/services', undefined],
  ['gold.volumeattributesclass.k8s.io/pods', undefined],
  ['gold.volumeattributesclass.k8s.io/requests.storage', 'VolumeAttributesClass'],
  ['priorityclass.scheduling.k8s.io/pods', undefined],
  ['high.priorityclassx', undefined],
  ['high.priorityclass', undefined],
  ['a/priorityclass', undefined],
])('the scope that %s was meant to express is %s', (name, scope) => {
  expect(meantScope(name)).toBe(scope)
})
