import { expect, test } from 'vitest'
import { formatResourceList, parseResourceList } from '../quantity/resource-list.ts'
import { fill, restricted } from './fill.ts'

type List = Readonly<Record<string, string>>
const filled = (hard: List, used: List, requested: List) => {
  const result = fill({ hard: parseResourceList(hard), used: parseResourceList(used) }, parseResourceList(requested))
  return {
    used: formatResourceList(result.used),
    excesses: result.excesses.map((one) => [
      one.resource,
      `${one.used.toString()} + ${one.requested.toString()} > ${one.hard.toString()}`,
    ]),
  }
}

test.each<readonly [string, List, List, List, List, readonly (readonly [string, string])[]]>([
  ['up to its limit', { pods: '2' }, { pods: '1' }, { pods: '1' }, { pods: '2' }, []],
  ['above its limit', { pods: '2' }, { pods: '1' }, { pods: '2' }, { pods: '3' }, [['pods', '1 + 2 > 2']]],
  ['from nothing', { pods: '2' }, {}, { pods: '3' }, { pods: '3' }, [['pods', '0 + 3 > 2']]],
  ['without a limit', { cpu: '1' }, { cpu: '1' }, { pods: '3' }, { cpu: '1', pods: '3' }, []],
  ['beside one above its limit', { cpu: '1', pods: '1' }, { cpu: '9' }, { pods: '1' }, { cpu: '9', pods: '1' }, []],
  [
    'above several limits, by their names',
    { pods: '1', cpu: '1', memory: '1' },
    {},
    { pods: '2', memory: '2', cpu: '2' },
    { pods: '2', memory: '2', cpu: '2' },
    [
      ['cpu', '0 + 2 > 1'],
      ['memory', '0 + 2 > 1'],
      ['pods', '0 + 2 > 1'],
    ],
  ],
])('a budget is filled %s', (_, hard, used, requested, after, excesses) => {
  expect(filled(hard, used, requested)).toEqual({ used: after, excesses })
})

test('of a list the amounts above zero remain under the given names, and no list where there are none', () => {
  const list = parseResourceList({ cpu: '1', memory: '0', pods: '-1', secrets: '2' })
  const left = restricted(list, ['secrets', 'memory', 'pods', 'cpu', 'services'])
  expect(left && formatResourceList(left)).toEqual({ secrets: '2', cpu: '1' })
  expect(restricted(list, ['memory', 'pods', 'services'])).toBeUndefined()
  expect(restricted(list, [])).toBeUndefined()
})
