import { customVersion } from '../custom-version.ts'

/** Objects as a user writes them, for `kubectl create -f`. */

type Spec = Readonly<Record<string, unknown>>

export const configMap = (name: string, data: Spec = {}, metadata: Spec = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})

/** A pod of one container `main` with these resources. */
export const pod = (name: string, resources: Spec = {}, spec: Spec = {}, metadata: Spec = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'main', image: 'nginx:1', resources }], ...spec },
})

export const quota = (name: string, hard: Spec, spec: Spec = {}): object => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name },
  spec: { hard, ...spec },
})

/** A limit range of these limits. */
export const limitRange = (name: string, ...limits: readonly Spec[]): object => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name },
  spec: { limits },
})

export const claim = (name: string, storage: string, storageClassName?: string): object => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage } },
    ...(storageClassName === undefined ? {} : { storageClassName }),
  },
})

const template = (app: string): object => ({
  metadata: { labels: { app } },
  spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
})

/** A Deployment, ReplicaSet or StatefulSet of pods with the label `app`. */
export const workload = (kind: string, name: string, replicas = 1): object => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name },
  spec: {
    ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
    replicas,
    selector: { matchLabels: { app: name } },
    template: template(name),
  },
})

export const replicationController = (name: string, replicas = 1): object => ({
  apiVersion: 'v1',
  kind: 'ReplicationController',
  metadata: { name },
  spec: { replicas, selector: { app: name }, template: template(name) },
})

/** A definition of a namespaced kind that takes any fields, with the status subresource. */
export const customResourceDefinition = (plural: string, singular: string, kind: string, group = 'example.com') => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural, singular, kind, shortNames: [singular.slice(0, 3)], categories: ['all'] },
    versions: [customVersion('v1', { subresources: { status: {} } })],
  },
})

export const custom = (kind: string, name: string, spec: Spec, group = 'example.com'): object => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: { name },
  spec,
})
