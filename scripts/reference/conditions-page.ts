import type { ConditionTable } from '../../src/api/condition-table.ts'
import { customResources } from '../../src/systems/custom-resources.ts'
import { code, table } from './markdown.ts'

const INTRODUCTION = `# Conditions

The conditions in the status of each kind of allot, with all reasons. Conditions that are not marked as allot's own are those of Capsule. A condition that is only there while it is False
or True is absent where all is well. \`kubectl wait --for=condition=TYPE\` waits for one. [Find out why nothing starts](../tasks/find-out-why-nothing-starts.md#with-helm-flux-and-argo-cd) says
what kstatus is.`

/** Every condition of every kind. Kinds with the same conditions share a section. */
export function conditionsPage(): string {
  const kinds = new Map<ConditionTable, readonly string[]>()
  for (const { kind, conditions } of customResources)
    if (Object.keys(conditions).length > 0) kinds.set(conditions, [...(kinds.get(conditions) ?? []), kind])
  return `${[INTRODUCTION, ...[...kinds].flatMap(([conditions, names]) => section(conditions, names))].join('\n\n')}\n`
}

const section = (conditions: ConditionTable, kinds: readonly string[]): readonly string[] => [
  `## ${kinds.join(', ')}`,
  ...Object.entries(conditions).flatMap(([type, { meaning, reasons }]) => [
    `### ${type}`,
    meaning,
    table(
      ['Status', 'Reason', 'Meaning'],
      Object.entries(reasons).map(([reason, [status, text]]) => [status, code(reason), text]),
    ),
  ]),
]
