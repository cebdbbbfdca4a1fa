import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../machinery/object.ts'
import { compileSchema, type SchemaDefinitions } from '../schema/type/compile.ts'
import { appliedOver } from './apply-manifest.ts'

const file = new URL('../../schemas/kubernetes-1.36-definitions.json', import.meta.url)
const schemas = compileSchema(
  (JSON.parse(readFileSync(file, 'utf8')) as { definitions: SchemaDefinitions }).definitions,
)
const deployments = schemas.typeOf({ group: 'apps', version: 'v1', kind: 'Deployment' })

const object = (spec: JsonObject): KubeObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec,
})
const withSpec = (pod: JsonObject): JsonObject => ({ template: { spec: pod } })
const withPorts = (...ports: readonly JsonObject[]): JsonObject => withSpec({ containers: [{ name: 'app', ports }] })
const [tcp, udp] = [
  { containerPort: 53, protocol: 'TCP' },
  { containerPort: 53, protocol: 'UDP' },
]

test.each<readonly [string, JsonObject, JsonObject, JsonObject, JsonObject]>([
  [
    'two protocols of a port are two ports',
    withPorts(tcp, { ...udp, hostPort: 53 }),
    withPorts(tcp, udp),
    withPorts(tcp, udp),
    withPorts(tcp, { ...udp, hostPort: 53 }),
  ],
  [
    'a port without a protocol is the one of TCP, and keeps its protocol',
    withPorts({ containerPort: 53, name: 'dns' }),
    withPorts(tcp),
    withPorts({ containerPort: 53 }),
    withPorts({ ...tcp, name: 'dns' }),
  ],
  [
    'a port that others have opened stays, and one that the manifest had goes',
    withPorts({ containerPort: 80 }),
    withPorts(tcp, udp),
    withPorts(udp),
    withPorts({ containerPort: 80 }, tcp),
  ],
  [
    'mounts are told apart by their path',
    withSpec({ containers: [{ name: 'app', volumeMounts: [{ mountPath: '/b', name: 'data' }] }] }),
    withSpec({ containers: [{ name: 'app', volumeMounts: [{ mountPath: '/a', name: 'data' }] }] }),
    withSpec({ containers: [{ name: 'app' }] }),
    withSpec({
      containers: [
        {
          name: 'app',
          volumeMounts: [
            { mountPath: '/b', name: 'data' },
            { mountPath: '/a', name: 'data' },
          ],
        },
      ],
    }),
  ],
  [
    'a list that is one value is replaced, though its items have names',
    withSpec({ containers: [], dnsConfig: { options: [{ name: 'ndots' }] } }),
    withSpec({ containers: [], dnsConfig: { options: [{ name: 'debug' }] } }),
    withSpec({ containers: [] }),
    withSpec({ containers: [], dnsConfig: { options: [{ name: 'ndots' }] } }),
  ],
  [
    'the same strategy keeps what the API server has filled in',
    { strategy: { rollingUpdate: { maxSurge: 1 } } },
    { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: '25%' } } },
    {},
    { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: '25%' } } },
  ],
])('%s', (_, next, live, last, spec) => {
  expect(appliedOver(object(next), object(live), object(last), deployments)).toEqual(object(spec))
})

test('finalizers of others stay, and those that a manifest no longer has go', () => {
  const finalized = (...finalizers: readonly string[]): KubeObject => ({
    ...object({}),
    metadata: { name: 'web', finalizers },
  })
  const applied = appliedOver(finalized('a/new'), finalized('a/old', 'b/theirs'), finalized('a/old'), deployments)
  expect(applied.metadata.finalizers).toEqual(['a/new', 'b/theirs'])
})
