import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../eventually.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type InProcess, startInProcess } from '../in-process.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

let directory = ''
let full = ''
let server: InProcess

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'allot-full-'))
  full = join(directory, 'full')
  const store = { reserve: 4 * 1024 * 1024, reserveEveryMs: 20, faults: { fullWhile: full } }
  server = await startInProcess({ location: { directory }, store })
  const quota = { metadata: { name: 'q' }, spec: { hard: { 'count/configmaps': '100' } } }
  await server.send('POST', '/api/v1/namespaces/default/resourcequotas', quota)
  for (const name of ['a', 'b', 'c']) await server.send('POST', MAPS, { metadata: { name } })
  await eventually(
    async () => existsSync(join(directory, 'store.reserve')),
    (held) => held,
  )
})

afterEach(async () => {
  await server.stop()
  rmSync(directory, { recursive: true })
})

test('a full disk turns readyz red, refuses what needs room, lets deletions through, and all is well when it has room again', async () => {
  writeFileSync(full, '')
  // The write that finds the disk full is stored with the room that was kept.
  expect((await server.send('POST', MAPS, { metadata: { name: 'last' } })).status).toBe(201)
  const { status, body } = await server.send('GET', '/readyz')
  expect([status, body]).toEqual([500, expect.stringContaining('[-]store failed: the disk is full')])
  expect((await server.send('GET', '/livez')).status).toBe(200)
  const together = await Promise.all([
    server.send('POST', MAPS, { metadata: { name: 'one-more' } }),
    server.send('DELETE', `${MAPS}/a`),
    server.send('PATCH', `${MAPS}/c`, { data: { a: 'b' } }, { 'content-type': 'application/merge-patch+json' }),
    server.send('DELETE', `${MAPS}/b`),
  ])
  expect(together.map((answer) => answer.status)).toEqual([500, 200, 500, 200])
  expect(together[0]?.body.message).toContain('Free space on the disk')
  rmSync(full)
  await server.until('/readyz', (answer) => answer === 'ok')
  expect((await server.send('POST', MAPS, { metadata: { name: 'again' } })).status).toBe(201)
})

describe('on a disk that only deletions make room on', () => {
  const names = Array.from({ length: 20 }, (_, index) => `large-${index}`)
  const bound = { reserve: 4 * 1024 * 1024, reserveEveryMs: 3_600_000, faults: { maxPages: 1000 } }

  const large = (name: string): object => ({
    metadata: { name, finalizers: name.endsWith('1') ? ['allot.dev/test'] : [] },
    data: { text: 'x'.repeat(400_000) },
  })

  async function restart(): Promise<void> {
    await server.stop()
    server = await startInProcess({ location: { directory }, store: bound })
  }

  test('everything can be deleted, stays deleted after a restart, and as much fits again', async () => {
    await restart()
    const made: string[] = []
    for (const name of names) {
      const { status } = await server.send('POST', MAPS, large(name))
      if (status !== 201) break
      made.push(name)
    }
    expect(made.length).toBeGreaterThan(3)
    expect(server.store.full?.code).toBe('disk-full')
    for (const name of made) {
      expect((await server.send('DELETE', `${MAPS}/${name}`)).status).toBe(200)
      if (!name.endsWith('1')) continue
      const none = { metadata: { finalizers: null } }
      const merge = { 'content-type': 'application/merge-patch+json' }
      expect((await server.send('PATCH', `${MAPS}/${name}`, none, merge)).status).toBe(200)
    }
    await restart()
    for (const name of made) expect((await server.send('GET', `${MAPS}/${name}`)).status).toBe(404)
    expect((await server.send('GET', `${MAPS}/a`)).status).toBe(200)
    for (const name of made.slice(1)) expect((await server.send('POST', MAPS, large(name))).status).toBe(201)
  })
})
