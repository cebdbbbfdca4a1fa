import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../machinery/object.ts'
import { podWarnings } from './warnings.ts'

const container = (more: JsonObject): JsonObject => ({ containers: [{ name: 'c', image: 'i', ...more }] })
const pod = (spec: JsonObject, annotations: JsonObject = {}): JsonObject => ({ metadata: { annotations }, spec })
const variables = (...env: readonly JsonObject[]): JsonObject => container({ env })
const ports = (...list: readonly JsonObject[]): JsonObject =>
  container({ ports: list.map((port) => ({ containerPort: 80, protocol: 'TCP', ...port })) })

describe('the warnings about a pod', () => {
  test.each<[string, JsonObject, readonly string[]]>([
    ['nothing in a usual one', container({ resources: { limits: { memory: '100Mi', cpu: '100m' } } }), []],
    [
      'parts of bytes',
      {
        ...container({ resources: { limits: { memory: '100m' }, requests: { 'ephemeral-storage': '1.5' } } }),
        overhead: { memory: '200m' },
      },
      [
        'spec.overhead[memory]: fractional byte value "200m" is invalid, must be an integer',
        'spec.containers[0].resources.limits[memory]: fractional byte value "100m" is invalid, must be an integer',
        'spec.containers[0].resources.requests[ephemeral-storage]: fractional byte value "1500m" is invalid, must be an integer',
      ],
    ],
    [
      'variables that hide others, but not those that build on them',
      variables({ name: 'A', value: '1' }, { name: 'A', value: '2' }, { name: 'A', value: '$(A)3' }),
      ['spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'],
    ],
    [
      'ports that are given twice',
      ports({}, {}, { hostPort: 8 }, { hostPort: 8, hostIP: '10.0.0.1' }),
      [
        'spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]',
        'spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[0]',
        'spec.containers[0].ports[2]: overlapping port definition with spec.containers[0].ports[1]',
        'spec.containers[0].ports[3]: overlapping port definition with spec.containers[0].ports[0]',
        'spec.containers[0].ports[3]: overlapping port definition with spec.containers[0].ports[1]',
        'spec.containers[0].ports[3]: dangerously ambiguous port definition with spec.containers[0].ports[2]',
      ],
    ],
    [
      'pull secrets without a name, and names given twice',
      { imagePullSecrets: [{ name: 'a' }, { name: 'a' }, {}], hostAliases: [{ ip: '1.1.1.1' }, { ip: '1.1.1.1' }] },
      [
        'spec.hostAliases[1].ip: duplicate ip "1.1.1.1"',
        'spec.imagePullSecrets[1].name: duplicate name "a"',
        'spec.imagePullSecrets[2].name: invalid empty name ""',
      ],
    ],
    [
      'node labels that have others now',
      {
        nodeSelector: { 'beta.kubernetes.io/os': 'linux' },
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 1, preference: { matchExpressions: [{ key: 'beta.kubernetes.io/arch', operator: 'Exists' }] } },
            ],
          },
        },
      },
      [
        'spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead',
        'spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[0].key: beta.kubernetes.io/arch is deprecated since v1.14; use "kubernetes.io/arch" instead',
      ],
    ],
    [
      'volumes that are of the past, and parts of bytes in claims',
      {
        volumes: [
          { name: 'a', gitRepo: {} },
          {
            name: 'b',
            ephemeral: { volumeClaimTemplate: { spec: { resources: { requests: { storage: '1m' } } } } },
          },
        ],
      },
      [
        'spec.volumes[0].gitRepo: deprecated in v1.11',
        'spec.volumes[1].ephemeral.volumeClaimTemplate.spec.resources.requests[storage]: fractional byte value "1m" is invalid, must be an integer',
      ],
    ],
    [
      'selectors that match nothing, and a grace below zero',
      {
        terminationGracePeriodSeconds: -1,
        topologySpreadConstraints: [{ topologyKey: 'a' }],
        affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'a' }] } },
      },
      [
        'spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod',
        'spec.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1',
        'spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector: a null labelSelector results in matching no pod',
      ],
    ],
  ])('is %s', (_, spec, warnings) => {
    expect(podWarnings(pod(spec), '')).toEqual(warnings)
  })

  test('is what annotations said that are fields now, unless the field is there', () => {
    const annotations = {
      'scheduler.alpha.kubernetes.io/critical-pod': '',
      'seccomp.security.alpha.kubernetes.io/pod': 'x',
      'container.apparmor.security.beta.kubernetes.io/c': 'x',
    }
    expect(podWarnings(pod(container({}), annotations), 'spec.template')).toEqual([
      'spec.template.metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
      'spec.template.metadata.annotations[seccomp.security.alpha.kubernetes.io/pod]: non-functional in v1.27+; use the "seccompProfile" field instead',
      'spec.template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/c]: deprecated since v1.30; use the "appArmorProfile" field instead',
    ])
    const securityContext = { seccompProfile: { type: 'RuntimeDefault' }, appArmorProfile: { type: 'RuntimeDefault' } }
    expect(podWarnings(pod({ ...container({}), securityContext }, annotations), '')).toHaveLength(1)
  })
})
