import { isIP } from 'node:net'
import { InvalidArgumentError } from 'commander'
import { parseGoDuration } from '../machinery/go/duration.ts'
import { type IpPrefix, parsePrefix } from '../machinery/ip-address.ts'
import { isDNS1123Label, isDNS1123Subdomain } from '../machinery/names.ts'

/** A port, 0 for any free one. Throws InvalidArgumentError. */
export function port(text: string): number {
  if (!isPort(text)) throw new InvalidArgumentError('It must be a number from 0 to 65535.')
  return Number(text)
}

const isPort = (text: string): boolean => /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535

const LABEL_OF_HOST = /^\w(?:[-\w]{0,61}\w)?$/

/** Names that end with a number are addresses. */
function isHost(text: string): boolean {
  if (/^\[.*\]$/.test(text)) return isIP(text.slice(1, -1)) === 6
  const labels = text.split('.')
  return isIP(text) === 4 || (labels.every((one) => LABEL_OF_HOST.test(one)) && !/^\d+$/.test(labels.at(-1) ?? ''))
}

/** A host name or an IP address, an IPv6 one with or without brackets. Throws InvalidArgumentError. */
export function host(text: string): string {
  if (!isHost(text) && isIP(text) !== 6)
    throw new InvalidArgumentError('It must be a host name or an IP address, without a port.')
  return text.replace(/^\[(.*)\]$/, '$1')
}

/** The path of a file or a directory. Throws InvalidArgumentError. */
export function path(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

/** The paths of a flag that is given several times. Throws InvalidArgumentError. */
export const paths = (text: string, before: readonly string[]): readonly string[] => [...before, path(text)]

/** The flag that has the folders in a folder read, as in kubectl, for `Command.option`. */
export const RECURSIVE = ['-R, --recursive', 'read the folders in folders, too'] as const

/** A whole number from 1 on. Throws InvalidArgumentError. */
export function count(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1 to 9999999.')
  return Number(text)
}

const LONGEST_REVIEW_SECONDS = 30

/** How many seconds API servers wait for a webhook, within Kubernetes' bounds. Throws InvalidArgumentError. */
export function reviewSeconds(text: string): number {
  const seconds = /^[1-9]\d?$/.test(text) ? Number(text) : 0
  if (seconds < 1 || seconds > LONGEST_REVIEW_SECONDS)
    throw new InvalidArgumentError('It must be a whole number of seconds from 1 to 30.')
  return seconds
}

/** Percentages separated by commas, each from 1 to 100; none for an empty text. Throws InvalidArgumentError. */
export function percentages(text: string): readonly number[] {
  if (text.trim() === '') return []
  return text.split(',').map((part) => {
    const percentage = Number(part.trim())
    if (!/^[1-9]\d{0,2}$/.test(part.trim()) || percentage > 100)
      throw new InvalidArgumentError('It must be percentages from 1 to 100, such as 80,95.')
    return percentage
  })
}

const NANOSECONDS_A_MILLISECOND = 1_000_000n
const LONGEST_MS = 24 * 3600_000

/** The milliseconds of a duration as Kubernetes' flags have them (`15s`, `1m30s`), at most a day. Throws InvalidArgumentError. */
export function duration(text: string): number {
  const milliseconds = wholeMilliseconds(text)
  if (milliseconds === undefined || milliseconds < 0)
    throw new InvalidArgumentError('It must be a duration from 0s to 24h in whole milliseconds, such as 15s or 1m30s.')
  return milliseconds
}

/** The same for a time in which something has to be done. Throws InvalidArgumentError. */
export function patience(text: string): number {
  const milliseconds = wholeMilliseconds(text)
  if (milliseconds === undefined || milliseconds <= 0)
    throw new InvalidArgumentError('It must be a duration from 1ms to 24h in whole milliseconds, such as 15s or 1m30s.')
  return milliseconds
}

function wholeMilliseconds(text: string): number | undefined {
  const nanoseconds = parseGoDuration(text)
  if (typeof nanoseconds === 'string' || nanoseconds % NANOSECONDS_A_MILLISECOND !== 0n) return undefined
  const milliseconds = Number(nanoseconds / NANOSECONDS_A_MILLISECOND)
  return milliseconds > LONGEST_MS ? undefined : milliseconds
}

const isLabel = (text: string): boolean => isDNS1123Label(text).length === 0

/** The name of an object that has a name in all of a cluster. Throws InvalidArgumentError. */
export function objectName(text: string): string {
  if (isDNS1123Subdomain(text).length > 0)
    throw new InvalidArgumentError('It must be the name of an object (RFC 1123 subdomain).')
  return text
}

/** The version of a program. Throws InvalidArgumentError. */
export function programVersion(text: string): string {
  if (!/^v?\d+\.\d+(?:\.\d+)?(?:[-+][-+.\w]+)?$/.test(text))
    throw new InvalidArgumentError('It must be a version, such as 0.14.1.')
  return text
}

/** The name of a namespace. Throws InvalidArgumentError. */
export function namespaceName(text: string): string {
  if (!isLabel(text)) throw new InvalidArgumentError('It must be the name of a namespace (RFC 1123 label).')
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
  const [, at = '', number] = /^https:\/\/(\[[^\][/]*\]|[^:/]*)(?::([^/]*))?(?:\/[-\w.~/%]*)?$/.exec(text) ?? []
  if (!isHost(at) || number === '0' || (number !== undefined && !isPort(number)))
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
  const [, namespace = '', name = '', given = String(HTTPS_PORT)] = /^([^/:]+)\/([^/:]+)(?::(\d*))?$/.exec(text) ?? []
  const number = isPort(given) ? Number(given) : 0
  if (!isLabel(namespace) || !isLabel(name) || number === 0)
    throw new InvalidArgumentError('It must be the namespace and the name of a Service, as in allot-system/allot:443.')
  return { namespace, name, port: number }
}
