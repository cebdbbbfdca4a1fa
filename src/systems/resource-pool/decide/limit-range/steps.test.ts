import { expect, test } from 'vitest'
import { poolOf } from '../../../../../test/systems/resource-pool/pool-arena.ts'
import type { ResourcePool } from '../../api/resource-pool.ts'
import type { ResourceQuota } from '../../../../kinds/resource-quota/resource-quota.ts'
import { poolQuota } from '../quota/pool-quota.ts'
import { limitRangeSteps, type LimitRangeSteps, type LimitRangeStepsInput, type LimitRangeWrite } from './steps.ts'
import { isAsWanted, isKeptBy, type LimitRange, poolLimitRange } from './pool-limit-range.ts'

const NAMESPACE = 'a'
const SPECS = ['1', '2'].map((cpu) => ({ limits: [{ type: 'Container', default: { cpu } }] }))

/** All that there is: what the pool wants, and what its namespace has. */
interface World {
  readonly selected: boolean
  readonly deleted: boolean
  /** Which spec the pool asks for; undefined: none. */
  readonly spec: number | undefined
  readonly range: 'none' | 'first' | 'second' | 'unlabelled' | 'disowned' | 'edited' | 'foreign'
  readonly quota: boolean
}

const START: World = { selected: false, deleted: false, spec: undefined, range: 'none', quota: false }

