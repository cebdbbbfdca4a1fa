import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Quantity } from '../../../quantity/quantity.ts'
import { CountedObjects, type ObjectCost, type Sighting } from './objects.ts'
import { QuotaCount } from './quota-count.ts'

const EVERYWHERE = { has: () => true }
const counting = (): QuotaCount => new QuotaCount(undefined, EVERYWHERE, () => undefined)
const costing = (count: QuotaCount, amount: number, problem?: string): ObjectCost => ({
  count,
  amount: Quantity.of(amount),
  ...(problem === undefined ? {} : { problem }),
})

/** A state of an object on the API server; without a size it is gone. */
interface State {
  readonly name: string
  readonly uid: string
  readonly version: string
  readonly size: number | undefined
}

/** All states that a namespace went through. An object that is made again has another uid, and one of size 0 is not counted. */
function historyOf(steps: readonly { readonly name: string; readonly size: number | undefined }[]): readonly State[] {
  const there = new Map<string, State>()
  return steps.flatMap(({ name, size }, index): readonly State[] => {
    const before = there.get(name)
    if (before === undefined && size === undefined) return []
    const version = String(10 + index)
    const state = { name, uid: before?.uid ?? `${name}-${version}`, version, size }
    if (size === undefined) there.delete(name)
    else there.set(name, state)
    return [state]
  })
}

/** The objects there are after so many states. */
function standing(states: readonly State[]): readonly State[] {
  const there = new Map<string, State>()
  for (const state of states)
    if (state.size === undefined) there.delete(state.name)
    else there.set(state.name, state)
  return [...there.values()]
}

const step = fc.record({
  name: fc.constantFrom('a', 'b', 'c'),
  size: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
})

test('whatever is seen in whatever order and how often, each object counts once, in its last state', () => {
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 12 }),
      fc.array(fc.nat(), { maxLength: 4 }),
      fc.infiniteStream(fc.nat()),
      (steps, lists, order) => {
        const count = counting()
        const objects = new CountedObjects()
        const history = historyOf(steps)
        const sighting = ({ name, uid, version, size = 0 }: State): Sighting => ({
          namespace: 'n',
          name,
          uid,
          version,
          costs: size === 0 ? [] : [costing(count, size)],
        })
        const take = (state: State): void =>
          state.size === undefined
            ? objects.remove('n', state.name, state.uid, state.version)
            : objects.put(sighting(state))
        const list = (length: number) => (): void => {
          const all = standing(history.slice(0, length))
          objects.takeList(
            {
              sightings: all.filter(({ name, size }) => size !== 0 || objects.get('n', name)).map(sighting),
              versions: new Map([['n', new Map(all.map(({ name, version }) => [name, version]))]]),
              version: history[length - 1]?.version ?? '9',
            },
            'n',
          )
        }
        const facts = [
          ...history.flatMap((state) => [() => take(state), () => take(state)]),
          ...lists.map((at) => list(at % (history.length + 1))),
        ]
        while (facts.length > 0) facts.splice((order.next().value ?? 0) % facts.length, 1)[0]?.()
        const there = standing(history)
        expect(count.total.toString()).toBe(String(there.reduce((sum, { size = 0 }) => sum + size, 0)))
        expect(new Set([...objects.entries('n')].map(([, , { uid }]) => uid))).toEqual(
          new Set(there.flatMap(({ uid, size }) => (size === 0 ? [] : [uid]))),
        )
        for (const { name, uid } of history) {
          const last = there.find((one) => one.uid === uid)
          const isGone = last === undefined
          // By this reservations of requests end: too early is as wrong as never.
          expect(objects.lastSight('n', name, uid)).toMatchObject(
            isGone ? { isGone } : { isGone, version: last.version },
          )
        }
      },
    ),
    { numRuns: 2000 },
  )
})

describe('an object that is measured again', () => {
  const seen = (costs: readonly ObjectCost[], version = '10', uid = 'u'): Sighting => ({
    namespace: 'n',
    name: 'a',
    uid,
    version,
    costs,
  })

  test('costs each quota as it was measured at last, and other quotas as before', () => {
    const [one, other] = [counting(), counting()]
    const objects = new CountedObjects()
    objects.put(seen([costing(one, 2)]))
    objects.put(seen([costing(other, 5)]))
    expect([one.total.toString(), other.total.toString()]).toEqual(['2', '5'])
    // The cost of an object may depend on the time.
    objects.put(seen([costing(one, 3)]))
    objects.put(seen([costing(one, 3)]))
    expect([one.total.toString(), other.total.toString()]).toEqual(['3', '5'])
    objects.remove('n', 'a', 'u', '11')
    expect([one.total.toString(), other.total.toString()]).toEqual(['0', '0'])
  })

  test('has a problem only while it is the last state that has it', () => {
    const count = counting()
    const objects = new CountedObjects()
    objects.put(seen([costing(count, 0)]))
    objects.put(seen([costing(count, 0, 'no number')]))
    expect(count.problems).toEqual([['no number']])
    objects.put(seen([costing(count, 2)], '11'))
    expect(count.problems).toEqual([])
    objects.put(seen([costing(count, 0, 'no number')], '12'))
    objects.remove('n', 'a', 'u', '13')
    expect(count.problems).toEqual([])
  })

  test.for([
    ['counted', 3],
    ['not counted', 0],
  ] as const)('is known as gone when only its successor of the same name is seen, which is %s', ([, size]) => {
    const count = counting()
    const objects = new CountedObjects()
    objects.put(seen([costing(count, 2)], '10', 'former'))
    objects.put(seen(size === 0 ? [] : [costing(count, size)], '15', 'later'))
    expect(count.total.toString()).toBe(String(size))
    // Else a request to update it would hold its room until its time is over, and its namespace would have to wait for that.
    expect(objects.lastSight('n', 'a', 'former')).toMatchObject({ isGone: true })
    // Nothing that is seen of the former one after that counts.
    objects.put(seen([costing(count, 9)], '12', 'former'))
    objects.remove('n', 'a', 'former', '14')
    expect(count.total.toString()).toBe(String(size))
  })

  test('is known as gone although a list has shown its successor in its place', () => {
    const count = counting()
    const objects = new CountedObjects()
    objects.put(seen([costing(count, 2)], '10', 'former'))
    // The list had come before the watch showed the former one.
    objects.takeList({ sightings: [], versions: new Map([['n', new Map([['a', '15']])]]), version: '15' })
    objects.remove('n', 'a', 'former', '12')
    expect(objects.lastSight('n', 'a', 'former')).toMatchObject({ isGone: true })
  })

  test('costs a quota nothing that was dropped', () => {
    const [one, dropped] = [counting(), counting()]
    const objects = new CountedObjects()
    objects.put(seen([costing(one, 2), costing(dropped, 3)]))
    dropped.isDropped = true
    objects.sweep()
    expect(objects.get('n', 'a')?.costs.map(({ count }) => count)).toEqual([one])
    one.isDropped = true
    objects.sweep()
    expect(objects.get('n', 'a')).toBeUndefined()
  })
})
