import type { StartWorkloads, WorkloadPort } from '../../../src/apiserver/port/workload-port.ts'
import { startWorkloads } from '../../../src/apiserver/workload/workloads.ts'
import { forbidden, qualified } from '../../../src/machinery/status.ts'

/** Whether the controllers keep on after a refusal, or whether all that they shrink and delete waits for what they make. */
export type Order = 'as it is' | 'makes first'

/**
 * The workload controllers in a world that can be closed: in a closed namespace each of their creates is refused, as by quotas that
 * are full. With the order `makes first` a controller that was refused there deletes and changes nothing more: a mutant.
 */
export class FullWorld {
  readonly #closed = new Set<string>()
  /** Each controller that was refused something, with the namespace. */
  readonly #refused = new Set<string>()
  /** How often a mutant has left something as it was, by namespace. */
  readonly omissions = new Map<string, number>()
  readonly #order: Order

  constructor(order: Order) {
    this.#order = order
  }

  /** `namespace`: its name. */
  close(namespace: string): void {
    this.#closed.add(namespace)
  }

  /** Was the controller refused something? */
  hasRefused(namespace: string, controller: string): boolean {
    return this.#refused.has(`${namespace} ${controller}`)
  }

  readonly start: StartWorkloads = (port) => startWorkloads({ ...port, operations: this.#operations(port) })

  #operations({ operations }: WorkloadPort): WorkloadPort['operations'] {
    return {
      create: async (request, object) => {
        const { namespace, resource } = request
        if (!this.#closed.has(namespace)) return await operations.create(request, object)
        this.#refused.add(keyOf(request))
        const detail = `exceeded quota: full, requested: count/${qualified(resource.id)}=1, used: 1, limited: 1`
        throw forbidden(resource.id, object.metadata.name ?? '', detail)
      },
      remove: async (request, options) => {
        if (this.#omits(request)) throw forbidden(request.resource.id, request.name, 'left as it is')
        return await operations.remove(request, options)
      },
      update: async (request, change, options) => {
        if (request.subresource === '' && this.#omits(request))
          throw forbidden(request.resource.id, request.name, 'left as it is')
        return await operations.update(request, change, options)
      },
    }
  }

  #omits(request: Request): boolean {
    const { namespace } = request
    if (this.#order === 'as it is' || !this.#refused.has(keyOf(request))) return false
    this.omissions.set(namespace, (this.omissions.get(namespace) ?? 0) + 1)
    return true
  }
}

type Request = Parameters<WorkloadPort['operations']['remove']>[0]

/** Namespace and controller of a request: service accounts end in the name of theirs. */
const keyOf = ({ namespace, caller }: Request): string => `${namespace} ${caller.name.split(':').at(-1) ?? ''}`
