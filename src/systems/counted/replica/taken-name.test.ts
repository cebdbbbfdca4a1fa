import { expect, test } from 'vitest'
import { at, setUp } from '../../../../test/operator/counting/counted-things.ts'
import { settled } from '../../../../test/kube/manual-clock.ts'
import { THINGS } from '../../../../test/kube/scripted-caches.ts'
import { isMissed } from './missed-generations.ts'
import { takenNameText } from './taken-name.ts'

const RESOURCE = { ...THINGS, verbs: [], shortNames: [], subresources: [] }

async function counted() {
  const { server, kind, add } = setUp()
  for (const name of ['a', 'b']) server.put(at('n', name, 1))
  const count = add()
  kind.start()
  while (count.countedAt === undefined) await settled()
  const asked = (operation: 'CREATE' | 'UPDATE', uid: string, name = 'a') =>
    takenNameText(server, { resource: RESOURCE, counted: kind }, { operation, namespace: 'n', name, uid }, {})
  return { server, kind, asked }
}

test('a create is answered as the API server does where another object has its name', async () => {
  const { server, asked } = await counted()
  expect(await asked('CREATE', 'new')).toBe('things.a.test "a" already exists')
  expect(await asked('UPDATE', 'uid-1')).toBeUndefined()
  expect(await asked('CREATE', 'new', 'c')).toBeUndefined()
  // Its own object may have come before the answer of an earlier call of the webhook. Nobody has to be asked then.
  const before = server.calls.length
  expect(await asked('CREATE', 'uid-1')).toBeUndefined()
  expect(server.calls).toHaveLength(before)
})

test('a name that is free again, or that its own object has taken since, is not taken', async () => {
  const { server, asked } = await counted()
  server.muted = true
  server.remove({ namespace: 'n', name: 'a' })
  expect(await asked('CREATE', 'new')).toBeUndefined()
  server.put(at('n', 'a', 1))
  expect(await asked('CREATE', 'uid-3')).toBeUndefined()
  expect(await asked('CREATE', 'new')).toBeDefined()
})

test('nothing was missed between a generation and the next', () => {
  expect([isMissed(3, 3), isMissed(3, 4), isMissed(3, 5), isMissed(3, 2)]).toEqual([false, false, true, true])
})
