import { copyFileSync, mkdtempSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Store, type StoreOptions } from '../../src/store/store.ts'
import type { Write } from '../../src/store/record/write.ts'
import { eventually } from '../eventually.ts'
import { startInProcess } from '../in-process.ts'
import { startAllot } from '../start-allot.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'allot-removed-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const file = (name: string): string => join(directory, name)
const put = (key: string): Write => ({
  type: 'put',
  bucket: 'things',
  key,
  object: { kind: 'Thing', apiVersion: 'v1', metadata: { name: key } },
})
const open = (options: StoreOptions = {}): Promise<Store> => Store.open({ directory }, { checkEveryMs: 10, ...options })

/** Puts a copy of a file in its place, as a restored backup does. */
function replace(name: string): void {
  copyFileSync(file(name), file('copy'))
  renameSync(file('copy'), file(name))
}

test.each<[string, () => void]>([
  ['removed', () => rmSync(file('store.db-wal'))],
  ['replaced', () => replace('store.db-wal')],
])(
  'a store whose write-ahead log was %s keeps what was acknowledged and takes nothing more [security/removed-files]',
  async (_, harm) => {
    const store = await open()
    await store.commit([put('a'), put('b')])
    harm()
    const failed = await eventually(
      () => store.failed,
      (error) => error !== undefined,
    )
    expect(failed).toMatchObject({
      code: 'gone',
      message: expect.stringContaining('what was acknowledged is in the database'),
    })
    await expect(store.commit([put('c')])).rejects.toMatchObject({ code: 'gone' })
    await store.close()
    const again = await open()
    expect(again.list('things').records.map(({ key }) => key)).toEqual(['a', 'b'])
    await again.close()
  },
)

test('a commit right after the write-ahead log was removed is refused, or kept', async () => {
  const store = await open({ checkEveryMs: 60_000 })
  await store.commit([put('a')])
  rmSync(file('store.db-wal'))
  const outcomes = await Promise.allSettled([store.commit([put('b')]), store.commit([put('c')])])
  await store.close()
  const again = await open()
  const kept = again.list('things').records.map(({ key }) => key)
  expect(kept).toEqual(['a', ...['b', 'c'].filter((_, n) => outcomes[n]?.status === 'fulfilled')])
  await again.close()
})

test.each<[string, () => void]>([
  ['database was removed', () => rmSync(file('store.db'))],
  ['database was replaced', () => replace('store.db')],
  ['database was cut off', () => truncateSync(file('store.db'), 4096)],
  ['write-ahead log was cut off', () => truncateSync(file('store.db-wal'), 32)],
])(
  'a store whose %s says so within milliseconds and at its end, and is opened again only with all that was acknowledged',
  async (_, harm) => {
    const first = await open()
    await first.commit(Array.from({ length: 20 }, (_value, n) => put(`early-${n}`)))
    await first.close()
    const store = await open()
    await store.commit([put('a')])
    harm()
    let acknowledged = 21
    const outcome = await eventually(
      () => store.commit([put(`b-${acknowledged}`)]).catch((error: unknown) => error),
      (seen) => seen instanceof Error || ++acknowledged === 0,
    )
    expect(outcome).toMatchObject({ code: 'gone' })
    await expect(store.close()).rejects.toMatchObject({ code: 'gone', message: expect.stringContaining('may be lost') })
    const again = await open().catch((error: unknown) => error)
    if (again instanceof Store) {
      expect(again.list('things').records).toHaveLength(acknowledged)
      await again.close()
    } else expect(again).toMatchObject({ code: expect.stringMatching(/^(?:lost|missing|damaged)$/) })
  },
)

test('a mark that was removed is made anew', async () => {
  const store = await open()
  await store.commit([put('a')])
  rmSync(file('store.mark'))
  await store.close()
  const again = await open()
  expect(again.revision).toBe(1)
  await again.close()
})

test('readyz is red, with the reason, as long as the server runs on files that were removed [security/removed-files]', async () => {
  const server = await startInProcess({ location: { directory }, store: { checkEveryMs: 10 } })
  rmSync(file('store.db-wal'))
  const page = await server.until('/readyz', (body) => body !== 'ok')
  expect(page).toContain('[-]store failed: its files were removed or replaced while it was open')
  const answer = await server.send('POST', '/api/v1/namespaces', { metadata: { name: 'late' } })
  expect([answer.status, answer.body.message]).toEqual([503, expect.stringContaining('store.db-wal was removed')])
  expect((await server.send('GET', '/api/v1/namespaces')).status).toBe(200)
  await server.stop()
})

test('allot up does not say that state is kept when it is not, and ends with 1', async () => {
  const allot = await startAllot({ dataDir: file('data') })
  rmSync(file('data/store.db'))
  expect(await allot.stop()).toBe(1)
  expect(allot.output()).not.toContain('state is kept')
  expect(allot.logs()).toContain(`${file('data/store.db')} was removed while the store was open`)
})
