import { setTimeout as sleep } from 'node:timers/promises'
import { diagnose, persistent } from '../../insight/doctor/diagnose.ts'
import { doctorText, repairsText } from '../../insight/doctor/text.ts'
import { type Finding, isWrong, type Repair } from '../../insight/doctor/finding.ts'
import { supportBundle, withoutUrlPaths } from '../../insight/doctor/support-bundle.ts'
import { idOf } from '../../insight/explain/facts.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { serverVersion } from '../../kube/client/reported-version.ts'
import { openKubeClient } from '../../kube/open-kube-client.ts'
import { systemContext } from '../../kube/time/system-context.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { ApiError, type GroupResource, isConflict, isNotFound, qualified } from '../../machinery/status.ts'
import { accessOfFlags } from '../access/of-flags.ts'
import { ServedKinds } from '../../reading/served-kinds.ts'
import type { NotSeen } from '../../reading/visible-objects.ts'
import type { CliContext } from '../context.ts'
import { LeftOver } from '../migrate/left-over.ts'
import { writeFile } from '../migrate/files.ts'
import { AdvisingError } from '../../machinery/advising-error.ts'
import { packageVersion } from '../package-version.ts'
import type { DoctorFlags } from './command.ts'
import { type ReadCluster, readCluster } from './read-cluster.ts'

/** No quota can be read, or a change could not be made. */
class DoctorError extends AdvisingError {}

/**
 * Looks at a cluster, prints what is wrong, and mends it if that is asked for. Rejects as `KubeClient` does, with DoctorError also where no quota can be
 * read, and with LeftOver.
 */
export async function runDoctor(flags: DoctorFlags, context: CliContext): Promise<void> {
  const { environment, out, err, stop } = context
  const { namespace, output, supportBundle: file } = flags
  const access = accessOfFlags(flags, environment)
  const { client, close } = openKubeClient({ access, environment, version: packageVersion() })
  try {
    const look: Look = (isCounted) =>
      readCluster({ client, now: systemContext.now(), namespace, isCounted, signal: stop })
    const { read, findings } = await twice(look, flags.settle, stop)
    const notSeen = [...new Set(read.notSeen.map(({ resource, reason }) => `${resource}: ${reason}`))]
    if (file !== undefined) {
      const { gitVersion } = await serverVersion(client, { signal: stop })
      const bundle = supportBundle(read.facts, findings, notSeen, { allot: packageVersion(), server: gitVersion })
      const text = `${JSON.stringify(bundle, undefined, 2)}\n`
      if (file === '-') out(text)
      else writeFile(file, '--support-bundle', text)
    }
    const print = file === '-' ? err : out
    print(
      output === 'json'
        ? `${JSON.stringify({ findings, notSeen }, undefined, 2)}\n`
        : doctorText(findings, notSeen, read.isBlind),
    )
    // Programs read one document.
    const note = output === 'json' ? err : print
    const isMended = flags.fix === true && findings.some(isWrong) && (await mended(findings, flags, client, note, stop))
    const left = isMended ? (await twice(look, flags.settle, stop)).findings : findings
    if (isMended)
      note(!left.some(isWrong) ? 'all of it is mended\n' : `\nThis is left:\n${doctorText(left, [], read.isBlind)}`)
    if (left.some(isWrong)) throw new LeftOver()
    if (read.isBlind)
      throw new DoctorError(
        `you may read no quotas${namespace === undefined ? '' : ` in namespace ${namespace}`}, so that nothing is known of them`,
        namespace === undefined
          ? 'name a namespace that you may read with --namespace, or ask for the right'
          : 'ask for the right to do so (the role view of Kubernetes has it)',
      )
  } finally {
    await close()
  }
}

/** Reads the cluster, with the objects of those quotas that are counted. */
type Look = (isCounted: (quota: KubeObject) => boolean) => Promise<ReadCluster>

/** Looks again where controllers may be at work: a finding that they mend meanwhile does not count. Only its quota is counted again. */
async function twice(
  look: Look,
  settleMs: number,
  stop: AbortSignal,
): Promise<{ readonly read: ReadCluster; readonly findings: readonly Finding[] }> {
  let read = await look(() => true)
  let findings = diagnose(read.facts)
  const notSeen = [...read.notSeen]
  for (let looks = 0; looks < 2 && findings.some(({ mayPass }) => mayPass); looks++) {
    await sleep(settleMs / 2, undefined, { signal: stop })
    const suspects = new Set(findings.filter(({ mayPass }) => mayPass).map(({ object }) => JSON.stringify(object)))
    read = await look((quota) => suspects.has(JSON.stringify(idOf(quota))))
    notSeen.push(...read.notSeen)
    findings = persistent(findings, diagnose(read.facts))
  }
  return {
    // Later looks do not read again what the first one could not.
    read: { ...read, notSeen, facts: { ...read.facts, isUnread: (of) => notSeen.some(isAbout(of)) } },
    findings: findings.map((one) => ({ ...one, text: withoutUrlPaths(one.text) })),
  }
}

const isAbout =
  (of: GroupResource) =>
  ({ resource }: NotSeen): boolean =>
    resource === qualified(of)

/** Makes the repairs, or prints them. Tells whether anything was changed. */
async function mended(
  findings: readonly Finding[],
  { yes }: DoctorFlags,
  client: KubeClient,
  note: (text: string) => void,
  stop: AbortSignal,
): Promise<boolean> {
  const repairs = [...new Map(findings.flatMap(({ repair }) => repair ?? []).map((one) => [one.text, one])).values()]
  if (repairs.length === 0) note('\nNothing of it can be mended from here.\n')
  else if (yes !== true) note(`\nThis would be changed, with --fix --yes:\n${repairsText(repairs)}`)
  if (repairs.length === 0 || yes !== true) return false
  const kinds = await ServedKinds.read(client, stop)
  for (const repair of repairs) {
    const isMade = await make(repair, client, kinds, stop)
    note(`${isMade ? 'done' : 'left, since the object has changed meanwhile'}: ${repairsText([repair])}`)
  }
  return true
}

/** Makes a repair; false where somebody has changed the object since it was read. */
async function make(
  { object, subresource, patch, text }: Repair,
  client: KubeClient,
  kinds: ServedKinds,
  stop: AbortSignal,
): Promise<boolean> {
  const kind = await kinds.ofManifest(object.apiVersion, object.kind)
  if (kind === undefined) throw new DoctorError(`the API server does not serve ${object.kind}`, 'look again')
  const { namespace, name } = object
  try {
    await client.patch(kind, { namespace, name }, { type: 'merge', body: patch }, { signal: stop, subresource })
    return true
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return false
    if (!(error instanceof ApiError)) throw error
    throw new DoctorError(`it was not possible to ${text}: ${error.message}`, 'look again, or ask for the right')
  }
}
