import type { Service } from '../../builtin/core-v1.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { StoredObjects } from './stored-objects.ts'
import type { Resource } from '../resource/registry.ts'
import { allocateClusterIP, allocateNodePorts, clusterIPsOf, nodePortsOf } from './service-allocation.ts'

/** An object with its cluster addresses and node ports, and the way to give them back when it is not stored after all. */
export interface ServiceAllocation {
  readonly object: KubeObject
  release(): void
}

export interface AllocateOptions {
  /** The object that is replaced, if one is. */
  readonly old?: KubeObject
  readonly dryRun: boolean
}

/** The cluster IPs and node ports that services hold. An allocation counts at once, so two Services never get the same one. */
export class ServiceAllocator {
  readonly #ips = new Set<string>()
  readonly #ports = new Set<number>()

  constructor(store: StoredObjects) {
    for (const { object } of store.latestIn('services', undefined)) this.#take(object)
    store.watch({ bucket: 'services' }, ({ type, record, previous }) => {
      if (previous !== undefined) this.#give(previous.object)
      if (type !== 'deleted') this.#take(record.object)
    })
  }

  /**
   * Gives `object` what it needs beyond what `old` has; undefined for kinds that need nothing. A dry run is shown what it
   * would get, and holds nothing. Throws 422 when what it names is taken, or none is left.
   */
  allocate(resource: Resource, object: KubeObject, { old, dryRun }: AllocateOptions): ServiceAllocation | undefined {
    if (resource.bucket !== 'services') return undefined
    const before = {
      ips: new Set(old === undefined ? [] : clusterIPsOf(old)),
      ports: new Set(old === undefined ? [] : nodePortsOf(old)),
    }
    const addressed = allocateClusterIP(object, this.#ips, before.ips)
    const complete = allocateNodePorts(addressed, this.#ports, before.ports)
    if (dryRun) return { object: complete, release: () => {} }
    const ips = clusterIPsOf(complete).filter((ip) => !before.ips.has(ip))
    const ports = nodePortsOf(complete).filter((port) => !before.ports.has(port))
    for (const ip of ips) this.#ips.add(ip)
    for (const port of ports) this.#ports.add(port)
    return {
      object: complete,
      release: () => {
        for (const ip of ips) this.#ips.delete(ip)
        for (const port of ports) this.#ports.delete(port)
      },
    }
  }

  #take(service: Service): void {
    for (const ip of clusterIPsOf(service)) this.#ips.add(ip)
    for (const port of nodePortsOf(service)) this.#ports.add(port)
  }

  #give(service: Service): void {
    for (const ip of clusterIPsOf(service)) this.#ips.delete(ip)
    for (const port of nodePortsOf(service)) this.#ports.delete(port)
  }
}
