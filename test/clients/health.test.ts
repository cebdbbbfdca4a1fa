import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { KubeObject } from '../../src/machinery/object.ts'
import { customResources } from '../../src/systems/custom-resources.ts'
import { eventually } from '../eventually.ts'
import { kquotasIn } from '../operator/karmada-quota/karmada-world.ts'
import { forSuite, operatedServers } from '../operator/operated.ts'
import { claimsIn, GROUP, POOLS } from '../operator/pool-objects.ts'
import { temporaryDirectory } from '../start-allot.ts'
import { toolPath } from './tool.ts'

const HEALTH = toolPath('health') ?? ''
const HELM = toolPath('helm-4') ?? ''
const CPU = 'requests.cpu'
const { data: SCRIPTS } = parse(
  readFileSync(new URL('../../config/argocd/argocd-cm.yaml', import.meta.url), 'utf8'),
) as { data: Readonly<Record<string, string>> }

/** The words of kstatus and of Argo CD for the same. */
const STANDINGS = { done: 'Current Healthy', waits: 'InProgress Progressing', failed: 'Failed Degraded' } as const
/** What both say of a kind of Capsule that nobody has decided about, where its CRD is not allot's: kstatus knows no kinds. */
const UNDECIDED = 'Current Progressing'

function scriptFor({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): string {
  const script = SCRIPTS[`resource.customizations.health.${apiVersion.split('/')[0]}_${kind}`]
  if (script === undefined) throw new Error(`no script for ${kind}`)
  return script
}

interface Exited {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

function run(program: string, args: readonly string[], input = '', env: NodeJS.ProcessEnv = {}): Promise<Exited> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { env: { ...process.env, ...env } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    )
    child.stdin?.end(input)
  })
}

/** How kstatus and Argo CD judge objects, each as one of the standings above. */
async function judged(objects: readonly KubeObject[]): Promise<readonly string[]> {
  const items = objects.map((object) => ({ object, script: scriptFor(object) }))
  const { stdout, stderr } = await run(HEALTH, [], JSON.stringify(items))
  expect(stderr).toBe('')
  const verdicts = JSON.parse(stdout) as readonly Record<'kstatus' | 'argocd', { readonly status: string }>[]
  return verdicts.map(({ kstatus, argocd }) => `${kstatus.status} ${argocd.status}`)
}

const condition = (type: string, status: string): object => ({ type, status, reason: 'Why', message: 'why' })
const READY = condition('Ready', 'True')
const UNREADY = condition('Ready', 'False')
const WAITS = condition('Reconciling', 'True')
const STALLED = condition('Stalled', 'True')

describe.skipIf(HEALTH === '')('what GitOps tools read in the statuses of allot', () => {
  const kinds = customResources.filter(({ kind }) => kind !== 'QuantityLedger' && kind !== 'QuotaServiceConfig')

  test.each([
    { status: undefined, standing: STANDINGS.done, ofCapsule: UNDECIDED },
    { status: {}, standing: STANDINGS.done, ofCapsule: UNDECIDED },
    { status: { observedGeneration: -1, conditions: [] }, standing: STANDINGS.waits },
    { status: { observedGeneration: 1, conditions: [READY] }, standing: STANDINGS.waits },
    { status: { observedGeneration: 2, conditions: [] }, standing: STANDINGS.done, ofCapsule: UNDECIDED },
    { status: { observedGeneration: 2, conditions: [READY] }, standing: STANDINGS.done },
    { status: { observedGeneration: 2, conditions: [UNREADY] }, standing: STANDINGS.waits },
    { status: { observedGeneration: 2, conditions: [READY, WAITS] }, standing: STANDINGS.waits },
    { status: { observedGeneration: 2, conditions: [READY, STALLED] }, standing: STANDINGS.failed },
    { status: { observedGeneration: 2, conditions: [UNREADY, STALLED] }, standing: STANDINGS.failed },
    {
      status: { observedGeneration: 2, conditions: [READY, condition('Stalled', 'False')] },
      standing: STANDINGS.done,
    },
  ])('$status is $standing for every kind', async ({ status, standing, ofCapsule = standing }) => {
    const objects = kinds.map(({ apiVersion, kind }) => ({
      apiVersion,
      kind,
      metadata: { name: 'x', generation: 2 },
      ...(status === undefined ? {} : { status }),
    }))
    const isOfCapsule = ({ apiVersion }: { readonly apiVersion: string }): boolean => apiVersion.startsWith('capsule.')
    expect(objects.filter(isOfCapsule)).toHaveLength(4)
    expect(await judged(objects)).toEqual(objects.map((object) => (isOfCapsule(object) ? ofCapsule : standing)))
  })
})

