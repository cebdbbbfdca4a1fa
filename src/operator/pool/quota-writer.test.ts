import { expect, test } from 'vitest'
import { ScriptedClient } from '../../../test/kube/scripted-client.ts'
import type { ResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import type { QuotaWrite } from '../../grants/pools/quota/quota-write-order.ts'
import type { KubeClient, ResourceKind, WriteCallOptions } from '../../kube/client/kube-client.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { forbidden } from '../../machinery/status.ts'
import type { OperatorContext } from '../system.ts'
import { RESOURCE_QUOTAS } from '../generated-quota/resource-quotas.ts'
import type { PoolCaches } from './pool-caches.ts'
import { QuotaWriter } from './quota-writer.ts'

const REFUSAL = forbidden(RESOURCE_QUOTAS, 'q', 'unsupported scope')

const quota = (scopes: readonly string[]): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { namespace: 'a', name: 'q' },
  spec: { scopes },
})

/** A server that stores nothing when it is only tried, and no quota of one scope. */
class QuotaServer extends ScriptedClient implements KubeClient {
  override async create<T extends KubeObject>(kind: ResourceKind, object: T, options?: WriteCallOptions): Promise<T> {
    const { scopes = [] } = (object as object as ResourceQuota).spec ?? {}
    if (scopes.includes('Impossible')) throw REFUSAL
    const stored = await super.create(kind, object)
    if (options?.dryRun === true) this.remove({ namespace: 'a', name: 'q' })
    return stored
  }
}

function writing() {
  const client = new QuotaServer(RESOURCE_QUOTAS)
  const { uid = '', resourceVersion = '' } = client.put(quota(['Old'])).metadata
  const writer = new QuotaWriter(
    { client } as unknown as OperatorContext,
    {
      quotas: { observeWrite: (_: unknown, __: unknown, write: () => Promise<KubeObject>) => write() },
    } as unknown as PoolCaches,
  )
  const replaceWith = (scope: string) => {
    const write: QuotaWrite = { kind: 'replace', namespace: 'a', uid, resourceVersion, quota: quota([scope]) }
    return writer.write(write, 'q', new AbortController().signal)
  }
  const scopes = () => (client.state.get('a/q') as ResourceQuota | undefined)?.spec?.scopes
  return { client, replaceWith, scopes }
}

test('a quota of other scopes takes the place of the one that was there', async () => {
  const { replaceWith, scopes } = writing()
  await replaceWith('New')
  expect(scopes()).toEqual(['New'])
})

test('one that the server would not take leaves everything as it is', async () => {
  const { client, replaceWith, scopes } = writing()
  await expect(replaceWith('Impossible')).rejects.toBe(REFUSAL)
  expect([scopes(), client.calls]).toEqual([['Old'], []])
})

test('where somebody deletes it meanwhile, it is made by the next look', async () => {
  const { client, replaceWith, scopes } = writing()
  client.remove({ namespace: 'a', name: 'q' })
  await expect(replaceWith('New')).rejects.toThrow('not found')
  expect(scopes()).toBeUndefined()
})
