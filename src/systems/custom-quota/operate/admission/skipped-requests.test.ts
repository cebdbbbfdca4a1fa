import { expect, test } from 'vitest'
import { reviewedRequest } from '../../../../../test/operator/reviewed-request.ts'
import { denied } from '../../../../runtime/admission/decision.ts'
import { withConditions } from './skipped-requests.ts'

const PODS = { group: '', version: 'v1', kind: 'Pod', resource: 'pods' }
const request = reviewedRequest(PODS, {
  name: 'a',
  namespace: 'b',
  userInfo: { username: 'kubelet', uid: '', groups: ['system:nodes'], extra: {} },
  object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } },
})

const handle = async () => denied('asked')
const signal = new AbortController().signal

async function outcome(...expressions: readonly string[]): Promise<string> {
  const conditions = expressions.map((expression, index) => ({ name: `c${index}`, expression }))
  const decision = await withConditions(handle, conditions)(request, signal, 1000)
  return 'message' in decision ? decision.message : decision.verdict
}

test.each([
  ['none', [], 'asked'],
  ['that all hold', ['request.operation == "CREATE"', 'object.metadata.name == "a" && oldObject == null'], 'asked'],
  ['of which one does not hold', ['true', '!("system:nodes" in request.userInfo.groups)'], 'allowed'],
  ['on subresources, as examples of Capsule have', ['!has(request.subResource) || request.subResource == ""'], 'asked'],
  ['of which one fails and another does not hold', ['object.spec.nothing == 1', 'false'], 'allowed'],
  [
    'that fail',
    ['object.spec.nothing == 1'],
    'the CREATE cannot be decided: the match condition "c0": no such key: spec',
  ],
])('with conditions %s a request is asked about, or let through', async (_, expressions, expected) => {
  expect(await outcome(...expressions)).toBe(expected)
})
