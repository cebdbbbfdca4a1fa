import type { Remedy } from './explanation.ts'

/** They are offered where they make room in all quotas that are full, and nothing but room is lacking. */
const FOR_ALL: ReadonlySet<Remedy['type']> = new Set(['rollout', 'lower', 'scale'])

/** The remedies of so many causes by what they solve, each list with its title. One may be empty. */
export function remedySections(
  remedies: readonly Remedy[],
  causes: number,
): readonly (readonly [string, readonly Remedy[]])[] {
  if (causes < 2) return [['Remedies', remedies]]
  return [
    ['Remedies, each for all causes', remedies.filter(({ type }) => FOR_ALL.has(type))],
    ['Remedies, each for at least one of the causes', remedies.filter(({ type }) => !FOR_ALL.has(type))],
  ]
}
