import { at, create, JSON_PATCH, patch, type Scenario } from '../../scenario.ts'
import { changes, creates } from '../../variants.ts'

const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { k: 'v' } }
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { k: 'dg==' } }
const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } }
const big = 'x'.repeat(1024 * 1024)
const bigAnnotation = { a: 'x'.repeat(257 * 1024) }

export const scenarios: readonly Scenario[] = [
  {
    name: 'config maps',
    steps: [
      ...creates('configmaps', configMap, [
        {},
        { data: undefined },
        { data: {} },
        { data: { 'a b': 'c' } },
        { data: { '.': 'c' } },
        { data: { '..': 'c' } },
        { data: { '..a': 'c' } },
        { data: { '': 'c' } },
        { data: { ['x'.repeat(254)]: 'c' } },
        { data: { k: 'v' }, binaryData: { k: 'dg==' } },
        { binaryData: { b: 'dg==', 'b!': 'dg==' } },
        { binaryData: { b: '?' } },
        { data: { k: 1 } },
        { data: [] },
        { data: { k: big } },
        { immutable: true },
        { immutable: 'yes' },
        { 'metadata.name': 'A_b' },
        { 'metadata.name': 'x'.repeat(254) },
        { 'metadata.name': undefined },
        { 'metadata.labels': { a: 'x'.repeat(64) } },
        { 'metadata.labels': { ['x'.repeat(64)]: 'a' } },
        { 'metadata.labels': { 'a/b/c': 'd' } },
        { 'metadata.labels': { '/b': 'd' } },
        { 'metadata.labels': { 'A_/b': 'd' } },
        { 'metadata.annotations': { 'A.b/C': 'anything goes\n' } },
        { 'metadata.annotations': bigAnnotation },
        { 'metadata.finalizers': ['x.y/z'] },
        { 'metadata.finalizers': ['x'] },
        { 'metadata.finalizers': ['orphan', 'foregroundDeletion'] },
        { 'metadata.generateName': 'a', 'metadata.name': undefined },
        { unknown: 1 },
      ]),
      { ...create('configmaps', { ...configMap, immutable: true, binaryData: { b: 'dg==' } }), name: 'made' },
      ...changes(at('configmaps', 'c'), 'made', [
        {},
        { 'metadata.labels': { a: 'b' } },
        { data: { k: 'w' } },
        { binaryData: {} },
        { immutable: false },
        { immutable: undefined, data: {}, binaryData: undefined },
        { 'metadata.finalizers': ['x'] },
        { 'metadata.labels': { 'a b': 'c' } },
      ]),
      patch(JSON_PATCH, 'configmaps', 'c', [{ op: 'replace', path: '/data/k', value: 'x' }]),
    ],
  },
  {
    name: 'secrets',
    steps: [
      ...creates('secrets', secret, [
        {},
        { data: undefined },
        { stringData: { k: 'plain', l: 'ü' } },
        { data: { 'a b': 'dg==' } },
        { data: { k: 'x' } },
        { data: { k: 5 } },
        { type: 'x/y' },
        { type: 'kubernetes.io/service-account-token' },
        { type: 'kubernetes.io/dockercfg' },
        { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': 'bm8=' } },
        { type: 'kubernetes.io/dockercfg', data: { '.dockercfg': 'e30=' } },
        { type: 'kubernetes.io/dockerconfigjson' },
        { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'eyJh' } },
        { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'W10=' } },
        { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': 'NQ==' } },
        { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': '' } },
        { type: 'kubernetes.io/basic-auth' },
        { type: 'kubernetes.io/basic-auth', data: { username: '' } },
        { type: 'kubernetes.io/ssh-auth' },
        { type: 'kubernetes.io/ssh-auth', data: { 'ssh-privatekey': '' } },
        { type: 'kubernetes.io/tls' },
        { type: 'kubernetes.io/tls', data: { 'tls.crt': '', 'tls.key': '' } },
        { data: { k: Buffer.from(`${big}x`).toString('base64') } },
        { immutable: true },
      ]),
      { ...create('secrets', { ...secret, immutable: true }), name: 'made' },
      ...changes(at('secrets', 's'), 'made', [
        {},
        { type: 'other' },
        { type: '' },
        { data: { k: 'eA==' } },
        { stringData: { k: 'other' } },
        { immutable: undefined },
        { 'metadata.labels': { a: 'b' } },
      ]),
    ],
  },
  {
    name: 'service accounts',
    steps: [
      ...creates('serviceaccounts', account, [
        { 'metadata.name': 'A_b' },
        { imagePullSecrets: [{ name: 'a' }], automountServiceAccountToken: false },
        { secrets: 'x' },
      ]),
    ],
  },
]
