import { expect, test } from 'vitest'
import { settled } from '../../../../test/kube/manual-clock.ts'
import { at, setUp } from '../../../../test/operator/counting/counted-things.ts'
import { Quantity } from '../../../quantity/quantity.ts'
import { CountedObjects } from '../count/objects.ts'
import { QuotaCount } from '../count/quota-count.ts'
import { CountView } from './count-view.ts'

test('a view shows what objects cost its own quota, in its own namespaces', () => {
  const selection = new Set(['n'])
  const [own, other] = [0, 1].map(() => new QuotaCount(undefined, selection, () => undefined)) as [
    QuotaCount,
    QuotaCount,
  ]
  const objects = new CountedObjects()
  for (const namespace of ['n', 'm'])
    objects.put({
      namespace,
      name: 'a',
      uid: `${namespace}-a`,
      version: '10',
      costs: [
        { count: other, amount: Quantity.of(5) },
        { count: own, amount: Quantity.of(2) },
      ],
    })
  objects.put({
    namespace: 'n',
    name: 'b',
    uid: 'n-b',
    version: '11',
    costs: [{ count: other, amount: Quantity.of(5) }],
  })
  const view = new CountView({ counted: { objects } as never, count: own }, selection)
  const shown = (namespace: string, name: string) => {
    const { cost, ...rest } = view.get(namespace, name) ?? {}
    return cost === undefined ? undefined : { ...rest, cost: cost.toString() }
  }
  expect(view.total.toString()).toBe('2')
  // Else the ledger would subtract from a reservation what its object costs another quota, or in a namespace that does not count.
  expect(shown('n', 'a')).toEqual({ uid: 'n-a', version: '10', cost: '2' })
  expect([shown('n', 'b'), shown('m', 'a')]).toEqual([undefined, undefined])
  // A request for the object is over all the same.
  expect(view.lastSight('n', 'b', 'n-b')).toEqual({ version: '11', isGone: false })
})

test('a view of all namespaces contains everything only up to its watch, also where one of them was listed since', async () => {
  const { server, kind, add } = setUp()
  const selection = { has: () => true }
  const counts = [add(), add('n'), add('m')]
  kind.start()
  while (!counts.every(({ countedAt }) => countedAt !== undefined)) await settled()
  server.muted = true
  server.put(at('n', 'a', 2))
  await kind.list('n')
  const [all, listed, silent] = counts.map((count) => new CountView({ counted: kind, count }, selection))
  const upTo = (view: CountView | undefined) => [view?.revision, view?.newest]
  expect([upTo(all), upTo(listed), upTo(silent)]).toEqual([
    ['10', '11'],
    ['11', '11'],
    ['10', '10'],
  ])
})
