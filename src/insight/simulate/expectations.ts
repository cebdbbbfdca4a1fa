import { isResourceQuota } from '../../api/resource-quota/resource-quota.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectOf, valueAt } from '../../machinery/read.ts'
import { Quantity, QuantityError } from '../../quantity/quantity.ts'
import { quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/resource-pool-claim.ts'
import { claimStanding, increaseStanding } from './report.ts'
import type { ChangeResult } from './simulation.ts'
import type { Simulator } from './simulate.ts'
import { RESOURCE_QUOTAS } from './world.ts'

type Amounts = Readonly<Record<string, string | number>>
interface Named {
  readonly name: string
  readonly namespace?: string
}

/** What has to be so: `expect` of a quota-test.yaml. */
export interface Expectations {
  readonly admitted?: readonly string[]
  readonly refused?: readonly { readonly object: string; readonly message?: string }[]
  readonly quotas?: readonly (Named & { readonly hard?: Amounts; readonly used?: Amounts })[]
  readonly pools?: readonly { readonly name: string; readonly hard?: Amounts; readonly used?: Amounts }[]
  readonly claims?: readonly (Named & {
    readonly state?: string
    readonly pool?: string
    readonly position?: number
    readonly message?: string
  })[]
  readonly increases?: readonly (Named & { readonly contributes?: string; readonly problem?: string })[]
  readonly workloads?: readonly {
    readonly object: string
    readonly pods?: number
    readonly stalls?: boolean
    readonly cause?: string
  }[]
}

/** What is not as expected, a sentence each. `namespace`: of what names none. */
export function unmet(
  expected: Expectations,
  simulator: Simulator,
  changes: readonly ChangeResult[],
  namespace: string,
): readonly string[] {
  const { admitted = [], quotas = [], pools = [], claims = [], increases = [], workloads = [] } = expected
  const find = (of: { readonly group: string; readonly resource: string }, { name, namespace: own }: Named) =>
    simulator.world.find(of, own ?? namespace, name)
  return [
    ...manifestProblems(expected, changes, namespace),
    ...admitted.flatMap((ref) => {
      const found = changes.findLast((one) => isNamed(one, ref, namespace))
      if (found === undefined) return [`${ref}: no manifest of it was applied`]
      const isAdmitted = found.result !== 'refused' && found.result !== 'skipped'
      return isAdmitted ? [] : [`${ref}: ${found.result}, and should have been admitted`]
    }),
    ...quotas.flatMap((one) => {
      const quota = find(RESOURCE_QUOTAS, one)
      if (quota === undefined || !isResourceQuota(quota)) return [`quota ${one.name}: there is none`]
      return amountProblems(`quota ${one.name}`, one, quota.spec?.hard, quota.status?.used)
    }),
    ...pools.flatMap((one) => {
      const pool = simulator.world.find(resourcePool, '', one.name)
      if (pool === undefined) return [`pool ${one.name}: there is none`]
      const [hard, used] = [valueAt(pool, 'spec', 'quota', 'hard'), valueAt(pool, 'status', 'allocation', 'used')]
      return amountProblems(`pool ${one.name}`, one, objectOf(hard), objectOf(used))
    }),
    ...claims.flatMap((one) => {
      const claim = find(resourcePoolClaim, one)
      if (claim === undefined) return [`claim ${one.name}: there is none`]
      const { message, ...exact } = one
      return fieldProblems(`claim ${one.name}`, exact, { message }, { ...claimStanding(claim) })
    }),
    ...increases.flatMap((one) => {
      const increase = find(quotaIncrease, one)
      if (increase === undefined) return [`increase ${one.name}: there is none`]
      const { problem, ...exact } = one
      return fieldProblems(
        `increase ${one.name}`,
        exact,
        { problem },
        { ...increaseStanding(increase, simulator.isFollowing) },
      )
    }),
    ...workloads.flatMap((one) => workloadProblems(one, simulator, namespace)),
  ]
}

function manifestProblems(
  { refused = [] }: Expectations,
  changes: readonly ChangeResult[],
  namespace: string,
): readonly string[] {
  const isExpected = (change: ChangeResult): boolean => refused.some(({ object }) => isNamed(change, object, namespace))
  return [
    ...changes
      .filter((one) => (one.result === 'refused' || one.result === 'ignored') && !isExpected(one))
      .map((one) => `${one.object.kind}/${one.object.name}: ${one.result}: ${one.message ?? ''}`),
    ...refused.flatMap(({ object, message = '' }) => {
      const found = changes.findLast((one) => isNamed(one, object, namespace))
      if (found === undefined) return [`${object}: no manifest of it was applied`]
      if (found.result !== 'refused') return [`${object}: ${found.result}, and should have been refused`]
      return found.message?.includes(message) === true
        ? []
        : [
            `${object}: refused with ${JSON.stringify(found.message)}, which does not contain ${JSON.stringify(message)}`,
          ]
    }),
  ]
}

/** Splits `Deployment/web` or `Deployment/shop/web`. */
function partsOf(ref: string): {
  readonly kind: string
  readonly namespace: string | undefined
  readonly name: string
} {
  const [kind = '', first = '', second] = ref.split('/')
  return second === undefined ? { kind, namespace: undefined, name: first } : { kind, namespace: first, name: second }
}

/** Does a change belong to what a test calls `Deployment/web` or `Deployment/shop/web`? */
export function isNamed({ object }: ChangeResult, ref: string, namespace: string): boolean {
  const { kind, namespace: own, name } = partsOf(ref)
  const isThere = object.namespace === '' ? own === undefined : object.namespace === (own ?? namespace)
  return object.kind === kind && object.name === name && isThere
}

function amountProblems(
  what: string,
  wanted: { readonly hard?: Amounts; readonly used?: Amounts },
  hard: Readonly<Record<string, unknown>> = {},
  used: Readonly<Record<string, unknown>> = {},
): readonly string[] {
  const compared = (side: string, amounts: Amounts, there: Readonly<Record<string, unknown>>): readonly string[] =>
    Object.entries(amounts).flatMap(([name, amount]) =>
      isSameAmount(amount, there[name])
        ? []
        : [
            `${what}: ${side} ${name} is ${JSON.stringify(there[name] ?? 'none')}, expected ${JSON.stringify(String(amount))}`,
          ],
    )
  return [...compared('hard', wanted.hard ?? {}, hard), ...compared('used', wanted.used ?? {}, used)]
}

function isSameAmount(wanted: string | number, there: unknown): boolean {
  if (there === undefined) return false
  try {
    return Quantity.parse(String(wanted)).equals(Quantity.fromJson(there))
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    return String(wanted) === there
  }
}

function fieldProblems(
  what: string,
  exact: Readonly<Record<string, unknown>>,
  parts: Readonly<Record<string, string | undefined>>,
  there: Readonly<Record<string, unknown>>,
): readonly string[] {
  const shown = (value: unknown): string => JSON.stringify(value ?? 'none')
  return [
    ...Object.entries(exact).flatMap(([field, value]) =>
      field === 'name' || field === 'namespace' || there[field] === value
        ? []
        : [`${what}: ${field} is ${shown(there[field])}, expected ${shown(value)}`],
    ),
    ...Object.entries(parts).flatMap(([field, part]) =>
      part === undefined || (typeof there[field] === 'string' && there[field].includes(part))
        ? []
        : [`${what}: ${field} is ${shown(there[field])}, which does not contain ${shown(part)}`],
    ),
  ]
}

function workloadProblems(
  { object: ref, pods, stalls, cause }: NonNullable<Expectations['workloads']>[number],
  simulator: Simulator,
  namespace: string,
): readonly string[] {
  const { kind, namespace: own = namespace, name } = partsOf(ref)
  const state = simulator.workload(kind, own, name)
  if (state === undefined) return [`${ref}: there is none`]
  const texts = state.causes.map(({ text }) => text)
  const why = texts.length === 0 ? '' : ` (${texts.join('; ')})`
  return [
    ...(pods === undefined || pods === state.pods ? [] : [`${ref}: ${state.pods} pods, expected ${pods}${why}`]),
    ...(stalls === undefined || stalls === (state.verdict === 'stalls')
      ? []
      : [`${ref}: ${stalls ? 'does not stall, expected it to stall' : `stalls${why}, expected it not to stall`}`]),
    ...(cause === undefined || texts.some((text) => text.includes(cause))
      ? []
      : [`${ref}: no cause contains ${JSON.stringify(cause)}${why}`]),
  ]
}

/** The expectations that a world meets as it is now, for a first test. */
export function expectationsOf(simulator: Simulator, namespace: string): Expectations {
  const { world } = simulator
  const named = (object: KubeObject): string => object.metadata.name ?? ''
  const quotas = world
    .list(RESOURCE_QUOTAS, namespace)
    .filter(isResourceQuota)
    .map((quota) => ({ name: named(quota), hard: { ...quota.spec?.hard }, used: { ...quota.status?.used } }))
  const claims = world.list(resourcePoolClaim, namespace).map((claim) => {
    const { message: _, ...standing } = claimStanding(claim)
    return { name: named(claim), ...standing }
  })
  const workloads = simulator.workloadsIn(namespace).map(({ object, pods, verdict }) => ({
    object: `${object.kind}/${object.name}`,
    pods,
    stalls: verdict === 'stalls',
  }))
  return {
    ...(quotas.length === 0 ? {} : { quotas }),
    ...(claims.length === 0 ? {} : { claims }),
    ...(workloads.length === 0 ? {} : { workloads }),
  }
}
