import { expect, test } from 'vitest'
import { eventually } from '../../../test/eventually.ts'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { MemoryClient } from '../../../bench/admission/memory-client.ts'
import { sealBy } from '../../../test/operator/ledger-seals.ts'
import { reviewedRequest } from '../../../test/operator/reviewed-request.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { silentLogger } from '../../runtime/process/logger.ts'
import { NAMESPACES } from '../cluster/keep-namespace.ts'
import { ExemptLabels } from './exempt-labels.ts'

const LABEL = 'allot.dev/exempt'
const namespace = (name: string, value?: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { team: 'a', ...(value === undefined ? {} : { [LABEL]: value }) } },
})

function open() {
  const client = new MemoryClient({})
  const labels = new ExemptLabels({
    client,
    clock: new ManualClock(),
    logger: silentLogger,
    exempt: new Set(['kube-system', 'kube-node-lease']),
    seal: sealBy(),
  })
  const value = labels.label.values.get('kube-system') ?? ''
  const valueOf = async (name: string): Promise<string | undefined> =>
    (await client.get(NAMESPACES, { namespace: '', name })).metadata.labels?.[LABEL]
  return { client, labels, value, valueOf }
}

const { signal } = new AbortController()

test('each exempt namespace that there is gets a value of its own before rules leave it out', async () => {
  const { client, labels, value, valueOf } = open()
  client.put(NAMESPACES, namespace('kube-system'))
  client.put(NAMESPACES, namespace('a'))
  await labels.set(signal)
  expect([await valueOf('kube-system'), await valueOf('a')]).toEqual([value, undefined])
  expect(new Set(labels.label.values.values()).size).toBe(2)
  expect(value).toMatch(/^[0-9a-f]{32}$/)
})

test('a label that is missing is put back, one that another namespace got while no webhook answered is taken away', async () => {
  const { client, labels, value, valueOf } = open()
  client.put(NAMESPACES, namespace('forged', value))
  const over = new AbortController()
  const running = labels.run(over.signal)
  await eventually(
    () => valueOf('forged'),
    (found) => found === undefined,
  )
  client.put(NAMESPACES, namespace('kube-node-lease'))
  client.put(NAMESPACES, namespace('kube-system', 'other'))
  await eventually(
    () => valueOf('kube-system'),
    (found) => found === value,
  )
  await eventually(
    () => valueOf('kube-node-lease'),
    (found) => found === labels.label.values.get('kube-node-lease'),
  )
  over.abort()
  await running
  expect((await client.get(NAMESPACES, { namespace: '', name: 'forged' })).metadata.labels).toEqual({ team: 'a' })
})

test.each([
  ['kube-system', 'its own', 'allowed'],
  ['kube-system', 'another', 'denied'],
  ['kube-system', 'none', 'allowed'],
  ['kube-node-lease', 'its own', 'denied'],
  ['a', 'its own', 'denied'],
  ['a', 'another', 'denied'],
  ['a', 'none', 'allowed'],
] as const)('the namespace %s with the value of kube-system (%s) is %s', async (name, which, verdict) => {
  const { labels, value } = open()
  const label = { 'its own': value, another: 'x', none: undefined }[which]
  const request = reviewedRequest(NAMESPACES, { operation: 'UPDATE', object: namespace(name, label) })
  expect(await labels.hook().handle(request, signal, 1000)).toMatchObject({ verdict })
})
