import { expect, test } from 'vitest'
import { ManualClock, settled } from '../../../test/kube/manual-clock.ts'
import { ScriptedClient } from '../../../test/kube/scripted-client.ts'
import type { KubeClient, ObjectName, Patch, ResourceKind } from '../../kube/client/kube-client.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { type LogFields, type Logger, silentLogger } from '../../runtime/process/logger.ts'
import { CrdKeeper } from './crd-keeper.ts'
import { CRD_KIND } from './kept-crd.ts'

const NAME = 'things.example.test'
const ESTABLISHED = { conditions: [{ type: 'Established', status: 'True' }] }
const crd: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: NAME },
  spec: { scope: 'Cluster' },
}

/** A server of CRDs, which are established at once. */
class DefinitionServer extends ScriptedClient implements KubeClient {
  override patch<T extends KubeObject>(_: ResourceKind, __: ObjectName, { body }: Patch): Promise<T> {
    this.calls.push('apply')
    return Promise.resolve(this.put({ ...(body as object as KubeObject), status: ESTABLISHED }) as unknown as T)
  }
}

async function kept(prepare: (client: DefinitionServer) => void) {
  const client = new DefinitionServer(CRD_KIND)
  prepare(client)
  const warnings: LogFields[] = []
  const logger: Logger = { ...silentLogger, warn: (fields) => void warnings.push(fields) }
  const abort = new AbortController()
  const keeper = new CrdKeeper({ client, clock: new ManualClock(), logger, crds: [crd] })
  const running = keeper.run(abort.signal)
  await settled()
  const applied = (): number => client.calls.filter((call) => call === 'apply').length
  const stop = async (): Promise<void> => {
    abort.abort()
    await running
  }
  return { client, warnings, applied, [Symbol.asyncDispose]: stop }
}

test('a CRD that is deleted is installed again, and that is reported', async () => {
  await using keeper = await kept((client) => client.put({ ...crd, status: ESTABLISHED }))
  const { client, warnings, applied } = keeper
  expect(applied()).toBe(0)
  client.remove({ namespace: '', name: NAME })
  await expect.poll(applied).toBe(1)
  expect(client.state.get(`/${NAME}`)?.['spec']).toEqual(crd['spec'])
  expect(warnings).toEqual([{ name: NAME }])
  client.remove({ namespace: '', name: NAME })
  await expect.poll(applied).toBe(2)
})

test('one that is gone before anybody looks is installed too', async () => {
  await using keeper = await kept(() => undefined)
  await expect.poll(keeper.applied).toBe(1)
})

test('one that somebody changes, or that is still going, is left alone', async () => {
  await using keeper = await kept((client) => client.put({ ...crd, status: ESTABLISHED }))
  const { client, applied } = keeper
  client.put({ ...crd, spec: { scope: 'Namespaced' } })
  client.put({ ...crd, metadata: { ...crd.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } })
  await settled()
  expect(applied()).toBe(0)
})