function poolIn({ selected, deleted, spec }: World): ResourcePool {
  const pool = poolOf('p', {
    quota: { hard: { cpu: '4' } },
    ...(spec === undefined ? {} : { limitRange: SPECS[spec] }),
  })
  return {
    ...pool,
    metadata: { ...pool.metadata, ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    status: { namespaceCount: 0, claimCount: 0, conditions: [], ...(selected ? { namespaces: [NAMESPACE] } : {}) },
  }
}

function rangeIn({ range }: World, pool: ResourcePool): LimitRange | undefined {
  if (range === 'none') return undefined
  const kept = poolLimitRange(pool, SPECS[range === 'second' ? 1 : 0] ?? { limits: [] }, NAMESPACE)
  const metadata = { uid: 'u', resourceVersion: '1', ...kept.metadata }
  if (range === 'unlabelled') return { ...kept, metadata: { ...metadata, labels: {} } }
  if (range === 'disowned')
    return { ...kept, metadata: { ...metadata, labels: {}, ownerReferences: [], managedFields: [WRITTEN] } }
  if (range === 'edited') return { ...kept, metadata, spec: { limits: [] } }
  return { ...kept, metadata: range === 'foreign' ? { ...metadata, labels: {}, ownerReferences: [] } : metadata }
}

const WRITTEN = { manager: 'allot', operation: 'Update', fieldsV1: { 'f:spec': { 'f:limits': {} } } }

type Decide = (input: LimitRangeStepsInput) => LimitRangeSteps

/** A program that keeps LimitRanges and quotas, as the controller does. */
interface Program {
  readonly decide: Decide
  readonly order: readonly ('first' | 'quota' | 'last')[]
  readonly mayTake: (range: LimitRange, pool: ResourcePool) => boolean
}

const PRODUCTION: Program = { decide: limitRangeSteps, order: ['first', 'quota', 'last'], mayTake: isKeptBy }

/** The worlds after each write of one pass of the program: it may crash after any of them. */
function pass(world: World, { decide, order, mayTake }: Program): readonly World[] {
  const pool = poolIn(world)
  const range = rangeIn(world, pool)
  const isSeen = range !== undefined && Object.keys(range.metadata.labels ?? {}).length > 0
  const quota: ResourceQuota = poolQuota({ pool, namespace: NAMESPACE, hard: {}, release: undefined })
  const steps = decide({
    pool,
    ranges: new Map(isSeen ? [[NAMESPACE, range]] : []),
    quotas: new Map(world.quota ? [[NAMESPACE, quota]] : []),
  })
  const reached: World[] = []
  let now = world
  const reach = (next: World): void => {
    now = next
    reached.push(next)
  }
  const apply = ({ kind }: LimitRangeWrite): void => {
    if (kind === 'delete') return reach({ ...now, range: 'none' })
    const isFree = kind === 'update' || now.range === 'none'
    if (isFree || (range !== undefined && mayTake(range, pool)))
      reach({ ...now, range: world.spec === 1 ? 'second' : 'first' })
  }
  for (const stage of order) {
    if (stage !== 'quota') steps[stage].forEach(apply)
    else if (now.quota !== (world.selected && !world.deleted)) reach({ ...now, quota: !now.quota })
  }
  return reached
}

/** Everything that others may do next. */
function others(world: World): readonly World[] {
  const kept = !['none', 'foreign'].includes(world.range)
  return [
    ...(world.deleted
      ? []
      : [
          { ...world, selected: !world.selected },
          { ...world, deleted: true },
        ]),
    ...[undefined, 0, 1].map((spec) => ({ ...world, spec })),
    ...(kept ? (['none', 'edited', 'unlabelled', 'disowned'] as const).map((range) => ({ ...world, range })) : []),
    ...(world.range === 'none' ? [{ ...world, range: 'foreign' as const }] : []),
    ...(world.range === 'foreign' ? [{ ...world, range: 'none' as const }] : []),
  ]
}

/** Explores whatever the program and others may do; returns what went wrong. */
function explore(program: Program): string | undefined {
  const seen = new Map([[JSON.stringify(START), START]])
  for (const world of seen.values()) {
    let before = world
    for (const after of pass(world, program)) {
      if (before.range === 'foreign' && after.range !== 'foreign') return 'wrote over what is not the pool’s'
      const isAlone = ({ quota, range, spec }: World): boolean => quota && range === 'none' && spec !== undefined
      if (isAlone(after) && !isAlone(before)) return 'left a quota without its LimitRange'
      before = after
    }
    const settled = settle(world, program)
    const pool = poolIn(settled)
    const range = rangeIn(settled, pool)
    const wanted = settled.selected && !settled.deleted ? pool.spec.limitRange : undefined
    if (!['foreign', 'unlabelled', 'disowned'].includes(settled.range)) {
      if (wanted === undefined && range !== undefined) return 'left a LimitRange behind'
      if (wanted !== undefined && (range === undefined || !isAsWanted(range, pool, wanted)))
        return 'did not bring the LimitRange to what is wanted'
    }
    if (['unlabelled', 'disowned'].includes(settled.range) && wanted !== undefined)
      return 'did not label the LimitRange again'
    for (const next of [...others(world), ...pass(world, program)]) seen.set(JSON.stringify(next), next)
  }
  return undefined
}

/** The world when the program has nothing to do any more. */
function settle(world: World, program: Program): World {
  let now = world
  for (let passes = 0; passes < 5; passes++) now = pass(now, program).at(-1) ?? now
  return now
}

test('no order of passes, crashes and doings of others leaves a quota alone, a LimitRange behind, or one of others changed', () => {
  expect(explore(PRODUCTION)).toBeUndefined()
})

const withoutWait: Decide = (input) => limitRangeSteps({ ...input, quotas: new Map() })
const swapped: Decide = (input) => {
  const steps = limitRangeSteps(input)
  return { ...steps, first: steps.first.filter(({ kind }) => kind !== 'update') }
}

test.each<[string, Partial<Program>, string]>([
  ['quotas first', { order: ['quota', 'first', 'last'] }, 'left a quota without its LimitRange'],
  [
    'LimitRanges that go before their quotas',
    { decide: withoutWait, order: ['first', 'last', 'quota'] },
    'left a quota without its LimitRange',
  ],
  ['no removals', { order: ['first', 'quota'] }, 'left a LimitRange behind'],
  ['no updates', { decide: swapped }, 'did not bring the LimitRange to what is wanted'],
  ['taking what is there', { mayTake: () => true }, 'wrote over what is not the pool’s'],
  ['taking nothing', { mayTake: () => false }, 'did not label the LimitRange again'],
])('the exploration finds %s', (_, mutant, problem) => {
  expect(explore({ ...PRODUCTION, ...mutant })).toBe(problem)
})

test('amounts in another form are the same, and other bounds are not', () => {
  const pool = poolIn({ ...START, selected: true, spec: 0 })
  const wanted = { limits: [{ type: 'Container', default: { cpu: '0.5' }, min: { cpu: '100m' } }] }
  const written = (cpu: string): LimitRange => ({
    ...poolLimitRange(pool, wanted, NAMESPACE),
    spec: { limits: [{ type: 'Container', default: { cpu }, defaultRequest: { cpu }, min: { cpu: '0.1' } }] },
  })
  expect(isAsWanted(written('500m'), pool, wanted)).toBe(true)
  expect(isAsWanted(written('501m'), pool, wanted)).toBe(false)
})
