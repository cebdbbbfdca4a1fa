import { expect, test } from 'vitest'
import type { KubeClient } from '../kube/client/kube-client.ts'
import { ServedKinds } from './served-kinds.ts'

test.each(['x y/v1', '../v1', 'a/b/c', 'v1?limit=1', '/v1', '/', 'apps/V1'])(
  'no server is asked for the apiVersion %s, which none serves',
  async (apiVersion) => {
    const asked: string[] = []
    const client = {
      request: async (_: string, path: string) => {
        asked.push(path)
        return path === '/apis' ? { groups: [] } : { resources: [] }
      },
    } as unknown as KubeClient
    const kinds = await ServedKinds.read(client, new AbortController().signal)
    const before = asked.length
    expect([await kinds.ofManifest(apiVersion, 'Thing'), asked.slice(before)]).toEqual([undefined, []])
    await kinds.ofManifest('example.org/v1', 'Thing')
    expect(asked.slice(before)).toEqual(['/apis/example.org/v1'])
  },
)
