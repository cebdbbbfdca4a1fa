import { BASE_LABEL, EFFECT_ANNOTATION, MODE_LABEL, PROBLEM_ANNOTATION } from '../api/increase-names.ts'
import type { GaugeSample } from '../../../machinery/gauge.ts'
import type { QuotaIncrease } from '../api/quota-increase.ts'
import type { NamespaceState } from './namespace-plan.ts'

/** The gauges of quota increases. */
export const INCREASE_METRICS = {
  allot_quota_increases: {
    help: 'Quota increases by mode and state: effective, ineffective, problem (invalid or expired), or pending until a definition applies them',
    labels: ['mode', 'state'],
  },
  allot_quota_definition_namespaces: { help: 'Namespaces that follow a definition', labels: ['definition'] },
  allot_namespaces_without_base_quota: {
    help: 'Namespaces that cannot have the quota of their definition; each says why in an annotation and an Event',
    labels: [],
  },
  allot_quota_definitions_held: {
    help: 'Whether new definitions are not followed, because they are unreadable or lack some that are in use',
    labels: [],
  },
} as const

export type IncreaseSample = GaugeSample<keyof typeof INCREASE_METRICS>

/** Every series. `isHeld`: are new definitions not followed? */
export function increaseMetrics(
  increases: Iterable<QuotaIncrease>,
  namespaces: Iterable<NamespaceState>,
  isHeld: boolean,
): readonly IncreaseSample[] {
  const states = new Map<string, number>()
  for (const { metadata } of increases) {
    const key = JSON.stringify([metadata.labels?.[MODE_LABEL] ?? '', stateOf(metadata.annotations ?? {})])
    states.set(key, (states.get(key) ?? 0) + 1)
  }
  const followers = new Map<string, number>()
  let blocked = 0
  for (const { labels, annotations } of namespaces) {
    if (annotations?.[PROBLEM_ANNOTATION] !== undefined) blocked++
    const definition = labels?.[BASE_LABEL]
    if (definition !== undefined) followers.set(definition, (followers.get(definition) ?? 0) + 1)
  }
  return [
    ...[...states].map(([key, count]): IncreaseSample => {
      const [mode, state] = JSON.parse(key) as readonly [string, string]
      return { name: 'allot_quota_increases', labels: { mode, state }, value: String(count) }
    }),
    ...[...followers].map(([definition, count]): IncreaseSample => ({
      name: 'allot_quota_definition_namespaces',
      labels: { definition },
      value: String(count),
    })),
    { name: 'allot_namespaces_without_base_quota', labels: {}, value: String(blocked) },
    { name: 'allot_quota_definitions_held', labels: {}, value: isHeld ? '1' : '0' },
  ]
}

function stateOf(annotations: Readonly<Record<string, string>>): string {
  if (annotations[PROBLEM_ANNOTATION] !== undefined) return 'problem'
  const effect = annotations[EFFECT_ANNOTATION]
  if (effect === undefined) return 'pending'
  return effect === '' ? 'ineffective' : 'effective'
}
