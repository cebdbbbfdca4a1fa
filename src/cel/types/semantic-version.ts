import { goQuote } from '../../machinery/go/quote.ts'
import { UINT64_MAX } from '../../machinery/go/int64.ts'

/** Thrown by the readers here; the messages are those of the library that Kubernetes reads versions with. */
export class VersionSyntaxError extends Error {
  override readonly name = 'VersionSyntaxError'
}

const fail = (message: string): never => {
  throw new VersionSyntaxError(message)
}

/** A version by semver.org 2.0.0. */
export class SemanticVersion {
  readonly core: readonly [major: bigint, minor: bigint, patch: bigint]
  readonly pre: readonly (bigint | string)[]
  readonly build: readonly string[]

  constructor(core: readonly [bigint, bigint, bigint], pre: readonly (bigint | string)[], build: readonly string[]) {
    this.core = core
    this.pre = pre
    this.build = build
  }

  /** -1, 0 or 1; what was built from does not count. */
  compare(other: SemanticVersion): -1 | 0 | 1 {
    for (const [at, mine] of this.core.entries()) {
      const order = compare(mine, other.core[at] ?? 0n)
      if (order !== 0) return order
    }
    if (this.pre.length === 0 || other.pre.length === 0)
      return compare(other.pre.length, this.pre.length) === 0 ? 0 : this.pre.length === 0 ? 1 : -1
    for (const [at, mine] of this.pre.entries()) {
      const theirs = other.pre[at]
      if (theirs === undefined) return 1
      if (typeof mine !== typeof theirs) return typeof mine === 'bigint' ? -1 : 1
      const order = compare(mine, theirs)
      if (order !== 0) return order
    }
    return this.pre.length === other.pre.length ? 0 : -1
  }

  toString(): string {
    const pre = this.pre.length === 0 ? '' : `-${this.pre.join('.')}`
    return `${this.core.join('.')}${pre}${this.build.length === 0 ? '' : `+${this.build.join('.')}`}`
  }
}

function compare<T extends bigint | number | string>(left: T, right: T): -1 | 0 | 1 {
  if (left === right) return 0
  return left < right ? -1 : 1
}

function numberOf(text: string, what: string): bigint {
  if (!/^\d*$/.test(text)) fail(`Invalid character(s) found in ${what} number ${goQuote(text)}`)
  if (/^0\d/.test(text)) fail(`${capitalized(what)} number must not contain leading zeroes ${goQuote(text)}`)
  return uint64(text)
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

function uint64(text: string): bigint {
  if (text === '') fail('strconv.ParseUint: parsing "": invalid syntax')
  // Twenty digits are the most that fit.
  if (text.length > 20 || BigInt(text) > UINT64_MAX)
    fail(`strconv.ParseUint: parsing ${goQuote(text)}: value out of range`)
  return BigInt(text)
}

/** Splits at the first two dots. */
function threeParts(text: string): readonly string[] {
  const [major = '', minor, ...rest] = text.split('.')
  if (minor === undefined) return [major]
  return rest.length === 0 ? [major, minor] : [major, minor, rest.join('.')]
}

/** Reads a version. Throws `VersionSyntaxError`. */
export function parseVersion(text: string): SemanticVersion {
  if (text === '') fail('Version string empty')
  const [major, minor, rest] = threeParts(text)
  if (major === undefined || minor === undefined || rest === undefined)
    return fail('No Major.Minor.Patch elements found')
  const plus = rest.indexOf('+')
  const build = plus < 0 ? [] : rest.slice(plus + 1).split('.')
  const unbuilt = plus < 0 ? rest : rest.slice(0, plus)
  const dash = unbuilt.indexOf('-')
  const pre = dash < 0 ? [] : unbuilt.slice(dash + 1).split('.')
  const patch = dash < 0 ? unbuilt : unbuilt.slice(0, dash)
  const core = [numberOf(major, 'major'), numberOf(minor, 'minor'), numberOf(patch, 'patch')] as const
  const parsedPre = pre.map(preRelease)
  for (const part of build) {
    if (part === '') fail('Build meta data is empty')
    if (!/^[0-9A-Za-z-]+$/.test(part)) fail(`Invalid character(s) found in build meta data ${goQuote(part)}`)
  }
  return new SemanticVersion(core, parsedPre, build)
}

function preRelease(text: string): bigint | string {
  if (text === '') fail('Prerelease is empty')
  if (/^\d+$/.test(text)) {
    if (/^0\d/.test(text)) fail(`Numeric PreRelease version must not contain leading zeroes ${goQuote(text)}`)
    return uint64(text)
  }
  if (!/^[0-9A-Za-z-]+$/.test(text)) fail(`Invalid character(s) found in prerelease ${goQuote(text)}`)
  return text
}

/** Reads `v1.2` and `01.2.3` too, as the second argument of `semver()` asks for. Throws `VersionSyntaxError`. */
export function parseLenientVersion(text: string): SemanticVersion {
  const parts = threeParts(text.replace(/^v/, '')).map((part) => {
    if (part.length < 2) return part
    const stripped = part.replace(/^0+/, '')
    return /^\d/.test(stripped) ? stripped : `0${stripped}`
  })
  if (parts.length < 3 && /[+-]/.test(parts.at(-1) ?? '')) {
    fail('short version cannot contain PreRelease/Build meta data')
  }
  while (parts.length < 3) parts.push('0')
  return parseVersion(parts.join('.'))
}
