import { expect, test } from 'vitest'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { systemContext } from '../../kube/time/system-context.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { Accounts } from '../bounds/accounts.ts'
import { Viewer } from '../viewer/viewer.ts'
import { pools } from './pools.ts'
import { Parameters } from './question.ts'
import { RecordedUsage } from './recorded-usage.ts'

const { group, version, resource, kind } = resourcePool

/** What the owner of the last of so many namespaces of a pool is shown. */
async function shown(count: number, ownNamespace: string, named: string) {
  const last = `n${count}`
  const asked: string[] = []
  const namespaces = Array.from({ length: count }, (_, at) => `n${at + 1}`)
  const pool = {
    metadata: { name: 'p' },
    spec: { quota: {} },
    status: { namespaces, claims: { [last]: [{ name: 'c' }] } },
  }
  const client = {
    list: async () => ({ items: [pool], resourceVersion: '1' }),
    request: async (_: string, path: string, body: { spec: { resourceAttributes: { namespace: string } } }) => {
      if (path === '/apis') return { groups: [{ name: group, versions: [{ version }], preferredVersion: { version } }] }
      if (!path.includes('selfsubject')) return { resources: [{ name: resource, kind, namespaced: false }] }
      const { namespace } = body.spec.resourceAttributes
      asked.push(namespace)
      return { status: { allowed: namespace === last } }
    },
  } as unknown as KubeClient
  const viewer = new Viewer({
    key: 'k',
    account: new Accounts(systemContext).of({ name: 'user a', isMinted: false }),
    ownNamespace,
    clientOf: () => client,
    reviewer: client,
    context: systemContext,
  })
  const { value } = await pools({
    viewer,
    client,
    fairLists: client,
    parameters: new Parameters(new URLSearchParams({ namespace: named }), ['namespace']),
    usage: new RecordedUsage(undefined, systemContext),
    body: Buffer.alloc(0),
    turn: async () => undefined,
    warn: () => undefined,
    signal: new AbortController().signal,
    now: 0,
  })
  const { rows, isComplete } = value as { rows: { namespaces: { namespace: string }[] }[]; isComplete: boolean }
  return { namespaces: rows[0]?.namespaces.map((one) => one.namespace), isComplete, asked: asked.length }
}

test('a viewer of a large pool sees the own namespace first, and learns that not all were looked at', async () => {
  const nobody = { namespaces: [], isComplete: false, asked: 101 }
  expect(await shown(300, '', '')).toEqual(nobody)
  expect(await shown(300, 'elsewhere', 'nowhere')).toEqual(nobody)
  expect(await shown(300, 'n300', '')).toEqual({ ...nobody, namespaces: ['n300'] })
  expect(await shown(300, '', 'n300')).toEqual({ ...nobody, namespaces: ['n300'] })
  expect(await shown(100, '', '')).toEqual({ namespaces: ['n100'], isComplete: true, asked: 101 })
})
