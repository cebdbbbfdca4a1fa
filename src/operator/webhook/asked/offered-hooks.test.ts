import { expect, test } from 'vitest'
import { type AskedResource, type OperatorHook, webhookConfiguration } from '../configuration.ts'
import { hooksFor } from './offered-hooks.ts'

const hook: OperatorHook = {
  phase: 'validating',
  name: 'things.example.test',
  path: '/things',
  rules: [{ groups: [''], resources: ['things'], operations: ['UPDATE'] }],
}
const OFFERS = { matchConditions: true, labelsNamespaces: true }

test('a server that knows no conditions gets the webhooks that are meant for it', () => {
  const conditions = [{ name: 'never', expression: 'false' }]
  const bare = { ...hook, name: 'bare' }
  const other: OperatorHook = {
    ...hook,
    name: 'other',
    conditions,
    withoutConditions: [
      { failurePolicy: 'Ignore' },
      { name: 'more', rules: [{ groups: [''], resources: ['things'], operations: ['DELETE'] }] },
    ],
  }
  const none = { ...hook, name: 'none', conditions }
  expect(hooksFor([bare, other, none], OFFERS)).toEqual([bare, other, none])
  const without = webhookConfiguration(
    'validating',
    hooksFor([bare, other, none], { ...OFFERS, matchConditions: false }),
    { url: 'https://x' },
    '',
  )
  expect(without['webhooks']).toMatchObject([
    { name: 'bare', failurePolicy: 'Fail' },
    { name: 'other', failurePolicy: 'Ignore', rules: [{ operations: ['UPDATE'] }] },
    { name: 'more', failurePolicy: 'Fail', rules: [{ operations: ['DELETE'] }] },
  ])
  expect(JSON.stringify(without)).not.toContain('matchConditions')
})

const asked = (resource: string, ...namespaces: readonly string[]): AskedResource => ({
  key: resource,
  rules: [{ groups: [''], resources: [resource], operations: ['CREATE'] }],
  namespaces: new Set(namespaces),
})
const following: OperatorHook = {
  ...hook,
  rules: [],
  namespaceSelector: { matchLabels: { d: 'e' } },
  asked: [asked('pods', 'a', 'b'), asked('secrets', 'b', 'a'), asked('services', '*'), asked('nothing')],
  exempt: new Set(['kube-system']),
}
const shown = (hooks: readonly OperatorHook[]) =>
  hooks.map(({ name, path, rules, namespaceSelector }) => [
    name,
    path,
    rules.flatMap(({ resources }) => resources),
    namespaceSelector,
  ])

test('each set of namespaces has a webhook of its own at the same path, and a selector of the webhook holds besides', () => {
  const key = 'kubernetes.io/metadata.name'
  const matchLabels = { d: 'e' }
  expect(shown(hooksFor([following], OFFERS))).toEqual([
    [
      'things.example.test',
      '/things',
      ['pods', 'secrets'],
      { matchLabels, matchExpressions: [{ key, operator: 'In', values: ['a', 'b'] }] },
    ],
    [
      'v2.things.example.test',
      '/things',
      ['services'],
      { matchLabels, matchExpressions: [{ key, operator: 'NotIn', values: ['kube-system'] }] },
    ],
  ])
})

test('where the server does not label namespaces with their names, all are asked about but those that allot has labelled', () => {
  const offers = { ...OFFERS, labelsNamespaces: false }
  const label = { key: 'exempt', values: new Map([['kube-system', 'x']]) }
  expect(shown(hooksFor([following], offers, label))).toEqual([
    [
      'things.example.test',
      '/things',
      ['pods', 'secrets', 'services'],
      { matchLabels: { d: 'e' }, matchExpressions: [{ key: 'exempt', operator: 'NotIn', values: ['x'] }] },
    ],
  ])
})
