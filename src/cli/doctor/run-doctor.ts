import { setTimeout as sleep } from 'node:timers/promises'
import { diagnose, persistent } from '../../insight/doctor/diagnose.ts'
import { doctorText, repairsText } from '../../insight/doctor/doctor-text.ts'
import type { Finding, Repair } from '../../insight/doctor/finding.ts'
import { supportBundle, withoutUrlPaths } from '../../insight/doctor/support-bundle.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { serverVersion } from '../../kube/client/reported-version.ts'
import { openKubeClient } from '../../kube/open-kube-client.ts'
import { systemContext } from '../../kube/time/system-context.ts'
import { ApiError } from '../../machinery/status.ts'
import { accessOfFlags } from '../access/access-of-flags.ts'
import { ServedKinds } from '../access/served-kinds.ts'
import type { CliContext } from '../context.ts'
import { LeftOver } from '../migrate/left-over.ts'
import { writeFile } from '../migrate/migrate-files.ts'
import { packageVersion } from '../package-version.ts'
import type { DoctorFlags } from './doctor-command.ts'
import { DoctorError } from './doctor-error.ts'
import { type ReadCluster, readCluster } from './read-cluster.ts'

/** Looks at a cluster, prints what is wrong, and mends it if that is asked for. Rejects as `KubeClient` does, and with DoctorError and LeftOver. */
export async function runDoctor(flags: DoctorFlags, context: CliContext): Promise<void> {
  const { environment, out, err, stop } = context
  const { namespace, output, supportBundle: file } = flags
  if (flags.yes === true && flags.fix !== true) throw new DoctorError('--yes has nothing to agree to', 'add --fix')
  const access = accessOfFlags(flags, environment)
  const { client, close } = openKubeClient({ access, environment, version: packageVersion() })
  try {
    const look = (): Promise<ReadCluster> => readCluster(client, systemContext.now(), namespace, stop)
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
      output === 'json' ? `${JSON.stringify({ findings, notSeen }, undefined, 2)}\n` : doctorText(findings, notSeen),
    )
    const left = flags.fix === true ? await fixed(findings, flags, client, print, stop) : findings.length
    if (left > 0) throw new LeftOver()
  } finally {
    await close()
  }
}

/** Looks again where controllers may be at work: what they mend meanwhile is no finding. */
async function twice(
  look: () => Promise<ReadCluster>,
  settleMs: number,
  stop: AbortSignal,
): Promise<{ readonly read: ReadCluster; readonly findings: readonly Finding[] }> {
  let read = await look()
  let findings = diagnose(read.facts)
  for (let looks = 0; looks < 2 && findings.some(({ mayPass }) => mayPass); looks++) {
    await sleep(settleMs / 2, undefined, { signal: stop })
    read = await look()
    findings = persistent(findings, diagnose(read.facts))
  }
  return { read, findings: findings.map((one) => ({ ...one, text: withoutUrlPaths(one.text) })) }
}

/** Makes the repairs, or prints them. Gives the number of findings that are left. */
async function fixed(
  findings: readonly Finding[],
  { yes }: DoctorFlags,
  client: KubeClient,
  print: (text: string) => void,
  stop: AbortSignal,
): Promise<number> {
  const repairs = [...new Map(findings.flatMap(({ repair }) => repair ?? []).map((one) => [one.text, one])).values()]
  if (repairs.length === 0) {
    print('nothing of it can be mended from here\n')
    return findings.length
  }
  if (yes !== true) {
    print(`\nThis would be changed, with --fix --yes:\n${repairsText(repairs)}`)
    return findings.length
  }
  const kinds = await ServedKinds.read(client, stop)
  for (const repair of repairs) {
    await make(repair, client, kinds, stop)
    print(`done: ${repairsText([repair])}`)
  }
  return findings.filter(({ repair }) => repair === undefined).length
}

async function make(
  { object, subresource, patch, text }: Repair,
  client: KubeClient,
  kinds: ServedKinds,
  stop: AbortSignal,
) {
  const kind = await kinds.ofManifest(object.apiVersion, object.kind)
  if (kind === undefined) throw new DoctorError(`the API server does not serve ${object.kind}`, 'look again')
  const { namespace, name } = object
  try {
    await client.patch(kind, { namespace, name }, { type: 'merge', body: patch }, { signal: stop, subresource })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    throw new DoctorError(`it was not possible to ${text}: ${error.message}`, 'look again, or ask for the right')
  }
}
