import { goQuote } from '../../machinery/go/quote.ts'

/** Undefined when all is well, else why not, in a few words that anyone may read. */
export type HealthCheck = () => string | undefined

/** By name, in the order of the report. */
export type HealthChecks = Readonly<Record<string, HealthCheck>>

export interface HealthPage {
  readonly code: 200 | 500
  readonly text: string
}

/**
 * Returns the answer of Kubernetes' health pages: `ok`, or a line for each check if one fails or `?verbose` is given.
 * `page` is `readyz` or the like. `only` is the rest of the path, the name of one check. Checks in `?exclude` do not
 * count. An excluded name without a check is reported, because it may be misspelled. Undefined if there is no such
 * check.
 */
export function healthPage(
  page: string,
  checks: HealthChecks,
  only: string,
  query: URLSearchParams,
): HealthPage | undefined {
  const asked = Object.entries(checks).filter(([name]) => only === '' || name === only)
  if (only !== '' && asked.length === 0) return undefined
  const excluded = new Set(query.getAll('exclude'))
  let ok = true
  let lines = ''
  for (const [name, check] of asked) {
    const problem = excluded.has(name) ? undefined : check()
    if (problem !== undefined) ok = false
    lines +=
      problem === undefined
        ? `[+]${name} ${excluded.has(name) ? 'excluded: ' : ''}ok\n`
        : `[-]${name} failed: ${problem}\n`
  }
  const unmatched = [...excluded].filter((name) => !asked.some(([one]) => one === name)).toSorted()
  if (only === '' && unmatched.length > 0)
    lines += `warn: some health checks cannot be excluded: no matches for ${unmatched.map(goQuote).join(',')}\n`
  if (ok && (only !== '' || !query.has('verbose'))) return { code: 200, text: 'ok' }
  return { code: ok ? 200 : 500, text: `${lines}${page} check ${ok ? 'passed' : 'failed'}\n` }
}
