/** The requests of a pod, and further fields of its spec. */
export interface PodWishes {
  readonly requests?: Readonly<Record<string, string>>
  readonly limits?: Readonly<Record<string, string>>
  readonly spec?: object
}

export const pod = (name: string, { requests, limits, spec }: PodWishes = {}): object => ({
  metadata: { name },
  spec: {
    containers: [
      {
        name: 'pause',
        image: 'example.test/pause:1',
        resources: { ...(requests === undefined ? {} : { requests }), ...(limits === undefined ? {} : { limits }) },
      },
    ],
    ...spec,
  },
})

export const service = (name: string, type: string): object => ({
  metadata: { name },
  spec: { type, selector: { app: name }, ports: [{ port: 80 }] },
})

const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'example.test/web:1' }] },
}

export const replicationController = (name: string): object => ({
  metadata: { name },
  spec: { replicas: 0, selector: { app: 'web' }, template },
})

export const replicaSet = (name: string): object => ({
  metadata: { name },
  spec: { replicas: 0, selector: { matchLabels: { app: 'web' } }, template },
})

export const claim = (name: string, storage: string, storageClassName?: string): object => ({
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage } },
    ...(storageClassName === undefined ? {} : { storageClassName }),
  },
})
