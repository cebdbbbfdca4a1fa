import { expect, test } from 'vitest'
import { type Hook, webhookConfiguration } from './webhook-configuration.ts'

const hook: Hook = {
  phase: 'validating',
  name: 'things.example.test',
  path: '/things',
  operations: ['UPDATE'],
  group: '',
  resource: 'things',
}
const rendered = (more: Partial<Hook>) => {
  const configuration = webhookConfiguration('validating', [{ ...hook, ...more }], { url: 'https://x/' }, 'authority')
  return (configuration['webhooks'] as readonly object[])[0]
}

test('a webhook for a resource has neither selector nor conditions', () => {
  const webhook = rendered({})
  expect(webhook).toMatchObject({ rules: [{ resources: ['things'] }], clientConfig: { url: 'https://x/things' } })
  expect(Object.keys(webhook ?? {})).not.toEqual(expect.arrayContaining(['objectSelector']))
  expect(Object.keys(webhook ?? {})).not.toEqual(expect.arrayContaining(['matchConditions']))
})

test('subresource, labels and conditions narrow what it is asked about', () => {
  const conditions = [{ name: 'never', expression: 'false' }]
  expect(rendered({ subresource: 'status', labels: { a: 'b' }, labelled: ['c'], conditions })).toMatchObject({
    rules: [{ resources: ['things/status'] }],
    objectSelector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] },
    matchConditions: conditions,
  })
})
