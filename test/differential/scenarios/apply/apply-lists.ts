import { apply, at, get, MERGE_PATCH, patch, put, type Scenario, type Step, STRATEGIC_PATCH } from '../../scenario.ts'

const TEMPLATES = 'podtemplates'

const container = (more: object = {}): object => ({ name: 'c', image: 'i', ...more })
/** No controller cares for pod templates. */
const template = (spec: object): object => ({
  apiVersion: 'v1',
  kind: 'PodTemplate',
  metadata: { name: 't' },
  template: { metadata: { labels: { a: 'b' } }, spec },
})
const containers = (...list: readonly unknown[]): object => template({ containers: list })
/** Only the parts that another manager adds. */
const partial = (spec: object): object => ({
  apiVersion: 'v1',
  kind: 'PodTemplate',
  metadata: { name: 't' },
  template: { spec },
})
const tcp = (port: number, more: object = {}): object => ({ containerPort: port, protocol: 'TCP', ...more })
const applied = (manager: string, body: unknown, query = ''): Step => apply(manager, TEMPLATES, 't', body, query)

const service = (spec: object): object => ({ apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec })
const policy = (spec: object): object => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'n' },
  spec,
})
const POLICIES = 'networking.k8s.io/v1/networkpolicies'
const config = (metadata: object): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', ...metadata },
})

