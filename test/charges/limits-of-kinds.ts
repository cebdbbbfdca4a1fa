import { readFileSync } from 'node:fs'
import type { ScopeRequirement } from '../../src/kinds/resource-quota/resource-quota.ts'
import { QUOTA_EVALUATORS } from '../../src/charges/evaluators/table.ts'
import { idleLimits } from '../../src/charges/limit-names/idle-limits.ts'
import { OfferedResources, type OfferedResource } from '../../src/charges/limit-names/offered-resources.ts'
import { strategies } from '../../src/kinds/strategies.ts'
import { qualified } from '../../src/machinery/status.ts'

export const behaviours = strategies({
  requestProblem: () => undefined,
  issuedProblem: () => undefined,
  keyPairProblem: () => undefined,
})
/** The kinds of Kubernetes. */
export const offers = servedKinds()
/** The resources that Kubernetes offers. */
export const offered = new OfferedResources(offers)
/** The kinds that a quota can count. */
export const countable = offers.filter(
  (one) =>
    one.namespaced &&
    QUOTA_EVALUATORS.of(one) !== undefined &&
    ['create', 'list', 'watch', 'delete'].every((verb) => one.verbs.includes(verb)),
)

function servedKinds(): readonly OfferedResource[] {
  const file = new URL('../../schemas/kubernetes-1.36-resources.json', import.meta.url)
  const { resources } = JSON.parse(readFileSync(file, 'utf8')) as { resources: Record<string, OfferedResource> }
  return Object.values(resources)
    .filter(({ resource }) => !resource.includes('/'))
    .map(({ group, resource, kind, namespaced, verbs }) => {
      const { shortNames = [], singular = '' } = behaviours[qualified({ group, resource })] ?? {}
      return { group, resource, kind, namespaced, verbs, shortNames, singular }
    })
}

/** The names that are idle. */
export const idle = (names: readonly string[], requirements: readonly ScopeRequirement[] = []) =>
  idleLimits(names, { evaluators: QUOTA_EVALUATORS, offered, requirements })
export const textOf = (name: string): string | undefined => idle([name])[0]?.text
/** The name that was probably meant by another one. */
export const meant = (name: string): string | undefined => /(\S+) was probably meant$/.exec(textOf(name) ?? '')?.[1]
