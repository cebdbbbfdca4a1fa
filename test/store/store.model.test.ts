import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { array, assert, asyncProperty, boolean, constantFrom, integer, nat, record, type Arbitrary } from 'fast-check'
import { expect, test } from 'vitest'
import { Store, type StoreLocation, type StoreOptions } from '../../src/store/store.ts'
import { StoreConflict, StoreExpired } from '../../src/store/record/store-error.ts'
import type { Expectation, Write } from '../../src/store/record/write.ts'

/** The naive model: a full copy of the state after every revision. */
interface Model {
  /** `states[r]`: bucket/key → value at revision r. */
  readonly states: ReadonlyMap<string, Cell>[]
  readonly events: { readonly bucket: string; readonly key: string; readonly line: string }[]
}

interface Cell {
  readonly revision: number
  readonly value: number
}

const bucket = constantFrom('pods', 'secrets')
const key = constantFrom('a/x', 'a/y', 'a-b/x', 'b/x', 'b/y')
const expectation = constantFrom<Expectation | 'current'>(undefined, undefined, 'absent', 'present', 'current', {
  revision: 1,
})
const drawnWrite = record({ deletes: boolean(), bucket, key, expectation, value: nat() })
const commits = array(array(drawnWrite, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 40 })
const historyEvents = constantFrom(1, 5, 1000)

type Drawn = typeof drawnWrite extends Arbitrary<infer T> ? T : never

function current(model: Model): ReadonlyMap<string, Cell> {
  return model.states.at(-1)!
}

/** The meaning of the drawn commit now, and its effect on the model; `undefined`: a conflict. */
function play(model: Model, drawn: readonly Drawn[]): { writes: Write[]; after: Model | undefined } {
  const states = [...model.states]
  const events = [...model.events]
  const writes: Write[] = []
  let conflict = false
  for (const { deletes, bucket, key, expectation, value } of drawn) {
    const before = states.at(-1)!
    const cell = before.get(`${bucket} ${key}`)
    const expect =
      expectation === 'current' ? (cell === undefined ? 'absent' : { revision: cell.revision }) : expectation
    const object = { kind: 'K', apiVersion: 'v1', metadata: { name: key }, value }
    writes.push(deletes ? { type: 'delete', bucket, key, expect } : { type: 'put', bucket, key, object, expect })
    if (
      expect === 'absent'
        ? cell !== undefined || deletes
        : expect === undefined
          ? deletes && cell === undefined
          : cell === undefined
    )
      conflict = true
    if (typeof expect === 'object' && cell?.revision !== expect.revision) conflict = true
    const revision = states.length
    const state = new Map(before)
    const kept = deletes ? cell?.value : value
    if (deletes) state.delete(`${bucket} ${key}`)
    else state.set(`${bucket} ${key}`, { revision, value })
    const type = deletes ? 'deleted' : cell === undefined ? 'added' : 'modified'
    states.push(state)
    events.push({ bucket, key, line: `${type} ${key} ${revision} ${kept} ${cell?.revision}` })
  }
  return { writes, after: conflict ? undefined : { states, events } }
}

/** Compares everything that can be read with the model. */
function compare(store: Store, model: Model, oldest: number, reopened: boolean): void {
  const revision = model.states.length - 1
  expect(store.revision).toBe(revision)
  for (const at of new Set([oldest, Math.floor((oldest + revision) / 2), revision])) {
    for (const bucket of ['pods', 'secrets'])
      for (const namespace of [undefined, 'a', 'b']) {
        const expected = [...model.states[at]!]
          .map(([name, cell]) => ({ bucket: name.split(' ')[0], key: name.split(' ')[1]!, ...cell }))
          .filter((cell) => cell.bucket === bucket && (namespace === undefined || cell.key.startsWith(`${namespace}/`)))
          .toSorted((one, other) => (one.key < other.key ? -1 : 1))
        const found: unknown[] = []
        let after: string | undefined
        do {
          const page = store.list(bucket, { namespace, after, limit: 2, at })
          for (const { bucket, key, revision, object } of page.records)
            found.push({ bucket, key, revision, value: object['value'] })
          expect(page.remaining ?? 0).toBe(expected.length - found.length)
          after = page.next
        } while (after !== undefined)
        expect(found).toEqual(expected)
      }
    const seen: string[] = []
    const watch = store.watch({ bucket: 'pods', from: at }, ({ type, record, revision, previous }) =>
      seen.push(`${type} ${record.key} ${revision} ${String(record.object['value'])} ${previous?.revision}`),
    )
    watch.close()
    expect(seen).toEqual(
      model.events
        .slice(at)
        .filter(({ bucket }) => bucket === 'pods')
        .map(({ line }) => line),
    )
  }
  for (const [name, cell] of current(model)) {
    const [bucket = '', key = ''] = name.split(' ')
    expect(store.get(bucket, key)?.revision).toBe(cell.revision)
    expect(store.latest(bucket, key)?.revision).toBe(cell.revision)
  }
  if (oldest === 0) return
  // The newest event that has left the history is all that a list before it would have to take back.
  const { bucket: lost, key } = model.events[oldest - 1]!
  expect(() => store.list(lost, { at: oldest - 1 })).toThrow(StoreExpired)
  expect(() => store.list(lost, { namespace: key.split('/')[0], at: oldest - 1 })).toThrow(StoreExpired)
  if (reopened) return
  const other = lost === 'pods' ? 'secrets' : 'pods'
  const then = [...model.states[oldest - 1]!].flatMap(([name]) => (name.startsWith(other) ? [name.split(' ')[1]!] : []))
  expect(store.list(other, { at: oldest - 1 }).records.map((found) => found.key)).toEqual(
    then.toSorted((one, another) => (one < another ? -1 : 1)),
  )
}

