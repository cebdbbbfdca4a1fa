import { stringify } from 'yaml'
import { ALERT_GROUPS, alertRule, annotationsOf } from '../../src/install/objects/alerts.ts'
import { DASHBOARDS } from './dashboards.ts'
import { grafanaDashboard } from './grafana-dashboard.ts'

const HEADER = '# Generated from src/install/objects/alerts.ts by scripts/chart/generate-chart.ts. Do not edit.\n'

/** The files of config/monitoring, by their path in it. */
export function monitoringFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['README.md', README],
    ['rules.yaml', HEADER + stringify({ groups: groups() }, { lineWidth: 0 })],
    ...DASHBOARDS.map(
      (one) => [`dashboards/${one.uid}.json`, `${JSON.stringify(grafanaDashboard(one), null, 2)}\n`] as const,
    ),
  ])
}

const groups = (): readonly object[] =>
  ALERT_GROUPS.map(({ name, alerts }) => ({
    name,
    rules: alerts.map((alert) => ({
      ...alertRule(alert),
      annotations: { ...annotationsOf(alert), runbook_url: `docs/runbooks/${alert.name}.md` },
    })),
  }))

const README = `# Monitoring

Rules of Prometheus and dashboards of Grafana for all five systems. The metrics are listed in [metrics](../../docs/reference/metrics.md).

| File | Content |
|---|---|
| \`rules.yaml\` | alerts; each links to its [runbook](../../docs/runbooks/README.md) |
${DASHBOARDS.map(({ uid, title, description }) => `| \`dashboards/${uid}.json\` | ${title}: ${description} |`).join('\n')}

- The chart makes the same rules as a PrometheusRule with \`metrics.rules.enabled=true\`. \`metrics.rules.runbooks\` says where the runbooks are.
- Import a dashboard in Grafana with *Dashboards, New, Import*. It asks for the data source.
- All replicas of allot show the same amounts. The rules and panels take the largest amount and the least time.
- The alerts on the use of quotas go by the percentages of \`--warn-at\` (value \`warnAt\` of the chart), which allot shows as a metric. Those on what is claimed of pools are Capsule's own, at 90 and 95 %. The colours of the dashboards begin at the defaults, 80 and 95 %.
- \`node scripts/chart/generate-chart.ts\` writes this folder.
`
