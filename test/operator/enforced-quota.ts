import { eventually } from '../eventually.ts'
import type { BareServer } from './operated.ts'
import { podsIn, quotasIn } from './pool-objects.ts'

/**
 * Waits until the API server refuses a pod because of a quota. It decides by the quotas that it watches, so a status that can be read refuses nothing
 * yet.
 */
export async function untilRefused(server: BareServer, namespace: string, pod: object): Promise<void> {
  await eventually(
    () => server.send('POST', `${podsIn(namespace)}?dryRun=All`, pod),
    ({ status, text }) => status === 403 && text.includes('quota'),
    { what: `the refusal of a pod in ${namespace}` },
  )
}

interface QuotaUse {
  readonly status?: { readonly used?: Readonly<Record<string, string>> }
}

/** Waits until a quota of the namespace has counted so much: what comes next is decided with it. */
export async function untilCounted(
  server: BareServer,
  namespace: string,
  resource: string,
  amount: string,
): Promise<void> {
  await server.until(
    quotasIn(namespace),
    ({ status, json }) =>
      status === 200 && json.items.some((quota: QuotaUse) => quota.status?.used?.[resource] === amount),
  )
}
