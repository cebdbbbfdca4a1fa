import { InvalidArgumentError } from 'commander'
import { parseGoDuration } from '../machinery/go/go-duration.ts'
import { type IpPrefix, parsePrefix } from '../machinery/ip-address.ts'

/** A port, 0 for any free one. Throws InvalidArgumentError. */
export function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be a number from 0 to 65535.')
  return Number(text)
}

/** A host name or an IP address, an IPv6 one with or without brackets. Throws InvalidArgumentError. */
export function host(text: string): string {
  const name = text.replace(/^\[(.*)\]$/, '$1')
  if (!/^[\w.:%-]+$/.test(name))
    throw new InvalidArgumentError('It must be a host name or an IP address, without a port.')
  return name
}

/** The path of a file or a directory. Throws InvalidArgumentError. */
export function path(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

/** A whole number of at least 1. Throws InvalidArgumentError. */
export function count(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number of at least 1.')
  return Number(text)
}

const LONGEST_REVIEW_SECONDS = 30

/** How many seconds API servers wait for a webhook, within Kubernetes' bounds. Throws InvalidArgumentError. */
export function reviewSeconds(text: string): number {
  const seconds = /^\d{1,2}$/.test(text) ? Number(text) : 0
  if (seconds < 1 || seconds > LONGEST_REVIEW_SECONDS)
    throw new InvalidArgumentError('It must be a whole number of seconds from 1 to 30.')
  return seconds
}

/** Percentages separated by commas, each from 1 to 100; none for an empty text. Throws InvalidArgumentError. */
export function percentages(text: string): readonly number[] {
  if (text.trim() === '') return []
  return text.split(',').map((part) => {
    const percentage = Number(part.trim())
    if (!/^\d{1,3}$/.test(part.trim()) || percentage < 1 || percentage > 100)
      throw new InvalidArgumentError('It must be percentages from 1 to 100, such as 80,95.')
    return percentage
  })
}

const NANOSECONDS_A_MILLISECOND = 1_000_000n
const LONGEST_MS = 24 * 3600_000

/** The milliseconds of a duration as Kubernetes' flags have them (`15s`, `1m30s`), at most a day. Throws InvalidArgumentError. */
export function duration(text: string): number {
  const nanoseconds = parseGoDuration(text)
  const milliseconds = typeof nanoseconds === 'bigint' ? Number(nanoseconds / NANOSECONDS_A_MILLISECOND) : -1
  if (milliseconds < 0 || milliseconds > LONGEST_MS)
    throw new InvalidArgumentError('It must be a duration from 0s to 24h, such as 15s or 1m30s.')
  return milliseconds
}

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/

/** The name of a namespace. Throws InvalidArgumentError. */
export function namespaceName(text: string): string {
  if (!LABEL.test(text)) throw new InvalidArgumentError('It must be the name of a namespace (RFC 1123 label).')
  return text
}

/** CIDRs separated by commas. Throws InvalidArgumentError. */
export function prefixes(text: string): readonly IpPrefix[] {
  return text.split(',').map((part) => {
    try {
      return parsePrefix(part.trim())
    } catch {
      throw new InvalidArgumentError('It must be CIDRs separated by commas, such as 10.0.0.0/24,fd00::/64.')
    }
  })
}

/** `https://host:port`, perhaps with a path. Throws InvalidArgumentError. */
export function webhookUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' || url.port === '0' || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new InvalidArgumentError(
      'It must be https://host:port, perhaps with a path, as API servers reach this process.',
    )
  return text.replace(/\/+$/, '')
}

export interface ServiceAddress {
  readonly namespace: string
  readonly name: string
  readonly port: number
}

const HTTPS_PORT = 443

/** `namespace/name` or `namespace/name:port`. Throws InvalidArgumentError. */
export function webhookService(text: string): ServiceAddress {
  const [, namespace = '', name = '', given] = /^([^/:]+)\/([^/:]+)(?::(\d{1,5}))?$/.exec(text) ?? []
  const number = given === undefined ? HTTPS_PORT : Number(given)
  if (!LABEL.test(namespace) || !LABEL.test(name) || number < 1 || number > 65_535)
    throw new InvalidArgumentError('It must be the namespace and the name of a Service, as in allot-system/allot:443.')
  return { namespace, name, port: number }
}
