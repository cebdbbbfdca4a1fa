import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { WORKLOAD_KINDS } from '../../insight/explain/workload-kinds.ts'
import { expectationsOf } from '../../insight/simulate/expectations.ts'
import type { NotSeen } from '../../insight/simulate/undecided.ts'
import { openKubeClient } from '../../kube/open-kube-client.ts'
import { controllerOf, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { qualified } from '../../machinery/status.ts'
import { quotaIncrease } from '../../systems/quota-increase/api/quota-increase.ts'
import { resourcePool } from '../../systems/resource-pool/api/resource-pool.ts'
import { resourcePoolClaim } from '../../systems/resource-pool/api/resource-pool-claim.ts'
import { accessOfFlags } from '../access/access-of-flags.ts'
import type { CliContext } from '../context.ts'
import { manifestText, writeFile } from '../migrate/migrate-files.ts'
import { packageVersion } from '../package-version.ts'
import { builtinDecoder } from '../reading/builtin-decoder.ts'
import { readState } from '../reading/read-state.ts'
import { ServedKinds } from '../../reading/served-kinds.ts'
import { TEST_FILE, TestFileError } from './read-test.ts'
import { simulatorOf } from './test-simulator.ts'
import type { TestFlags } from './test-command.ts'

const GIVEN = 'given.yaml'
const LIMITS = ['ResourceQuota', 'LimitRange', 'PersistentVolumeClaim', 'ResourcePoolClaim', 'QuotaIncrease', 'Pod']
/** Without these, what a test says of a namespace is wrong. */
const READ: ReadonlySet<string> = new Set(
  [
    { group: '', resource: 'resourcequotas' },
    { group: '', resource: 'limitranges' },
    { group: '', resource: 'persistentvolumeclaims' },
    { group: '', resource: 'pods' },
    resourcePoolClaim,
    quotaIncrease,
    ...WORKLOAD_KINDS.values(),
  ].map(qualified),
)
const ONCE = ['PriorityClass', 'ResourcePool', 'QuotaServiceConfig']

/** Writes a test of a namespace of the cluster: what it has, and that this comes to what it comes to now. Throws TestFileError, and as `KubeClient` does. */
export async function initTest(
  folders: readonly string[],
  flags: TestFlags,
  { environment, stop, out, err }: CliContext,
): Promise<void> {
  const [folder = '.', other] = folders
  if (other !== undefined) throw new TestFileError('several folders are named', 'name one for the new test')
  for (const name of [TEST_FILE, GIVEN])
    if (existsSync(join(folder, name)))
      throw new TestFileError(`${join(folder, name)} is there already`, 'name another folder')
  const access = accessOfFlags(flags, environment)
  const namespace = flags.namespace ?? access.namespace
  const { client, close } = openKubeClient({ access, environment, version: packageVersion() })
  try {
    const kinds = await ServedKinds.read(client, stop)
    const asked: KubeObject = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'any', namespace } }
    const { state, notSeen } = await readState({ client, kinds, changes: [asked], namespace, signal: stop })
    const missing = notSeen.filter(({ resource, isElsewhere = false }) => !isElsewhere && READ.has(resource))
    if (missing.length > 0)
      throw new TestFileError(
        `a test of namespace ${namespace} would leave out what you may not read: ${missing.map(notSeenText).join('; ')}`,
        'ask for the right to do so (the role view of Kubernetes has it), or name another namespace with --namespace',
      )
    for (const one of notSeen) err(`not seen: ${notSeenText(one)}\n`)
    const given = state.filter((object) => belongs(object, namespace)).map(asManifest)
    const test = { namespace, definitions: undefined, given, steps: [] }
    const expect = expectationsOf(simulatorOf(test, builtinDecoder()), namespace)
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
    out(
      `wrote ${join(folder, TEST_FILE)} and ${join(folder, GIVEN)}: add what happens under "when", and run allot test ${folder}\n`,
    )
  } finally {
    await close()
  }
}

const notSeenText = ({ resource, reason }: NotSeen): string => `${resource}: ${reason}`

/** Is an object of the namespace, or for all of them, and made by people? */
function belongs(object: KubeObject, namespace: string): boolean {
  const { kind, metadata } = object
  if (controllerOf(object) !== undefined) return false
  if (kind === 'Namespace') return metadata.name === namespace
  if (ONCE.includes(kind)) return !(metadata.name ?? '').startsWith('system-')
  return metadata.namespace === namespace && (LIMITS.includes(kind) || WORKLOAD_KINDS.has(kind))
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
    ...(kind === resourcePoolClaim.kind && status !== undefined ? { status } : {}),
  }
}
