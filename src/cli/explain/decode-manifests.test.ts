import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { isObject, type JsonObject } from '../../machinery/object.ts'
import { placedManifests } from '../../migrate/read-manifests.ts'
import { builtinSchemas } from '../reading/builtin-schemas.ts'
import { decodeManifests, ManifestError } from './decode-manifests.ts'

const { decode: DECODE } = builtinSchemas()
const AMOUNTS = { requests: { cpu: '1' }, limits: { cpu: '2' } }
const CONTAINER = { name: 'c', image: 'i', restartPolicy: 'Always', resources: AMOUNTS }
const POD = {
  metadata: { labels: { app: 'web' }, annotations: { note: 'some' } },
  spec: {
    containers: [CONTAINER],
    initContainers: [CONTAINER],
    overhead: { cpu: '10m' },
    resources: AMOUNTS,
    priorityClassName: 'usual',
    runtimeClassName: 'boxed',
    activeDeadlineSeconds: 9,
  },
}
const CLAIM = { accessModes: ['ReadWriteOnce'], storageClassName: 'slow', resources: { requests: { storage: '1Gi' } } }
const JOB = { parallelism: 2, completions: 3, suspend: false, template: POD }
const ROLLING = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: '50%' } }
const of = (apiVersion: string, kind: string, spec: JsonObject): JsonObject => ({
  apiVersion,
  kind,
  metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' }, annotations: { note: 'some' } },
  spec,
})

/** Of each kind all fields that an explanation reads. */
const MANIFESTS = [
  of('apps/v1', 'Deployment', { replicas: 3, paused: false, strategy: ROLLING, template: POD }),
  of('apps/v1beta2', 'Deployment', { replicas: 3, paused: false, strategy: ROLLING, template: POD }),
  of('apps/v1', 'ReplicaSet', { replicas: 3, template: POD }),
  of('v1', 'ReplicationController', { replicas: 3, template: POD }),
  of('apps/v1', 'DaemonSet', { template: POD }),
  of('apps/v1', 'StatefulSet', {
    replicas: 3,
    ordinals: { start: 1 },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
    volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: CLAIM }],
    template: POD,
  }),
  of('batch/v1', 'Job', JOB),
  of('batch/v1', 'CronJob', { suspend: false, jobTemplate: { spec: JOB } }),
  of('batch/v1beta1', 'CronJob', { suspend: false, jobTemplate: { spec: JOB } }),
  of('v1', 'Pod', POD.spec),
  of('v1', 'PersistentVolumeClaim', CLAIM),
  of('v1', 'ResourceQuota', {
    hard: { pods: '1' },
    scopes: ['BestEffort'],
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['usual'] }] },
  }),
  of('v1', 'LimitRange', {
    limits: [
      { type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '1' }, min: { cpu: '1' }, max: { cpu: '1' } },
    ],
  }),
]

interface Broken {
  readonly path: string
  readonly value: unknown
}

/** A manifest for each of its fields, with a value of another type there. Names and texts of the head are read before. */
function* broken(value: unknown, path: string): Generator<Broken> {
  if (path.includes('.')) yield { path, value: Array.isArray(value) || !isObject(value) ? { odd: true } : 'odd' }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const one of broken(item, `${path}[${index}]`)) yield { ...one, value: value.with(index, one.value) }
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value))
      for (const one of broken(item, path === '' ? key : `${path}.${key}`))
        yield { ...one, value: { ...value, [key]: one.value } }
  }
}

function errorOf(text: string): Error | undefined {
  try {
    decodeManifests(placedManifests('web.yaml', text), DECODE)
  } catch (error) {
    if (error instanceof ManifestError) return error
    throw error
  }
  return undefined
}

const textOf = (manifest: unknown): string => `# planned\n---\n${stringify(manifest, { version: '1.1' })}`

describe('a manifest with a value of another type', () => {
  for (const manifest of MANIFESTS)
    test(`in any field of a ${String(manifest['apiVersion'])} ${String(manifest['kind'])} is an error with file, line and field`, () => {
      expect(decodeManifests(placedManifests('web.yaml', textOf(manifest)), DECODE)).toHaveLength(1)
      const all = [...broken(manifest, '')].filter(({ path }) => path !== 'metadata.name')
      expect(all.length).toBeGreaterThan(5)
      for (const { path, value } of all) {
        const text = textOf(value)
        const message = errorOf(text)?.message ?? `nothing is wrong with ${path}`
        const [, line = '', field] = /^web\.yaml:(\d+): \S+ web, ([^:]+): /.exec(message) ?? []
        expect(field, message).toBe(path)
        expect(text.split('\n').slice(Number(line) - 1, Number(line) + 1), message).toContainEqual(
          expect.stringContaining('odd'),
        )
      }
    })

  test('in a list, and in a text of tenants that is no line, is named in one line', () => {
    const text =
      'kind: List\napiVersion: v1\nitems:\n- {apiVersion: v1, kind: Pod, metadata: {name: a}}\n- apiVersion: apps/v1\n  kind: Deployment\n  metadata: {name: "b\\nc"}\n  spec:\n    replicas: "3"\n'
    expect(errorOf(text)?.message).toBe(
      'web.yaml:9: Deployment b\\nc, spec.replicas: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
    )
  })
})
