import { describe, expect, test } from 'vitest'
import { settled } from '../../../../test/kube/manual-clock.ts'
import { THINGS } from '../../../../test/kube/scripted-caches.ts'
import { at, setUp, total } from '../../../../test/operator/counting/counted-things.ts'
import { catchUpWith } from './catch-up.ts'

const RESOURCE = { ...THINGS, verbs: [], shortNames: [], subresources: [] }
/** Too many to be listed for each refusal. */
const MANY = 501

/** A count of so many objects of namespace `n`, whose watch shows nothing of what is stored from now on. */
async function behind(objects: number) {
  const { server, kind, add } = setUp()
  for (let n = 0; n < objects; n++) server.put(at('n', `o${n}`, 1))
  const count = add('n')
  kind.start()
  while (count.countedAt === undefined) await settled()
  server.muted = true
  const catchUp = (revision: string | undefined, isExact: boolean, signal = new AbortController().signal) =>
    catchUpWith({ client: server, resource: RESOURCE, counted: kind, namespace: 'n' }, revision, isExact, signal)
  const listsAfter = async (work: Promise<void>): Promise<number> => {
    const before = server.calls.length
    await work
    return server.calls.slice(before).filter((call) => call === 'list').length
  }
  return { server, kind, count, catchUp, listsAfter }
}

describe('a count that is brought up to what is stored', () => {
  test('lists few objects each time', async () => {
    const { server, count, catchUp } = await behind(1)
    server.put(at('n', 'later', 2))
    await catchUp(undefined, false)
    expect(total(count)).toBe('3')
  })

  test('waits for the watch of many, and lists nothing where that shows them', async () => {
    const { server, count, catchUp, listsAfter } = await behind(MANY)
    server.put(at('n', 'later', 2))
    const caughtUp = catchUp(undefined, true)
    while (server.calls.at(-1) !== 'probe') await settled()
    server.deliver()
    expect(await listsAfter(caughtUp)).toBe(0)
    expect(total(count)).toBe(String(MANY + 2))
  })

  test('lists even many where nothing may be missing and the watch is silent', async () => {
    const { server, count, catchUp } = await behind(MANY)
    // A ledger that is opened by less would allow more than its limit.
    server.put(at('n', 'later', 2))
    await catchUp(undefined, true)
    expect(total(count)).toBe(String(MANY + 2))
  })

  test('lists even many where the ledger has come further with them, and not where it has not', async () => {
    const { server, kind, count, catchUp, listsAfter } = await behind(MANY)
    const before = kind.versionOf('n')
    server.put(at('n', 'later', 2))
    expect(await listsAfter(catchUp(before, false))).toBe(0)
    expect(total(count)).toBe(String(MANY))
    await catchUp(server.revision, false)
    expect(total(count)).toBe(String(MANY + 2))
  })

  test('is not waited for any longer than the request is', async () => {
    const { server, catchUp } = await behind(MANY)
    const gone = new Error('gone')
    const request = new AbortController()
    server.put(at('n', 'later', 2))
    const caughtUp = catchUp(undefined, false, request.signal)
    while (server.calls.at(-1) !== 'probe') await settled()
    await settled()
    request.abort(gone)
    await expect(caughtUp).rejects.toBe(gone)
  })
})
