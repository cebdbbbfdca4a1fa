import { created } from '../operator/operator-account.ts'
import { type BareServer, type Operated } from '../operator/operated.ts'
import { podsIn, quotasIn } from '../operator/pool-objects.ts'
import { makeTenantNamespace, openWorlds, WAITS, type Worlds } from '../cli/explain/tenant-waits.ts'

/** A tenant that waits for something, with the token of its owner. */
export interface WaitingTenant {
  readonly title: string
  readonly namespace: string
  readonly token: string
  readonly asked: readonly [kind: string, name: string]
  readonly cause: RegExp
}

/** Fills a server with tenants, each of which waits for something else. */
export async function fillHarbour(server: Operated): Promise<readonly WaitingTenant[]> {
  const worlds = await openWorlds(server)
  await fillStore(server)
  return await Promise.all(WAITS.map((wait, index) => waitingTenant(server, worlds, wait, `harbour-${index}`)))
}

/** A namespace that is near its limits and waits for nothing. */
async function fillStore(server: BareServer): Promise<void> {
  const namespace = 'harbour-store'
  await makeTenantNamespace(server, namespace)
  const quota = quotasIn(namespace)
  const hard = { 'limits.cpu': '10', 'requests.memory': '16Gi', 'requests.storage': '2Ti', pods: '40' }
  await created(server, quota, { metadata: { name: 'compute' }, spec: { hard } })
  await server.until(`${quota}/compute`, ({ json }) => json.status?.hard !== undefined)
  await created(server, podsIn(namespace), {
    metadata: { name: 'crane' },
    spec: {
      containers: [
        {
          name: 'crane',
          image: 'registry.example/crane',
          resources: { requests: { memory: '13814Mi' }, limits: { cpu: '9600m', memory: '14Gi' } },
        },
      ],
    },
  })
}

async function waitingTenant(
  server: BareServer,
  worlds: Worlds,
  { title, labels = {}, given, asked, cause }: (typeof WAITS)[number],
  namespace: string,
): Promise<WaitingTenant> {
  await makeTenantNamespace(server, namespace, labels)
  await given(worlds, namespace)
  return { title, namespace, token: await tokenOf(server, namespace), asked, cause }
}

/** A token of the ServiceAccount `default` of a namespace. */
export async function tokenOf(server: BareServer, namespace: string): Promise<string> {
  const asked = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: null } }
  return (await created(server, `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`, asked)).status.token
}