export const scenarios: readonly Scenario[] = [
  {
    name: 'containers are merged by their names',
    steps: [
      applied('one', containers(container(), { name: 'b', image: 'b' })),
      applied('two', partial({ containers: [{ name: 'side', image: 's' }] })),
      applied('two', partial({ containers: [{ name: 'c', workingDir: '/x' }] })),
      applied('two', partial({ containers: [{ name: 'c', image: 'other' }] })),
      applied('one', containers(container())),
      applied('two', partial({ initContainers: [{ name: 'init', image: 's' }] })),
      applied('one', containers(container({ image: 'j' })), '&force=true'),
      patch(STRATEGIC_PATCH, TEMPLATES, 't', { template: { spec: { containers: [{ name: 'c', image: 'k' }] } } }),
      applied('one', containers(container({ image: 'l' }))),
      get(TEMPLATES, 't'),
    ],
  },
  {
    name: 'ports, environment, mounts and volumes are merged by their keys',
    steps: [
      applied(
        'one',
        template({
          containers: [
            container({
              ports: [tcp(80, { name: 'web' }), tcp(81)],
              env: [
                { name: 'A', value: '1' },
                { name: 'B', value: '1' },
              ],
              volumeMounts: [{ name: 'v', mountPath: '/v' }],
              args: ['a', 'b'],
              command: ['x'],
            }),
          ],
          volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }],
          tolerations: [{ key: 'a', operator: 'Exists' }],
          imagePullSecrets: [{ name: 'p' }],
          hostAliases: [{ ip: '10.0.0.1', hostnames: ['a', 'b'] }],
        }),
      ),
      applied(
        'two',
        partial({
          containers: [
            {
              name: 'c',
              ports: [{ containerPort: 80, protocol: 'UDP' }],
              env: [
                { name: 'A', value: '1' },
                { name: 'C', value: '3' },
              ],
              volumeMounts: [{ mountPath: '/w', name: 'w' }],
            },
          ],
          volumes: [{ name: 'w', configMap: { name: 'cm' } }],
          imagePullSecrets: [{ name: 'q' }],
        }),
      ),
      applied(
        'two',
        partial({
          containers: [{ name: 'c', ports: [{ containerPort: 80, protocol: 'UDP', name: 'udp' }] }],
          volumes: [{ name: 'w', configMap: { name: 'cm2' } }],
        }),
      ),
      applied('two', partial({ containers: [{ name: 'c', args: ['b'] }], tolerations: [{ key: 'b' }] })),
      applied('two', partial({ containers: [{ name: 'c', args: ['b'] }] }), '&force=true'),
      applied('two', partial({ hostAliases: [{ ip: '10.0.0.1', hostnames: ['c'] }] })),
      applied('one', containers(container({ ports: [tcp(81)], env: [{ name: 'B', value: '2' }] }))),
      applied('one', containers(container())),
      get(TEMPLATES, 't'),
    ],
  },
  {
    name: 'items with equal keys are refused, and so are items without keys and values of wrong types',
    steps: [
      containers(container(), container()),
      containers(container({ ports: [tcp(80), tcp(80)] })),
      containers(container({ ports: [tcp(80), { containerPort: 80, protocol: 'UDP', name: 'u' }] })),
      containers(container({ env: [{ name: 'A' }, { name: 'A' }, { name: 'B' }, { name: 'B' }] })),
      containers({ image: 'i' }),
      containers(container({ env: [{ value: 'x' }] })),
      containers(container({ volumeMounts: [{ name: 'v' }] })),
      containers(container({ env: [null] })),
      containers('c'),
      containers([container()]),
      containers(null),
      template({ containers: { name: 'c' } }),
      template({ containers: null }),
      containers(container({ args: 'x' })),
      containers(container({ images: 'x' })),
      containers(container({ resources: { limits: [] } })),
      containers(container({ stdin: 'yes' })),
      containers(container({ securityContext: { runAsUser: '1' } })),
      template({ containers: [container()], terminationGracePeriodSeconds: true }),
      template({ containers: [container()], nodeSelector: 'x' }),
      template({ containers: [container()], affinity: [] }),
    ].map((body) => applied('one', body)),
  },
  {
    name: 'values that fit the schema but not the kind are refused',
    steps: [
      containers(container({ resources: { limits: { cpu: 'x' } } })),
      containers(container({ resources: { limits: { cpu: '1', memory: '' } } })),
      containers(container({ securityContext: { runAsUser: 1.5 } })),
      containers(container({ livenessProbe: { tcpSocket: { port: 80 }, periodSeconds: 2.5 } })),
    ].map((body) => applied('one', body)),
  },
  {
    name: 'atomic maps and lists have one owner',
    steps: [
      apply('one', POLICIES, 'n', policy({ podSelector: { matchLabels: { a: '1' } }, policyTypes: ['Ingress'] })),
      apply('two', POLICIES, 'n', policy({ podSelector: { matchLabels: { b: '2' } } })),
      apply('two', POLICIES, 'n', policy({ podSelector: { matchLabels: { a: '1' } } })),
      apply('two', POLICIES, 'n', policy({ podSelector: { matchLabels: { b: '2' } } }), '&force=true'),
      patch(MERGE_PATCH, POLICIES, 'n', { spec: { podSelector: { matchLabels: { c: '3' } } } }),
      apply('two', POLICIES, 'n', policy({ egress: [{}], policyTypes: ['Egress'] })),
      apply('two', POLICIES, 'n', policy({ egress: [{}] })),
      get(POLICIES, 'n'),
    ],
  },
  {
    name: 'finalizers are a set, and labels and annotations a map',
    steps: [
      apply('one', 'configmaps', 'a', config({ finalizers: ['x.io/b', 'x.io/a'], labels: { k: 'v' } })),
      apply('two', 'configmaps', 'a', config({ finalizers: ['x.io/a', 'x.io/c'], labels: { l: 'w' } })),
      patch(STRATEGIC_PATCH, 'configmaps', 'a', { metadata: { finalizers: ['x.io/d'] } }),
      apply('one', 'configmaps', 'a', config({ finalizers: ['x.io/a'] })),
      apply('two', 'configmaps', 'a', config({})),
      put('configmaps', 'a', config({ annotations: { x: 'y' } })),
      apply('one', 'configmaps', 'a', config({ annotations: { x: 'z' } })),
      patch(MERGE_PATCH, 'configmaps', 'a', { metadata: { finalizers: null } }),
    ],
  },
  {
    name: 'the ports of a service are merged by number and protocol',
    steps: [
      apply('one', 'services', 's', service({ clusterIP: 'None', ports: [{ name: 'a', port: 80, protocol: 'TCP' }] })),
      apply('two', 'services', 's', service({ ports: [{ name: 'b', port: 80, protocol: 'UDP', targetPort: 'x' }] })),
      apply('two', 'services', 's', service({ ports: [{ name: 'c', port: 80, protocol: 'TCP' }] })),
      apply(
        'one',
        'services',
        's',
        service({ clusterIP: 'None', ports: [{ name: 'a', port: 80, protocol: 'TCP', targetPort: 8080 }] }),
      ),
      apply('two', 'services', 's', service({ type: 'ExternalName', externalName: 'x.io' })),
      { method: 'GET', path: at('services', 's') },
    ],
  },
]
