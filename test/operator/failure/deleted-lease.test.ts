import { expect, test } from 'vitest'
import { eventually } from '../../eventually.ts'
import { MERGE } from '../pool-objects.ts'
import { FlakyProxy } from './flaky-proxy.ts'
import { linesWithStacks, type LoggedLine, loggedLines } from './logged-lines.ts'
import { bareServers, launchOperator, SHORT_LEASE, startOperator } from '../operated.ts'
import { kubeconfigFor } from '../replicas.ts'

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/allot-system/leases/allot'
const KEY = '/api/v1/namespaces/allot-system/secrets/allot-ledger-key'
/** Longer than any wait of a test. */
const CUT_OFF_MS = 3_600_000

const LOST = 'is no longer the leader'
const LEADS = 'became the leader'
const AWAITS = 'the key of the ledgers is missing: other replicas have some seconds to store it again'
const WAITS = 'somebody deleted the lease: it is taken when the leader before can no longer count on it'

test('a replica that starts while the Lease is deleted and its leader is cut off leads only when that has ended', async () => {
  await using server = await bareServers[0]!.start()
  await using proxy = await FlakyProxy.before(server.url)
  await using first = await startOperator(kubeconfigFor(proxy.url, server.token), SHORT_LEASE)
  const lineOf = (logs: string, msg: string): LoggedLine | undefined =>
    loggedLines(logs).find((line) => line['msg'] === msg)
  expect(lineOf(first.logs(), LEADS)).toBeDefined()
  // The first operator in a cluster waits for nobody.
  expect(lineOf(first.logs(), WAITS)).toBeUndefined()

  proxy.delayMs = CUT_OFF_MS
  expect((await server.send('DELETE', LEASE)).status).toBe(200)
  // A Secret without its key tells of earlier replicas, too.
  expect((await server.send('PATCH', KEY, { data: null }, MERGE)).status).toBe(200)
  await using second = await startOperator(server.kubeconfig, SHORT_LEASE)
  const leads = await eventually(
    () => lineOf(second.logs(), LEADS),
    (line) => line !== undefined,
  )
  expect(lineOf(second.logs(), WAITS)).toMatchObject({ level: 'warn' })
  const lost = lineOf(first.logs(), LOST)
  expect([String(lost?.['time']), String(leads?.['time'])]).toEqual(
    [String(lost?.['time']), String(leads?.['time'])].toSorted(),
  )
  expect(lost).toBeDefined()

  // Replicas that run know the key, and look for it every few seconds.
  const key = async (): Promise<unknown> => (await server.send('GET', KEY)).json.data
  const before = await key()
  process.kill(second.pid, 'SIGSTOP')
  expect((await server.send('DELETE', KEY)).status).toBe(200)
  await using third = launchOperator(server.kubeconfig, SHORT_LEASE)
  await eventually(
    () => lineOf(third.logs(), AWAITS),
    (line) => line !== undefined,
  ).finally(() => process.kill(second.pid, 'SIGCONT'))
  await third.ready()
  expect(await key()).toEqual(before)
  expect(linesWithStacks(first.logs() + second.logs())).toEqual([])
})
