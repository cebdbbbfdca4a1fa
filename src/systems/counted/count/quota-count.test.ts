import { expect, test } from 'vitest'
import { Quantity } from '../../../quantity/quantity.ts'
import { QuotaCount } from './quota-count.ts'

function counting(...namespaces: readonly string[]) {
  const selected = new Set(namespaces)
  const changes: string[] = []
  const count = new QuotaCount(undefined, selected, () => void changes.push(count.total.toString()))
  const select = (namespace: string, isSelected: boolean): void => {
    if (isSelected) selected.add(namespace)
    else selected.delete(namespace)
    count.reselect(namespace, isSelected)
  }
  return { count, changes, select }
}

test('objects that cannot be measured are reported where the quota counts, and nowhere else', () => {
  const { count, changes, select } = counting('harbour')
  count.problem('quay', 'b', 'quay/b is too much')
  expect([count.problems, changes]).toEqual([[], []])
  count.problem('harbour', 'b', 'harbour/b is too much')
  count.problem('harbour', 'a', 'harbour/a is too much')
  expect(count.problems).toEqual([['harbour/a is too much', 'harbour/b is too much']])
  select('quay', true)
  expect(count.problems.flat()).toHaveLength(3)
  select('harbour', false)
  expect(count.problems).toEqual([['quay/b is too much']])
  count.problem('quay', 'b', undefined)
  expect(count.problems).toEqual([])
})

test('a problem that is known already changes nothing', () => {
  const { count, changes } = counting('harbour')
  count.problem('harbour', 'a', 'too much')
  count.problem('harbour', 'a', 'too much')
  expect(changes).toHaveLength(1)
  count.problem('harbour', 'b', undefined)
  expect(changes).toHaveLength(1)
})

test('a namespace that comes brings what its objects cost, and takes it along when it goes', () => {
  const { count, select } = counting('harbour')
  count.change('harbour', Quantity.of(2))
  count.change('quay', Quantity.of(3))
  expect(count.total.toString()).toBe('2')
  select('quay', true)
  expect(count.total.toString()).toBe('5')
  select('harbour', false)
  expect(count.total.toString()).toBe('3')
})
