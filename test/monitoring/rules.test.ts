// Covers src/install/objects/alerts.ts, config/monitoring and the runbooks.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { ALERT_GROUPS } from '../../src/install/objects/alerts.ts'
import { toolPath } from '../clients/tool.ts'
import { temporaryDirectory } from '../start-allot.ts'
import { ALERT_CASES, type AlertCase, LATER_LOSSES } from './alert-cases.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const RULES = join(ROOT, 'config/monitoring/rules.yaml')
const RUNBOOKS = join(ROOT, 'docs/runbooks')
const PROMTOOL = toolPath('promtool') ?? ''
const run = promisify(execFile)

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly labels: { readonly severity: string }
  readonly annotations: Readonly<Record<string, string>>
}

const { groups } = parse(readFileSync(RULES, 'utf8')) as {
  readonly groups: readonly { readonly rules: readonly Rule[] }[]
}
const rules = groups.flatMap((group) => group.rules)

function ruleOf({ alert, severity }: AlertCase): Rule {
  const found = rules.filter(
    (rule) => rule.alert === alert && (severity ?? rule.labels.severity) === rule.labels.severity,
  )
  expect(found, alert).toHaveLength(1)
  return found[0]!
}

/** The annotation as Prometheus fills it in. A label that the alert does not have shows as nothing. */
const filled = (text: string, { labels, value }: AlertCase): string =>
  text
    .replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name: string) => labels[name] ?? 'a label that is not there')
    .replaceAll(/\{\{ \$value[^}]*\}\}/g, value)

function testsOf(one: AlertCase): readonly object[] {
  const { labels, annotations } = ruleOf(one)
  const fired = {
    exp_labels: { ...labels, ...one.labels },
    exp_annotations: Object.fromEntries(Object.entries(annotations).map(([name, text]) => [name, filled(text, one)])),
  }
  const at = (eval_time: string, alerts: readonly object[]): object => ({
    eval_time,
    alertname: one.alert,
    exp_alerts: alerts,
  })
  const inputs = (series: AlertCase['fires']): readonly object[] =>
    Object.entries(series).map(([name, values]) => ({ series: name, values }))
  // Of an alert with several thresholds only the highest one is asked for here.
  const quiet = one.severity === undefined || one.severity === 'info'
  return [
    {
      interval: '1m',
      input_series: inputs(one.fires),
      alert_rule_test: [
        ...(one.before === undefined ? [] : [at(one.before, [])]),
        ...(one.severity === 'warning' ? [] : [at(one.after, [fired])]),
      ],
      ...(one.severity === 'warning' && {
        promql_expr_test: [
          {
            expr: `count(ALERTS{alertname="${one.alert}",alertstate="firing",severity="warning"})`,
            eval_time: one.after,
            exp_samples: [{ labels: '{}', value: 1 }],
          },
        ],
      }),
    },
    {
      interval: '1m',
      input_series: inputs(one.quiet),
      ...(quiet
        ? { alert_rule_test: [at(one.after, [])] }
        : {
            promql_expr_test: [
              {
                expr: `count(ALERTS{alertname="${one.alert}",severity="${one.severity}"})`,
                eval_time: one.after,
                exp_samples: [],
              },
            ],
          }),
    },
  ]
}

async function promtool(tests: readonly object[]): Promise<string> {
  const file = join(temporaryDirectory(), 'tests.yaml')
  writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }))
  return await run(PROMTOOL, ['test', 'rules', file]).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => `${stdout}${stderr}`,
  )
}

describe('the alerts', () => {
  test.skipIf(PROMTOOL === '')('are rules that Prometheus takes [33/rules]', async () => {
    const { stdout } = await run(PROMTOOL, ['check', 'rules', '--lint-fatal', RULES])
    expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`)
  })

  test('all have a case here', () => {
    const cases = new Set(ALERT_CASES.map(({ alert }) => alert))
    expect(ALERT_GROUPS.flatMap(({ alerts }) => alerts.filter(({ name }) => !cases.has(name)))).toEqual([])
  })

  test
    .skipIf(PROMTOOL === '')
    .for(
      [...ALERT_CASES, LATER_LOSSES].map((one) => [one.alert, [one.severity, one.at].join(' ').trim(), one] as const),
    )('%s %s fires in time with all that its texts name, and stays quiet just below [33/rules]', async ([, , one]) => {
    expect(await promtool(testsOf(one))).toContain('SUCCESS')
  })

  test.skipIf(PROMTOOL === '')(
    'stay quiet where replicas show nothing unusual, but for the one about allot itself [33/rules]',
    async () => {
      const fires = {
        input_series: [],
        interval: '1m',
        alert_rule_test: rules
          .filter(({ alert }) => alert !== 'AllotDoesNotReconcile')
          .map(({ alert }) => ({ eval_time: '30m', alertname: alert, exp_alerts: [] })),
      }
      expect(await promtool([fires])).toContain('SUCCESS')
    },
  )

  test.skipIf(PROMTOOL === '')('that are about use stay quiet where no usage is warned of [33/rules]', async () => {
    const full = ALERT_CASES.filter(({ severity }) => severity === 'warning')
    const fires = full.map(({ alert, fires: series }) => ({
      input_series: Object.entries(series)
        .filter(([name]) => !name.startsWith('allot_usage_warning_percentage'))
        .map(([name, values]) => ({ series: name, values })),
      interval: '1m',
      alert_rule_test: [{ eval_time: '30m', alertname: alert, exp_alerts: [] }],
    }))
    expect(fires.length).toBeGreaterThan(0)
    expect(await promtool(fires)).toContain('SUCCESS')
  })
})

describe('the runbooks', () => {
  test('there is one for each alert, and no other [33/runbooks]', () => {
    const pages = readdirSync(RUNBOOKS).filter((name) => name !== 'README.md')
    expect(pages.toSorted()).toEqual([...new Set(rules.map(({ alert }) => `${alert}.md`))].toSorted())
    for (const { alert, annotations } of rules) expect(annotations['runbook_url']).toBe(`docs/runbooks/${alert}.md`)
  })

  test.for([...new Set(rules.map(({ alert }) => alert))])(
    '%s says what it means, what to look at and what to do [33/runbooks]',
    (alert) => {
      const text = readFileSync(join(RUNBOOKS, `${alert}.md`), 'utf8')
      expect([...text.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title)).toEqual([
        alert,
        'What it means',
        'What to look at',
        'What to do',
      ])
      expect(readFileSync(join(RUNBOOKS, 'README.md'), 'utf8')).toContain(`(${alert}.md)`)
    },
  )
})
