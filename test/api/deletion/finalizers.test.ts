import { beforeAll, describe, expect, test } from 'vitest'
import { OWN_FINALIZERS } from '../../../src/machinery/own-finalizers.ts'
import { VALID } from '../../fuzz/valid-objects.ts'
import { apiServer, MERGE } from '../api-server.ts'

/**
 * Nothing that is deleted stays for ever because of a finalizer that the control plane put on it: of every kind, by every
 * policy, and whatever goes first.
 */
const api = apiServer({ workloads: true })

interface Kind {
  readonly bucket: string
  readonly namespaced: boolean
  readonly path: (namespace: string) => string
  /** An object that can be created there under this name, or one that is made of it. */
  readonly object: (name: string, namespace: string, owner?: object) => object
}

/** Kinds whose objects say their name, or where they are, in their fields. */
const NAMED: Readonly<Record<string, (name: string, namespace: string) => object>> = {
  'customresourcedefinitions.apiextensions.k8s.io': (name) => {
    const { spec } = VALID['customresourcedefinitions.apiextensions.k8s.io'] as { readonly spec: object }
    const plural = name.replaceAll('-', '')
    return {
      metadata: { name: `${plural}.gone.test` },
      spec: { ...spec, group: 'gone.test', names: { plural, kind: `K${plural}` } },
    }
  },
  'apiservices.apiregistration.k8s.io': (name) => {
    const { spec } = VALID['apiservices.apiregistration.k8s.io'] as { readonly spec: object }
    return { metadata: { name: `v1.${name}.test` }, spec: { ...spec, group: `${name}.test` } }
  },
  events: (name, namespace) => ({ involvedObject: { kind: 'Pod', name, namespace } }),
  'ipaddresses.networking.k8s.io': (name) => ({
    metadata: { name: `10.1.${Buffer.from(name).reduce((sum, byte) => (sum * 31 + byte) % 250, 7)}.1` },
  }),
}

