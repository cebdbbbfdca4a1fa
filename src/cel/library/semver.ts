import type { Library } from './declaration.ts'
import { bool, free, member, semver, text } from './declaration.ts'
import type { Run } from '../types/run-budget.ts'
import { BOOL, INT, SEMVER } from '../types/cel-type.ts'
import { Failure } from '../types/scalar.ts'
import { VersionSyntaxError, parseLenientVersion, parseVersion } from '../types/semantic-version.ts'
import type { SemanticVersion } from '../types/semantic-version.ts'

function read(value: string, lenient: boolean): SemanticVersion | Failure {
  try {
    return lenient ? parseLenientVersion(value) : parseVersion(value)
  } catch (error) {
    if (error instanceof VersionSyntaxError) return new Failure(error.message)
    throw error
  }
}

const readable = (value: string, lenient: boolean): boolean => !(read(value, lenient) instanceof Failure)

function compare(left: SemanticVersion, right: SemanticVersion, run: Run): number {
  run.work(left.pre.length)
  return left.compare(right)
}

/** `semver`, `isSemver` and what is read off a version. */
export const versions: Library = [
  [
    'semver',
    [
      free('string_to_semver', [text], SEMVER, ([value]) => read(value, false)),
      free('string_bool_to_semver', [text, bool], SEMVER, ([value, lenient]) => read(value, lenient)),
    ],
  ],
  [
    'isSemver',
    [
      free('is_semver_string', [text], BOOL, ([value]) => readable(value, false)),
      free('is_semver_string_bool', [text, bool], BOOL, ([value, lenient]) => readable(value, lenient)),
    ],
  ],
  [
    'isGreaterThan',
    [member('semver_is_greater_than', [semver, semver], BOOL, ([left, right], run) => compare(left, right, run) > 0)],
  ],
  [
    'isLessThan',
    [member('semver_is_less_than', [semver, semver], BOOL, ([left, right], run) => compare(left, right, run) < 0)],
  ],
  [
    'compareTo',
    [member('semver_compare_to', [semver, semver], INT, ([left, right], run) => BigInt(compare(left, right, run)))],
  ],
  ['major', [member('semver_major', [semver], INT, ([version]) => version.core[0])]],
  ['minor', [member('semver_minor', [semver], INT, ([version]) => version.core[1])]],
  ['patch', [member('semver_patch', [semver], INT, ([version]) => version.core[2])]],
]
