import { expect, test } from 'vitest'
import { compileLabelSelector } from '../../../machinery/selector/label.ts'
import type { AskedResource } from '../configuration.ts'
import { type EntryOptions, webhookEntries } from './entries.ts'

const asked = (resource: string, namespaces: Iterable<string>): AskedResource => ({
  key: resource,
  rules: [{ groups: ['x.io'], resources: [resource], operations: ['CREATE'], scope: 'Namespaced' }],
  namespaces: new Set(namespaces),
})
const OPTIONS: EntryOptions = { exempt: new Set(['kube-system']), labelsNamespaces: true }
/** How many webhooks ask about a resource in a namespace. */
const countAsking = (entries: ReturnType<typeof webhookEntries>, resource: string, name: string, labels = {}): number =>
  entries.filter(
    ({ rules, namespaceSelector = {} }) =>
      rules.some(({ resources }) => resources.includes(resource)) &&
      compileLabelSelector(namespaceSelector)({ ...labels, 'kubernetes.io/metadata.name': name }),
  ).length

const resourcesOf = (entries: ReturnType<typeof webhookEntries>) =>
  entries.map(({ rules }) => rules.flatMap(({ resources }) => resources))

test('resources in the same namespaces share a webhook, in others they have their own', () => {
  const entries = webhookEntries(
    [asked('pods', ['a', 'b']), asked('secrets', ['b', 'a']), asked('services', ['a'])],
    OPTIONS,
  )
  expect(resourcesOf(entries)).toEqual([['pods', 'secrets'], ['services']])
})

test('a resource that is counted in two versions stands in two webhooks, so that no quota reads the version of another', () => {
  const in1 = asked('widgets', ['a', 'b'])
  const in2 = { ...in1, key: 'v2', rules: in1.rules.map((rule) => ({ ...rule, versions: ['v2'] })) }
  const entries = webhookEntries([in1, in2, asked('pods', ['a', 'b'])], OPTIONS)
  expect(resourcesOf(entries)).toEqual([['widgets', 'pods'], ['widgets']])
})

const number = (count: number) => Array.from({ length: count }, (_, at) => at)

test('more sets of namespaces than an API server bears are merged, and larger ones than it can store become all: what is counted is asked about once', () => {
  const many = number(250).map((at) =>
    asked(
      `r${at}`,
      number(10).flatMap((bit) => ((at >> bit) & 1 ? [`n${bit}`] : [])),
    ),
  )
  const large = number(12).map((at) =>
    asked(
      `r${at}`,
      number(4_000).flatMap((name) => (name % 12 === at ? [] : [`namespace-${name}`])),
    ),
  )
  const selecting = number(12).map((at) =>
    asked(
      `r${at}`,
      number(12).map((one) => JSON.stringify({ matchLabels: { [`a${one}`]: `${at}`, [`b${one}`]: 'x' } })),
    ),
  )
  for (const resources of [many, large, selecting]) {
    const entries = webhookEntries(resources, OPTIONS)
    expect(entries.length).toBeLessThanOrEqual(100)
    expect(JSON.stringify(entries).length).toBeLessThanOrEqual(384 * 1024)
    for (const { key, namespaces } of resources)
      for (const name of [...namespaces].slice(0, 20)) {
        const labels = name.startsWith('{') ? (JSON.parse(name).matchLabels as object) : {}
        expect([key, name, countAsking(entries, key, name, labels)]).toEqual([key, name, 1])
      }
    expect(entries.filter((entry) => countAsking([entry], 'r1', 'kube-system') > 0)).toEqual([])
  }
})

test('a thousand namespaces that each count the same few kinds are listed by name in one webhook', () => {
  const names = number(1000).map((at) => `tenant-${at}`)
  const entries = webhookEntries([asked('pods', names), asked('secrets', names)], OPTIONS)
  expect(entries).toHaveLength(1)
  expect([countAsking(entries, 'pods', 'tenant-7'), countAsking(entries, 'pods', 'default')]).toEqual([1, 0])
})

test('a namespace that is exempt is asked about where a resource names it', () => {
  const everywhere = webhookEntries([asked('pods', ['*', 'kube-system'])], OPTIONS)
  expect(countAsking(everywhere, 'pods', 'kube-system')).toBe(1)
})
