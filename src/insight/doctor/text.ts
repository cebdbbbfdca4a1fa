import { inOneLine } from '../../machinery/text/shown.ts'
import { type Finding, isWrong, type Repair } from './finding.ts'

/** Findings as text for people. `notSeen`: what the caller may not read. `isBlind`: that is all quotas. */
export function doctorText(findings: readonly Finding[], notSeen: readonly string[], isBlind = false): string {
  const lines = findings.flatMap(({ severity, object: { kind, namespace, name }, text, advice, repair }) => [
    `${severity}: ${kind} ${namespace === '' ? name : `${namespace}/${name}`}: ${text}`,
    `  ${advice}`,
    ...(repair === undefined ? [] : [`  --fix would ${repair.text}`]),
  ])
  const counted = (of: Finding['severity']): number => findings.filter(({ severity }) => severity === of).length
  const wrong = findings.some(isWrong)
    ? `${countOf(counted('error'), 'error')}, ${countOf(counted('warning'), 'warning')}`
    : isBlind
      ? 'no quota was looked at'
      : 'nothing is wrong with what was looked at'
  const summary = counted('note') === 0 ? wrong : `${wrong}, ${countOf(counted('note'), 'note')}`
  const unseen = notSeen.length === 0 ? [] : ['', 'Not seen', ...notSeen.map((one) => `  ${one}`)]
  return [...lines, summary, ...unseen].map((line) => `${inOneLine(line)}\n`).join('')
}

/** The changes that `--fix` makes, as one reads them before. Two findings may have the same repair. */
export const repairsText = (repairs: readonly Repair[]): string =>
  repairs.map(({ text }) => `${inOneLine(text)}\n`).join('')

const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