/** Plays commits, `concurrent` of them at a time, and compares after each round. */
async function run(
  location: StoreLocation,
  options: StoreOptions,
  all: readonly (readonly Drawn[])[],
  concurrent: number,
  reopen: boolean,
): Promise<void> {
  let store = await Store.open(location, options)
  try {
    let model: Model = { states: [new Map()], events: [] }
    const live: string[] = []
    const listen = (): void =>
      void store.watch({ bucket: 'secrets' }, ({ type, record, revision, previous }) =>
        live.push(`${type} ${record.key} ${revision} ${String(record.object['value'])} ${previous?.revision}`),
      )
    listen()
    for (let n = 0; n < all.length; n += concurrent) {
      const round = all.slice(n, n + concurrent).map((drawn) => {
        const { writes, after } = play(model, drawn)
        const outcome = store.commit(writes)
        model = after ?? model
        return outcome.then(
          () => after !== undefined,
          (error: unknown) => error instanceof StoreConflict && after === undefined,
        )
      })
      for (const [name, { value }] of current(model)) {
        const [bucket = '', key = ''] = name.split(' ')
        expect(store.latest(bucket, key)?.object['value']).toBe(value)
      }
      expect(await Promise.all(round)).not.toContain(false)
      const bound = options.historyEvents ?? Infinity
      compare(store, model, Math.max(0, model.events.length - bound), reopen)
      if (reopen) {
        await store.close()
        store = await Store.open(location, options)
        listen()
        compare(store, model, Math.max(0, model.events.length - bound), reopen)
      }
    }
    expect(live).toEqual(model.events.filter(({ bucket }) => bucket === 'secrets').map(({ line }) => line))
  } finally {
    await store.close()
  }
}

test('random commits, lists at revisions and watches agree with a naive model', async () => {
  const checked = assert(
    asyncProperty(commits, historyEvents, integer({ min: 1, max: 8 }), async (all, historyEvents, concurrent) => {
      await run({ memory: true }, { historyEvents, freeze: true }, all, concurrent, false)
    }),
    { numRuns: 60 },
  )
  await expect(checked).resolves.toBeUndefined()
})

test('a store that is closed and opened again agrees with the model, history included', async () => {
  const checked = assert(
    asyncProperty(commits, historyEvents, async (all, historyEvents) => {
      const directory = mkdtempSync(join(tmpdir(), 'allot-store-model-'))
      try {
        await run({ directory }, { historyEvents }, all, 10, true)
      } finally {
        rmSync(directory, { recursive: true })
      }
    }),
    { numRuns: 6 },
  )
  await expect(checked).resolves.toBeUndefined()
})

test('batches that fail leave everything as the others made it, before and after opening again', async () => {
  const fails = array(integer({ min: 1, max: 25 }), { maxLength: 12 })
  const checked = assert(
    asyncProperty(commits, fails, historyEvents, async (all, failing, historyEvents) => {
      const directory = mkdtempSync(join(tmpdir(), 'allot-store-model-'))
      const failBatches = failing.map((batch) => ({ batch, errcode: 13 }))
      let store = await Store.open({ directory }, { historyEvents, faults: { failBatches } })
      try {
        const model = new Map<string, number>()
        for (let n = 0; n < all.length; n += 4) {
          const round = all.slice(n, n + 4).map(async (drawn, i) => {
            // Half of them are accepted on top of a batch that is being written.
            if (i % 2 === 1) await new Promise<void>((resolve) => process.nextTick(resolve))
            const writes = drawn.map(({ deletes, bucket, key, value }): Write => {
              const object = { kind: 'K', apiVersion: 'v1', metadata: { name: key }, value }
              return deletes ? { type: 'delete', bucket, key } : { type: 'put', bucket, key, object }
            })
            const records = await store.commit(writes).catch(() => [])
            for (const [i, { bucket, key, revision }] of records.entries())
              if (drawn[i]?.deletes === true) model.delete(`${bucket} ${key}`)
              else model.set(`${bucket} ${key}`, revision)
          })
          await Promise.all(round)
          compareLive(store, model)
        }
        await store.close()
        store = await Store.open({ directory }, { historyEvents })
        compareLive(store, model)
      } finally {
        await store.close()
        rmSync(directory, { recursive: true })
      }
    }),
    { numRuns: 8 },
  )
  await expect(checked).resolves.toBeUndefined()
})

/** Nothing is in flight: `latest`, `get` and lists show the model and nothing else. */
function compareLive(store: Store, model: ReadonlyMap<string, number>): void {
  const expected = [...model].map(([name, revision]) => `${name} ${revision}`).toSorted()
  const listed: string[] = []
  for (const bucket of ['pods', 'secrets']) {
    const all = store.list(bucket).records
    for (const { key, revision } of all) {
      listed.push(`${bucket} ${key} ${revision}`)
      expect(store.get(bucket, key)?.revision).toBe(revision)
    }
    expect([...store.latestIn(bucket, undefined)]).toEqual(all)
    const first = store.list(bucket, { limit: 1 })
    expect(first.records.length + (first.remaining ?? 0)).toBe(all.length)
  }
  expect(listed.toSorted()).toEqual(expected)
}
