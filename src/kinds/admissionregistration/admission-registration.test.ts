import { expect, test } from 'vitest'
import { defaulted, objectOf, problems } from '../../../test/apiserver/object-life.ts'

test('a webhook fails closed within ten seconds by default', () => {
  const resource = 'validatingwebhookconfigurations.admissionregistration.k8s.io'
  const hook = {
    name: 'a.example.com',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    clientConfig: { service: { name: 's', namespace: 'n' } },
    rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }],
  }
  const object = objectOf({ webhooks: [hook] })
  expect(defaulted(resource, object).webhooks).toMatchObject([
    {
      failurePolicy: 'Fail',
      matchPolicy: 'Equivalent',
      timeoutSeconds: 10,
      namespaceSelector: {},
      objectSelector: {},
      rules: [{ scope: '*' }],
      clientConfig: { service: { port: 443 } },
    },
  ])
  expect(problems(resource, object)).toEqual([])
  expect(problems(resource, objectOf({ webhooks: [{ ...hook, name: 'a', clientConfig: {} }] }))).toEqual([
    'webhooks[0].name: Invalid value: "a": should be a domain with at least three segments separated by dots',
    'webhooks[0].clientConfig: Required value: exactly one of url or service is required',
  ])
})
