import { expect, test } from 'vitest'
import { UNREACHABLE } from '../../../test/kube/scripted-client.ts'
import { notFound } from '../../machinery/status.ts'
import { ServedKinds } from './served-kinds.ts'

const resources = (...names: readonly (readonly [resource: string, kind: string])[]) => ({
  resources: names.map(([name, kind]) => ({ name, kind, namespaced: true, verbs: ['list'] })),
})

function setUp(documents: Record<string, unknown>) {
  const calls: string[] = []
  const kinds = new ServedKinds({
    request: async (_method, path) => {
      calls.push(path)
      if (documents[path] instanceof Error) throw documents[path]
      if (documents[path] === undefined) throw notFound({ group: '', resource: 'paths' }, path)
      return documents[path]
    },
  })
  return { kinds, calls, documents }
}

test('a kind is looked up once, with its subresources, until its group changes', async () => {
  const { kinds, calls, documents } = setUp({
    '/apis/x.io/v1': resources(['widgets', 'Widget'], ['widgets/scale', 'Scale']),
  })
  const widget = { group: 'x.io', version: 'v1', kind: 'Widget' }
  const [found] = await Promise.all([kinds.find(widget), kinds.find(widget)])
  expect(found).toMatchObject({ resource: 'widgets', subresources: ['scale'] })
  expect(calls).toEqual(['/apis/x.io/v1'])
  documents['/apis/x.io/v1'] = resources()
  expect(await kinds.find(widget)).toBeDefined()
  kinds.forget('x.io')
  expect(await kinds.find(widget)).toBeUndefined()
})

test('a kind that is not served is looked up each time, and so is one whose lookup failed', async () => {
  const { kinds, documents } = setUp({})
  const pod = { group: '', version: 'v1', kind: 'Pod' }
  expect(await kinds.find(pod)).toBeUndefined()
  documents['/api/v1'] = UNREACHABLE
  await expect(kinds.find(pod)).rejects.toBe(UNREACHABLE)
  documents['/api/v1'] = resources(['pods', 'Pod'])
  expect(await kinds.find(pod)).toMatchObject({ resource: 'pods', group: '', version: 'v1' })
})

test('a kind that its group version lacks is asked for each time, as servers offer kinds one after another', async () => {
  const { kinds, calls, documents } = setUp({ '/apis/x.io/v1': resources(['widgets', 'Widget']) })
  const gadget = { group: 'x.io', version: 'v1', kind: 'Gadget' }
  expect(await kinds.find(gadget)).toBeUndefined()
  expect(await kinds.ofResource({ ...gadget, resource: 'gadgets' })).toBeUndefined()
  documents['/apis/x.io/v1'] = resources(['widgets', 'Widget'], ['gadgets', 'Gadget'])
  expect(await kinds.find(gadget)).toBeDefined()
  expect(await kinds.ofResource({ ...gadget, resource: 'widgets' })).toBeDefined()
  expect(calls).toHaveLength(3)
})

test('a kind without a version is found in the one that the server prefers', async () => {
  const { kinds } = setUp({
    '/apis/x.io': {
      name: 'x.io',
      versions: [{ version: 'v1' }, { version: 'v2' }],
      preferredVersion: { version: 'v2' },
    },
    '/apis/x.io/v2': resources(['widgets', 'Widget']),
  })
  expect(await kinds.find({ group: 'x.io', version: '', kind: 'Widget' })).toMatchObject({ version: 'v2' })
  expect(await kinds.find({ group: 'y.io', version: '', kind: 'Widget' })).toBeUndefined()
})
