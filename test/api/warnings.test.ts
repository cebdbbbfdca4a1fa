import { expect, test } from 'vitest'
import { customVersion } from '../custom-version.ts'
import { apiServer, MERGE } from './api-server.ts'

const api = apiServer()

/** The warnings of an answer, whatever else it is. */
async function warned(
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly string[]> {
  const response = await fetch(api.running.url + path, {
    method,
    headers: { authorization: `Bearer ${api.running.token}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  await response.text()
  const text = response.headers.get('warning') ?? ''
  return text === ''
    ? []
    : Buffer.from(text, 'latin1')
        .toString()
        .split(/, (?=299 - )/)
        .map((one) => one.slice('299 - "'.length, -1))
}

test('every request to a deprecated version of a custom resource is warned of it', async () => {
  const ns = await api.namespace()
  const versions = [
    customVersion('v1alpha1', { storage: false, deprecated: true }),
    customVersion('v1beta1', { storage: false, deprecated: true, deprecationWarning: 'láss "es"' }),
    customVersion('v1'),
  ]
  await api.define('sloops', { versions })
  const root = '/apis/harbour.test'
  await api.until(`${root}/v1/sloops`, ({ kind }) => kind === 'SloopList')
  const old = 'harbour.test/v1alpha1 Sloop is deprecated; use harbour.test/v1 Sloop'
  const own = ns.replace('/api/v1', `${root}/v1alpha1`) + '/sloops'
  expect(await warned('GET', `${root}/v1alpha1/sloops`)).toEqual([old])
  expect(await warned('GET', `${own}/missing`)).toEqual([old])
  expect(await warned('GET', `${own}?watch=1&timeoutSeconds=1`)).toEqual([old])
  const sloop = { apiVersion: 'harbour.test/v1alpha1', kind: 'Sloop', metadata: { name: 'a' } }
  expect(await warned('POST', own, sloop)).toEqual([old])
  expect(await warned('PATCH', `${own}/a`, {}, MERGE)).toEqual([old])
  expect(await warned('DELETE', own)).toEqual([old])
  expect(await warned('GET', `${root}/v1beta1/sloops`)).toEqual(['láss \\"es\\"'])
  expect(await warned('GET', `${root}/v1/sloops`)).toEqual([])
})

test('built-in resources of the past are warned of', async () => {
  const endpoints = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'
  expect(await warned('GET', '/api/v1/endpoints')).toEqual([endpoints])
  expect(await warned('GET', '/api/v1/namespaces/default/endpoints/missing')).toEqual([endpoints])
  expect(await warned('GET', '/api/v1/componentstatuses')).toEqual(['v1 ComponentStatus is deprecated in v1.19+'])
  expect(await warned('GET', '/api/v1/services')).toEqual([])
})

test('a mistaken unit is warned of in pods and templates when they are made, and in templates when they change', async () => {
  const ns = await api.namespace()
  const spec = (memory: string) => ({ containers: [{ name: 'c', image: 'i', resources: { limits: { memory } } }] })
  const text = (path: string, value: string): string =>
    `${path}.containers[0].resources.limits[memory]: fractional byte value \\"${value}\\" is invalid, must be an integer`
  expect(await warned('POST', `${ns}/pods`, { metadata: { name: 'p' }, spec: spec('100m') })).toEqual([
    text('spec', '100m'),
    text('spec', '100m').replace('limits', 'requests'),
  ])
  expect(await warned('PATCH', `${ns}/pods/p`, { metadata: { labels: { a: 'b' } } }, MERGE)).toEqual([])
  const deployments = ns.replace('/api/v1', '/apis/apps/v1') + '/deployments'
  const template = (memory: string) => ({ metadata: { labels: { a: 'b' } }, spec: spec(memory) })
  const body = { metadata: { name: 'd.x' }, spec: { selector: { matchLabels: { a: 'b' } }, template: template('1m') } }
  expect(await warned('POST', deployments, body)).toEqual([
    expect.stringMatching(
      /^metadata.name: this is used in Pod names and hostnames, .*recommended: \[must not contain dots\]$/,
    ),
    text('spec.template.spec', '1m'),
  ])
  expect(await warned('PATCH', `${deployments}/d.x`, { metadata: { labels: { a: 'b' } } }, MERGE)).toEqual([])
  expect(await warned('PATCH', `${deployments}/d.x`, { spec: { template: template('2m') } }, MERGE)).toEqual([
    text('spec.template.spec', '2m'),
  ])
})

test('what is stored and not evaluated is told as such', async () => {
  const root = '/apis/admissionregistration.k8s.io/v1'
  const policy = {
    metadata: { name: 'p' },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
      validations: [{ expression: 'true' }],
    },
  }
  const binding = { metadata: { name: 'b' }, spec: { policyName: 'p', validationActions: ['Deny'] } }
  const told = 'allot up stores ValidatingAdmissionPolicies but does not evaluate them'
  expect(await warned('POST', `${root}/validatingadmissionpolicies`, policy)).toEqual([told])
  expect(await warned('POST', `${root}/validatingadmissionpolicybindings`, binding)).toEqual([told])
  const change = { spec: { validationActions: ['Warn'] } }
  expect(await warned('PATCH', `${root}/validatingadmissionpolicybindings/b`, change, MERGE)).toEqual([told])
})

test('a level of Pod Security is told to have no effect when it is set', async () => {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
  const told = 'allot up does not enforce Pod Security: the label pod-security.kubernetes.io/enforce has no effect'
  expect(await warned('POST', '/api/v1/namespaces', { metadata: { name: 'secure', labels } })).toEqual([told])
  const other = { metadata: { labels: { a: 'b' } } }
  expect(await warned('PATCH', '/api/v1/namespaces/secure', other, MERGE)).toEqual([])
})
