import { expect, test } from 'vitest'
import { hooksFor, type OperatorHook, webhookConfiguration } from './webhook-configuration.ts'

const hook: OperatorHook = {
  phase: 'validating',
  name: 'things.example.test',
  path: '/things',
  rules: [{ groups: [''], resources: ['things'], operations: ['UPDATE'] }],
}
const OFFERS = { matchConditions: true, labelsNamespaces: true }
const rendered = (more: Partial<OperatorHook>) => {
  const configuration = webhookConfiguration('validating', [{ ...hook, ...more }], { url: 'https://x/' }, 'authority')
  return (configuration['webhooks'] as readonly object[])[0]
}

test('a webhook for a resource has neither selector nor conditions', () => {
  const webhook = rendered({})
  expect(webhook).toMatchObject({ rules: [{ resources: ['things'] }], clientConfig: { url: 'https://x/things' } })
  expect(Object.keys(webhook ?? {})).not.toEqual(expect.arrayContaining(['objectSelector']))
  expect(Object.keys(webhook ?? {})).not.toEqual(expect.arrayContaining(['matchConditions']))
})

test('rules, selectors and conditions say what it is asked about, and its side effects stand there', () => {
  const conditions = [{ name: 'never', expression: 'false' }]
  const rules: OperatorHook['rules'] = [
    {
      groups: [''],
      versions: ['v1'],
      resources: ['things/status', 'things/scale'],
      operations: ['UPDATE'],
      scope: 'Namespaced',
    },
    { groups: ['apps'], resources: ['others'], operations: ['CREATE', 'DELETE'] },
  ]
  const objectSelector = { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] }
  const namespaceSelector = { matchExpressions: [{ key: 'd', operator: 'NotIn', values: ['e'] }] }
  const more = { rules, objectSelector, namespaceSelector, conditions, sideEffects: 'NoneOnDryRun' } as const
  expect(rendered(more)).toMatchObject({
    rules: [
      {
        apiGroups: [''],
        apiVersions: ['v1'],
        resources: ['things/status', 'things/scale'],
        operations: ['UPDATE'],
        scope: 'Namespaced',
      },
      { apiGroups: ['apps'], apiVersions: ['*'], resources: ['others'], operations: ['CREATE', 'DELETE'], scope: '*' },
    ],
    objectSelector,
    namespaceSelector,
    sideEffects: 'NoneOnDryRun',
    matchConditions: conditions,
  })
})

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

test('namespaces are selected by their names only where the server keeps these labels itself', () => {
  const key = 'kubernetes.io/metadata.name'
  const only: OperatorHook = { ...hook, namespaces: { only: ['a', 'b'] } }
  const except: OperatorHook = {
    ...hook,
    namespaces: { except: ['c'] },
    namespaceSelector: { matchExpressions: [{ key: 'd', operator: 'Exists' }] },
  }
  expect(hooksFor([only, except], OFFERS).map(({ namespaceSelector }) => namespaceSelector)).toEqual([
    { matchExpressions: [{ key, operator: 'In', values: ['a', 'b'] }] },
    {
      matchExpressions: [
        { key: 'd', operator: 'Exists' },
        { key, operator: 'NotIn', values: ['c'] },
      ],
    },
  ])
  const without = hooksFor([only, except], { ...OFFERS, labelsNamespaces: false })
  expect(without.map(({ namespaceSelector }) => namespaceSelector?.matchExpressions)).toEqual([
    undefined,
    [{ key: 'd', operator: 'Exists' }],
  ])
})
