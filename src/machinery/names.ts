const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?'
const KEY_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]'
const LABEL_VALUE = `(${KEY_NAME})?`

const LABEL_PATTERN = whole(LABEL)
const SUBDOMAIN_PATTERN = whole(SUBDOMAIN)
const LABEL_1035_PATTERN = whole(LABEL_1035)
const KEY_NAME_PATTERN = whole(KEY_NAME)
const LABEL_VALUE_PATTERN = whole(LABEL_VALUE)

const LABEL_TEXT = mismatch(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  LABEL,
  ['my-name', '123-abc'],
)
const SUBDOMAIN_TEXT = mismatch(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN,
  ['example.com'],
)
const LABEL_1035_TEXT = mismatch(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  LABEL_1035,
  ['my-name', 'abc-123'],
)
const KEY_NAME_TEXT = mismatch(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  KEY_NAME,
  ['MyName', 'my.name', '123-abc'],
)
const LABEL_VALUE_TEXT = mismatch(
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  LABEL_VALUE,
  ['MyValue', 'my_value', '12345'],
)

const NONE: readonly string[] = Object.freeze([])

/**
 * A rule for `metadata.name`. With `prefix` the text is a `generateName`: an ending that only a suffix makes valid is
 * accepted. Gives the messages of what is wrong, none if all is well.
 */
export type NameRule = (name: string, prefix: boolean) => readonly string[]

/**
 * Is it a qualified name (a label key): an optional DNS subdomain and `/`, then a name of at most 63 bytes? Gives
 * apimachinery's messages (`IsQualifiedName`, since 1.34 `IsLabelKey`), none if it is one.
 */
export function isQualifiedName(value: string): readonly string[] {
  const slash = value.indexOf('/')
  if (slash === -1) return keyName(value)
  if (value.includes('/', slash + 1)) {
    return [
      `a valid label key ${KEY_NAME_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ]
  }
  const prefix = value.slice(0, slash)
  const name = keyName(value.slice(slash + 1))
  if (prefix === '') return ['prefix part must be non-empty', ...name]
  const wrong = isDNS1123Subdomain(prefix)
  return wrong.length === 0 ? name : [...wrong.map((text) => `prefix part ${text}`), ...name]
}

/** A label's key; the same rule as {@link isQualifiedName}. */
export const isValidLabelKey = isQualifiedName

/** The longest name of most objects (`DNS1123SubdomainMaxLength`). */
export const MAX_SUBDOMAIN = 253

/** Is it a DNS subdomain in lower case, at most 253 bytes (`IsDNS1123Subdomain`)? Gives messages, none if it is. */
export function isDNS1123Subdomain(value: string): readonly string[] {
  return lengthAndPattern(value, MAX_SUBDOMAIN, SUBDOMAIN_PATTERN, SUBDOMAIN_TEXT)
}

/** Is it a DNS label in lower case, at most 63 bytes (`IsDNS1123Label`)? Gives messages, none if it is. */
export function isDNS1123Label(value: string): readonly string[] {
  if (LABEL_PATTERN.test(value)) return value.length > 63 ? [tooManyBytes(63)] : NONE
  return lengthAndPattern(
    value,
    63,
    LABEL_PATTERN,
    SUBDOMAIN_PATTERN.test(value) ? 'must not contain dots' : LABEL_TEXT,
  )
}

/** Is it a DNS label that starts with a letter, at most 63 bytes (`IsDNS1035Label`)? Gives messages, none if it is. */
export function isDNS1035Label(value: string): readonly string[] {
  return lengthAndPattern(value, 63, LABEL_1035_PATTERN, LABEL_1035_TEXT)
}

/** Is it a label's value: empty, or at most 63 bytes of the allowed form (`IsValidLabelValue`)? Gives messages, none if it is. */
export function isValidLabelValue(value: string): readonly string[] {
  return lengthAndPattern(value, 63, LABEL_VALUE_PATTERN, LABEL_VALUE_TEXT)
}

/** May it be a segment of a URL's path (`ValidatePathSegmentName`)? The weakest rule that every object's name obeys. */
export const pathSegmentName: NameRule = (name, prefix) => {
  if (!prefix && (name === '.' || name === '..')) return [`may not be '${name}'`]
  return ['/', '%'].filter((text) => name.includes(text)).map((text) => `may not contain '${text}'`)
}

/** The name is a DNS subdomain (`NameIsDNSSubdomain`): most kinds. */
export const subdomainName: NameRule = (name, prefix) => isDNS1123Subdomain(prefix ? withoutTrailingDash(name) : name)

/** The name is a DNS label (`NameIsDNSLabel`): namespaces. */
export const labelName: NameRule = (name, prefix) => isDNS1123Label(prefix ? withoutTrailingDash(name) : name)

/** The name is a DNS label of RFC 1035 (`NameIsDNS1035Label`): services before 1.34. */
export const label1035Name: NameRule = (name, prefix) => isDNS1035Label(prefix ? withoutTrailingDash(name) : name)

/** The length of a text in UTF-8, in bytes; a lone surrogate counts as the replacement character's three. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0x80) continue
    // Each half of a surrogate pair stands for two of the pair's four bytes.
    if (unit < 0x800 || isPairedSurrogate(text, index)) bytes += 1
    else bytes += 2
  }
  return bytes
}

function isPairedSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index)
  if (unit < 0xd800 || unit > 0xdfff) return false
  if (unit < 0xdc00) return (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
  return (text.charCodeAt(index - 1) & 0xfc00) === 0xd800
}

function keyName(name: string): readonly string[] {
  if (name === '') return ['name part must be non-empty', `name part ${KEY_NAME_TEXT}`]
  const wrong = lengthAndPattern(name, 63, KEY_NAME_PATTERN, KEY_NAME_TEXT)
  return wrong.length === 0 ? wrong : wrong.map((text) => `name part ${text}`)
}

function lengthAndPattern(value: string, max: number, pattern: RegExp, text: string): readonly string[] {
  const wrong = []
  if (value.length > max || (value.length * 3 > max && utf8Length(value) > max)) wrong.push(tooManyBytes(max))
  if (!pattern.test(value)) wrong.push(text)
  return wrong.length === 0 ? NONE : wrong
}

function tooManyBytes(max: number): string {
  return `must be no more than ${max} bytes`
}

function mismatch(text: string, pattern: string, examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ')
  return `${text} (e.g. ${shown}regex used for validation is '${pattern}')`
}

function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`)
}

/** A generateName may end in a dash, since characters follow; an `a` stands for them, as upstream does it. */
function withoutTrailingDash(name: string): string {
  return name.length > 1 && name.endsWith('-') ? `${name.slice(0, -2)}a` : name
}
