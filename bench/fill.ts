import { podNamed, type Target } from './load.ts'
import { RawConnection, rawRequest } from './raw-connection.ts'

const CONNECTIONS = 64

export interface Filling {
  readonly namespaces: number
  readonly podsEach: number
  /** The prefix of the names. */
  readonly prefix: string
}

export const namespaceName = ({ prefix }: Filling, index: number): string => `${prefix}-${index}`

/** Makes namespaces full of pods, as clients do it: each object is posted over HTTPS and durable when it is answered. */
export async function fill(target: Target, filling: Filling): Promise<void> {
  const { namespaces, podsEach } = filling
  const open = await Promise.all(Array.from({ length: CONNECTIONS }, () => RawConnection.open(target.url)))
  const createAll = async (count: number, toCreate: (index: number) => readonly [path: string, object: object]) => {
    let next = 0
    await Promise.all(
      open.map(async (connection) => {
        while (next < count) {
          const [path, object] = toCreate(next++)
          const { code, body } = await connection.send(rawRequest(target, 'POST', path, JSON.stringify(object)))
          if (code !== 201) throw new Error(`${path} was answered with ${code}: ${body.toString()}`)
        }
      }),
    )
  }
  await createAll(namespaces, (index) => ['/api/v1/namespaces', { metadata: { name: namespaceName(filling, index) } }])
  await createAll(namespaces * podsEach, (index) => {
    const namespace = namespaceName(filling, index % namespaces)
    return [`/api/v1/namespaces/${namespace}/pods`, podNamed(`pod-${Math.floor(index / namespaces)}`)]
  })
  for (const connection of open) connection.close()
}
