// Covers idle-limits.ts: what it says about each reason.
import { describe, expect, test } from 'vitest'
import { idle, offered } from '../../../test/charges/limits-of-kinds.ts'
import { invalid } from '../../machinery/field-error.ts'
import { QUOTA_EVALUATORS } from '../evaluators/table.ts'
import { idleError, idleLimits, idleWarning } from './idle-limits.ts'
import { OfferedResources } from './offered-resources.ts'

const exists = (scopeName: string) => ({ scopeName, operator: 'Exists' })

test.each([
  ['nonsense', 'never', 'limits nothing: no object is charged under this name'],
  ['cpus', 'never', 'limits nothing: no object is charged under this name; cpu was probably meant'],
  [
    'high.priorityclass.kubernetes.io/pods',
    'never',
    'limits nothing: no object is charged under this name; the scope PriorityClass was probably meant',
  ],
  [
    'count/widgets.example.com',
    'notYet',
    'limits nothing now: the API server serves no resource "widgets.example.com"',
  ],
  ['count/cpu', 'notHere', 'limits nothing: the API server serves no resource "cpu"; cpu was probably meant'],
  ['count/nodes', 'never', 'limits nothing: nodes are in no namespace, and a quota counts the objects of a namespace'],
  ['count/events', 'never', 'limits nothing: events are never charged to a quota'],
])('%s is idle: %s', (name, outlook, text) => {
  expect(idle([name])).toEqual([{ name, outlook, text, isOutOfScope: false }])
})

describe('a resource is counted', () => {
  const VERBS = ['create', 'list', 'watch', 'delete']
  const textWith = (verbs: readonly string[]): string | undefined => {
    const widgets = { group: 'example.com', resource: 'widgets', kind: 'Widget', namespaced: true, verbs }
    const options = { evaluators: QUOTA_EVALUATORS, offered: new OfferedResources([widgets]) }
    return idleLimits(['count/widgets.example.com'], options)[0]?.text
  }

  test('if it has the verbs that counting takes, whatever others it lacks', () => {
    expect(textWith(VERBS)).toBeUndefined()
  })

  test.each(VERBS)('not without the verb %s', (verb) => {
    expect(textWith(VERBS.filter((one) => one !== verb))).toBe(
      `limits nothing: widgets.example.com cannot be counted, for lack of the verb ${verb}`,
    )
  })

  test('not without any, and the first is named', () => {
    expect(textWith(['get', 'patch'])).toMatch(/for lack of the verb create$/)
  })
})

test.each([
  [[exists('VolumeAttributesClass')], 'the scope VolumeAttributesClass', 'it'],
  [
    [
      { scopeName: 'PriorityClass', operator: 'Exists' },
      { scopeName: 'PriorityClass', operator: 'DoesNotExist' },
    ],
    'the scope PriorityClass',
    'it',
  ],
  [
    [exists('BestEffort'), exists('Terminating'), exists('NotBestEffort')],
    'all of the scopes BestEffort, Terminating, NotBestEffort',
    'them',
  ],
])('a limit that %j never meet is out of scope', (requirements, scopes, them) => {
  expect(idle(['pods'], requirements)).toEqual([
    {
      name: 'pods',
      outlook: 'never',
      isOutOfScope: true,
      text: `limits nothing: no object that it counts can be in ${scopes} of this quota; a quota without ${them} was probably meant`,
    },
  ])
})

test('the idle ones are found among others, in their order', () => {
  expect(idle(['pods', 'nonsense', 'cpu', 'count/nodes']).map(({ name }) => name)).toEqual(['nonsense', 'count/nodes'])
  expect(idleLimits([], { evaluators: QUOTA_EVALUATORS, offered })).toEqual([])
})

test('an idle limit is a warning or an error of its field', () => {
  for (const found of idle(['nonsense'])) {
    expect(idleWarning('spec.hard', found)).toBe(
      'spec.hard[nonsense]: limits nothing: no object is charged under this name',
    )
    expect(idleError('spec.hard', found)).toEqual(
      invalid('spec.hard[nonsense]', 'nonsense', 'limits nothing: no object is charged under this name'),
    )
  }
  expect.assertions(2)
})
