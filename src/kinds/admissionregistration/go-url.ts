import { goQuote } from '../../machinery/go/quote.ts'

/** The parts of a URL as Go's `url.Parse` returns them; a missing part is empty. */
export interface GoUrl {
  readonly scheme: string
  /** With the port. */
  readonly host: string
  /** Name and password as written; undefined where there is no `@`. */
  readonly user: string | undefined
  readonly query: string
  readonly fragment: string
}

const BAD_ESCAPE = /%(?![0-9a-fA-F]{2}).{0,2}/s
const USER = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/

/**
 * Reads a URL as Go's `net/url` does, which is more lenient than browsers: almost any text is some URL. Gives the words of
 * Go's error for what is none.
 */
export function parseGoUrl(text: string): GoUrl | { readonly error: string } {
  const hash = text.indexOf('#')
  const bare = hash < 0 ? text : text.slice(0, hash)
  const fragment = hash < 0 ? '' : text.slice(hash + 1)
  const problem = (why: string | undefined): { readonly error: string } | undefined =>
    why === undefined ? undefined : { error: `parse ${goQuote(bare)}: ${why}` }
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(bare))
    return { error: `parse ${goQuote(bare)}: net/url: invalid control character in URL` }
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(bare)?.[1] ?? ''
  if (bare.startsWith(':')) return { error: `parse ${goQuote(bare)}: missing protocol scheme` }
  const rest = scheme === '' ? bare : bare.slice(scheme.length + 1)
  const mark = rest.indexOf('?')
  const place = mark < 0 ? rest : rest.slice(0, mark)
  const url = {
    scheme: scheme.toLowerCase(),
    host: '',
    user: undefined,
    query: mark < 0 ? '' : rest.slice(mark + 1),
    fragment,
  }
  if (!place.startsWith('/')) {
    if (scheme !== '') return url
    const [segment = ''] = place.split('/')
    if (segment.includes(':'))
      return { error: `parse ${goQuote(bare)}: first path segment in URL cannot contain colon` }
  }
  const hasHost = place.startsWith('//') && (scheme !== '' || !place.startsWith('///'))
  const slash = hasHost ? place.indexOf('/', 2) : 0
  const authority = hasHost ? place.slice(2, slash < 0 ? undefined : slash) : ''
  const at = authority.lastIndexOf('@')
  const host = authority.slice(at + 1)
  const user = at < 0 ? undefined : authority.slice(0, at)
  const wrong =
    hostProblem(host) ??
    (user === undefined || USER.test(user) ? undefined : 'net/url: invalid userinfo') ??
    escapeProblem(slash < 0 ? '' : place.slice(slash))
  return problem(wrong) ?? { ...url, host, user }
}

function hostProblem(host: string): string | undefined {
  const closing = host.lastIndexOf(']')
  if (host.startsWith('[') && closing < 0) return "missing ']' in host"
  const colon = host.lastIndexOf(':')
  const after = host.startsWith('[') ? host.slice(closing + 1) : colon < 0 ? '' : host.slice(colon)
  if (after !== '' && !/^:\d*$/.test(after)) return `invalid port ${goQuote(after)} after host`
  const bad = /[ \\^`{|}]/.exec(host)
  return bad === null ? escapeProblem(host) : `invalid character ${goQuote(bad[0])} in host name`
}

function escapeProblem(text: string): string | undefined {
  const bad = BAD_ESCAPE.exec(text)
  return bad === null ? undefined : `invalid URL escape ${goQuote(bad[0])}`
}
