import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Pod } from '../../builtin/core-v1.ts'
import { countsInNamespace } from '../../insight/budgets/custom-quota.ts'
import { workloadKind, WORKLOAD_KINDS } from '../../insight/explain/workload-kinds.ts'
import { expectationsOf, unmet } from '../../insight/simulate/expectations.ts'
import { Simulator } from '../../insight/simulate/simulate.ts'
import type { NotSeen } from '../../insight/simulate/undecided.ts'
import { openKubeClient } from '../../kube/open-kube-client.ts'
import { systemContext } from '../../kube/time/system-context.ts'
import { objectOf, textOf } from '../../machinery/read.ts'
import { inOneLine } from '../../machinery/text/shown.ts'
import { controllerOf, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import { customQuota } from '../../systems/custom-quota/api/custom-quota.ts'
import { globalCustomQuota } from '../../systems/custom-quota/api/global-custom-quota.ts'
import { karmadaQuota } from '../../systems/karmada-quota/api/karmada-quota.ts'
import { RESOURCE_BINDINGS } from '../../systems/karmada-quota/api/names.ts'
import { quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/claim.ts'
import { accessOfFlags } from '../access/of-flags.ts'
import type { CliContext } from '../context.ts'
import { LeftOver } from '../migrate/left-over.ts'
import { manifestText, writeFile } from '../migrate/files.ts'
import { packageVersion } from '../package-version.ts'
import { builtinSchemas } from '../reading/builtin-schemas.ts'
import { knownKinds } from '../reading/known-kinds.ts'
import { COUNTING, readState, sourceKindsOf } from '../reading/read-state.ts'
import { ServedKinds } from '../../reading/served-kinds.ts'
import { TEST_FILE, TestFileError } from './read.ts'
import { jobManifest } from './job-manifest.ts'
import { simulatorOf } from './simulator.ts'
import type { TestFlags } from './command.ts'

const GIVEN = 'given.yaml'
const LIMITS: ReadonlySet<string> = new Set([
  'ResourceQuota',
  'LimitRange',
  'PersistentVolumeClaim',
  'Pod',
  ...[resourcePoolClaim, quotaIncrease, customQuota, karmadaQuota].map(({ kind }) => kind),
  ...WORKLOAD_KINDS.keys(),
])
const DECIDED: ReadonlySet<string> = new Set([resourcePoolClaim, RESOURCE_BINDINGS].map(({ kind }) => kind))
/** A pod that is over: quotas that count objects count it, and no controller makes it again. */
const isOver = ({ kind, status }: Pod): boolean =>
  kind === 'Pod' && ['Succeeded', 'Failed'].includes(textOf(objectOf(status).phase))
const isJob = (object: KubeObject): boolean => workloadKind(object)?.resource === 'jobs'
/** Does the status say what has been decided, or what a Job has done? */
const isStatusKept = (object: KubeObject): boolean => DECIDED.has(object.kind) || isJob(object)
const ONCE = ['PriorityClass', 'ResourcePool', 'QuotaServiceConfig']

/**
 * Writes a test of a namespace: its objects, and the usage that the cluster reports for them. Throws TestFileError, and
 * errors of `KubeClient`. Throws LeftOver if the test computes another usage than the cluster.
 */
export async function initTest(
  folders: readonly string[],
  flags: TestFlags,
  { environment, stop, out }: CliContext,
): Promise<void> {
  const [folder = '.'] = folders
  for (const name of [TEST_FILE, GIVEN])
    if (existsSync(join(folder, name)))
      throw new TestFileError(`${join(folder, name)} is there already`, 'name another folder')
  const access = accessOfFlags(flags, environment)
  const namespace = flags.namespace ?? access.namespace
  const { client, close } = openKubeClient({ access, environment, version: packageVersion() })
  try {
    const kinds = await ServedKinds.read(client, stop)
    const asked: KubeObject = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'any', namespace } }
    const first = await readState({ client, kinds, changes: [asked], namespace, signal: stop })
    const quotas = first.state.filter(({ kind, metadata }) => COUNTING.has(kind) && metadata.namespace === namespace)
    // The objects that these quotas count are needed, too.
    const found =
      quotas.length === 0
        ? first
        : await readState({ client, kinds, changes: [asked, ...quotas], namespace, signal: stop })
    const { given, leftOut } = givenOf(found.state, namespace)
    const schemas = builtinSchemas()
    const simulator = simulatorOf({ namespace, definitions: undefined, given, steps: [] }, schemas)
    const expect = expectationsOf(simulator, namespace)
    const notSeen = found.notSeen.map((one) => `not seen: ${notSeenText(one)}`)
    if (Object.keys(expect).length === 0)
      throw new TestFileError(
        `there is nothing in namespace ${namespace} that a test could expect${notSeen.length === 0 ? '' : ` (${notSeen.join('; ')})`}`,
        'name a namespace with quotas or workloads that you may read',
      )
    const now = systemContext.now()
    const live = new Simulator({ ...found, ...schemas, isFromCluster: true, namespace, now, timestamp })
    const differences = unmet(expectationsOf(live, namespace), simulator, [], namespace).map(
      ({ text }) => `differs from the cluster: ${text}`,
    )
    mkdirSync(folder, { recursive: true })
    writeFile(join(folder, GIVEN), 'the folder', manifestText(given))
    const document: JsonObject = {
      name: `namespace ${namespace}`,
      namespace,
      given: [{ file: GIVEN }],
      when: [],
      expect,
    }
    writeFile(join(folder, TEST_FILE), 'the folder', manifestText([document]).replace(/^---\n/, ''))
    const wrote = `wrote ${join(folder, TEST_FILE)} and ${join(folder, GIVEN)}: add what happens under "when", and run allot test ${folder}`
    for (const line of [wrote, ...notSeen, ...leftOut, ...differences]) out(`${inOneLine(line)}\n`)
    if (leftOut.length + differences.length > 0) throw new LeftOver()
  } finally {
    await close()
  }
}

