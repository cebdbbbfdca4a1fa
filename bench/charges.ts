// The costs of deciding and counting: a pod with 10 containers against 5 quotas of which two are scoped, and the recount of a
// quota over 3,000 pods. One JSON line each.
import { measure } from 'mitata'
import type { ResourceQuota } from '../src/kinds/resource-quota/resource-quota.ts'
import { decide } from '../src/charges/decide.ts'
import { QUOTA_EVALUATORS } from '../src/charges/evaluators/table.ts'
import { quotaBudget } from '../src/systems/resource-quota/decide/quota-budget.ts'
import { recount } from '../src/systems/resource-quota/decide/count/recount.ts'
import { Quantity } from '../src/quantity/quantity.ts'

const CONTAINERS = 10
const QUOTAS = 5
const SCOPED = 2
const PODS = 3000

const resources = { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '200m', memory: '128Mi' } }
const podOf = (name: string, containers: number) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'n' },
  spec: { containers: Array.from({ length: containers }, (_, i) => ({ name: `c${i}`, image: 'x', resources })) },
  status: { phase: 'Running' },
})
const hard = {
  pods: '10000',
  'requests.cpu': '1000',
  'requests.memory': '1Ti',
  'limits.cpu': '2000',
  'limits.memory': '2Ti',
}
const used = { pods: '10', 'requests.cpu': '1', 'requests.memory': '1Gi', 'limits.cpu': '2', 'limits.memory': '2Gi' }
const quotas = Array.from({ length: QUOTAS }, (_, i): ResourceQuota => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: `q${i}`, namespace: 'n' },
  spec: { hard, ...(i < SCOPED ? { scopes: ['NotTerminating', 'NotBestEffort'] } : {}) },
  status: { hard, used },
}))

const sink: unknown[] = [undefined]
/** The mean of many runs, in nanoseconds. */
async function time(work: () => unknown): Promise<number> {
  const { avg } = await measure(() => {
    sink[0] = work()
  })
  return avg
}
const print = (line: object): void => console.log(JSON.stringify({ bench: 'charges', ...line }))

const budgets = quotas.map((quota) => quotaBudget(quota, QUOTA_EVALUATORS))
const attributes = {
  group: '',
  resource: 'pods',
  subresource: '',
  operation: 'CREATE',
  name: 'p',
  namespace: 'n',
  object: podOf('p', CONTAINERS),
  dryRun: false,
} as const
print({
  figure: 'decide',
  containers: CONTAINERS,
  quotas: QUOTAS,
  scoped: SCOPED,
  microseconds: Number(((await time(() => decide({ budgets, attributes, now: 0 }))) / 1000).toFixed(1)),
})

const pods = Array.from({ length: PODS }, (_, i) => podOf(`p${i}`, 1))
for (const [what, quota] of [
  ['a scoped quota', quotas[0]],
  ['a quota', quotas.at(-1)],
] as const) {
  if (quota === undefined) throw new Error('there is no such quota')
  const objectsOf = () => pods
  const nanoseconds = await time(() => recount({ quota, evaluators: QUOTA_EVALUATORS, objectsOf, now: 0 }))
  const counted = recount({ quota, evaluators: QUOTA_EVALUATORS, objectsOf, now: 0 }).status.used['pods']
  print({
    figure: `recount of ${what}`,
    pods: Number(Quantity.parse(counted ?? '').value()),
    milliseconds: Number((nanoseconds / 1e6).toFixed(2)),
  })
}
