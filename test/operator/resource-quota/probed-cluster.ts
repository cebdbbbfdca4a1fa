import { forbidden } from '../../../src/machinery/status.ts'
import type { ClusterEnforcement } from '../../../src/systems/resource-quota/operate/enforcement-probe.ts'

/** A cluster that answers the probe for the parts that enforce ResourceQuotas. Parts may come and go. */
export class ProbedCluster {
  parts: ClusterEnforcement
  /** The quotas that are there, as their client has written them. */
  readonly quotas = new Map<string, Record<string, unknown>>()
  readonly client = {
    create: async ({ resource }: { resource: string }, object: Record<string, unknown>) => {
      if (resource === 'resourcequotas') {
        const { spec } = object as { spec: { hard: object } }
        const status = this.parts.controller ? { hard: spec.hard, used: {} } : {}
        this.quotas.set('probe', { ...object, metadata: { resourceVersion: '1' }, status })
        return object
      }
      const { status } = this.quotas.get('probe') as { status: { hard?: object } }
      const { name } = (object as { metadata: { name: string } }).metadata
      if (this.parts.plugin && status.hard !== undefined)
        throw forbidden({ group: '', resource }, name, `exceeded quota: ${name}, requested: 1`)
      return object
    },
    get: async () => this.quotas.get('probe'),
    patch: async (_: unknown, __: unknown, { body }: { body: { status: object } }) => {
      this.quotas.set('probe', { ...this.quotas.get('probe'), status: body.status })
    },
    delete: async () => void this.quotas.delete('probe'),
  }

  constructor(parts: ClusterEnforcement) {
    this.parts = parts
  }
}
