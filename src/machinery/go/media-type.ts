const TOKEN = /^[!#$%&'*+\-.^_`{|}~0-9A-Za-z]+/
const SPECIAL = /[()<>@,;:\\"/[\]?=]/

interface Consumed {
  readonly value: string
  readonly rest: string
}

/**
 * Returns the error of a Content-Type, in the words of Go's `mime.ParseMediaType`; undefined if it is valid. Parameters that go on
 * in further ones (RFC 2231) are not put together, as that cannot fail.
 */
export function mediaTypeProblem(text: string): string | undefined {
  const end = text.indexOf(';')
  const base = end < 0 ? text : text.slice(0, end)
  return typeProblem(base.trim().toLowerCase()) ?? (end < 0 ? undefined : parameterProblem(text.slice(end)))
}

function typeProblem(text: string): string | undefined {
  const first = token(text)
  if (first.value === '') return 'mime: no media type'
  if (first.rest === '') return undefined
  if (!first.rest.startsWith('/')) return 'mime: expected slash after first token'
  const second = token(first.rest.slice(1))
  if (second.value === '') return 'mime: expected token after slash'
  return second.rest === '' ? undefined : 'mime: unexpected content after media subtype'
}

function parameterProblem(text: string): string | undefined {
  const known = new Map<string, string>()
  for (let rest = text.trimStart(); rest !== ''; rest = rest.trimStart()) {
    const found = parameter(rest)
    if (found === undefined) return rest.trim() === ';' ? undefined : 'mime: invalid media parameter'
    if ((known.get(found.name) ?? found.value) !== found.value) return 'mime: duplicate parameter name'
    known.set(found.name, found.value)
    rest = found.rest
  }
  return undefined
}

function parameter(text: string): (Consumed & { readonly name: string }) | undefined {
  if (!text.startsWith(';')) return undefined
  const name = token(text.slice(1).trimStart())
  const rest = name.rest.trimStart()
  if (name.value === '' || !rest.startsWith('=')) return undefined
  const given = rest.slice(1).trimStart()
  const value = given.startsWith('"') ? quoted(given) : token(given)
  if (value === undefined || value.rest === given) return undefined
  return { name: name.value.toLowerCase(), ...value }
}

/** Returns the quoted text at the beginning; undefined where the quotes do not end. */
function quoted(text: string): Consumed | undefined {
  let value = ''
  for (let at = 1; at < text.length; at++) {
    const sign = text.charAt(at)
    if (sign === '"') return { value, rest: text.slice(at + 1) }
    if (sign === '\r' || sign === '\n') return undefined
    // Some programs send Windows paths without escaping them: only what is special in HTTP is taken for escaped.
    if (sign === '\\' && SPECIAL.test(text.charAt(at + 1))) value += text.charAt(++at)
    else value += sign
  }
  return undefined
}

function token(text: string): Consumed {
  const [value = ''] = TOKEN.exec(text) ?? []
  return { value, rest: text.slice(value.length) }
}
