import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasKubectl } from '../kubectl/kubectl.ts'
import { parseAllDocuments } from 'yaml'
import { operatorNeeds } from '../../src/operator/required-access.ts'
import { customQuotaOptions } from '../../src/cli/custom-quota-flags.ts'
import { resourceQuotaOptions } from '../../src/cli/resource-quota-flags.ts'
import { operatorSystems } from '../../src/operator/systems.ts'
import { CUSTOM_QUOTA_METRICS } from '../../src/charges/custom-quota/quota-metrics.ts'
import { INCREASE_METRICS } from '../../src/grants/increases/increase-metrics.ts'
import { CLAIM_METRICS, POOL_METRICS } from '../../src/grants/pools/pool-metrics.ts'
import { startOperator } from '../operator/operated.ts'
import { startAllot, temporaryDirectory } from '../start-allot.ts'
import { type Result, ROOT, shell } from './document-shell.ts'

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
}

interface Role {
  readonly kind: 'ClusterRole' | 'Role'
  readonly metadata: { readonly namespace?: string }
  readonly rules: readonly Rule[]
}

/** The manifests of the roles, as a user copies them. */
const manifests = /^```yaml\n(apiVersion: rbac[^]*?)^```$/m.exec(read('docs/reference/allot-run.md'))?.[1] ?? ''
const roles = parseAllDocuments(manifests).map((document) => document.toJS() as Role)

const BOUNDS = {
  enforce: 'on',
  untilReady: 'refuse',
  warnAt: [],
  apiserverRequestTimeout: 60_000,
  strictPaths: false,
  customQuotasPerNamespace: 1,
  customQuotaSources: 1,
  customQuotaSelectors: 1,
  customQuotaExpressions: 1,
} as const

/** One line for each thing that is allowed, sorted. */
function listed({ kind, metadata: { namespace = '' }, rules }: Role): readonly string[] {
  const place = kind === 'ClusterRole' ? '' : ` in ${namespace}`
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    apiGroups.flatMap((group) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}${place}`)),
    ),
  )
}

describe('the reference of the operator', () => {
  test('the permissions that the reference lists are those that the operator asks for', () => {
    const quotaIncreases = {
      definitions: { config: 'any' },
      prune: false,
      systemNamespace: 'allot-system',
      workers: 1,
    }
    const systems = operatorSystems({
      workers: 1,
      customQuotas: customQuotaOptions(BOUNDS, 1),
      quotaIncreases,
      resourceQuotas: resourceQuotaOptions({ ...BOUNDS, enforceResourcequota: 'auto' }, 1),
      karmadaQuotas: { requestTimeoutMs: 60_000, workers: 1 },
    })
    const needs = [...operatorNeeds('allot-system'), ...systems.flatMap((system) => system.needs)]
    const asked = needs.flatMap(({ group, resource, subresource, verbs, namespace }) =>
      verbs.map((verb) => {
        const what = subresource === undefined ? resource : `${resource}/${subresource}`
        return `${verb} ${group}/${what}${namespace === undefined ? '' : ` in ${namespace}`}`
      }),
    )
    expect(roles.flatMap(listed).toSorted()).toEqual([...new Set(asked)].toSorted())
  })

  test.skipIf(!hasKubectl)('with exactly these permissions the operator grants from a pool', async () => {
    await using allot = await startAllot({ inMemory: true })
    const home = temporaryDirectory()
    const run = (command: string): Promise<Result> => shell(command, { kubeconfig: allot.kubeconfig, home })
    const succeeds = async (command: string): Promise<string> => {
      const { code, text } = await run(command)
      expect({ command, code, text }).toMatchObject({ code: 0 })
      return text.trim()
    }
    writeFileSync(join(home, 'roles.yaml'), manifests)
    await succeeds('kubectl create namespace allot-system')
    await succeeds(`kubectl apply -f ${home}/roles.yaml`)
    await succeeds('kubectl -n allot-system create serviceaccount allot')
    const account = '--serviceaccount=allot-system:allot'
    await succeeds(`kubectl create clusterrolebinding allot --clusterrole=allot ${account}`)
    await succeeds(`kubectl -n allot-system create rolebinding allot --role=allot ${account}`)
    const token = await succeeds('kubectl -n allot-system create token allot')
    const kubeconfig = join(home, 'operator.kubeconfig')
    writeFileSync(kubeconfig, readFileSync(allot.kubeconfig, 'utf8').replace(/token: .*/, `token: ${token}`))

    await using operator = await startOperator(kubeconfig)
    for (const name of ['01-namespace', '03-pool', '04-claim'])
      await succeeds(`kubectl apply -f examples/resource-pools/3-claims/${name}.yaml`)
    await succeeds('kubectl -n solar-test wait --for=create quota/capsule-pool-solar-pool')
    await succeeds(
      `kubectl -n solar-test wait quota/capsule-pool-solar-pool --for=jsonpath='{.status.hard.requests\\.cpu}'=2`,
    )
    await succeeds('kubectl delete resourcepool solar-pool')
    expect(operator.logs()).not.toContain('orbidden')
  })

  test('the reference names every metric of pools and claims, with its labels', () => {
    const rows = read('docs/reference/metrics.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    const missing = Object.entries({
      ...POOL_METRICS,
      ...CLAIM_METRICS,
      ...CUSTOM_QUOTA_METRICS,
      ...INCREASE_METRICS,
    }).filter(([name, { labels }]) => {
      const row = rows.find((line) => line.includes(`\`${name}\``)) ?? ''
      return !labels.every((label) => row.includes(`\`${label}\``))
    })
    expect(missing).toEqual([])
  })
})
