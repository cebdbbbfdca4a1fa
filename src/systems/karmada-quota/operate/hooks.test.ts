import { expect, test } from 'vitest'
import { karmadaQuota } from '../api/karmada-quota.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'
import type { AdmissionRequest } from '../../../runtime/admission/request.ts'
import { karmadaQuotaHooks } from './hooks.ts'

const unasked = () => Promise.reject(new Error('only a spec is judged'))

const OPERATOR = 'operator'
const quota = (status: JsonObject, managers: number): KubeObject => ({
  apiVersion: `${karmadaQuota.group}/${karmadaQuota.version}`,
  kind: 'KarmadaQuota',
  metadata: {
    name: 'q',
    namespace: 'a',
    managedFields: Array.from({ length: managers }, (_, at) => ({ manager: `m${at}`.padEnd(100, 'x') })),
  },
  spec: { overall: { cpu: '4' } },
  status,
})

async function isRefused(username: string, object: KubeObject, oldObject = quota({}, 1)): Promise<boolean> {
  const hook = karmadaQuotaHooks(() => OPERATOR, { judge: unasked, offers: unasked }).find(({ path }) =>
    path.includes('/status/'),
  )
  const request = { operation: 'UPDATE', name: 'q', object, oldObject, userInfo: { username } }
  const decision = await hook?.handle(request as unknown as AdmissionRequest, new AbortController().signal, 1000)
  return decision?.verdict === 'denied'
}

test('only the operator writes the status of a KarmadaQuota, and nobody fills it with managers', async () => {
  expect(await isRefused('somebody', quota({ used: { cpu: '1' } }, 1))).toBe(true)
  expect(await isRefused(OPERATOR, quota({ used: { cpu: '1' } }, 1))).toBe(false)
  expect(await isRefused('somebody', quota({}, 10))).toBe(false)
  expect(await isRefused('somebody', quota({}, 1000))).toBe(true)
  expect(await isRefused('somebody', quota({}, 500), quota({}, 1000))).toBe(false)
})
