import { inOneLine } from '../../machinery/text/shown-text.ts'
import type { Finding, Repair } from './finding.ts'

/** Findings as text for people. `notSeen`: what the caller may not read. */
export function doctorText(findings: readonly Finding[], notSeen: readonly string[]): string {
  const lines = findings.flatMap(({ severity, object: { kind, namespace, name }, text, advice, repair }) => [
    `${severity}: ${kind} ${namespace === '' ? name : `${namespace}/${name}`}: ${text}`,
    `  ${advice}`,
    ...(repair === undefined ? [] : [`  --fix would ${repair.text}`]),
  ])
  const errors = findings.filter(({ severity }) => severity === 'error').length
  const warnings = findings.length - errors
  const summary =
    findings.length === 0
      ? 'nothing is wrong with what was looked at'
      : `${countOf(errors, 'error')}, ${countOf(warnings, 'warning')}`
  const unseen = notSeen.length === 0 ? [] : ['', 'Not seen', ...notSeen.map((one) => `  ${one}`)]
  return [...lines, summary, ...unseen].map((line) => `${inOneLine(line)}\n`).join('')
}

/** The changes that `--fix` makes, as one reads them before. Two findings may have the same repair. */
export const repairsText = (repairs: readonly Repair[]): string =>
  repairs.map(({ text }) => `${inOneLine(text)}\n`).join('')

const countOf = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
