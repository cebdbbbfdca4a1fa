import type { Scenario } from '../../scenario.ts'
import { creates, type Edits } from '../../variants.ts'

const base = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] },
}
const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'

const toleration = (fields: object): Edits => ({ 'spec.tolerations': [fields] })
const nodes = (terms: unknown): Edits => ({
  'spec.affinity': { nodeAffinity: { [REQUIRED]: { nodeSelectorTerms: terms } } },
})
const expression = (fields: object): Edits => nodes([{ matchExpressions: [fields] }])
const field = (fields: object): Edits => nodes([{ matchFields: [fields] }])
const near = (term: object): Edits => ({ 'spec.affinity': { podAffinity: { [REQUIRED]: [term] } } })
const spread = (...constraints: readonly object[]): Edits => ({ 'spec.topologySpreadConstraints': constraints })

export const scenarios: readonly Scenario[] = [
  {
    name: 'tolerations, affinities and spreading of a pod',
    steps: creates('pods', base, [
      toleration({}),
      toleration({ operator: 'Exists' }),
      toleration({ key: 'a b', operator: 'Exists' }),
      toleration({ key: 'a', operator: 'x' }),
      toleration({ key: 'a', value: 'b c' }),
      toleration({ key: 'a', effect: 'x' }),
      toleration({ key: 'a', value: 'b', effect: 'NoSchedule', tolerationSeconds: 5 }),
      toleration({ key: 'a', value: 'b', effect: 'NoExecute', tolerationSeconds: 5 }),
      { 'spec.tolerations': [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }] },
      { 'spec.tolerations': [], 'spec.containers.0.resources': { requests: { memory: '1Gi' } } },
      { 'spec.affinity': {} },
      nodes([]),
      nodes([{}]),
      expression({}),
      expression({ key: 'a', operator: 'In' }),
      expression({ key: 'a', operator: 'Exists', values: ['b'] }),
      expression({ key: 'a', operator: 'Gt', values: [] }),
      expression({ key: 'a', operator: 'x', values: ['b'] }),
      expression({ key: 'a b', operator: 'NotIn', values: ['b'] }),
      expression({ key: 'a', operator: 'Lt', values: ['5'] }),
      field({}),
      field({ key: 'metadata.name', operator: 'In', values: ['a'] }),
      field({ key: 'metadata.name', operator: 'In', values: ['a', 'b'] }),
      field({ key: 'metadata.name', operator: 'NotIn', values: ['A_b'] }),
      field({ key: 'x', operator: 'Exists' }),
      { 'spec.affinity': { nodeAffinity: { [PREFERRED]: [{ weight: 0, preference: {} }] } } },
      {
        'spec.affinity': {
          nodeAffinity: {
            [PREFERRED]: [{ weight: 101, preference: { matchExpressions: [{ key: 'a', operator: 'x' }] } }],
          },
        },
      },
      {
        'spec.affinity': {
          nodeAffinity: {
            [PREFERRED]: [{ weight: 5, preference: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } }],
          },
        },
      },
      near({}),
      near({ topologyKey: 'zone' }),
      near({ topologyKey: 'a b', namespaces: ['A_b'] }),
      near({ topologyKey: 'zone', labelSelector: { matchLabels: { 'a b': 'c d' } } }),
      near({ topologyKey: 'zone', labelSelector: { matchExpressions: [{ key: 'a', operator: 'x' }] } }),
      near({ topologyKey: 'zone', labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
      near({
        topologyKey: 'zone',
        labelSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
      }),
      {
        'spec.affinity': {
          podAntiAffinity: { [PREFERRED]: [{ weight: 1, podAffinityTerm: { topologyKey: 'zone' } }] },
        },
      },
      { 'spec.affinity': { podAntiAffinity: { [PREFERRED]: [{ podAffinityTerm: {} }] } } },
      spread({}),
      spread({
        maxSkew: 1,
        topologyKey: 'zone',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { a: 'b' } },
      }),
      spread({ maxSkew: -1, topologyKey: 'zone', whenUnsatisfiable: 'x' }),
      spread(
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' },
        { maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' },
      ),
    ]),
  },
]
