// Covers ../../generated-quota/operate/admitted-usage.ts, as pools use it.
import { expect, test } from 'vitest'
import { eventually } from '../../../../test/eventually.ts'
import { claimOf, poolOf } from '../../../../test/systems/resource-pool/pool-arena.ts'
import { systemContext } from '../../../kube/time/system-context.ts'
import { asCreated, operating, PoolServer } from '../../../../test/operator/pool-server.ts'
import type { ResourceQuota } from '../../../kinds/resource-quota/resource-quota.ts'
import { type Conditioned, isTrue } from '../../../../test/operator/pool-objects.ts'
import { parseResourceList, type ResourceList } from '../../../quantity/resource-list.ts'
import { AdmittedUsage, type AdmissionForQuotas } from '../../generated-quota/operate/admitted-usage.ts'

/** Allot's admission, with requests in flight in one namespace that the status of its quota does not show. */
class Admission implements AdmissionForQuotas {
  inFlight = '0'
  isReachable = true
  readonly held: string[] = []
  #handler: (namespace: string) => void = () => undefined

  readonly usageOf = ({ metadata }: ResourceQuota): ResourceList | undefined =>
    metadata.namespace === 'flies' ? parseResourceList({ cpu: this.inFlight }) : undefined

  readonly holdTo = async ({ metadata }: ResourceQuota, hard: ResourceList): Promise<void> => {
    if (!this.isReachable) throw new Error('the ledger cannot be written')
    this.held.push(`${metadata.namespace} ${hard['cpu']?.toString()}`)
  }

  readonly onCharge = (handler: (namespace: string) => void) => {
    this.#handler = handler
    return () => undefined
  }

  becomes(inFlight: string): void {
    this.inFlight = inFlight
    this.#handler('flies')
  }
}

/** A pool of 4 whose namespace `flies` has claimed all, and what its quota limits and its claims have then. */
async function withPool(work: (server: PoolServer, admission: Admission) => Promise<void>): Promise<void> {
  const server = new PoolServer()
  for (const name of ['flies', 'waits'])
    server.namespaces.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { pool: 'p' } } })
  server.pools.put(asCreated(poolOf('p', { quota: { hard: { cpu: '4' } }, defaults: { cpu: '0' } })))
  const admission = new Admission()
  const admitted = new AdmittedUsage()
  admitted.provide(admission)
  const run = async (): Promise<void> => {
    server.claims.put(asCreated(claimOf('all', { cpu: '4' }, { namespace: 'flies' })))
    await eventually(
      () => hardIn(server, 'flies'),
      (hard) => hard === '4',
    )
    await work(server, admission)
  }
  await operating(server, run, systemContext, admitted)
}

const quotaIn = (server: PoolServer, namespace: string): ResourceQuota | undefined =>
  [...server.quotas.state.values()].find(({ metadata }) => metadata.namespace === namespace) as
    | ResourceQuota
    | undefined
const hardIn = (server: PoolServer, namespace: string): string | undefined =>
  quotaIn(server, namespace)?.status?.hard?.['cpu']
const isExhausted = (server: PoolServer): boolean | undefined => {
  const claim = server.claims.state.get('waits/next')
  return claim === undefined ? undefined : isTrue(claim as Conditioned, 'Exhausted')
}

test('the room of requests in flight stays with their namespace although the status of its quota does not show them', async () => {
  await withPool(async (server, admission) => {
    admission.becomes('3')
    server.claims.remove({ namespace: 'flies', name: 'all' })
    server.claims.put(asCreated(claimOf('next', { cpu: '4' }, { namespace: 'waits' })))
    await eventually(
      () => hardIn(server, 'flies'),
      (hard) => hard === '3',
    )
    await eventually(() => isExhausted(server), Boolean)
    expect(quotaIn(server, 'flies')?.status?.used).toEqual({ cpu: '0' })
    expect(hardIn(server, 'waits')).toBe('0')
    // They were never stored.
    admission.becomes('0')
    await eventually(
      () => hardIn(server, 'waits'),
      (hard) => hard === '4',
    )
  })
})

test('a limit is lowered only once all replicas go by the lower one', async () => {
  await withPool(async (server, admission) => {
    admission.isReachable = false
    server.claims.remove({ namespace: 'flies', name: 'all' })
    server.claims.put(asCreated(claimOf('next', { cpu: '4' }, { namespace: 'waits' })))
    await eventually(() => isExhausted(server), Boolean)
    expect(quotaIn(server, 'flies')?.spec?.hard).toEqual({ cpu: '4' })
    expect(admission.held).not.toContain('flies 0')
    admission.isReachable = true
    await eventually(
      () => hardIn(server, 'waits'),
      (hard) => hard === '4',
    )
    expect(admission.held).toContain('flies 0')
  })
})
