// The operator over 150,000 counted objects: how long after its start it decides on a request that they count for, and its memory.
// `allot run` runs as a process of its own against `allot up`, through a proxy that answers lists of config maps with as many as are
// asked for; storing them would take longer than everything that is measured. One JSON line per figure.
//
//   node bench/counted.ts [objects]
import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { request as forward } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { globalCustomQuota } from '../src/systems/custom-quota/api/global-custom-quota.ts'
import { conditionOf } from '../src/api/condition.ts'
import { json, TlsServer } from '../test/kube/tls-server.ts'
import { launchOperator, over } from '../test/operator/operated.ts'
import { kubeconfigFor } from '../test/operator/replicas.ts'
import { freePort } from '../test/free-ports.ts'
import { startAllot } from '../test/start-allot.ts'
import { cpuMs } from './process/process-cpu.ts'
import { RawConnection, rawRequest } from './raw-connection.ts'

const OBJECTS = Number(process.argv[2] ?? '150000')
const NAMESPACES = 150
const LISTS = '/api/v1/configmaps'
const DEADLINE_MS = 300_000
const QUIET_MS = 15_000
const RUNS = Number(process.env['BENCH_STARTS'] ?? '3')

const print = (figure: string, value: number, unit: string): void =>
  console.log(JSON.stringify({ bench: 'counted', objects: OBJECTS, figure, value: Math.round(value * 10) / 10, unit }))

const hex = (index: number, length: number): string => index.toString(16).padStart(length, '0')

/** About as large as small config maps are. */
const objectAt = (index: number) => ({
  metadata: {
    namespace: `namespace-${index % NAMESPACES}`,
    name: `counted-${hex((index * 2_654_435_761) % 2 ** 32, 8)}-${index}`,
    uid: `${hex(index, 8)}-4a3b-4c5d-8e6f-${hex(index * 7919, 12)}`,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { app: `app-${index % 100}`, team: `team-${index % 10}` },
    managedFields: [
      { manager: 'bench', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } },
    ],
  },
  data: { size: String(1 + (index % 50)), text: 'x'.repeat(200) },
})

await using stack = new AsyncDisposableStack()
const allot = await startAllot({ inMemory: true })
stack.defer(async () => void (await allot.stop()))
const server = stack.use(over({ ...allot, [Symbol.asyncDispose]: async () => undefined }))
const target = new URL(allot.url)
function pass({ method, url, headers }: IncomingMessage, response: ServerResponse, body: string): void {
  const { hostname: host, port } = target
  const onward = forward({ host, port, method, path: url, headers, rejectUnauthorized: false }, (back) => {
    response.writeHead(back.statusCode ?? 500, back.headers)
    response.flushHeaders()
    back.on('error', () => response.destroy())
    back.pipe(response)
  })
  onward.on('error', () => response.destroy())
  response.on('close', () => onward.destroy())
  onward.end(body)
}

/** All pages of a list are of the version that the server itself has at the first. */
async function list(query: URLSearchParams, response: ServerResponse): Promise<void> {
  const [start, of] = query.get('continue')?.split('.') ?? ['0']
  const version: string = of ?? (await server.send('GET', `${LISTS}?limit=1`)).json.metadata.resourceVersion
  const from = Number(start)
  const limit = Number(query.get('limit') ?? '0')
  const count = limit === 0 ? OBJECTS - from : Math.min(limit, OBJECTS - from)
  const isLast = from + count === OBJECTS
  json(response, 200, {
    kind: 'ConfigMapList',
    apiVersion: 'v1',
    metadata: { resourceVersion: version, ...(isLast ? {} : { continue: `${from + count}.${version}` }) },
    items: Array.from({ length: count }, (_, at) => objectAt(from + at)),
  })
}

const proxy = stack.use(
  await TlsServer.start((request, response, body) => {
    proxy.requests.length = 0
    const { pathname, searchParams } = new URL(request.url ?? '/', allot.url)
    const isList = request.method === 'GET' && pathname === LISTS && !searchParams.has('watch')
    if (isList) list(searchParams, response).catch(() => response.destroy())
    else pass(request, response, body)
  }),
)

async function quotaIsCounted(): Promise<boolean> {
  const { json: quota } = await server.send('GET', '/apis/capsule.clastix.io/v1beta2/globalcustomquotas/counted')
  const { conditions, usage, omittedClaims = 0, claims = [] } = quota.status ?? {}
  const isReady = conditionOf(conditions, 'Ready')?.status === 'True'
  return isReady && usage !== undefined && omittedClaims + claims.length === OBJECTS
}

const statusField = (pid: number, field: string): number =>
  Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

const start = (port: number) =>
  launchOperator(kubeconfigFor(proxy.url, allot.token), [
    `--webhook-url=https://127.0.0.1:${port}`,
    `--webhook-port=${port}`,
    '--log-level=error',
  ])

/** Asks the webhook itself, dry, so that nothing is left in the ledger. */
async function isDecided(port: number): Promise<boolean> {
  const to = { url: `https://127.0.0.1:${port}`, token: '' }
  const resource = { group: '', version: 'v1', resource: 'configmaps' }
  const object = { apiVersion: 'v1', kind: 'ConfigMap', ...objectAt(OBJECTS) }
  const { namespace, name, uid } = object.metadata
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid,
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource,
      namespace,
      name,
      operation: 'CREATE',
      userInfo: { username: 'bench' },
      object,
      dryRun: true,
    },
  }
  try {
    const connection = await RawConnection.open(to.url)
    const asked = rawRequest(to, 'POST', '/custom-quotas/calculations?timeout=10s', JSON.stringify(review))
    const { body } = await connection.send(asked)
    connection.close()
    return body.toString().includes('"allowed":true')
  } catch {
    return false
  }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`${what} did not come about`)
    await sleep(20)
  }
}

// The first operator brings the definitions, counts and says that the quota is ready.
const firstPort = await freePort()
const first = start(firstPort)
await first.ready()
const { status, text } = await server.send('POST', '/apis/capsule.clastix.io/v1beta2/globalcustomquotas', {
  apiVersion: globalCustomQuota.apiVersion,
  kind: globalCustomQuota.kind,
  metadata: { name: 'counted' },
  spec: {
    limit: '100000000',
    sources: [{ apiVersion: 'v1', kind: 'ConfigMap', op: 'add', path: '.data.size' }],
  },
})
if (status !== 201) throw new Error(`the quota was answered with ${status}: ${text}`)
await until('a counted quota', quotaIsCounted)
await first.kill9()

for (let run = 0; run < RUNS; run++) {
  const port = await freePort()
  const began = performance.now()
  const operator = start(port)
  await until('a decision', () => isDecided(port))
  print('from the start to the first decision', (performance.now() - began) / 1000, 's')
  print('CPU of the operator until then', cpuMs(operator.pid) / 1000, 's')
  print('memory at the first decision', statusField(operator.pid, 'VmRSS'), 'MiB')
  await operator.ready()
  await sleep(QUIET_MS)
  print('memory when quiet', statusField(operator.pid, 'VmRSS'), 'MiB')
  print('memory at most', statusField(operator.pid, 'VmHWM'), 'MiB')
  await operator.kill9()
}
