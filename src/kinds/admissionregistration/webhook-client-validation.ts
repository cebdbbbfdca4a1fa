import { append, type FieldError, invalid, required } from '../../machinery/field-error.ts'
import { parseGoUrl } from './go-url.ts'
import { isDNS1123Subdomain } from '../../machinery/names.ts'
import type { JsonObject } from '../../machinery/object.ts'
import { absent, countOf, objectOf, textOf } from '../../machinery/read.ts'

const FORM = '; desired format: https://host[/path]'

/** Where a webhook is: at a URL or behind a service, never both (admissionregistration and apiextensions alike). */
export function validateWebhookClient(client: JsonObject, path: string): readonly FieldError[] {
  const byUrl = !absent(client.url)
  if (byUrl === !absent(client.service)) return [required(path, 'exactly one of url or service is required')]
  return byUrl
    ? validateUrl(textOf(client.url), `${path}.url`)
    : validateService(objectOf(client.service), `${path}.service`)
}

function validateUrl(text: string, path: string): readonly FieldError[] {
  const url = parseGoUrl(text)
  if ('error' in url) return [required(path, `url must be a valid URL: ${url.error}${FORM}`)]
  const { scheme, host, user, query, fragment } = url
  const errors: FieldError[] = []
  if (scheme !== 'https') errors.push(invalid(path, scheme, `'https' is the only allowed URL scheme${FORM}`))
  if (host === '') errors.push(invalid(path, host, `host must be provided${FORM}`))
  if (user !== undefined) errors.push(invalid(path, user, 'user information is not permitted in the URL'))
  if (fragment !== '') errors.push(invalid(path, fragment, 'fragments are not permitted in the URL'))
  if (query !== '') errors.push(invalid(path, query, 'query parameters are not permitted in the URL'))
  return errors
}

function validateService(service: JsonObject, path: string): readonly FieldError[] {
  const errors: FieldError[] = []
  // Upstream takes one for the other, and clients have seen no other words.
  const complaints = { name: textOf(service.namespace), namespace: textOf(service.name) }
  for (const [key, value] of Object.entries(complaints)) {
    if (value === '') errors.push(required(`${path}.${key}`, `service ${key} is required`))
  }
  const port = countOf(service.port)
  if (port < 1 || port > 65_535)
    errors.push(invalid(`${path}.port`, port, `port is not valid: must be between 1 and 65535, inclusive`))
  append(errors, validatePath(textOf(service.path), `${path}.path`))
  return errors
}

/** A path consists of names, as objects have them; a slash at its end is left out of account. */
function validatePath(text: string, path: string): readonly FieldError[] {
  if (text === '' || text === '/') return []
  if (text === '//') return [invalid(path, text, 'segment[0] may not be empty')]
  const errors: FieldError[] = text.startsWith('/') ? [] : [invalid(path, text, "must start with a '/'")]
  const segments = text.slice(1).replace(/\/$/, '').split('/')
  for (const [index, segment] of segments.entries()) {
    if (segment === '') errors.push(invalid(path, text, `segment[${index}] may not be empty`))
    else
      for (const problem of isDNS1123Subdomain(segment))
        errors.push(invalid(path, text, `segment[${index}]: ${problem}`))
  }
  return errors
}
