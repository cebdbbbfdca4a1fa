import type { Library, Overload } from './declaration.ts'
import { free, member, text, url } from './declaration.ts'
import { CelList } from '../types/value.ts'
import { EntryMap } from '../types/map-value.ts'
import { BOOL, STRING, URL_TYPE, listOf, mapOf } from '../types/cel-type.ts'
import { Failure } from '../types/scalar.ts'
import type { Result } from '../types/value.ts'
import { UrlSyntaxError, parseUrl } from '../types/parsed-url.ts'
import type { ParsedUrl } from '../types/parsed-url.ts'

/** The URL, or a failure that says why it is none. */
export function readUrl(value: string): ParsedUrl | Failure {
  try {
    return parseUrl(value)
  } catch (error) {
    if (error instanceof UrlSyntaxError) return new Failure(error.message)
    throw error
  }
}

function toUrl(value: string): Result {
  const read = readUrl(value)
  return read instanceof Failure ? new Failure(`URL parse error during conversion from string: ${read.message}`) : read
}

const getter = (id: string, get: (value: ParsedUrl) => string): readonly Overload[] => [
  member(id, [url], STRING, ([value]) => get(value)),
]

const queryOf = (value: ParsedUrl): EntryMap =>
  new EntryMap(new Map([...value.query()].map(([key, values]) => [key, { key, value: new CelList(values) }])))

/** `url`, `isURL` and what is read off a URL. */
export const urls: Library = [
  ['url', [free('string_to_url', [text], URL_TYPE, ([value]) => toUrl(value))]],
  ['isURL', [free('is_url_string', [text], BOOL, ([value]) => !(readUrl(value) instanceof Failure))]],
  ['getScheme', getter('url_get_scheme', (value) => value.scheme)],
  ['getHost', getter('url_get_host', (value) => value.host)],
  ['getHostname', getter('url_get_hostname', (value) => value.hostname)],
  ['getPort', getter('url_get_port', (value) => value.port)],
  ['getEscapedPath', getter('url_get_escaped_path', (value) => value.escapedPath)],
  [
    'getQuery',
    [
      member('url_get_query', [url], mapOf(STRING, listOf(STRING)), ([value], run) => {
        run.work(value.rawQuery.length / 10)
        return queryOf(value)
      }),
    ],
  ],
]
