import { Gauge, type Registry } from '@prometheus-io/client'
import type { WebhookRules } from './registered-webhooks.ts'

/** Shows Prometheus whether the API server gets no answers of the webhooks, as far as this replica knows. */
export function showOutages(registry: Registry, rules: Pick<WebhookRules, 'onOutage' | 'outage'>): void {
  const gauge = new Gauge({
    name: 'allot_webhooks_unanswered',
    help: 'Whether the API server gets no answers of the webhooks, as the replica that reconciles sees it: 1 or 0.',
    registers: [registry],
  })
  const show = (): void => gauge.set(rules.outage === undefined ? 0 : 1)
  show()
  rules.onOutage(show)
}
