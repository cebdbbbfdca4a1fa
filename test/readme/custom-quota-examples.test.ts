import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../src/machinery/object.ts'
import { eventually } from '../eventually.ts'
import { operatedServers, type Operated } from '../operator/operated.ts'
import { GROUP } from '../operator/pool-objects.ts'
import { QuotaWorld } from '../operator/custom-quota/quota-world.ts'
import type { Answer } from '../start-allot.ts'
import { ROOT } from './document-shell.ts'

const FOLDER = 'examples/custom-quotas'
const PATIENCE_MS = 120_000

/** The quotas that refuse each manifest, the first one first. */
const REFUSED_BY: Readonly<Record<string, readonly string[]>> = {
  '1-load-balancers/04-fourth-balancer-refused.yaml': ['GlobalCustomQuota "customer-a-loadbalancers"'],
  '1-load-balancers/07-third-balancer-refused.yaml': ['CustomQuota "namespace-loadbalancers"'],
  '2-bucket-storage/05-bucket-of-the-tenant-refused.yaml': ['GlobalCustomQuota "object-bucket-claim-storage"'],
  '2-bucket-storage/07-bucket-of-the-namespace-refused.yaml': [
    'GlobalCustomQuota "object-bucket-claim-storage"',
    'CustomQuota "object-bucket-claim-storage"',
  ],
  '3-aggregated-storage/04-claim-refused.yaml': ['GlobalCustomQuota "solar-storage-aggregate"'],
  '4-crossplane/04-sixth-bucket-refused.yaml': ['GlobalCustomQuota "tenant-crossplane-buckets"'],
  '4-crossplane/07-fourth-instance-refused.yaml': ['CustomQuota "sql-instances"'],
  '5-one-namespace/03-claim-refused.yaml': ['CustomQuota "pvc-storage-limit"'],
  '5-one-namespace/06-pod-refused.yaml': ['CustomQuota "pod-memory-requests"'],
  '5-one-namespace/09-sixth-suspended-refused.yaml': ['CustomQuota "suspended-cronjobs"'],
  '5-one-namespace/11-claim-of-two-teams-refused.yaml': ['CustomQuota "storage-of-two-teams"'],
  '6-pod-count/04-pod-refused.yaml': ['CustomQuota "pod-count-limit"'],
  '6-pod-count/06-seventh-pod-refused.yaml': ['GlobalCustomQuota "pod-count-limit"'],
  '7-metrics/02-pod-refused.yaml': ['GlobalCustomQuota "cpu-limits"', 'GlobalCustomQuota "pod-count-limit"'],
  '7-metrics/06-fourth-pod-refused.yaml': ['CustomQuota "pod-count-limit"'],
}

/** The usage of each quota when all manifests are applied. */
const USED: Readonly<Record<string, string>> = {
  'globalcustomquotas/customer-a-loadbalancers': '3',
  'namespaces/team-a/customquotas/namespace-loadbalancers': '2',
  'globalcustomquotas/object-bucket-claim-storage': '300Gi',
  'namespaces/solar-test/customquotas/object-bucket-claim-storage': '0',
  'globalcustomquotas/solar-storage-aggregate': '4Gi',
  'globalcustomquotas/tenant-crossplane-buckets': '5',
  'namespaces/team-a/customquotas/sql-instances': '3',
  'namespaces/team-a/customquotas/pvc-storage-limit': '150Gi',
  'namespaces/team-a/customquotas/pod-memory-requests': '14Gi',
  'namespaces/team-a/customquotas/suspended-cronjobs': '5',
  'namespaces/team-a/customquotas/storage-of-two-teams': '250Gi',
  'globalcustomquotas/pod-count-limit': '6',
  'namespaces/solar-test/customquotas/pod-count-limit': '3',
  'globalcustomquotas/cpu-limits': '750m',
  'namespaces/wind-test/customquotas/pod-count-limit': '3',
}

/** The quotas that deployments fill. */
const FILLED_BY: Readonly<Record<string, string>> = {
  '6-pod-count/03-deployment.yaml': 'namespaces/solar-test/customquotas/pod-count-limit',
  '6-pod-count/05-deployment-of-another-namespace.yaml': 'globalcustomquotas/pod-count-limit',
}

/** The usage of a quota on a server without ephemeral volumes: without the pod that has one. */
const WITHOUT_EPHEMERAL: Readonly<Record<string, string>> = {
  'globalcustomquotas/solar-storage-aggregate': '2Gi',
}

