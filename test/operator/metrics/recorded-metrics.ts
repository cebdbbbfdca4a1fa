import { readFileSync } from 'node:fs'
import { request } from 'undici'
import type { Operated } from '../operated.ts'

/** The metrics that Capsule printed after an exchange. */
export interface RecordedMetrics {
  readonly after: string
  /** The file of the exchange, where it is not `pools.json`. */
  readonly file?: string
  /** `metrics pool_NAME`: the series of one pool; `metrics claim_`: those of all claims; so of custom quotas. */
  readonly name: string
  /** `name{labels} value`. */
  readonly series: readonly string[]
  /** The lines with HELP and TYPE. */
  readonly types: readonly string[]
}

export interface Metrics {
  /** Values by `name{labels}`, with the labels in alphabetical order. */
  readonly series: ReadonlyMap<string, number>
  readonly types: ReadonlySet<string>
}

interface Difference {
  readonly file: string
  readonly name: string
}

const differences = (
  JSON.parse(readFileSync(new URL('../../differences.json', import.meta.url), 'utf8')) as readonly Difference[]
).filter(({ file }) => file.startsWith('golden/') && file.endsWith('-metrics.json'))

/** The metrics of pools and claims that the operator prints now, with `golden` for the word that names have instead of it. */
export async function metricsOf(
  { metricsPort, token }: Pick<Operated, 'metricsPort' | 'token'>,
  word = '',
): Promise<Metrics> {
  const { statusCode, body } = await request(`http://127.0.0.1:${metricsPort}/metrics`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`/metrics answered ${statusCode} ${text}`)
  const lines = (word === '' ? text : text.replaceAll(word, 'golden'))
    .split('\n')
    .filter((line) => /capsule_|allot_claim_|allot_custom_quota_/.test(line))
  return {
    series: new Map(lines.filter((line) => !line.startsWith('#')).map(parsed)),
    types: new Set(lines.filter((line) => line.startsWith('#'))),
  }
}

function parsed(line: string): readonly [string, number] {
  const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
  const sorted = (labels.match(/\w+="(?:[^"\\]|\\.)*"/g) ?? []).toSorted()
  return [`${name}{${sorted.join(',')}}`, Number(value)]
}

/**
 * How what is printed differs from what was recorded, other than `test/differences.json` lists; and which listed difference
 * is none.
 */
export function compareMetrics(recorded: RecordedMetrics, { series, types }: Metrics): readonly string[] {
  const wanted = new Map(recorded.series.map(parsed))
  const [, subject = ''] = /^metrics (\S+)$/.exec(recorded.name) ?? []
  const pool = /^pool_(.+)$/.exec(subject)?.[1]
  const isMeant = (one: string): boolean => {
    if (pool !== undefined) return one.startsWith('capsule_pool_') && one.includes(`pool="${pool}"`)
    if (!one.startsWith(`capsule_${subject}`)) return false
    return subject.startsWith('global_') || wantedNamespaces(wanted).some((part) => one.includes(part))
  }
  const found = new Map([...series].filter(([one]) => isMeant(one)))
  const lines = [
    ...[...wanted].flatMap(([one, value]) => {
      const has = found.get(one)
      if (has === undefined) return [`missing: ${one}`]
      return has === value ? [] : [`value: ${one} ${has}`]
    }),
    ...[...found.keys()].filter((one) => !wanted.has(one)).map((one) => `unexpected: ${one}`),
    ...recorded.types.filter((line) => !types.has(line)).map((line) => `missing: ${line}`),
  ]
  const listed = differences
    .filter(({ name }) => name.startsWith(`${recorded.name}: `))
    .map(({ name }) => name.slice(recorded.name.length + 2))
  return [
    ...lines.filter((line) => !listed.includes(line)),
    ...listed.filter((line) => !lines.includes(line)).map((line) => `is listed, but no difference: ${line}`),
  ]
}

/** The namespaces of the recorded file, as labels. */
const wantedNamespaces = (wanted: ReadonlyMap<string, number>): readonly string[] => [
  ...new Set([...wanted.keys()].flatMap((one) => one.match(/target_namespace="[^"]*"/) ?? [])),
]
