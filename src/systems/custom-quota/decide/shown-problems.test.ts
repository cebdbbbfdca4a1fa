import { expect, test } from 'vitest'
import type { KubeObject } from '../../../machinery/object.ts'
import { MeasureError } from './measure-error.ts'
import { uncountedText } from './refusal.ts'
import { shownProblems } from './shown-problems.ts'

const SOURCE = { apiVersion: 'v1', kind: 'ConfigMap', op: 'add', path: '.data.size' } as const
const line = (namespace: string, measured: 'amount' | 'selectors'): string => {
  const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'map', namespace } }
  return uncountedText(object, new MeasureError(measured, SOURCE, object, `of ${namespace}`))
}

test('a condition tells of the objects of namespaces that are shown, and of whatever is about no object', () => {
  const [own, other, selected] = [line('own', 'amount'), line('other', 'amount'), line('other', 'selectors')]
  const message = ['the operator must be allowed to list maps', own, other, selected, 'and 3 more objects'].join('\n')
  expect(shownProblems(message, (namespace) => namespace === 'own').split('\n')).toEqual([
    'the operator must be allowed to list maps',
    own,
    'and 3 more objects',
  ])
  expect(shownProblems(message, () => true)).toBe(message)
})
