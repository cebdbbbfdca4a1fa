import { isResourceQuota } from '../../kinds/resource-quota/resource-quota.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { GroupResource } from '../../machinery/status.ts'
import { customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { karmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { LIMIT } from '../budgets/custom-quota.ts'
import { type ExpectedAmounts, type ExpectedLimit, LIMITED, limitProblems, type Unmet } from './expected-limits.ts'
import { countedSides } from './limit-sides.ts'
import { claimStanding, increaseStanding } from './report.ts'
import type { ChangeResult } from './simulation.ts'
import type { Simulator } from './simulate.ts'
import { RESOURCE_QUOTAS } from './world.ts'

interface Named {
  readonly name: string
  readonly namespace?: string
}

/** What has to be so: `expect` of a quota-test.yaml. */
export interface Expectations {
  readonly admitted?: readonly string[]
  readonly refused?: readonly { readonly object: string; readonly message?: string }[]
  readonly quotas?: readonly (Named & ExpectedAmounts)[]
  readonly customQuotas?: readonly (Named & ExpectedLimit)[]
  readonly globalCustomQuotas?: readonly (Pick<Named, 'name'> & ExpectedLimit)[]
  readonly karmadaQuotas?: readonly (Named & ExpectedAmounts)[]
  readonly pools?: readonly (Pick<Named, 'name'> & ExpectedAmounts)[]
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

/** What is not as expected. `namespace`: of what names none. */
export function unmet(
  expected: Expectations,
  simulator: Simulator,
  changes: readonly ChangeResult[],
  namespace: string,
): readonly Unmet[] {
  const { world } = simulator
  const find = (of: GroupResource, { name, namespace: own }: Named) => world.find(of, own ?? namespace, name)
  const none = (called: string, one: Partial<Named> | undefined): Unmet =>
    said(`${called}: there is none${one === undefined ? '' : ` in namespace ${one.namespace ?? namespace}`}`)
  const { admitted = [], refused = [], claims = [], increases = [], workloads = [] } = expected
  return [
    ...unexpectedRefusals(refused, changes, namespace),
    ...each('refused', refused, (one) => refusalProblems(one, changes, namespace)),
    ...each('admitted', admitted, (ref) => {
      const found = changes.findLast((one) => isNamed(one, ref, namespace))
      if (found === undefined) return [said(`${ref}: no manifest of it was applied`)]
      const isAdmitted = found.result !== 'refused' && found.result !== 'skipped'
      return isAdmitted ? [] : [said(`${ref}: ${found.result}, and should have been admitted`)]
    }),
    ...LIMITED.flatMap(({ field, kind, what, sides }) =>
      each<Named & (ExpectedAmounts | ExpectedLimit)>(field, expected[field] ?? [], (one) => {
        const object = kind.namespaced ? find(kind, one) : world.find(kind, '', one.name)
        const called = `${what} ${one.name}`
        return object === undefined
          ? [none(called, kind.namespaced ? one : undefined)]
          : limitProblems(called, one, sides(object))
      }),
    ),
    ...each('claims', claims, (one) => {
      const claim = find(resourcePoolClaim, one)
      if (claim === undefined) return [none(`claim ${one.name}`, one)]
      const { message, ...exact } = one
      return fieldProblems(`claim ${one.name}`, exact, { message }, { ...claimStanding(claim) })
    }),
    ...each('increases', increases, (one) => {
      const increase = find(quotaIncrease, one)
      if (increase === undefined) return [none(`increase ${one.name}`, one)]
      const { problem, ...exact } = one
      const standing = increaseStanding(increase, simulator.isFollowing)
      return fieldProblems(`increase ${one.name}`, exact, { problem }, { ...standing })
    }),
    ...each('workloads', workloads, (one) => workloadProblems(one, simulator, namespace)),
  ]
}

const said = (text: string, path = ''): Unmet => ({ path, text })

/** What is not as the items of a list say. The paths of `problems` are relative to the item. */
const each = <T>(field: string, items: readonly T[], problems: (item: T) => readonly Unmet[]): readonly Unmet[] =>
  items.flatMap((item, index) =>
    problems(item).map(({ path, text }) => said(text, `${field}[${index}]${path === '' ? '' : `.${path}`}`)),
  )

type ExpectedRefusal = NonNullable<Expectations['refused']>[number]

/** The manifests that are refused or ignored, and that no expectation names. */
const unexpectedRefusals = (
  refused: readonly ExpectedRefusal[],
  changes: readonly ChangeResult[],
  namespace: string,
): readonly Unmet[] =>
  changes
    .filter(({ result }) => result === 'refused' || result === 'ignored')
    .filter((change) => !refused.some(({ object }) => isNamed(change, object, namespace)))
    .map((one) => said(`${one.object.kind}/${one.object.name}: ${one.result}: ${one.message ?? ''}`))

function refusalProblems(
  { object, message = '' }: ExpectedRefusal,
  changes: readonly ChangeResult[],
  namespace: string,
): readonly Unmet[] {
  const found = changes.findLast((one) => isNamed(one, object, namespace))
  if (found === undefined) return [said(`${object}: no manifest of it was applied`)]
  if (found.result !== 'refused') return [said(`${object}: ${found.result}, and should have been refused`)]
  if (found.message?.includes(message) === true) return []
  const [is, part] = [found.message, message].map((text) => JSON.stringify(text))
  return [said(`${object}: refused with ${is}, which does not contain ${part}`, 'message')]
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

function fieldProblems(
  what: string,
  exact: Readonly<Record<string, unknown>>,
  parts: Readonly<Record<string, string | undefined>>,
  there: Readonly<Record<string, unknown>>,
): readonly Unmet[] {
  const shown = (value: unknown): string => JSON.stringify(value ?? 'none')
  return [
    ...Object.entries(exact).flatMap(([field, value]) =>
      field === 'name' || field === 'namespace' || there[field] === value
        ? []
        : [said(`${what}: ${field} is ${shown(there[field])}, expected ${shown(value)}`, field)],
    ),
    ...Object.entries(parts).flatMap(([field, part]) =>
      part === undefined || (typeof there[field] === 'string' && there[field].includes(part))
        ? []
        : [said(`${what}: ${field} is ${shown(there[field])}, which does not contain ${shown(part)}`, field)],
    ),
  ]
}

function workloadProblems(
  { object: ref, pods, stalls, cause }: NonNullable<Expectations['workloads']>[number],
  simulator: Simulator,
  namespace: string,
): readonly Unmet[] {
  const { kind, namespace: own = namespace, name } = partsOf(ref)
  const state = simulator.workload(kind, own, name)
  if (state === undefined) return [said(`${ref}: there is none in namespace ${own}`)]
  const texts = state.causes.map(({ text }) => text)
  const why = texts.length === 0 ? '' : ` (${texts.join('; ')})`
  return [
    ...(pods === undefined || pods === state.pods
      ? []
      : [said(`${ref}: ${state.pods} pods, expected ${pods}${why}`, 'pods')]),
    ...(stalls === undefined || stalls === (state.verdict === 'stalls')
      ? []
      : [
          said(
            `${ref}: ${stalls ? 'does not stall, expected it to stall' : `stalls${why}, expected it not to stall`}`,
            'stalls',
          ),
        ]),
    ...(cause === undefined || texts.some((text) => text.includes(cause))
      ? []
      : [said(`${ref}: no cause contains ${JSON.stringify(cause)}${why}`, 'cause')]),
  ]
}

const amountOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? '0'))

const amountsOf = (amounts: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(amounts).map(([name, value]) => [name, amountOf(value)]))

/** The expectations that a world meets as it is now, for a first test. */
export function expectationsOf(simulator: Simulator, namespace: string): Expectations {
  const { world } = simulator
  const named = (object: KubeObject): string => object.metadata.name ?? ''
  const quotas = world
    .list(RESOURCE_QUOTAS, namespace)
    .filter(isResourceQuota)
    .map((quota) => ({ name: named(quota), hard: { ...quota.spec?.hard }, used: { ...quota.status?.used } }))
  const customQuotas = world.list(customQuota, namespace).map((quota) => {
    const { hard, used } = countedSides(quota)
    return { name: named(quota), limit: amountOf(hard[LIMIT]), used: amountOf(used[LIMIT]) }
  })
  const karmadaQuotas = world.list(karmadaQuota, namespace).map((quota) => {
    const { hard, used } = countedSides(quota)
    return { name: named(quota), hard: amountsOf(hard), used: amountsOf(used) }
  })
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
    ...(customQuotas.length === 0 ? {} : { customQuotas }),
    ...(karmadaQuotas.length === 0 ? {} : { karmadaQuotas }),
    ...(claims.length === 0 ? {} : { claims }),
    ...(workloads.length === 0 ? {} : { workloads }),
  }
}
