import { expect, test } from 'vitest'
import type { KubeClient, ResourceKind } from '../kube/client/kube-client.ts'
import { forbidden } from '../machinery/status.ts'
import { globalCustomQuota } from '../systems/custom-quota/api/global-custom-quota.ts'
import { readQuotas } from './read-quotas.ts'
import { VisibleObjects } from './visible-objects.ts'

/** What is seen of a namespace by a caller who may list global quotas, and ResourceQuotas there or not. */
async function seenBy(mayListQuotas: boolean) {
  const client = {
    list: async ({ resource }: ResourceKind) => {
      if (resource === 'resourcequotas' && !mayListQuotas) throw forbidden({ group: '', resource }, '', 'not you')
      return { items: [], resourceVersion: '1' }
    },
  } as unknown as KubeClient
  const kinds = {
    of: (group: string, resource: string) => {
      const isGlobal = resource === globalCustomQuota.resource
      return { group, version: 'v1', resource, kind: resource, namespaced: !isGlobal }
    },
  }
  return await readQuotas(new VisibleObjects(client, kinds, new AbortController().signal), 'shop')
}

test('the part of a namespace is told to callers who may list its ResourceQuotas, and to no others [security/dashboard]', async () => {
  expect((await seenBy(true)).namespace).toBe('shop')
  expect((await seenBy(false)).namespace).toBe('')
})
