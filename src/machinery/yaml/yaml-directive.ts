/** The problem of a directive, and whether Go's scanner finds it, or its parser. */
export interface DirectiveProblem {
  readonly code: 'SCANNED_DIRECTIVE' | 'PARSED_DIRECTIVE'
  readonly message: string
}

const scanned = (message: string): DirectiveProblem => ({ code: 'SCANNED_DIRECTIVE', message })
const parsed = (message: string): DirectiveProblem => ({ code: 'PARSED_DIRECTIVE', message })

/**
 * The problem of a directive such as `%YAML 1.1`, in the words of Go's library, which reads that version of YAML alone.
 * `before` are the directives of the same document above it.
 */
export function directiveProblem(source: string, before: readonly string[]): DirectiveProblem | undefined {
  const name = nameOf(source)
  if (name === '') return scanned('could not find expected directive name')
  if (!/^%[\w-]+(?:[ \t]|$)/.test(source)) return scanned('found unexpected non-alphabetical character')
  if (name === 'TAG') return undefined
  if (name !== 'YAML') return scanned('found unknown directive name')
  const [, major, point, minor, rest = ''] = /^%YAML[ \t]+(\d*)(\.?)(\d*)(.*)$/.exec(source) ?? []
  if (major === undefined || major === '') return scanned('did not find expected version number')
  if (point !== '.') return scanned("did not find expected digit or '.' character")
  if (minor === undefined || minor === '') return scanned('did not find expected version number')
  if (!/^[ \t]*(?:#.*)?$/.test(rest)) return scanned('did not find expected comment or line break')
  if (before.some((one) => nameOf(one) === 'YAML')) return parsed('found duplicate %YAML directive')
  return Number(major) === 1 && Number(minor) === 1 ? undefined : parsed('found incompatible YAML document')
}

const nameOf = (source: string): string => /^%([\w-]*)/.exec(source)?.[1] ?? ''
