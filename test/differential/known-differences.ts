import { ADMISSION } from './known/known-admission.ts'
import { APPLY } from './known/known-apply.ts'
import { CUSTOM } from './known/known-custom.ts'
import { KINDS } from './known/known-kinds.ts'
import { MANIFESTS } from './known/known-manifests.ts'
import { RANDOM } from './known/known-random.ts'
import { REQUESTS } from './known/known-requests.ts'
import type { KnownDifference } from './known/occurrence.ts'

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
