import { type Change, Simulator, type SimulatorOptions } from '../../insight/simulate/simulate.ts'
import { simulationText } from '../../insight/simulate/simulation-text.ts'
import { openKubeClient } from '../../kube/open-kube-client.ts'
import { offeredNow } from '../../operator/shell/offered-now.ts'
import { systemContext } from '../../kube/time/system-context.ts'
import { AdvisingError } from '../../machinery/advising-error.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectOf, textOf } from '../../machinery/read.ts'
import { QuantityError } from '../../quantity/quantity.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import { FILE_PROVIDER } from '../../systems/quota-increase/api/increase-names.ts'
import { definitionsIn, textOfDefinitions } from '../../systems/quota-increase/operate/definitions-file.ts'
import { accessOfFlags } from '../access/of-flags.ts'
import type { CliContext } from '../context.ts'
import { LeftOver } from '../migrate/left-over.ts'
import { packageVersion } from '../package-version.ts'
import { builtinSchemas } from '../reading/builtin-schemas.ts'
import { knownKinds, offeredBy } from '../reading/known-kinds.ts'
import { type PathOptions, readManifestPaths } from '../reading/read-manifest-paths.ts'
import { readState } from '../reading/read-state.ts'
import { ServedKinds } from '../../reading/served-kinds.ts'
import type { SimulateFlags } from './command.ts'

/** It cannot be simulated. */
export class SimulateError extends AdvisingError {}

/**
 * Simulates changes, and prints what comes of them. Throws SimulateError and MigrateError for a question that makes no sense, KubeconfigError,
 * ServerUnreachable and ApiError, and LeftOver where something is refused, waits or stalls.
 */
export async function runSimulate(flags: SimulateFlags, context: CliContext): Promise<void> {
  const { filename, deleteFilename, output } = flags
  const applied = await readManifestPaths(filename, pathOptions('--filename', flags))
  const deleted = await readManifestPaths(deleteFilename, pathOptions('--delete-filename', flags))
  const changes: readonly Change[] = [
    ...applied.map((object) => ({ operation: 'apply', object }) as const),
    ...deleted.map((object) => ({ operation: 'delete', object }) as const),
  ]
  if (changes.length === 0)
    throw new SimulateError(
      'there is no manifest among the changes',
      'see whether the program that writes them has failed, such as `helm template`',
    )
  const options = await optionsOf(flags, [...applied, ...deleted], context)
  try {
    const simulator = new Simulator(options)
    simulator.step(changes)
    const result = simulator.result()
    context.out(output === 'json' ? `${JSON.stringify(result, undefined, 2)}\n` : simulationText(result))
    if (result.verdict === 'unknown')
      throw new SimulateError(
        `it is not known whether the changes fit: ${result.undecided.join('; ')}`,
        'ask for the rights to read what is missing, or mend the manifests',
      )
    if (result.verdict !== 'fits') throw new LeftOver()
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error
    throw new SimulateError(
      `an amount of an object cannot be read: ${error.message}`,
      'mend it, and repeat the command',
    )
  }
}

const pathOptions = (flag: string, { recursive }: SimulateFlags): PathOptions => ({
  flag,
  isRecursive: recursive === true,
  mayBeNameless: true,
})

async function optionsOf(
  flags: SimulateFlags,
  changes: readonly KubeObject[],
  { environment, stop }: CliContext,
): Promise<SimulatorOptions> {
  const { quotaDefinitions: file } = flags
  const common: Pick<SimulatorOptions, 'now' | 'decode' | 'typeOf' | 'timestamp' | 'definitions'> = {
    now: systemContext.now(),
    ...builtinSchemas(),
    timestamp,
    ...(file === undefined
      ? {}
      : { definitions: { provider: FILE_PROVIDER, definitions: definitionsIn(file, textOfDefinitions(file)) } }),
  }
  if (flags.state.length > 0) {
    const state = await readManifestPaths(flags.state, pathOptions('--state', flags))
    const kinds = knownKinds([...state, ...changes])
    return {
      ...common,
      state,
      kinds,
      offered: offeredBy([...state, ...changes]),
      isFromCluster: false,
      namespace: flags.namespace ?? 'default',
      isNamespaceThere: flags.namespace !== undefined,
      wording: 'all',
    }
  }
  const access = accessOfFlags(flags, environment)
  const namespace = flags.namespace ?? access.namespace
  const { client, close } = openKubeClient({ access, environment, version: packageVersion() })
  try {
    const kinds = await ServedKinds.read(client, stop)
    const [read, offered, version] = await Promise.all([
      readState({ client, kinds, changes, namespace, definitions: common.definitions?.definitions, signal: stop }),
      offeredNow(client, stop),
      client.request('GET', '/version', undefined, { signal: stop }),
    ])
    const isOwn = textOf(objectOf(version)['gitVersion']).endsWith('+allot')
    return { ...common, ...read, offered, isFromCluster: true, namespace, wording: isOwn ? 'all' : 'first' }
  } finally {
    await close()
  }
}
