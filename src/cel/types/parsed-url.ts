import { goQuote } from '../../machinery/go/quote.ts'

/** Thrown by `parseUrl`; the messages are those of Go's `net/url`. */
export class UrlSyntaxError extends Error {
  override readonly name = 'UrlSyntaxError'
}

/** An absolute URL, or an absolute path, as Go's `net/url` sees it. */
export class ParsedUrl {
  readonly text: string
  readonly scheme: string
  /** With the port, as written. */
  readonly host: string
  readonly escapedPath: string
  readonly rawQuery: string

  constructor(text: string, scheme: string, host: string, escapedPath: string, rawQuery: string) {
    this.text = text
    this.scheme = scheme
    this.host = host
    this.escapedPath = escapedPath
    this.rawQuery = rawQuery
  }

  /** Without port and brackets. */
  get hostname(): string {
    const bracketed = /^\[(.*)\]/.exec(this.host)
    return bracketed?.[1] ?? this.host.replace(/:\d*$/, '')
  }

  get port(): string {
    return /:(\d*)$/.exec(this.host)?.[1] ?? ''
  }

  /** The values of each parameter; pairs that cannot be read are left out. */
  query(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, string[]>()
    for (const pair of this.rawQuery.split('&')) {
      if (pair === '' || pair.includes(';')) continue
      const equals = pair.indexOf('=')
      const key = unescapeQuery(equals < 0 ? pair : pair.slice(0, equals))
      const value = unescapeQuery(equals < 0 ? '' : pair.slice(equals + 1))
      if (key === undefined || value === undefined) continue
      const values = found.get(key)
      if (values === undefined) found.set(key, [value])
      else values.push(value)
    }
    return found
  }

  toString(): string {
    return this.text
  }
}

function unescapeQuery(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]*):/
const BAD_ESCAPE = /%(?![0-9a-fA-F]{2}).{0,2}/s

/** Reads a URL that has a scheme, or a path from the root. Throws `UrlSyntaxError`. */
export function parseUrl(text: string): ParsedUrl {
  const fail = (why: string): never => {
    throw new UrlSyntaxError(`parse ${goQuote(text)}: ${why}`)
  }
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(text)) fail('net/url: invalid control character in URL')
  if (text === '') fail('empty url')
  if (text === '*') return new ParsedUrl(text, '', '', '*', '')
  const scheme = SCHEME.exec(text)?.[1] ?? ''
  if (scheme === '') {
    const colon = text.indexOf(':')
    if (colon === 0) fail('missing protocol scheme')
    if (colon > 0 && !/[/?]/.test(text.slice(0, colon)) && /^[A-Za-z]/.test(text))
      fail('first path segment in URL cannot contain colon')
  }
  const hash = text.indexOf('#')
  const unmarked = hash < 0 ? text : text.slice(0, hash)
  const rest = scheme === '' ? unmarked : unmarked.slice(scheme.length + 1)
  if (!rest.startsWith('/') && (scheme === '' || rest === '')) {
    if (scheme !== '' && rest === '') return new ParsedUrl(text, scheme.toLowerCase(), '', '', '')
    fail('invalid URI for request')
  }
  const mark = rest.indexOf('?')
  const beforeQuery = mark < 0 ? rest : rest.slice(0, mark)
  const rawQuery = mark < 0 ? '' : rest.slice(mark + 1)
  if (!beforeQuery.startsWith('/')) return new ParsedUrl(text, scheme.toLowerCase(), '', '', rawQuery)
  const hasHost = beforeQuery.startsWith('//') && (scheme !== '' || !beforeQuery.startsWith('///'))
  const slash = hasHost ? beforeQuery.indexOf('/', 2) : 0
  const authority = hasHost ? beforeQuery.slice(2, slash < 0 ? undefined : slash) : ''
  const path = slash < 0 ? '' : beforeQuery.slice(slash)
  const bad = BAD_ESCAPE.exec(path)
  if (bad !== null) fail(`invalid URL escape ${goQuote(bad[0])}`)
  return new ParsedUrl(text, scheme.toLowerCase(), hostOf(authority, fail), escapePath(path), rawQuery)
}

function hostOf(authority: string, fail: (why: string) => never): string {
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const bracketed = /^(\[[^\]]*\])(.*)$/s.exec(host)
  if (host.startsWith('[') && bracketed === null) fail("missing ']' in host")
  const after = bracketed?.[2] ?? (host.includes(':') ? host.slice(host.indexOf(':')) : '')
  if (after !== '' && !/^:\d*$/.test(after)) fail(`invalid port ${goQuote(after)} after host`)
  const bad = bracketed === null ? /[ "<>\\^`{|}]/.exec(host) : null
  if (bad !== null) fail(`invalid character ${goQuote(bad[0])} in host name`)
  const escape = BAD_ESCAPE.exec(host)
  if (escape !== null) fail(`invalid URL escape ${goQuote(escape[0])}`)
  return host
}

/** A path that is validly escaped stays as it is; otherwise what must be is escaped. */
function escapePath(path: string): string {
  if (/^(?:[A-Za-z0-9\-_.~!$&'()*+,;=:@/[\]]|%[0-9a-fA-F]{2})*$/.test(path)) return path
  const decoded = path.replaceAll(
    /(?:%[0-9a-fA-F]{2})+/g,
    (escaped) => unescapeQuery(escaped.replaceAll('+', '%2B')) ?? escaped,
  )
  return encodeURI(decoded).replaceAll('%25', '%25').replaceAll('?', '%3F').replaceAll('#', '%23')
}
