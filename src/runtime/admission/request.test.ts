import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../machinery/status.ts'
import { readReview } from './request.ts'

const REQUEST = {
  uid: '705ab4f5-6393-11e8-b7cc-42010a800002',
  kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
  resource: { group: 'apps', version: 'v1', resource: 'deployments' },
  subResource: 'scale',
  requestKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
  requestResource: { group: 'apps', version: 'v1beta1', resource: 'deployments' },
  requestSubResource: 'scale',
  name: 'web',
  namespace: 'shop',
  operation: 'UPDATE',
  userInfo: { username: 'ann', uid: '7', groups: ['devs'], extra: { team: ['a', 'b'] } },
  object: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { weight: 1.5 } },
  oldObject: { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' } },
  dryRun: true,
  options: { kind: 'UpdateOptions', apiVersion: 'meta.k8s.io/v1' },
}
const review = (request: unknown, more: object = {}): string =>
  JSON.stringify({ kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request, ...more })

function refusal(text: string): string {
  try {
    readReview(text)
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError)
    if (error instanceof ApiError) {
      expect(error.status.code).toBe(400)
      return error.message
    }
  }
  return 'was read'
}

describe('a review', () => {
  test('is read with everything that it says', () => {
    expect(readReview(review(REQUEST))).toEqual({ apiVersion: 'admission.k8s.io/v1', request: REQUEST })
  })

  test('may leave out empty fields, and those that servers before 1.15 did not send', () => {
    const { uid, kind, resource } = REQUEST
    const request = { uid, kind, resource, operation: 'CONNECT', object: { apiVersion: 'v1', kind: 'PodExecOptions' } }
    const text = review(request, { apiVersion: 'admission.k8s.io/v1beta1' })
    expect(readReview(text)).toEqual({
      apiVersion: 'admission.k8s.io/v1beta1',
      request: {
        uid,
        kind,
        resource,
        subResource: '',
        requestKind: kind,
        requestResource: resource,
        requestSubResource: '',
        name: '',
        namespace: '',
        operation: 'CONNECT',
        userInfo: { username: '', uid: '', groups: [], extra: {} },
        object: { apiVersion: 'v1', kind: 'PodExecOptions', metadata: {} },
        oldObject: undefined,
        dryRun: false,
        options: undefined,
      },
    })
  })

  test('keeps numbers as they are written', () => {
    const text = review(REQUEST).replace('1.5', '12345678901234567890.10')
    expect(JSON.stringify(readReview(text).request.object?.spec)).toBe('{"weight":12345678901234567890.10}')
  })
})

describe('an invalid review is reported in one sentence', () => {
  const start = 'invalid AdmissionReview: '
  test.each([
    ['', 'it is empty'],
    ['{', 'invalid JSON (unexpected end of JSON input)'],
    ['[]', 'it is a list'],
    ['{}', 'its kind is missing'],
    [review(REQUEST, { kind: 'Pod' }), 'its kind is "Pod"'],
    [
      review(REQUEST, { apiVersion: 'admission.k8s.io/v2' }),
      'its apiVersion is "admission.k8s.io/v2", neither admission.k8s.io/v1 nor admission.k8s.io/v1beta1',
    ],
    [review(undefined), 'its request is missing'],
    [review({ ...REQUEST, uid: undefined }), 'request.uid is missing'],
    [review({ ...REQUEST, uid: 7 }), 'request.uid is a number'],
    [review({ ...REQUEST, operation: 'create' }), 'request.operation is "create"'],
    [review({ ...REQUEST, kind: undefined }), 'request.kind.kind is missing'],
    [review({ ...REQUEST, resource: { resource: '' } }), 'request.resource.resource is missing'],
    [review({ ...REQUEST, object: 'text' }), 'request.object is "text"'],
    [review({ ...REQUEST, object: {} }), 'request.object must be an object with apiVersion, kind and metadata'],
  ])('%s', (text, why) => {
    expect(refusal(text)).toBe(start + why)
  })

  test('whatever it is', () => {
    const almost = fc.record({ ...mapValues(REQUEST), object: fc.jsonValue() }, { requiredKeys: [] })
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          almost.map((request) => review(request)),
        ),
        (text) => {
          expect(refusal(text)).toMatch(/^was read$|^invalid AdmissionReview: .+$/s)
        },
      ),
    )
  })
})

const mapValues = (of: object): Record<string, fc.Arbitrary<unknown>> =>
  Object.fromEntries(
    Object.entries(of).map(([key, value]) => [key, fc.oneof(fc.constant(value as unknown), fc.jsonValue())]),
  )
