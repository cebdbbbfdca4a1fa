import { beforeAll } from 'vitest'
import type { Answer } from '../../in-process.ts'
import { type ApiServer, configMap } from '../api-server.ts'

export type Body = Answer['body']

export interface ReferenceOptions {
  readonly blockOwnerDeletion?: boolean
  readonly uid?: string
  readonly name?: string
}

export const reference = ({ apiVersion, kind, metadata }: Body, more: ReferenceOptions = {}): unknown => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid,
  ...more,
})

export const owned = (name: string, owners: readonly unknown[], finalizers: readonly string[] = []): unknown =>
  configMap(name, {}, { ownerReferences: owners, finalizers })

/** Config maps that own each other, in a namespace of their own. */
export function ownedMaps(api: ApiServer) {
  let ns = ''
  beforeAll(async () => {
    ns = await api.namespace()
  })

  let names = 0

  const fresh = (): string => `x-${++names}`

  const maps = (): string => `${ns}/configmaps`

  const create = (object: unknown): Promise<Body> => api.create(maps(), object)

  const get = async (name: string): Promise<Body> => (await api.send('GET', `${maps()}/${name}`)).body

  const remove = (name: string, options?: unknown): Promise<Answer> => api.send('DELETE', `${maps()}/${name}`, options)

  /** Waits until it is not there any more; gives what its absence is called. */
  const gone = async (name: string): Promise<string> =>
    (await api.until(`${maps()}/${name}`, ({ code }) => code === 404)).reason

  const until = (name: string, test: (body: Body) => boolean): Promise<Body> => api.until(`${maps()}/${name}`, test)

  const release = (name: string): Promise<Body> => api.patch(`${maps()}/${name}`, { metadata: { finalizers: null } })

  /** Resolves when everything that was asked of the collector before has been done: a probe of two objects has gone. */
  async function settled(): Promise<void> {
    const name = fresh()
    const { metadata } = await create(configMap(name))
    await remove(name)
    await create(owned(`${name}-probe`, [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid: metadata.uid }]))
    await gone(`${name}-probe`)
  }

  /** An owner and so many dependents of it. */
  async function family(count: number, more: ReferenceOptions = {}): Promise<readonly string[]> {
    const name = fresh()
    const owner = await create(configMap(name))
    const dependents = Array.from({ length: count }, (_, i) => `${name}-${i}`)
    for (const dependent of dependents) await create(owned(dependent, [reference(owner, more)]))
    return [name, ...dependents]
  }

  return { home: () => ns, fresh, maps, create, get, remove, gone, until, release, settled, family }
}
