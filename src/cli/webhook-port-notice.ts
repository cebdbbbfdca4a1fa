import type { OperatorFlags } from './operator-flags.ts'

const HTTPS_PORT = 443

/**
 * Returns a notice if `--webhook-url` names another port than the port of the webhooks. That is right only behind a
 * load balancer or proxy that connects both ports.
 */
export function webhookPortNotice({
  webhookUrl,
  webhookPort,
}: Pick<OperatorFlags, 'webhookUrl' | 'webhookPort'>): string | undefined {
  if (webhookUrl === undefined) return undefined
  const named = Number(new URL(webhookUrl).port) || HTTPS_PORT
  if (named === webhookPort) return undefined
  const served = webhookPort === 0 ? 'any free port, since there is no --webhook-port' : `--webhook-port=${webhookPort}`
  return `--webhook-url names port ${named}, and the webhooks are served at ${served}: give --webhook-port=${named}, unless something in between leads there`
}
