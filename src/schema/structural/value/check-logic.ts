import type { Correlation } from './correlation.ts'
import type { Findings } from './findings.ts'
import type { Logic, ValueCheck } from './structural-schema.ts'

interface Branch {
  readonly found: Findings
  readonly passed: number
}

/** Checks a value against one alternative, and gives the number of checks that passed. */
export type CheckAlternative = (
  check: ValueCheck,
  value: unknown,
  name: string,
  found: Findings,
  correlation: Correlation | undefined,
) => number

/** Checks `anyOf`, `oneOf`, `allOf` and `not`, in upstream's order. Gives the number of checks that passed. */
export function checkLogic(
  logic: Logic,
  value: unknown,
  name: string,
  found: Findings,
  correlation: Correlation | undefined,
  checkValue: CheckAlternative,
): number {
  const branch = (check: ValueCheck): Branch => {
    const own = found.fresh()
    // Whether it fits does not matter any more: the object is refused.
    if (!found.matching.affordsChecks(1)) return { passed: 0, found: own }
    return { passed: checkValue(check, value, name, own, correlation), found: own }
  }
  const shown = JSON.stringify(name)
  let passed = 0
  if (logic.anyOf.length > 0) passed += checkAnyOf(logic.anyOf, branch, shown, found)
  if (logic.oneOf.length > 0) passed += checkOneOf(logic.oneOf, branch, shown, found)
  if (logic.allOf.length > 0) {
    const branches = logic.allOf.map(branch)
    const valid = branches.filter((each) => each.found.isEmpty).length
    for (const each of branches) {
      found.addAll(each.found)
      passed += each.passed
    }
    if (valid !== branches.length) {
      found.addNowhere(`${shown} must validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`)
    }
  }
  if (logic.not !== undefined && branch(logic.not).found.isEmpty) {
    found.addNowhere(`${shown} must not validate the schema (not)`)
  }
  return passed
}

function checkAnyOf(
  checks: readonly ValueCheck[],
  branch: (check: ValueCheck) => Branch,
  shown: string,
  found: Findings,
): number {
  let best: Branch | undefined
  for (const check of checks) {
    const tried = branch(check)
    if (tried.found.isEmpty) return tried.passed
    if (best === undefined || tried.passed > best.passed) best = tried
  }
  found.addNowhere(`${shown} must validate at least one schema (anyOf)`)
  if (best !== undefined) found.addAll(best.found)
  return best?.passed ?? 0
}

function checkOneOf(
  checks: readonly ValueCheck[],
  branch: (check: ValueCheck) => Branch,
  shown: string,
  found: Findings,
): number {
  const branches = checks.map(branch)
  const [first, ...more] = branches.filter((each) => each.found.isEmpty)
  if (first !== undefined && more.length === 0) return first.passed
  if (first !== undefined) {
    const count = more.length + 1
    found.addNowhere(`${shown} must validate one and only one schema (oneOf). Found ${count} valid alternatives`)
    return 0
  }
  found.addNowhere(`${shown} must validate one and only one schema (oneOf). Found none valid`)
  const best = branches.reduce((a, b) => (b.passed > a.passed ? b : a))
  found.addAll(best.found)
  return best.passed
}
