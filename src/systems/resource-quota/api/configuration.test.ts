import { expect, test } from 'vitest'
import { sentence } from '../../../machinery/field-error.ts'
import { readQuotaConfiguration } from './configuration.ts'

const head = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'ResourceQuotaConfiguration' }
const entry = {
  resource: 'pods',
  matchScopes: [{ scopeName: 'PriorityClass', operator: 'In', values: ['gold'] }],
}

const wrong = (document: unknown): readonly string[] | undefined =>
  readQuotaConfiguration(document).errors?.map((error) => sentence(error))

test('a configuration gives its limited resources', () => {
  expect(readQuotaConfiguration({ ...head, limitedResources: [entry] })).toEqual({ limitedResources: [entry] })
  expect(readQuotaConfiguration(head)).toEqual({ limitedResources: [] })
})

test('the configuration of all admission plug-ins may hold it', () => {
  const plugins = [{ name: 'Other' }, { name: 'ResourceQuota', configuration: { ...head, limitedResources: [entry] } }]
  const all = { apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AdmissionConfiguration', plugins }
  expect(readQuotaConfiguration(all)).toEqual({ limitedResources: [entry] })
  expect(wrong({ ...all, plugins: [{ name: 'ResourceQuota', path: 'quota.yaml' }] })).toEqual([
    'plugins[0].configuration: Required value: the configuration must stand here, not in another file',
  ])
  expect(wrong({ ...all, plugin: [] })).toEqual(['plugin: Invalid value: []: unknown field'])
  expect(wrong({ ...all, plugins: [{ ...plugins[1], pathh: 'a' }] })).toEqual([
    'plugins[0].pathh: Invalid value: "a": unknown field',
  ])
  expect(wrong({ ...all, plugins: [] })).toEqual(['plugins: Required value: no plug-in is named ResourceQuota'])
})

test.each<readonly [string, unknown, string]>([
  ['a list', [], ': Invalid value: []: must be an object of kind ResourceQuotaConfiguration'],
  [
    'another kind',
    { ...head, kind: 'Pod' },
    'kind: Unsupported value: "Pod": supported values: "ResourceQuotaConfiguration"',
  ],
  ['an unknown field', { ...head, limited: 1 }, 'limited: Invalid value: 1: unknown field'],
  ['no list', { ...head, limitedResources: {} }, 'limitedResources: Invalid value: {}: must be a list'],
  ['an entry without a resource', { ...head, limitedResources: [{}] }, 'limitedResources[0].resource: Required value'],
  [
    'an entry with a text for a list',
    { ...head, limitedResources: [{ ...entry, matchContains: 'cpu' }] },
    'limitedResources[0].matchContains: Invalid value: "cpu": must be a list of strings',
  ],
  [
    'a scope without values',
    {
      ...head,
      limitedResources: [{ resource: 'pods', matchScopes: [{ scopeName: 'PriorityClass', operator: 'In' }] }],
    },
    'limitedResources[0].matchScopes[0].values: Required value: In needs at least one value',
  ],
  [
    'a scope with values that mean nothing',
    {
      ...head,
      limitedResources: [
        { resource: 'pods', matchScopes: [{ scopeName: 'BestEffort', operator: 'Exists', values: ['x'] }] },
      ],
    },
    'limitedResources[0].matchScopes[0].values: Invalid value: ["x"]: Exists takes no values',
  ],
])('%s is refused, with the path of the field', (_what, document, message) => {
  expect(wrong(document)).toEqual([message])
})

test('all errors are reported at once', () => {
  const scope = { scopeName: 'Gold', operator: 'Like' }
  expect(
    wrong({ ...head, apiVersion: 'v1', limitedResources: [{ matchScopes: [scope] }] })?.map(
      (text) => text.split(':')[0],
    ),
  ).toEqual([
    'apiVersion',
    'limitedResources[0].resource',
    'limitedResources[0].matchScopes[0].scopeName',
    'limitedResources[0].matchScopes[0].operator',
  ])
})
