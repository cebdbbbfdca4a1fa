import { expect, test } from 'vitest'
import { type OperatorHook, webhookConfiguration } from './configuration.ts'

const hook: OperatorHook = {
  phase: 'validating',
  name: 'things.example.test',
  path: '/things',
  rules: [{ groups: [''], resources: ['things'], operations: ['UPDATE'] }],
}
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
