import type { JsonObject } from '../../machinery/object.ts'
import { inOneLine } from '../../machinery/text/shown.ts'
import type { BudgetView, CostSource, Explanation, Holder, Remedy, UnseenUse, Wanted } from './explanation.ts'
import { ownerText } from './owner-text.ts'
import { remedySections } from './remedy-sections.ts'
import { sourceName } from './source-name.ts'
import { wantedState } from './wanted-state.ts'

const ORIGINS: Readonly<Record<CostSource['from'], string>> = {
  spec: '',
  limits: ' (its limit)',
  LimitRange: ' (LimitRange)',
  injected: ' (injected)',
  overhead: ' (overhead of its RuntimeClass)',
  pod: '',
}

/** Said of a limit that nobody has applied. */
const PLANNED = ' (of a manifest)'

/** An explanation as text for people. `yaml` writes a manifest. */
export function explanationText(explanation: Explanation, yaml: (manifest: JsonObject) => string): string {
  const {
    object,
    summary,
    chain,
    wanted,
    budgets,
    causes,
    warnings,
    holders,
    unseenHolders = [],
    remedies,
    notSeen,
  } = explanation
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['Why', causes.map(({ text, planned }) => `${text}${planned === true ? PLANNED : ''}`)],
    ['Made by', chain.length < 2 ? [] : [chain.map(({ kind, name }) => `${kind} ${name}`).join(' > ')]],
    ['Needs', wanted.filter((one) => one.wanted > 0).flatMap(wantedLines)],
    ['Budgets', budgets.filter(({ counts }) => counts).map(budgetLine)],
    ['Holders', [...holders.map((one) => holderLine(one, object.namespace)), ...unseenHolders.map(unseenLine)]],
    ...remedySections(remedies, causes.length).map(
      ([title, some]) => [title, some.flatMap((one) => remedyLines(one, yaml))] as const,
    ),
    ['Beware', warnings.map(({ text }) => text)],
    ['Not seen', notSeen],
  ]
  const filled = sections.filter(([, lines]) => lines.length > 0)
  return [summary, ...filled.flatMap(([title, lines]) => ['', title, ...lines.map((line) => `  ${line}`)])]
    .map((line) => `${inOneLine(line)}\n`)
    .join('')
}

const wantedLines = ({ kind, wanted, existing, costs }: Wanted): readonly string[] => [
  `${kind}s: ${existing} of ${wanted} ${wantedState(kind)}${costs.length === 0 ? '' : '; each costs'}`,
  ...costs.map(({ resource, amount, sources, unknown = [] }) => {
    const known = sources.map((one) => `${sourceName(one)} ${one.amount}${ORIGINS[one.from]}`)
    const parts = [...known, ...unknown.map((name) => `${name === '' ? 'others' : name} (injected, not known)`)]
    const isPlain = unknown.length === 0 && sources.every(({ container, from }) => container === '' && from === 'spec')
    return `  ${resource} ${unknown.length === 0 ? '' : 'at least '}${amount}${isPlain ? '' : ` = ${parts.join(' + ')}`}`
  }),
]

function budgetLine({ kind, name, from, planned, fits, limits }: BudgetView): string {
  const asked = limits.filter(({ requested }) => requested !== undefined)
  const shown = (asked.length > 0 ? asked : limits).map(
    ({ resource, used = '?', hard, requested, requestedIsLeast }) =>
      `${resource} ${used} of ${hard} used${requested === undefined ? '' : `, ${requestedIsLeast === true ? 'at least ' : ''}${requested} requested`}`,
  )
  const origin = from === undefined ? '' : ` (of ${from.kind} ${from.name})`
  return `${kind} ${name}${origin}${planned === true ? PLANNED : ''}: ${shown.join('; ')}${fits === undefined ? '' : `; ${fits} more fit`}`
}

/** A limit as lines name it: the budgets of most clusters are ResourceQuotas. */
const limitText = ({ budget, budgetKind, resource }: Omit<UnseenUse, 'amount'>): string =>
  `${budgetKind === 'ResourceQuota' ? '' : `${budgetKind} `}${budget}, ${resource}`

const holderLine = ({ owner, objects, amount, injected, ...limit }: Holder, namespace: string): string =>
  `${limitText(limit)}: ${amount} by ${ownerText(owner, namespace)}${objects === 1 ? '' : ` (${objects} objects)`}${injected === undefined ? '' : `, of which ${injected} injected`}`

const unseenLine = (unseen: UnseenUse): string => `${limitText(unseen)}: ${unseen.amount} by objects that are not seen`

function remedyLines(
  { text, command, manifest, allowed }: Remedy,
  yaml: (manifest: JsonObject) => string,
): readonly string[] {
  const right = allowed === false ? ' (you may not do this yourself)' : ''
  // Indented, the mark of a document would be a text of it: the block could not be pasted into `kubectl create`.
  const lines =
    manifest === undefined
      ? []
      : yaml(manifest)
          .replace(/^---\n/, '')
          .trimEnd()
          .split('\n')
  return [
    `- ${text}${right}`,
    ...(command === undefined ? [] : [`    ${command}`]),
    ...lines.map((line) => `    ${line}`),
  ]
}
