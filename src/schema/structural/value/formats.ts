import { isCidr, isDottedAddress, isHostname, isIPv4, isIPv6, isMac, isRequestUri } from './network-formats.ts'
import { INT64_MAX } from '../../../machinery/go/int64.ts'

const ATOM = String.raw`[-\w!#$%&'*+/=?^\x60{|}~\x80-\u{10ffff}]+`
const LOCAL = String.raw`(?:${ATOM}(?:\.${ATOM})*|"(?:[^"\\\r\n]|\\[^\r\n])*")`
const ADDRESS = String.raw`${LOCAL}@(?:${ATOM}(?:\.${ATOM})*|\[([^\[\]\\]*)\])`
const NAMED = String.raw`(?:"(?:[^"\\\r\n]|\\[^\r\n])*"\s*|[^<>@,;:"[\]]*)<${ADDRESS}>`
const EMAIL = new RegExp(String.raw`^(?:${ADDRESS}|${NAMED})(?:\s*\([^()]*\))?$`, 'u')
const OCTET = String.raw`\s*(?:0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*`
const RGB = new RegExp(String.raw`^rgb\(${OCTET},${OCTET},${OCTET}\)$`)
const CREDIT_CARD = new RegExp(
  `^(?:4\\d{12}(?:\\d{3})?|5[1-5]\\d{14}|6(?:011|5\\d\\d)\\d{12}|3[47]\\d{13}|3(?:0[0-5]|[68]\\d)\\d{11}|(?:2131|1800|35\\d{3})\\d{11})$`,
)
const LABEL = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?'
const LONG_NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`)
const SHORT_NAME = new RegExp(`^${LABEL}$`)
const UNIT = 'ns|us|µs|μs|ms|s|m|h'
const GO_DURATION = new RegExp(`^[-+]?(?:0|(?:(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:${UNIT}))+)$`)
const SPELLED_UNIT = /^(?:ns|us|µs|ms|s|m|h|hr|d|w|wk)$|^(?:nano|micro|milli|sec|min|hour|day|week)/

const uuid = (version: string, variant: string): ((text: string) => boolean) => {
  const pattern = new RegExp(`^[\\da-f]{8}-?[\\da-f]{4}-?${version}-?${variant}-?[\\da-f]{12}$`, 'i')
  return (text) => pattern.test(text)
}

const anything = (): boolean => true

/** By the name without dashes, as Kubernetes compares them: `date-time` is `datetime`. */
const FORMATS: ReadonlyMap<string, ((text: string) => boolean) | undefined> = new Map([
  ['bsonobjectid', (text: string) => /^[\dA-Fa-f]{24}$/.test(text)],
  ['byte', (text: string) => text !== '' && text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)],
  ['cidr', isCidr],
  ['creditcard', isCreditCard],
  ['date', isDate],
  ['datetime', isDateTime],
  ['duration', isDuration],
  ['email', isEmail],
  ['hexcolor', (text: string) => /^#?(?:[\dA-Fa-f]{3}|[\dA-Fa-f]{6})$/.test(text)],
  ['hostname', isHostname],
  ['ipv4', isDottedAddress],
  ['ipv6', (text: string) => isIPv6(text, false)],
  ['isbn', (text: string) => isIsbn10(text) || isIsbn13(text)],
  ['isbn10', isIsbn10],
  ['isbn13', isIsbn13],
  ['k8slongname', (text: string) => text.length <= 253 && LONG_NAME.test(text)],
  ['k8sshortname', (text: string) => text.length <= 63 && SHORT_NAME.test(text)],
  ['mac', isMac],
  ['password', anything],
  // Known, but upstream tests nothing.
  ['quantity', undefined],
  ['rgbcolor', (text: string) => RGB.test(text)],
  ['ssn', (text: string) => text.length === 11 && /^\d{3}[- ]?\d{2}[- ]?\d{4}$/.test(text)],
  ['uri', isRequestUri],
  ['uuid', uuid('[\\da-f]{4}', '[\\da-f]{4}')],
  ['uuid3', uuid('3[\\da-f]{3}', '[\\da-f]{4}')],
  ['uuid4', uuid('4[\\da-f]{3}', '[89ab][\\da-f]{3}')],
  ['uuid5', uuid('5[\\da-f]{3}', '[89ab][\\da-f]{3}')],
])

/**
 * Is it a format that Kubernetes heeds for these types (apiextensions' supported formats, 1.34 and later)? Others are
 * ignored, as if they were not there.
 */
export function isKnownFormat(format: string, types: readonly string[]): boolean {
  const [type = ''] = types.length === 1 ? types : []
  if (type === 'integer') return format === 'int32' || format === 'int64'
  if (type === 'number') return format === 'float' || format === 'double'
  return (type === '' || type === 'string') && FORMATS.has(format.replaceAll('-', ''))
}

/** The test of a text for a format; `undefined` for one that has none. */
export function formatTest(format: string): ((text: string) => boolean) | undefined {
  return FORMATS.get(format.replaceAll('-', ''))
}

/** One address, with a display name or without, as Go's `mail.ParseAddress` takes it. */
function isEmail(text: string): boolean {
  const match = EMAIL.exec(text.trim())
  const literal = match?.[1] ?? match?.[2]
  return match !== null && (literal === undefined || isIPv4(literal, false) || isIPv6(literal, false))
}

function isDate(text: string): boolean {
  const [, year = '', month = '', day = ''] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  if (year === '' || month < '01' || month > '12' || day < '01') return false
  const isLeap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0)
  const days = month === '02' ? (isLeap ? 29 : 28) : ['04', '06', '09', '11'].includes(month) ? 30 : 31
  return Number(day) <= days
}

/** Upstream looks at the date and at what stands between the first `t` and the next one, if any. */
function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t')
  if (time === undefined || !isDate(date)) return false
  const clock = /^(\d\d):(\d\d):(\d\d)(?:.\d+)?(?:z|[-+]\d\d:\d\d)$/u.exec(time)
  return clock !== null && (clock[1] ?? '') <= '23' && (clock[2] ?? '') <= '59' && (clock[3] ?? '') <= '59'
}

/** A Go duration, or any text that holds an amount with a unit such as `3 weeks`. */
function isDuration(text: string): boolean {
  // Sixteen digits may be more nanoseconds than there are.
  if (GO_DURATION.test(text) && !/\d{16}/.test(text)) return true
  let found = false
  for (const [, amount = '0', unit = ''] of text.matchAll(/(?<!\d)(\d+)\s*([A-Za-zµ]+)/g)) {
    if (BigInt(amount) > INT64_MAX) return false
    found ||= SPELLED_UNIT.test(unit.toLowerCase())
  }
  return found
}

function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/\D+/g, '')
  if (!CREDIT_CARD.test(digits)) return false
  const sum = digits
    .split('')
    .toReversed()
    .reduce((total, digit, at) => {
      const value = Number(digit) * (at % 2 === 0 ? 1 : 2)
      return total + (value >= 10 ? value - 9 : value)
    }, 0)
  return sum % 10 === 0
}

function isIsbn10(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, '')
  if (!/^\d{9}[\dX]$/.test(digits)) return false
  return (
    digits.split('').reduce((sum, digit, at) => sum + (at + 1) * (digit === 'X' ? 10 : Number(digit)), 0) % 11 === 0
  )
}

function isIsbn13(text: string): boolean {
  const digits = text.replaceAll(/[\s-]+/g, '')
  if (!/^\d{13}$/.test(digits)) return false
  return digits.split('').reduce((sum, digit, at) => sum + Number(digit) * (at % 2 === 0 ? 1 : 3), 0) % 10 === 0
}
