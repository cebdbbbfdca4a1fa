import type { Scenario } from '../../scenario.ts'
import { creates, type Edits } from '../../variants.ts'

const base = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] },
}
const BAD = 'Not_a-name'

/** The same edit of the pod's first container. */
const ofContainer = (edits: readonly Edits[]): readonly Edits[] =>
  edits.map((edit) =>
    Object.fromEntries(Object.entries(edit).map(([path, value]) => [`spec.containers.0.${path}`, value])),
  )

const probe = (fields: object): Edits => ({ livenessProbe: fields })
const exec = { exec: { command: ['a'] } }

export const scenarios: readonly Scenario[] = [
  {
    name: 'containers',
    steps: creates('pods', base, [
      ...ofContainer([
        { name: undefined },
        { name: BAD },
        { name: 'x'.repeat(64) },
        { image: undefined },
        { image: ' i' },
        { image: 'i:latest' },
        { image: 'i:1' },
        { image: 'r.io:5000/i@sha256:0123456789012345678901234567890123456789012345678901234567890123' },
        { imagePullPolicy: 'x' },
        { terminationMessagePath: 'relative' },
        { ports: [{}] },
        {
          ports: [
            { containerPort: 80, name: 'http' },
            { containerPort: 80, name: 'http' },
          ],
        },
        { ports: [{ containerPort: 70000, hostPort: 70000, protocol: 'x', hostIP: 'x' }] },
        { ports: [{ containerPort: -1, hostPort: -1 }] },
        {
          ports: [
            { containerPort: 1, name: 'Bad--Name-that-is-long' },
            { containerPort: 2, name: '-1' },
          ],
        },
        {
          ports: [
            { containerPort: 80, hostPort: 80 },
            { containerPort: 81, hostPort: 80 },
          ],
        },
        { ports: [{ containerPort: 80, hostIP: '1.2.3.4', protocol: 'SCTP' }] },
        { env: [{ name: 'A' }, { name: '' }] },
        { env: [{ name: 'a=b' }] },
        { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['a/c/d']" } } }] },
        { env: [{ name: 'A', value: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
        { env: [{ name: 'A', valueFrom: {} }] },
        {
          env: [
            {
              name: 'A',
              valueFrom: { fieldRef: { fieldPath: 'metadata.name' }, secretKeyRef: { name: 'a', key: 'b' } },
            },
          ],
        },
        { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.x' } } }] },
        { env: [{ name: 'A', valueFrom: { fieldRef: {} } }] },
        { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } }] },
        { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name', apiVersion: 'v2' } } }] },
        { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a']" } } }] },
        { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "metadata.labels['a b']" } } }] },
        { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.labels' } } }] },
        { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "spec.nodeName['a']" } } }] },
        { env: [{ name: 'A', valueFrom: { resourceFieldRef: {} } }] },
        { env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }] },
        { env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'x' } } }] },
        { env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: '5' } } }] },
        { env: [{ name: 'A', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '5' } } }] },
        {
          env: [
            {
              name: 'A',
              valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi', containerName: 'c' } },
            },
          ],
        },
        { env: [{ name: 'A', valueFrom: { configMapKeyRef: {} } }] },
        { env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: BAD, key: 'a b' } } }] },
        { env: [{ name: 'A', valueFrom: { secretKeyRef: {} } }] },
        { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: BAD, key: '..a' } } }] },
        { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'n', key: 'k', optional: true } } }] },
        { envFrom: [{}] },
        { envFrom: [{ prefix: 'a=', configMapRef: {} }] },
        { envFrom: [{ configMapRef: { name: 'a' }, secretRef: { name: 'b' } }] },
        { envFrom: [{ configMapRef: { name: BAD } }, { secretRef: { name: BAD } }] },
        { envFrom: [{ prefix: 'P_', secretRef: { name: 'a', optional: true } }] },
        { volumeMounts: [{}] },
        {
          volumeMounts: [
            { name: 'none', mountPath: '/a' },
            { name: 'none', mountPath: '/a' },
          ],
        },
        { volumeMounts: [{ name: 'none', mountPath: 'a:b', subPath: '/x' }] },
        { volumeMounts: [{ name: 'none', mountPath: '/b', subPath: 'a/../b', subPathExpr: '../x' }] },
        { volumeMounts: [{ name: 'none', mountPath: '/b', mountPropagation: 'x' }] },
        { volumeMounts: [{ name: 'none', mountPath: '/b', mountPropagation: 'Bidirectional' }] },
        { volumeDevices: [{}] },
        {
          volumeDevices: [
            { name: 'none', devicePath: '/a' },
            { name: 'none', devicePath: '/a' },
            { name: 'n2', devicePath: '../a' },
          ],
        },
        { resources: { limits: { cpu: '1', memory: '1Gi' } } },
        { resources: { requests: { cpu: '1', memory: '1Gi' } } },
        { resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } },
        // One at a time: the real server names amounts that are wrong in the order of a Go map.
        { resources: { limits: { cpu: '-1' } } },
        { resources: { requests: { memory: '-1' } } },
        { resources: { limits: { gpu: '1' } } },
        { resources: { limits: { 'x.y/z': '1.5' }, requests: { 'x.y/z': '1' } } },
        { resources: { requests: { 'x.y/z': '1' } } },
        { resources: { requests: { 'hugepages-2Mi': '2Mi' } } },
        { resources: { limits: { 'hugepages-2Mi': '2Mi', cpu: '1' } } },
        { resources: { limits: { 'hugepages-3': '2Mi', 'ephemeral-storage': '1Gi' } } },
        { resources: { limits: { storage: '1' } } },
        { resources: { limits: { cpu: '0.5', memory: '1024Mi', 'ephemeral-storage': 1e3 } } },
        { workingDir: '/x', command: ['a'], args: ['b'], stdin: true, stdinOnce: true, tty: true },
        { securityContext: {} },
        { securityContext: { privileged: true, allowPrivilegeEscalation: false } },
        { securityContext: { capabilities: { add: ['CAP_SYS_ADMIN'] }, allowPrivilegeEscalation: false } },
        {
          securityContext: {
            capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] },
            runAsUser: 0,
            readOnlyRootFilesystem: true,
          },
        },
        { securityContext: { seccompProfile: { type: 'x' }, windowsOptions: { runAsUserName: 'a/b' } } },
        { lifecycle: {} },
        { lifecycle: { postStart: {} } },
        { lifecycle: { preStop: { exec: {} } } },
        { lifecycle: { preStop: { httpGet: { port: 80 } }, postStart: { tcpSocket: { port: 'x' } } } },
        { lifecycle: { preStop: { httpGet: { port: 0, scheme: 'x' } }, postStart: { tcpSocket: { port: 0 } } } },
        probe({}),
        probe(exec),
        probe({ exec: {} }),
        probe({ ...exec, httpGet: { port: 80 } }),
        probe({ httpGet: { port: 80 } }),
        probe({ httpGet: { port: 'http', path: '', scheme: 'HTTPS', httpHeaders: [{ name: 'a b', value: 'c' }] } }),
        probe({ httpGet: {} }),
        probe({ tcpSocket: { port: 99999 } }),
        probe({ tcpSocket: { port: 'Bad_Port_Name_Long' } }),
        probe({
          ...exec,
          initialDelaySeconds: -1,
          timeoutSeconds: -1,
          periodSeconds: -1,
          successThreshold: -1,
          failureThreshold: -1,
        }),
        probe({ ...exec, successThreshold: 2 }),
        {
          readinessProbe: { ...exec, successThreshold: 2 },
          startupProbe: { ...exec, successThreshold: 2, timeoutSeconds: 5 },
        },
        { livenessProbe: { ...exec, periodSeconds: 0, timeoutSeconds: 0 } },
      ]),
      { 'spec.containers.1': { name: 'c', image: 'j' } },
      {
        'spec.containers.1': { name: 'd', image: 'j', ports: [{ containerPort: 1, hostPort: 1 }] },
        'spec.containers.0.ports': [{ containerPort: 1, hostPort: 1 }],
      },
      { 'spec.initContainers': [{ name: 'c', image: 'j' }] },
      {
        'spec.initContainers': [
          { name: 'i', image: 'j', resources: { limits: { cpu: '1' } }, ports: [{ containerPort: 8, hostPort: 8 }] },
        ],
      },
      { 'spec.initContainers': [{}, { name: 'i' }] },
      {
        'spec.containers.0': {
          name: '',
          image: '',
          ports: [{ containerPort: 0 }],
          env: [{ name: '' }],
          volumeMounts: [{ name: '' }],
          resources: { limits: { x: '1' } },
          securityContext: { runAsUser: -2 },
          imagePullPolicy: 'x',
        },
      },
    ]),
  },
]