/** Every kind that is stored and can be created, and one custom kind. */
async function kinds(): Promise<readonly Kind[]> {
  // Events are stored once and served by two groups.
  const seen = new Set(['events.events.k8s.io'])
  const found: Kind[] = []
  const { groups } = await api.get('/apis')
  const roots = [
    '/api/v1',
    ...groups.map(
      (group: { preferredVersion: { groupVersion: string } }) => `/apis/${group.preferredVersion.groupVersion}`,
    ),
  ]
  for (const root of roots) {
    const group = root.split('/')[2] ?? ''
    for (const { name, kind, namespaced, verbs } of (await api.get(root)).resources) {
      const bucket = root === '/api/v1' ? name : `${name}.${group}`
      if (name.includes('/') || !verbs.includes('create') || !verbs.includes('delete') || seen.has(bucket)) continue
      seen.add(bucket)
      const apiVersion = root.replace(/^\/apis?\//, '')
      const object = (called: string, namespace: string, owner?: object): object => {
        const own = { ...VALID[bucket], ...NAMED[bucket]?.(called, namespace) }
        const { metadata, ...rest } = { metadata: { name: called }, ...own }
        const owned = owner === undefined ? {} : { ownerReferences: [owner] }
        return { apiVersion, kind, ...rest, metadata: { ...metadata, ...owned } }
      }
      const path = (namespace: string): string => `${root}${namespaced ? `/namespaces/${namespace}` : ''}/${name}`
      found.push({ bucket, namespaced, path, object })
    }
  }
  return found
}

const nameOf = (object: object): string => (object as { readonly metadata: { readonly name: string } }).metadata.name

/** The objects of these that still exist: `bucket name`. */
async function remaining(all: readonly (readonly [Kind, object])[], namespace: string): Promise<readonly string[]> {
  const answers = await Promise.all(
    all.map(async ([kind, object]) => {
      const { status, body } = await api.send('GET', `${kind.path(namespace)}/${nameOf(object)}`)
      return status === 404 ? [] : [`${kind.bucket} ${JSON.stringify(body.metadata?.finalizers)}`]
    }),
  )
  return answers.flat()
}

async function allGone(all: readonly (readonly [Kind, object])[], namespace: string): Promise<void> {
  await expect.poll(() => remaining(all, namespace)).toEqual([])
}

/** Every finalizer that anything had while the tests of this file ran. */
const met = new Set<string>()
let every: readonly Kind[] = []

beforeAll(async () => {
  every = await kinds()
  for (const { bucket } of every)
    api.running.store.watch({ bucket }, ({ record: { object } }) => {
      const { finalizers = [] } = (object['spec'] ?? {}) as { readonly finalizers?: readonly string[] }
      for (const finalizer of [...(object.metadata.finalizers ?? []), ...finalizers]) met.add(finalizer)
    })
})

const newNamespace = async (): Promise<string> => (await api.namespace()).split('/').at(-1) ?? ''

describe('an object of any kind', () => {
  test.each(['Background', 'Foreground', 'Orphan', undefined])(
    'goes that is deleted as soon as it is there (propagation policy: %s)',
    async (policy) => {
      const namespace = await newNamespace()
      const name = `now-${(policy ?? 'none').toLowerCase()}`
      const all = every.map((kind) => [kind, kind.object(name, namespace)] as const)
      const codes = await Promise.all(
        all.map(async ([kind, object]) => {
          const { status, body } = await api.send('POST', kind.path(namespace), object)
          const query = policy === undefined ? '' : `?propagationPolicy=${policy}`
          await api.send('DELETE', `${kind.path(namespace)}/${nameOf(object)}${query}`)
          return status === 201 ? [] : [`${kind.bucket}: ${status} ${body.message}`]
        }),
      )
      expect(codes.flat()).toEqual([])
      await allGone(all, namespace)
    },
  )

  test('goes with its owner that is deleted while it is made', async () => {
    const namespace = await newNamespace()
    const classes = '/apis/scheduling.k8s.io/v1/priorityclasses'
    const maps = `/api/v1/namespaces/${namespace}/configmaps`
    const owners = {
      near: await api.create(maps, { metadata: { name: 'owner' } }),
      far: await api.create(classes, { metadata: { name: 'owner' }, value: 1 }),
    }
    // Events have no owners for the garbage collector.
    const owned = every.filter(({ bucket }) => bucket !== 'events')
    const all = owned.map((kind) => {
      const { apiVersion, kind: of, metadata } = kind.namespaced ? owners.near : owners.far
      const owner = { apiVersion, kind: of, name: 'owner', uid: metadata.uid, blockOwnerDeletion: true }
      return [kind, kind.object('owned', namespace, owner)] as const
    })
    const made = all.map(([kind, object]) => api.send('POST', kind.path(namespace), object))
    await Promise.all([
      ...made,
      ...[maps, classes].map((path) => api.send('DELETE', `${path}/owner?propagationPolicy=Foreground`)),
    ])
    await allGone(all, namespace)
    for (const path of [maps, classes])
      expect(await api.until(`${path}/owner`, ({ code }) => code === 404)).toMatchObject({ reason: 'NotFound' })
  })

  test('goes with its namespace that is deleted while it is made', async () => {
    const namespace = await newNamespace()
    const path = `/api/v1/namespaces/${namespace}`
    const all = every.filter(({ namespaced }) => namespaced)
    await Promise.all([
      ...all.map((kind) => api.send('POST', kind.path(namespace), kind.object('early', namespace))),
      api.send('DELETE', path),
      ...all.map((kind) => api.send('POST', kind.path(namespace), kind.object('late', namespace))),
    ])
    expect(await api.until(path, ({ code }) => code === 404)).toMatchObject({ reason: 'NotFound' })
  })

  test('goes with its definition that is deleted while it is made', async () => {
    const namespace = await newNamespace()
    await api.define('barges')
    const path = `/apis/harbour.test/v1/namespaces/${namespace}/barges`
    await api.until(path, ({ kind }) => kind === 'BargeList')
    const object = (name: string): object => ({ apiVersion: 'harbour.test/v1', kind: 'Barge', metadata: { name } })
    const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/barges.harbour.test'
    await api.send('POST', path, object('waits'))
    await Promise.all([
      api.send('DELETE', `${path}/waits?propagationPolicy=Foreground`),
      ...['a', 'b', 'c'].map((name) => api.send('POST', path, object(name))),
      api.send('DELETE', definition),
      ...['d', 'e', 'f'].map((name) => api.send('POST', path, object(name))),
    ])
    expect(await api.until(definition, ({ code }) => code === 404)).toMatchObject({ reason: 'NotFound' })
    const left = [...api.running.store.latestIn('barges.harbour.test', undefined)]
    expect(left).toEqual([])
  })
})

describe('an object that is in use', () => {
  const CLASSES = '/apis/storage.k8s.io/v1/volumeattributesclasses'
  const VOLUMES = '/api/v1/persistentvolumes'
  const claim = (name: string, spec: object): object => ({
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  })
  const volume = (name: string, spec: object): object => ({
    metadata: { name },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      csi: { driver: 'csi.gone.test', volumeHandle: name },
      ...spec,
    },
  })
  const isDeleting = async (path: string): Promise<boolean> =>
    (await api.get(path)).metadata.deletionTimestamp !== undefined

  test('a VolumeAttributesClass goes with the last claim or volume that has it', async () => {
    const claims = `${await api.namespace()}/persistentvolumeclaims`
    await api.create(CLASSES, { metadata: { name: 'fast' }, driverName: 'csi.gone.test', parameters: { iops: '1' } })
    await api.create(claims, claim('fast', { volumeAttributesClassName: 'fast' }))
    await api.create(VOLUMES, volume('fast', { volumeAttributesClassName: 'fast' }))
    await api.send('DELETE', `${CLASSES}/fast`)
    expect(await isDeleting(`${CLASSES}/fast`)).toBe(true)
    await api.send('DELETE', `${claims}/fast`)
    await api.until(`${claims}/fast`, ({ code }) => code === 404)
    expect(await isDeleting(`${CLASSES}/fast`)).toBe(true)
    await api.send('DELETE', `${VOLUMES}/fast`)
    expect(await api.until(`${CLASSES}/fast`, ({ code }) => code === 404)).toMatchObject({ reason: 'NotFound' })
  })

  test('a bound volume goes when the claim that it is bound to is gone', async () => {
    const namespace = await newNamespace()
    const claims = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`
    await api.create(claims, claim('bound', { volumeName: 'bound' }))
    await api.create(VOLUMES, volume('bound', { claimRef: { namespace, name: 'bound' } }))
    await api.patch(`${VOLUMES}/bound/status`, { status: { phase: 'Bound' } }, MERGE)
    await api.send('DELETE', `${VOLUMES}/bound`)
    expect(await isDeleting(`${VOLUMES}/bound`)).toBe(true)
    await api.send('DELETE', `${claims}/bound`)
    expect(await api.until(`${VOLUMES}/bound`, ({ code }) => code === 404)).toMatchObject({ reason: 'NotFound' })
  })

  test('keeps its finalizer when it has taken the name of an object that was to go', async () => {
    const namespace = await newNamespace()
    const claims = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`
    const key = `${namespace}/again`
    const { store } = api.running
    const first = await api.create(claims, claim('again', {}))
    const second = { ...first, metadata: { ...first.metadata, uid: 'another' } }
    // In the turn in which the controller gets the event of the deletion, before it writes.
    const watch = store.watch({ bucket: 'persistentvolumeclaims' }, ({ type, record }) => {
      if (type !== 'modified' || record.key !== key || record.object.metadata.uid === 'another') return
      void store.commit([{ type: 'put', bucket: 'persistentvolumeclaims', key, object: second }])
    })
    await api.send('DELETE', `${claims}/again`)
    await api.until(`${claims}/again`, ({ metadata }) => metadata?.uid === 'another')
    await api.create(claims, claim('after', {}))
    await api.send('DELETE', `${claims}/after`)
    await api.until(`${claims}/after`, ({ code }) => code === 404)
    watch.close()
    expect((await api.get(`${claims}/again`)).metadata.finalizers).toEqual([OWN_FINALIZERS.claim])
  })
})

test('the finalizers that the control plane puts on objects are those of its table, each of which was met above', () => {
  expect([...met].toSorted()).toEqual(Object.values(OWN_FINALIZERS).toSorted())
})
