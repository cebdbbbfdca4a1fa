import { expect } from 'vitest'
import type { ApiServer } from '../api-server.ts'

/** By resource. */
export type Amounts = Readonly<Record<string, string>>

export const inGroup = (path: string, group: string): string => path.replace('/api/v1', `/apis/${group}`)

export const service = (name: string, spec: object): unknown => ({
  metadata: { name },
  spec: {
    ports: [
      { name: 'a', port: 80 },
      { name: 'b', port: 81 },
    ],
    ...spec,
  },
})

export const claim = (name: string, storage: string, storageClassName?: string): unknown => ({
  metadata: { name },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage } },
    ...(storageClassName === undefined ? {} : { storageClassName }),
  },
})

/** The steps and checks of tests of quotas. */
export function quotaChecks(api: ApiServer) {
  async function limit(path: string, hard: Amounts, more: object = {}, name = 'q'): Promise<void> {
    await api.create(`${path}/resourcequotas`, { metadata: { name }, spec: { hard, ...more } })
  }

  const used = async (path: string, name = 'q'): Promise<Amounts> =>
    (await api.get(`${path}/resourcequotas/${name}`)).status.used

  /** Waits until the quota shows this usage; tells the last one when it does not. */
  async function usage(path: string, amounts: Amounts, name = 'q'): Promise<void> {
    const quota = await api.until(`${path}/resourcequotas/${name}`, ({ status }) =>
      Object.entries(amounts).every(([key, value]) => status?.used?.[key] === value),
    )
    expect(quota.status.used).toMatchObject(amounts)
  }

  const refused = async (path: string, object: unknown): Promise<string> => {
    const { status, body } = await api.send('POST', path, object)
    expect(status).toBe(403)
    return body.message
  }

  return { limit, used, usage, refused }
}
