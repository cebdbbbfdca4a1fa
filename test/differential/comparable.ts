import { comparableCauses, comparableManagers, withoutSubresource } from './field-managers.ts'
import type { Answered } from './scenario.ts'

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
/** As conflicts tell it, `in record (12)`, and objects within messages. */
const VERSION = /(?<= in record )\(\d+\)|(?<=resourceVersion\\*":\\*")\d+(?=\\*")/g
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g

/** Both servers have a range of their own for services, and pick from it what they like. */
const CLUSTER_IP = /^10\.(?:0\.0|96\.\d+)\.\d+$/
const ALLOCATED_PORT = /^(?:nodePort|healthCheckNodePort)$/

/** The volumes that admission adds to pods: the secret of the account until 1.20, a projected volume since. */
const TOKEN_VOLUME =
  /(?<![-a-z0-9])[a-z0-9][-a-z0-9]*-token-[bcdfghjklmnpqrstvwxz2-9]{5}\b|kube-api-access-[bcdfghjklmnpqrstvwxz2-9]{5}\b/g

const isTokenVolume = ({ name, secret, projected }: Readonly<Record<string, unknown>>): boolean =>
  typeof name === 'string' && (secret ?? projected) !== undefined && name.replace(TOKEN_VOLUME, '') === ''

/** An answer without what differs between any two servers: uids, versions, times, generated names, the word of the run. */
export function comparable({ code, type, body, warnings }: Answered, word: string): Answered {
  return { code, type, warnings, body: plain(body, word, '') }
}

function plain(value: unknown, word: string, key: string): unknown {
  if (typeof value === 'number' && ALLOCATED_PORT.test(key)) return value >= 30_000 ? 'PORT' : value
  if (typeof value === 'string') {
    if (CLUSTER_IP.test(value) && key.startsWith('clusterIP')) return 'ADDRESS'
    if (key === 'continue') return 'TOKEN'
    if (key === 'resourceVersion') return /^\d+$/.test(value) ? 'VERSION' : value
    return withoutSubresource(value)
      .replaceAll(word, 'WORD')
      .replaceAll(UID, 'UID')
      .replaceAll(TIME, 'TIME')
      .replaceAll(VERSION, 'VERSION')
      .replaceAll(TOKEN_VOLUME, 'TOKEN-VOLUME')
  }
  if (Array.isArray(value)) {
    const items =
      key === 'managedFields' ? comparableManagers(value) : key === 'causes' ? comparableCauses(value) : value
    return items.map((item) => plain(item, word, key))
  }
  if (typeof value !== 'object' || value === null) return value
  const object = value as Readonly<Record<string, unknown>>
  const generateName = object['generateName']
  if (isTokenVolume(object)) return { name: 'TOKEN-VOLUME' }
  const entries = Object.entries(object).flatMap(([name, member]): [string, unknown][] => {
    if (
      name === 'name' &&
      typeof generateName === 'string' &&
      typeof member === 'string' &&
      member.startsWith(generateName)
    )
      return [[name, `${generateName}RANDOM`]]
    const made = plain(member, word, name)
    // Go prints structs without members and times that are not set; neither tells a client anything.
    const nothing = made === null || (typeof made === 'object' && made !== null && Object.keys(made).length === 0)
    return nothing && !key.startsWith('f:') && !name.startsWith('f:')
      ? []
      : [[name.replaceAll(word, 'WORD').replaceAll(UID, 'UID'), made]]
  })
  return Object.fromEntries(entries)
}
