import { inOneLine } from '../../machinery/text/shown.ts'
import type {
  ChangeResult,
  ClaimShift,
  ClaimStanding,
  CountedQuotaShift,
  IncreaseShift,
  LimitShift,
  QuotaShift,
  Shift,
  Simulation,
  WorkloadShift,
} from './simulation.ts'

/** The first character of a line says what happens, so that nothing depends on colours. */
const SIGNS: Readonly<Record<ChangeResult['result'] | 'stalls', string>> = {
  created: '+',
  changed: '~',
  deleted: '-',
  unchanged: ' ',
  refused: '!',
  stalls: '!',
  ignored: '?',
  skipped: '?',
}

const ARROW = '→'

/** A simulation as text for people, like a plan. */
export function simulationText(simulation: Simulation): string {
  const { changes, quotas, countedQuotas, pools, claims, increases, workloads, undecided, notSeen } = simulation
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['Manifests', changes.flatMap(changeLines)],
    ['Quotas', quotas.flatMap((one) => limitLines(one, `${one.namespace}/${one.name}`))],
    ['Quotas of any kinds', countedQuotas.flatMap(countedLines)],
    ['Pools', pools.flatMap((one) => limitLines(one, one.name))],
    ['Claims', claims.map(claimLine)],
    ['Increases', increases.map(increaseLine)],
    ['Workloads', workloads.flatMap(workloadLines)],
    ['Undecided', undecided.map((line) => `? ${line}`)],
    ['Not seen', notSeen.map((line) => `? ${line}`)],
  ]
  const filled = sections.filter(([, lines]) => lines.length > 0)
  const lines = filled.flatMap(([title, below]) => [title, ...below.map((line) => `  ${line}`), ''])
  return [...lines, summaryOf(simulation)].map((line) => `${inOneLine(line)}\n`).join('')
}

function changeLines({
  object: { kind, namespace, name },
  result,
  message,
  warnings = [],
}: ChangeResult): readonly string[] {
  const said = message === undefined ? '' : result === 'refused' ? ` is refused: ${message}` : `: ${message}`
  return [
    `${SIGNS[result]} ${kind} ${namespace === '' ? name : `${namespace}/${name}`}${result === 'unchanged' ? ' (unchanged)' : ''}${said}`,
    ...warnings.map((text) => `    warning: ${text}`),
  ]
}

const shiftText = ({ before = 'none', after = 'none' }: Shift): string =>
  before === after ? after : `${before} ${ARROW} ${after}`

function limitLines({ change, limits }: Pick<QuotaShift, 'change' | 'limits'>, name: string): readonly string[] {
  const shown = limits.map(
    ({ resource, hard, used }: LimitShift) => `${resource} ${shiftText(hard)}, used ${shiftText(used)}`,
  )
  return [`${SIGNS[change]} ${name}${shown.length === 0 ? '' : `: ${shown.join('; ')}`}`]
}

function countedLines(one: CountedQuotaShift): readonly string[] {
  const name = one.namespace === '' ? one.name : `${one.namespace}/${one.name}`
  const lines = limitLines(one, `${one.kind} ${name}`)
  return one.problem === undefined ? lines : [...lines, `    is not ready: ${one.problem}`]
}

function standingText({ state, pool, position, message }: ClaimStanding): string {
  const of = pool === '' ? '' : ` (pool ${pool}${position === undefined ? '' : `, place ${position}`})`
  return `${state}${of}${state === 'waiting' && message !== undefined ? `: ${message}` : ''}`
}

function claimLine({ namespace, name, before, after }: ClaimShift): string {
  const isOpen = after?.state === 'undecided'
  const sign = isOpen
    ? '?'
    : after?.state === 'waiting'
      ? '!'
      : before === undefined
        ? '+'
        : after === undefined
          ? '-'
          : '~'
  const texts = [before, after].flatMap((one) => (one === undefined ? [] : [standingText(one)]))
  return `${sign} ${namespace}/${name}: ${texts.join(` ${ARROW} `)}`
}

function increaseLine({ namespace, name, before, after }: IncreaseShift): string {
  const isOpen = after?.state !== undefined
  const sign = isOpen
    ? '?'
    : after?.problem !== undefined
      ? '!'
      : before === undefined
        ? '+'
        : after === undefined
          ? '-'
          : '~'
  const text = (one: NonNullable<IncreaseShift['after']>): string =>
    one.state ?? one.problem ?? (one.contributes === '' ? 'contributes nothing' : `contributes ${one.contributes}`)
  const texts = [before, after].flatMap((one) => (one === undefined ? [] : [text(one)]))
  return `${sign} ${namespace}/${name}: ${texts.join(` ${ARROW} `)}`
}

function workloadLines({ object, pods, verdict, causes, warnings }: WorkloadShift): readonly string[] {
  const before = pods.before === pods.after ? '' : `${pods.before} ${ARROW} `
  const state = verdict === 'up' ? '' : verdict === 'stalls' ? ', stalls' : ', allot may not read what decides this'
  const sign = verdict === 'stalls' ? SIGNS.stalls : verdict === 'up' ? '~' : '?'
  return [
    `${sign} ${object.kind} ${object.namespace}/${object.name}: ${before}${pods.after} of ${pods.wanted} pods${state}`,
    ...causes.map(({ text }) => `    ${text}`),
    ...warnings.map(({ text }) => `    beware: ${text}`),
  ]
}

function summaryOf({ changes, claims, workloads, increases, verdict }: Simulation): string {
  const count = (result: ChangeResult['result']): number => changes.filter((one) => one.result === result).length
  const parts = (['created', 'changed', 'deleted', 'unchanged', 'refused', 'ignored', 'skipped'] as const)
    .map((result) => ({ result, number: count(result) }))
    .filter(({ number }) => number > 0)
    .map(({ result, number }) => `${number} ${result}`)
  const stalled = workloads.filter(({ verdict }) => verdict === 'stalls').length
  const waiting = claims.filter(({ after }) => after?.state === 'waiting').length
  const idle = increases.filter(({ after }) => after?.problem !== undefined).length
  const outcome = [
    ...(stalled === 0 ? [] : [`${stalled} workload${stalled === 1 ? ' stalls' : 's stall'}`]),
    ...(waiting === 0 ? [] : [`${waiting} claim${waiting === 1 ? ' waits' : 's wait'}`]),
    ...(verdict === 'unknown' ? ['not everything is decided'] : []),
    ...(idle === 0 ? [] : [`${idle} increase${idle === 1 ? ' does' : 's do'} not apply`]),
  ]
  return `${parts.length === 0 ? 'nothing to change' : parts.join(', ')}${outcome.length === 0 ? '' : `; ${outcome.join(', ')}`}; nothing was written`
}
