import type { Step } from '../scenario.ts'

export interface KnownDifference {
  /** Matches the line `path: real …, allot …` that `differences.ts` makes. */
  readonly pattern: RegExp
  /** Where it may occur, when the line does not say it; `kind` is that of the real server's answer. */
  readonly when?: (step: Step, kind: string) => boolean
  /** Why allot answers otherwise. */
  readonly reason: string
  /** The version of Kubernetes that answers as allot does, or `allot` where allot differs from all. */
  readonly since: string
}

type When = NonNullable<KnownDifference['when']>

/** In answers of these kinds, and in lists of them. */
export const inKinds =
  (...kinds: readonly string[]): When =>
  (_step, kind) =>
    kinds.includes(kind)

/** In answers to requests whose path looks so. */
export const inPath =
  (pattern: RegExp): When =>
  ({ path }) =>
    pattern.test(path)

/** Of custom resources and their definitions. */
export const isCustom = inPath(/^\/apis\/(?:apiextensions\.k8s\.io|\S+\.(?:test|example\.com))\//)

/** Managed fields of which only one side has an entry of this manager, which writes at a moment of its own. */
export const onlyOneTells = (manager: string): RegExp => {
  const [entry, none] = [`\\[.*"manager":"${manager}".*\\]`, `(?:nothing|\\[(?:(?!"manager":"${manager}").)*\\])`]
  return new RegExp(`^metadata\\.managedFields: real (?:${entry}, allot ${none}|${none}, allot ${entry})$`)
}
