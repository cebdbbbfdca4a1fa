import type { NotSeen } from '../data/answer.ts'
import { decidesOnWorkloads } from '../data/resource-names.ts'
import { isRefused } from './missing-texts.ts'
import { kindsText, nothingText } from './nothing-text.ts'

const NONE = 'No workload is blocked'

/**
 * What to say where no workload is blocked. The owner of a namespace may mostly list all that Kubernetes itself has there, and no quotas of several
 * namespaces: then what was seen is said, and what was not.
 */
export function nothingBlockedText(notSeen: readonly NotSeen[]): string {
  const unseen = notSeen.filter(({ resource }) => decidesOnWorkloads(resource))
  const isPart = unseen.length > 0 && unseen.every((one) => isRefused(one) && !isBuiltIn(one.resource))
  if (!isPart) return nothingText(`${NONE}.`, notSeen, decidesOnWorkloads)
  return `${NONE} by what you may see. You may not list ${kindsText(unseen)}.`
}

/** Groups of Kubernetes itself have no dot, or are its own. */
function isBuiltIn(resource: string): boolean {
  const [, ...group] = resource.split('.')
  return group.length < 2 || resource.endsWith('.k8s.io')
}
