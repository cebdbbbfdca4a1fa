import { beforeAll, describe, expect, test } from 'vitest'
import { operatedServers, type SharedOperated, representative } from '../operated.ts'

const MOST = 1000
const GROUP = 'capsule.clastix.io/v1beta2'
const CAPSULE = `/apis/${GROUP}`
const resources = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`count/things${n}.example.com`, '1']))
const NAMESPACE = 'many-resources'

type Kind = readonly [kind: string, path: string, field: string, object: (hard: object) => object]
const KINDS: readonly Kind[] = [
  [
    'ResourcePool',
    `${CAPSULE}/resourcepools`,
    'spec.quota.hard',
    (hard) => ({ apiVersion: GROUP, kind: 'ResourcePool', spec: { selectors: [], quota: { hard } } }),
  ],
  [
    'ResourcePoolClaim',
    `${CAPSULE}/namespaces/${NAMESPACE}/resourcepoolclaims`,
    'spec.claim',
    (claim) => ({ apiVersion: GROUP, kind: 'ResourcePoolClaim', spec: { pool: 'none', claim } }),
  ],
  [
    'QuotaIncrease',
    `/apis/openmcp.cloud/v1alpha1/namespaces/${NAMESPACE}/quotaincreases`,
    'spec.hard',
    (hard) => ({ apiVersion: 'openmcp.cloud/v1alpha1', kind: 'QuotaIncrease', spec: { hard } }),
  ],
  [
    'KarmadaQuota',
    `/apis/quota.karmada.io/v1alpha1/namespaces/${NAMESPACE}/karmadaquotas`,
    'spec.hard',
    (hard) => ({ apiVersion: 'quota.karmada.io/v1alpha1', kind: 'KarmadaQuota', spec: { hard } }),
  ],
]
/** With the number of resources: `allot up` reads no patch of more than 20,000 values. */
const VERBS: readonly (readonly [method: string, query: string, count: number, type?: string])[] = [
  ['POST', '?dryRun=All', 60_000],
  ['PATCH', '/many?dryRun=All&fieldManager=me', 15_000, 'application/apply-patch+yaml'],
]

describe.each(representative(operatedServers))('on $name', ({ share }) => {
  let server: SharedOperated
  beforeAll(async () => {
    server = await share()
    await server.send('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } })
  })

  test.each(KINDS)(
    'a %s of more resources than any cluster has is refused with its field',
    async (_kind, path, field, object) => {
      for (const [method, query, count, type] of VERBS) {
        const named = { ...object(resources(count)), metadata: { name: 'many' } }
        const headers = type === undefined ? {} : { 'content-type': type }
        const { status, text } = await server.send(method, path + query, named, headers)
        // Servers before 1.25 say it in other words.
        const wording = new RegExp(`${field}: .* at most ${MOST} (?:items|properties)`)
        expect([status, text]).toEqual([422, expect.stringMatching(wording)])
      }
    },
  )

  test('a claim of as many resources as may be is not refused for their number', async () => {
    const [, path, , object] = KINDS[1] ?? KINDS[0] ?? expect.unreachable()
    const named = { ...object(resources(MOST)), metadata: { name: 'most' } }
    expect((await server.send('POST', `${path}?dryRun=All`, named)).text).not.toContain('Too many')
  })
})