const files = readdirSync(join(ROOT, FOLDER), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .toSorted()
  .flatMap((folder) =>
    readdirSync(join(ROOT, FOLDER, folder))
      .filter((name) => name.endsWith('.yaml'))
      .toSorted()
      .map((file) => `${folder}/${file}`),
  )

const objectsOf = (file: string): readonly KubeObject[] =>
  parseAllDocuments(readFileSync(join(ROOT, FOLDER, file), 'utf8')).map((document) => document.toJS() as KubeObject)

function collectionOf({ apiVersion, kind, metadata: { namespace } }: KubeObject): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  return `${root}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${kind.toLowerCase()}s`
}

const isRefused = (file: string): boolean => file.endsWith('refused.yaml')
const quotas = files.flatMap(objectsOf).filter(({ kind }) => kind.endsWith('CustomQuota'))
const pathOf = (object: KubeObject): string => `${collectionOf(object)}/${object.metadata.name ?? ''}`
const shortOf = (quota: KubeObject): string => pathOf(quota).slice(GROUP.length + 1)

test('of every quota of the examples it is known what it counts, and of every refused manifest what refuses it', () => {
  const paths = quotas.map((quota) => shortOf(quota))
  expect(Object.keys(USED).toSorted()).toEqual(paths.toSorted())
  expect(Object.keys(REFUSED_BY)).toEqual(files.filter(isRefused))
  const refusing = Object.values(REFUSED_BY).flat()
  for (const { kind, metadata } of quotas) expect(refusing).toContain(`${kind} "${metadata.name ?? ''}"`)
})

for (const { name, available, start } of operatedServers)
  describe(`${name}: the examples of custom quotas`, { skip: !available }, () => {
    let server: Operated
    let world: QuotaWorld
    let hasEphemeral = true
    let hasCronJobs = true

    beforeAll(async () => {
      server = await start({ workloads: true })
      world = new QuotaWorld(server)
      const { minor } = await world.read('/version')
      hasEphemeral = Number(String(minor).replace(/\D.*/, '')) >= 23
      hasCronJobs = (await server.send('GET', '/apis/batch/v1')).text.includes('"CronJob"')
    }, PATIENCE_MS)
    afterAll(() => server?.[Symbol.asyncDispose]())

    /** Does a server of before 1.21 or 1.23 lack what the manifest needs? */
    const isLacking = (object: KubeObject): boolean => {
      const text = JSON.stringify(object)
      return (
        (!hasCronJobs && text.includes('"CronJob"')) ||
        (!hasEphemeral && object.kind === 'Pod' && text.includes('"ephemeral"'))
      )
    }

    /** Creates an object; gives the answer that allows or refuses it. Accounts of new namespaces come a moment later. */
    const create = (object: KubeObject): Promise<Answer> =>
      eventually(
        () => server.send('POST', collectionOf(object), object),
        ({ status, text }) => status === 201 || status === 409 || text.includes('exceeds limit for'),
      )

    async function apply(file: string): Promise<void> {
      for (const object of objectsOf(file)) {
        if (isLacking(object)) continue
        const { status, text } = await create(object)
        if (isRefused(file)) {
          const named = [...text.matchAll(/(?:exceeds limit for|also refused by) (\w+ \\"[\w-]+\\")/g)]
          expect({ file, status, by: named.map((match) => match[1]?.replaceAll('\\', '')) }).toEqual({
            file,
            status: 403,
            by: REFUSED_BY[file],
          })
        } else expect({ file, status, text }).toMatchObject({ file, status: 201 })
        if (object.kind.endsWith('CustomQuota')) await world.ready(pathOf(object))
        // Its pods come one after another, as far as there is room.
        const filled = FILLED_BY[file]
        if (filled !== undefined) await world.used(`${GROUP}/${filled}`, USED[filled] ?? '')
      }
    }

    test(
      'each quota counts and refuses what its manifests say',
      async () => {
        for (const file of files) await apply(file)
        for (const quota of quotas.filter((one) => !isLacking(one))) {
          const short = shortOf(quota)
          const used = (hasEphemeral ? undefined : WITHOUT_EPHEMERAL[short]) ?? USED[short] ?? ''
          await world.used(pathOf(quota), used)
          expect({ short, ...(await world.read(pathOf(quota))).status.usage }).toMatchObject({ short, used })
        }
      },
      PATIENCE_MS,
    )
  })