for (const { name: server, available, share } of operatedServers)
  describe.skipIf(!available || HEALTH === '')(`${server}: GitOps tools`, () => {
    const suite = forSuite(share)

    /** Resolves when the object at a path stands so. */
    async function stands(path: string, standing: string): Promise<string> {
      const seen: string[] = []
      await eventually(
        async () => {
          const [now = ''] = await judged([await suite.world.read(path)])
          if (seen.at(-1) !== now) seen.push(now)
          return now
        },
        (now) => now === standing,
        { everyMs: 200, what: `${path} stands as ${standing}` },
      )
      // Whoever waits for it is never told that it is done, or can never be, before that.
      const early = seen.slice(0, -1).find((one) => one !== STANDINGS.waits)
      return early === undefined ? standing : `${early} too early`
    }

    test('wait for a claim that waits, take it for done when it is granted, and give up one that never fits', async () => {
      const { world } = suite
      await world.namespace('gitops')
      await world.pool('gitops', { [CPU]: '2' })
      expect(await stands(`${POOLS}/gitops`, STANDINGS.done)).toBe(STANDINGS.done)
      await world.claim('gitops', 'has', { [CPU]: '2' }, 'gitops')
      expect(await stands(`${claimsIn('gitops')}/has`, STANDINGS.done)).toBe(STANDINGS.done)
      await world.claim('gitops', 'waits', { [CPU]: '1' }, 'gitops')
      await world.until(`${claimsIn('gitops')}/waits`, ({ status }) => status?.waiting?.reason === 'WaitingForRoom')
      expect(await stands(`${claimsIn('gitops')}/waits`, STANDINGS.waits)).toBe(STANDINGS.waits)
      await world.claim('gitops', 'too-large', { [CPU]: '3' }, 'gitops')
      expect(await stands(`${claimsIn('gitops')}/too-large`, STANDINGS.failed)).toBe(STANDINGS.failed)
      await world.claim('gitops', 'other', { pods: '1' }, 'gitops')
      expect(await stands(`${claimsIn('gitops')}/other`, STANDINGS.failed)).toBe(STANDINGS.failed)
      await world.claim('gitops', 'lost', { [CPU]: '1' }, 'no-such-pool')
      await world.until(`${claimsIn('gitops')}/lost`, ({ status }) => status?.waiting?.reason === 'NoSuchPool')
      expect(await stands(`${claimsIn('gitops')}/lost`, STANDINGS.waits)).toBe(STANDINGS.waits)
      await world.delete(`${claimsIn('gitops')}/has`)
      expect(await stands(`${claimsIn('gitops')}/waits`, STANDINGS.done)).toBe(STANDINGS.done)
    })

    test('wait for quotas until they are enforced', async () => {
      const { world } = suite
      await world.namespace('gitops-quotas')
      const sources = [{ apiVersion: 'v1', kind: 'ConfigMap', op: 'count' }]
      const unserved = [{ apiVersion: 'nobody.test/v1', kind: 'Nothing', op: 'count' }]
      const customQuotas = `${GROUP}/namespaces/gitops-quotas/customquotas`
      const make = (path: string, kind: string, name: string, spec: object): Promise<unknown> =>
        world.create(path, { apiVersion: 'capsule.clastix.io/v1beta2', kind, metadata: { name }, spec })
      await make(customQuotas, 'CustomQuota', 'works', { limit: '9', sources })
      expect(await stands(`${customQuotas}/works`, STANDINGS.done)).toBe(STANDINGS.done)
      await make(customQuotas, 'CustomQuota', 'unserved', { limit: '9', sources: unserved })
      await world.until(`${customQuotas}/unserved`, ({ status }) => (status?.conditions ?? []).length > 0)
      expect(await stands(`${customQuotas}/unserved`, STANDINGS.waits)).toBe(STANDINGS.waits)
      const globals = `${GROUP}/globalcustomquotas`
      const namespaceSelectors = [{ matchLabels: { pool: 'gitops-quotas' } }]
      await make(globals, 'GlobalCustomQuota', 'gitops-works', { limit: '9', sources, namespaceSelectors })
      expect(await stands(`${globals}/gitops-works`, STANDINGS.done)).toBe(STANDINGS.done)
    })

    test.skipIf(HELM === '')('helm --wait of Helm 4 waits for a claim, and fails on one that never fits', async () => {
      const { world } = suite
      await world.namespace('helm-waits')
      await world.pool('helm-waits', { [CPU]: '2' })
      await world.claim('helm-waits', 'first', { [CPU]: '2' }, 'helm-waits')
      expect(await stands(`${claimsIn('helm-waits')}/first`, STANDINGS.done)).toBe(STANDINGS.done)
      const install = (release: string, amount: string): Promise<Exited> => {
        const chart = join(temporaryDirectory(), release)
        mkdirSync(join(chart, 'templates'), { recursive: true })
        writeFileSync(join(chart, 'Chart.yaml'), `apiVersion: v2\nname: ${release}\nversion: 0.1.0\n`)
        const claim = {
          apiVersion: 'capsule.clastix.io/v1beta2',
          kind: 'ResourcePoolClaim',
          metadata: { name: release },
          spec: { pool: 'helm-waits', claim: { [CPU]: amount } },
        }
        writeFileSync(join(chart, 'templates', 'claim.yaml'), JSON.stringify(claim))
        const home = temporaryDirectory()
        const args = ['install', release, chart, '--namespace', 'helm-waits', '--wait', '--timeout', '60s']
        return run(HELM, args, '', { KUBECONFIG: suite.server.kubeconfig, HOME: home })
      }
      const waiting = install('waits', '1')
      const path = `${claimsIn('helm-waits')}/waits`
      await suite.server.until(path, ({ json }) => json?.status?.waiting?.reason === 'WaitingForRoom')
      let isOver = false
      void waiting.then(() => (isOver = true))
      const large = await install('too-large', '3')
      expect([large.code, large.stderr]).toEqual([1, expect.stringContaining('the whole pool is too small')])
      expect(isOver).toBe(false)
      await world.delete(`${claimsIn('helm-waits')}/first`)
      expect(await waiting).toMatchObject({ code: 0, stdout: expect.stringContaining('deployed') })
      expect((await world.read(path)).status.waiting).toBeUndefined()
    })

    test('wait for no increase that nobody decides about', async () => {
      const { world } = suite
      await world.namespace('gitops-ignored')
      const annotations = { 'quota.openmcp.cloud/operation': 'ignore' }
      await world.patch('/api/v1/namespaces/gitops-ignored', { metadata: { annotations } })
      const increases = '/apis/openmcp.cloud/v1alpha1/namespaces/gitops-ignored/quotaincreases'
      const head = { apiVersion: 'openmcp.cloud/v1alpha1', kind: 'QuotaIncrease', metadata: { name: 'more' } }
      await world.create(increases, { ...head, spec: { hard: { [CPU]: '1' } } })
      expect(await judged([await world.read(`${increases}/more`)])).toEqual([STANDINGS.done])
    })

    test('wait for a KarmadaQuota whose bindings are not counted', async () => {
      const { world } = suite
      await world.namespace('gitops-karmada')
      const spec = { hard: { cpu: '1' } }
      const head = { apiVersion: 'quota.karmada.io/v1alpha1', kind: 'KarmadaQuota', metadata: { name: 'team' } }
      await world.create(kquotasIn('gitops-karmada'), { ...head, spec })
      const path = `${kquotasIn('gitops-karmada')}/team`
      // Another test may have defined the bindings of Karmada on this server.
      const { status } = await world.until(path, ({ status: one }) => one?.observedGeneration === 1)
      const standing = (status.conditions ?? []).length === 0 ? STANDINGS.done : STANDINGS.waits
      expect(await stands(path, standing)).toBe(standing)
    })
  })
