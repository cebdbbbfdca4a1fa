import { ADMISSION } from './known/known-admission.ts'
import { APPLY } from './known/known-apply.ts'
import { CUSTOM } from './known/known-custom.ts'
import { KINDS } from './known/known-kinds.ts'
import { MANIFESTS } from './known/known-manifests.ts'
import { RANDOM } from './known/known-random.ts'
import { REQUESTS } from './known/known-requests.ts'
import type { Step } from './scenario.ts'

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

/** The answers of `allot up`, which behaves as Kubernetes 1.36, that differ from the real server of version 1.20. */
export const KNOWN: readonly KnownDifference[] = [
  ...APPLY,
  ...CUSTOM,
  ...ADMISSION,
  ...KINDS,
  ...REQUESTS,
  ...RANDOM,
  ...MANIFESTS,
]
