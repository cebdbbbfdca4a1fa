import { inOneLine } from '../../machinery/text/shown.ts'
import type { Fill, LimitRow } from './limit-row.ts'
import type { ClaimRow, NamespaceRow, PoolRow, QueueRow } from './top.ts'

/** The cells of a bar. */
const CELLS = 20
const FULL: Readonly<Record<Fill, string>> = { room: '', full: 'full', over: 'over', unknown: 'not counted yet' }

/** The table of limits. `isWatched`: has their usage been watched, so that they may say when they will be used up? */
export const quotasText = (rows: readonly LimitRow[], isWatched: boolean): string =>
  table(
    ['NAMESPACE', 'KIND', 'NAME', 'RESOURCE', 'USED', 'HARD', ...timeTitle(isWatched), 'USE'],
    rows.map((row) => [row.namespace === '' ? '-' : row.namespace, row.kind, row.name, ...limitCells(row, isWatched)]),
    'no quota was found',
  )

const limitCells = (row: LimitRow, isWatched: boolean): readonly string[] => [
  row.resource,
  row.used ?? '?',
  row.hard,
  ...timeCell(row, isWatched),
  `${useOf(row)}${row.usedInNamespace === undefined ? '' : `; this namespace: ${row.usedInNamespace}`}`,
]

const timeTitle = (isWatched: boolean): readonly string[] => (isWatched ? ['USED UP IN'] : [])
const timeCell = ({ exhaustedInSeconds }: LimitRow, isWatched: boolean): readonly string[] =>
  isWatched ? [exhaustedInSeconds === undefined ? '-' : roughTime(exhaustedInSeconds)] : []

/** From `least` on, seconds are counted in a unit. */
const UNITS = [
  { least: 48 * 3600, seconds: 24 * 3600, unit: 'd' },
  { least: 3 * 3600, seconds: 3600, unit: 'h' },
  { least: 60, seconds: 60, unit: 'm' },
] as const

/** A time, rounded down: nobody is told of more time than there is. */
export function roughTime(seconds: number): string {
  if (seconds === 0) return 'now'
  const found = UNITS.find(({ least }) => seconds >= least)
  return found === undefined ? '<1m' : `${Math.floor(seconds / found.seconds)}${found.unit}`
}

/** The bar and, in words, what it shows. A bar is full only where nothing more fits. */
export function useOf({ fill, percent }: Pick<LimitRow, 'fill' | 'percent'>): string {
  const cells = fill === 'room' ? Math.min(CELLS - 1, Math.floor(((percent ?? 0) * CELLS) / 100)) : CELLS
  const bar = fill === 'unknown' ? '?'.repeat(CELLS) : `${'#'.repeat(cells)}${'.'.repeat(CELLS - cells)}`
  const words = [percent === undefined ? '' : `${percent} %`, FULL[fill]].filter((word) => word !== '').join(', ')
  return `[${bar}] ${words}`
}

/** The table of namespaces. */
export const namespacesText = (rows: readonly NamespaceRow[], isWatched: boolean): string =>
  table(
    ['NAMESPACE', 'LIMITS', 'FULL', 'NEAREST', 'USED', 'HARD', ...timeTitle(isWatched), 'USE'],
    rows.map(({ namespace, limits, full, nearest }) => [
      namespace,
      String(limits),
      String(full),
      `${nearest.kind}/${nearest.name} ${nearest.resource}`,
      nearest.used ?? '?',
      nearest.hard,
      ...timeCell(nearest, isWatched),
      useOf(nearest),
    ]),
    'no namespace with a quota was found',
  )

/** The pools, each with its queue. */
export const poolsText = (rows: readonly PoolRow[], isWatched: boolean): string =>
  rows.length === 0 ? 'no pool was found\n' : rows.map((row) => poolText(row, isWatched)).join('\n')

function poolText({ pool, limits, claims, waiting, queue }: PoolRow, isWatched: boolean): string {
  const titles = ['RESOURCE', 'CLAIMED', 'HARD', ...timeTitle(isWatched), 'USE']
  const limitLines = table(
    titles,
    limits.map((limit) => limitCells(limit, isWatched)),
    'it has no amounts',
  )
  const more = waiting - queue.length
  const lines = queue.length === 0 ? '' : table(['PLACE', 'CLAIM', 'REASON', 'WAITS FOR'], queue.map(queueCells), '')
  const rest = more > 0 ? `and ${more} more\n` : ''
  return `${inOneLine(`pool ${pool}: claims with their amounts: ${claims}, waiting: ${waiting}`)}\n${indented(`${limitLines}${lines}${rest}`)}`
}

const queueCells = ({ position, namespace, name, reason, for: wanted }: QueueRow): readonly string[] => [
  position === undefined ? '-' : String(position),
  `${namespace}/${name}`,
  reason,
  wanted,
]

/** The table of claims. */
export const claimsText = (rows: readonly ClaimRow[]): string =>
  table(
    ['NAMESPACE', 'CLAIM', 'POOL', 'STATE', 'IN USE', 'AMOUNTS', 'PLACE', 'REASON'],
    rows.map(({ namespace, name, pool, state, bound, amounts, position, reason }) => [
      namespace,
      name,
      pool === '' ? '-' : pool,
      state,
      bound ? 'yes' : 'no',
      Object.entries(amounts)
        .map(([resource, amount]) => `${resource} ${amount}`)
        .join(', '),
      position === undefined ? '-' : String(position),
      reason,
    ]),
    'no claim was found',
  )

/** Lines with columns; the last column is as wide as it is. Texts of others stay in their line. */
function table(titles: readonly string[], rows: readonly (readonly string[])[], empty: string): string {
  if (rows.length === 0) return empty === '' ? '' : `${empty}\n`
  const lines = [titles, ...rows.map((row) => row.map((cell) => inOneLine(cell)))]
  const widths = titles.map((_, column) => lines.reduce((most, line) => Math.max(most, line[column]?.length ?? 0), 0))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ')
