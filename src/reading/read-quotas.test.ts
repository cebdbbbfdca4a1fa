import { expect, test } from 'vitest'
import type { KubeClient, ResourceKind } from '../kube/client/kube-client.ts'
import type { JsonObject } from '../machinery/object.ts'
import { forbidden } from '../machinery/status.ts'
import { globalCustomQuota } from '../systems/custom-quota/api/global-custom-quota.ts'
import { readQuotas } from './read-quotas.ts'
import { VisibleObjects } from './visible-objects.ts'

const north: JsonObject = {
  apiVersion: 'capsule.clastix.io/v1beta2',
  kind: 'GlobalCustomQuota',
  metadata: { name: 'north' },
  spec: { limit: '9', sources: [] },
  status: { namespaces: ['shop'], usage: { used: '4' } },
}

/** The names of the quotas of a namespace, to a caller who may list global quotas, and not these kinds. */
async function seenWithout(...hidden: readonly string[]) {
  const client = {
    list: async ({ resource }: ResourceKind) => {
      if (hidden.includes(resource)) throw forbidden({ group: '', resource }, '', 'not you')
      return { items: resource === globalCustomQuota.resource ? [north] : [], resourceVersion: '1' }
    },
  } as unknown as KubeClient
  const kinds = {
    of: (group: string, resource: string) => {
      const isGlobal = resource === globalCustomQuota.resource
      return { group, version: 'v1', resource, kind: resource, namespaced: !isGlobal }
    },
  }
  const { customQuotas } = await readQuotas(new VisibleObjects(client, kinds, new AbortController().signal), 'shop')
  return customQuotas.map(({ metadata }) => metadata.name)
}

test('a global quota tells that it counts in a namespace to those who may list quotas there, and to no others [security/dashboard]', async () => {
  expect(await seenWithout()).toEqual(['north'])
  expect(await seenWithout('resourcequotas')).toEqual(['north'])
  expect(await seenWithout('customquotas')).toEqual(['north'])
  expect(await seenWithout('resourcequotas', 'customquotas')).toEqual([])
})
