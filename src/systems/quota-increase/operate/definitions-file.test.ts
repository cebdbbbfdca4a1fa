import { expect, test } from 'vitest'
import { definitionsIn } from './definitions-file.ts'

const fileOf = (...hard: readonly string[]): string =>
  [
    'quotas:',
    '- name: base',
    '  mode: maximum',
    '  template:',
    '    spec:',
    '      hard:',
    ...hard.map((one) => `        ${one}`),
  ].join('\n')

test('limits of definitions that limit nothing on any API server are reported with line and path, in one message', () => {
  const text = fileOf('cpu: "1"', 'nvidia.com/gpu: "1"', 'count/services.loadbalancers: "0"')
  expect(() => definitionsIn('d.yaml', text)).toThrow(
    /^invalid config: d\.yaml:8:9: quotas\[0\]\.template\.spec\.hard\[nvidia\.com\/gpu\]: .*; requests\.nvidia\.com\/gpu was probably meant, d\.yaml:9:9: .*; services\.loadbalancers was probably meant$/,
  )
})

test('limits of definitions that the API server may have are taken', () => {
  const names = [
    'count/secrets: "1"',
    'count/deployment.apps: "1"',
    'count/ingresses.extensions: "1"',
    'count/a.example.com: "1"',
  ]
  expect(definitionsIn('d.yaml', fileOf(...names)).quotas).toHaveLength(1)
})

test('a definition with a name that the quota of a pool may have is reported with line and path', () => {
  const text = fileOf('count/secrets: "1"').replace('name: base', 'name: capsule-pool-compute')
  expect(() => definitionsIn('d.yaml', text)).toThrow(
    /^invalid config: d\.yaml:2:3: quotas\[0\]\.name: Invalid value: "capsule-pool-compute": Name must not be one /,
  )
})

test.each([
  ['of the file', 'quota:\n- name: base', /^invalid config: d\.yaml:1:1: quota: Forbidden: unknown field$/],
  [
    'beside right ones',
    `externalQuotaDefinitions: []\n${fileOf('pods: "1"')}`,
    /^invalid config: d\.yaml:1:1: externalQuotaDefinitions: Forbidden: unknown field$/,
  ],
  [
    'of a definition',
    fileOf('pods: "1"').replace('  mode: maximum', '  mode: maximum\n  selctor: {}'),
    /^invalid config: d\.yaml:4:3: quotas\[0\]\.selctor: Forbidden: unknown field$/,
  ],
  [
    'of a template',
    fileOf('pods: "1"').replace('    spec:', '    spec:\n      hards: {}'),
    /^invalid config: d\.yaml:6:7: quotas\[0\]\.template\.spec\.hards: Forbidden: unknown field$/,
  ],
])('an unknown field %s is reported with line and path, and ignored nowhere', (_, text, message) => {
  expect(() => definitionsIn('d.yaml', text)).toThrow(message)
})