const notSeenText = ({ resource, reason }: NotSeen): string => `${resource}: ${reason}`

/** The objects of a test, and which quotas are left out that a test cannot count. */
function givenOf(
  state: readonly KubeObject[],
  namespace: string,
): { readonly given: readonly KubeObject[]; readonly leftOut: readonly string[] } {
  const kinds = knownKinds([])
  const [counted, leftOut]: [Set<string>, string[]] = [new Set(), []]
  const left = new Set<KubeObject>()
  const labels = state.find(({ kind, metadata }) => kind === 'Namespace' && metadata.name === namespace)?.metadata
    .labels
  for (const quota of state.filter(({ kind }) => COUNTING.has(kind))) {
    const { kind, metadata } = quota
    if (kind === globalCustomQuota.kind) {
      if (countsInNamespace(globalCustomQuota.read(quota), namespace, labels))
        leftOut.push(`left out: ${kind} ${metadata.name}: it counts in other namespaces too`)
      continue
    }
    if (metadata.namespace !== namespace) continue
    const sources = sourceKindsOf(quota)
    const unknown = sources.find((one) => kinds(one.apiVersion, one.kind) === undefined)
    if (unknown === undefined) for (const one of sources) counted.add(`${one.apiVersion} ${one.kind}`)
    else {
      left.add(quota)
      leftOut.push(
        `left out: ${kind} ${metadata.name}: add it with the CustomResourceDefinition of ${unknown.kind} (${unknown.apiVersion})`,
      )
    }
  }
  const given = state
    .filter((object) => !left.has(object) && belongs(object, namespace, counted))
    .map((object) => asManifest(isJob(object) ? jobManifest(object) : object))
  return { given, leftOut }
}

/** Is an object of the namespace, or for all of them, and made by people? `counted`: kinds that quotas of the namespace count. */
function belongs(object: KubeObject, namespace: string, counted: ReadonlySet<string>): boolean {
  const { apiVersion, kind, metadata } = object
  if (controllerOf(object) !== undefined && !isOver(object)) return false
  if (kind === 'Namespace') return metadata.name === namespace
  if (ONCE.includes(kind)) return !(metadata.name ?? '').startsWith('system-')
  return metadata.namespace === namespace && (LIMITS.has(kind) || counted.has(`${apiVersion} ${kind}`))
}

/** Without what servers and controllers have written. */
function asManifest(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, status, ...rest } = object
  const { name, namespace, labels, annotations = {}, creationTimestamp, uid } = metadata
  // Claims queue by their age, and keep what they have.
  const isAged = kind === resourcePoolClaim.kind || kind === resourcePool.kind
  const { 'kubectl.kubernetes.io/last-applied-configuration': __, ...own } = annotations
  return {
    apiVersion,
    kind,
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(isAged && creationTimestamp !== undefined ? { creationTimestamp, uid } : {}),
      ...(labels === undefined ? {} : { labels }),
      ...(Object.keys(own).length === 0 ? {} : { annotations: own }),
    },
    ...rest,
    ...(isStatusKept(object) && status !== undefined ? { status } : {}),
    ...(isOver(object) ? { status: { phase: objectOf(status)['phase'] } } : {}),
  }
}
