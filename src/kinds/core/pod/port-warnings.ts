import type { JsonObject } from '../../../machinery/object.ts'
import { absent, countOf, objectsOf, textOf } from '../../../machinery/read.ts'

interface Port {
  readonly at: string
  readonly hostIP: string
  readonly hostPort: number
}

/** Returns the warnings about the ports of a pod's containers: the same port twice, with both paths. */
export function portWarnings(containers: readonly (readonly [JsonObject, string])[]): readonly string[] {
  if (containers.every(([{ ports }]) => absent(ports))) return []
  const known = new Map<string, Port[]>()
  return containers.flatMap(([container, path]) =>
    objectsOf(container.ports).flatMap((given, index) => {
      const port = { at: `${path}.ports[${index}]`, hostIP: textOf(given.hostIP), hostPort: countOf(given.hostPort) }
      const key = `${countOf(given.containerPort)}/${textOf(given.protocol)}`
      const others = known.get(key) ?? []
      known.set(key, [...others, port])
      return others.flatMap((other) => {
        const how = clash(port, other)
        return how === undefined ? [] : [`${port.at}: ${how} port definition with ${other.at}`]
      })
    }),
  )
}

function clash(a: Port, b: Port): string | undefined {
  if (a.hostIP === b.hostIP && a.hostPort === b.hostPort) return 'duplicate'
  if (a.hostPort === 0 || b.hostPort === 0) return 'overlapping'
  return a.hostPort === b.hostPort && (a.hostIP === '') !== (b.hostIP === '') ? 'dangerously ambiguous' : undefined
}
