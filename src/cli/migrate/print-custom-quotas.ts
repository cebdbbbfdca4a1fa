import { stringify } from 'yaml'
import { QUOTA_EVALUATORS } from '../../charges/evaluators/table.ts'
import { readAllResources } from '../../kube/client/all-resources.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { qualified } from '../../machinery/status.ts'
import { type CountableKind, customQuotasOf } from '../../migrate/group-quota/custom-quotas-of.ts'
import type { GroupQuota, Shortfall } from '../../migrate/group-quota/group-quota.ts'
import { MigrateError } from '../../migrate/error.ts'
import type { CliContext } from '../context.ts'
import { LeftOver } from './left-over.ts'
import { builtinKinds } from './builtin-kinds.ts'
import type { AccessFlags } from '../access/cluster-flags.ts'
import { openCluster } from '../access/open-cluster.ts'
import { readManifestPaths } from '../reading/read-manifest-paths.ts'
import { manifestText, writeFile } from './files.ts'

export interface GroupQuotaFlags extends AccessFlags {
  readonly report?: string
}

/** Reads the quotas of one system. */
export interface GroupQuotaReader {
  readonly isOurs: (object: KubeObject) => boolean
  readonly read: (object: KubeObject) => GroupQuota | { readonly shortfalls: readonly Shortfall[] }
}

type Kinds = ReadonlyMap<string, CountableKind>

/**
 * Prints the GlobalCustomQuotas that take the place of the quotas in these files, and says what does not become of them. Throws
 * MigrateError, KubeconfigError, ServerUnreachable and ApiError, and LeftOver when something is not carried over.
 */
export async function printCustomQuotas(
  files: readonly string[],
  flags: GroupQuotaFlags,
  { isOurs, read }: GroupQuotaReader,
  context: CliContext,
): Promise<void> {
  const objects = await readManifestPaths(files)
  const results = objects.filter(isOurs).map(read)
  if (results.length === 0)
    throw new MigrateError(`there is nothing to migrate in ${files.join(', ')}`, 'give files that hold such quotas')
  const kinds = await kindsOf(flags, context)
  const quotas = results.filter((one): one is GroupQuota => 'quota' in one)
  const carried = customQuotasOf(quotas, {
    evaluators: QUOTA_EVALUATORS,
    kindOf: (resource) => kinds.get(qualified(resource)),
  })
  const unreadable = results.filter((one) => !('quota' in one)).flatMap(({ shortfalls }) => shortfalls)
  const shortfalls = [...unreadable, ...carried.shortfalls]
  context.out(manifestText(carried.manifests))
  for (const one of shortfalls) context.err(`${lineOf(one)}\n`)
  if (flags.report !== undefined) writeFile(flags.report, '--report', stringify({ shortfalls }))
  if (shortfalls.some(({ effect }) => effect !== 'Differs')) throw new LeftOver()
}

const EFFECTS: Readonly<Record<Shortfall['effect'], string>> = {
  NotCarriedOver: 'not carried over',
  Differs: 'differs',
  ToDo: 'to do',
}

const lineOf = ({ quota, limit, effect, text }: Shortfall): string =>
  `${quota}${limit === undefined ? '' : `, ${limit}`}: ${EFFECTS[effect]}: ${text}`

/** The kinds of Kubernetes, and those of the API server that is named. Of several versions the first or preferred one counts. */
async function kindsOf(flags: AccessFlags, context: CliContext): Promise<Kinds> {
  const known = new Map<string, CountableKind>()
  for (const one of builtinKinds().resources) note(known, one)
  if (flags.kubeconfig === undefined && flags.context === undefined) return known
  const { client, close } = openCluster(flags, context)
  try {
    const served = new Map<string, CountableKind>()
    await noteServed(client, context.stop, served)
    return new Map([...known, ...served])
  } finally {
    await close()
  }
}

async function noteServed(client: KubeClient, signal: AbortSignal, kinds: Map<string, CountableKind>): Promise<void> {
  const { resources, unlisted } = await readAllResources(client, signal)
  for (const { error } of unlisted) throw error
  for (const one of resources) note(kinds, one)
}

function note(
  kinds: Map<string, CountableKind>,
  {
    group,
    version,
    resource,
    kind,
  }: { readonly group: string; readonly version: string; readonly resource: string; readonly kind: string },
): void {
  const id = qualified({ group, resource })
  if (!kinds.has(id)) kinds.set(id, { apiVersion: group === '' ? version : `${group}/${version}`, kind })
}
