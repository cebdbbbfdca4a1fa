import { expect, test } from 'vitest'
import { invalid } from '../../machinery/field-error.ts'
import type { IdleLimit } from './idle-limits.ts'
import { judgeLimits } from './judge-limits.ts'

const outlooks = ['never', 'notHere', 'notYet'] as const

test.each(
  outlooks.flatMap((outlook) =>
    [false, true].flatMap((isOutOfScope) =>
      [undefined, false, true].map((toleratesScopes) => ({ outlook, isOutOfScope, toleratesScopes })),
    ),
  ),
)('a limit is a warning if a CRD may bring its kind, or if its scopes are tolerated: %o', (given) => {
  const { outlook, isOutOfScope, toleratesScopes } = given
  const idle: IdleLimit = { name: 'widgets', text: 'limits nothing', outlook, isOutOfScope }
  const limits = { path: 'spec.hard', names: ['widgets'], ...(toleratesScopes !== undefined && { toleratesScopes }) }
  const isWarning = outlook === 'notYet' || (isOutOfScope && toleratesScopes === true)
  expect(judgeLimits(limits, [idle])).toEqual(
    isWarning
      ? { errors: [], warnings: ['spec.hard[widgets]: limits nothing'] }
      : { errors: [invalid('spec.hard[widgets]', 'widgets', 'limits nothing')], warnings: [] },
  )
})

test('limits of both kinds are told apart, in their order', () => {
  const limit = (name: string, outlook: IdleLimit['outlook']): IdleLimit => ({
    name,
    text: 'idle',
    outlook,
    isOutOfScope: false,
  })
  const idle = [limit('a', 'notYet'), limit('b', 'never'), limit('c', 'notYet'), limit('d', 'notHere')]
  const { errors, warnings } = judgeLimits({ path: 'hard', names: [] }, idle)
  expect(errors.map(({ path }) => path)).toEqual(['hard[b]', 'hard[d]'])
  expect(warnings).toEqual(['hard[a]: idle', 'hard[c]: idle'])
})
