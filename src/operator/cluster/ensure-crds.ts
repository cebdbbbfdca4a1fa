import { FIELD_MANAGER } from '../../api/field-manager.ts'
import type { CustomResourceDefinition, CustomResourceDefinitionCondition } from '../../builtin/apiextensions-v1.ts'
import { objectsOf, statusOf, specOf, textOf } from '../../machinery/read.ts'
import { CRD_FORMAT } from '../../api/definition/custom-resource.ts'
import { newerFormat } from '../../api/kept-format.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { jsonEqual } from '../../machinery/json-value.ts'
import { isNotFound } from '../../machinery/status.ts'
import type { Clock } from '../../kube/time/clock.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import type { Logger } from '../../runtime/process/logger.ts'
import { StartupError } from '../../runtime/process/startup-error.ts'
import { deepDerivative } from './deep-derivative.ts'
import type { CrdMode } from './crd-mode.ts'
import { CRD_KIND } from './kept-crd.ts'

const ESTABLISHED_DEADLINE_MS = 60_000
const LOOK_AGAIN_MS = 50

export interface CrdInstaller {
  readonly client: KubeClient
  readonly mode: CrdMode
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly logger: Pick<Logger, 'info'>
  readonly signal: AbortSignal
}

/**
 * Installs the CRDs of the operator, unless a later version has installed them, or only checks them. Resolves when all
 * are served. Throws StartupError for one that is missing or does not serve the version that the operator speaks.
 */
export async function ensureCrds(
  crds: readonly KubeObject[],
  { client, mode, clock, logger, signal }: CrdInstaller,
): Promise<void> {
  if (mode === 'skip') return
  await Promise.all(
    crds.map(async (crd) => {
      if (mode === 'apply') await applyCrd(client, crd, logger, signal)
      else await checkCrd(client, crd, signal)
      await established(client, crd, clock, signal)
    }),
  )
}

async function applyCrd(
  client: KubeClient,
  crd: KubeObject,
  logger: CrdInstaller['logger'],
  signal: AbortSignal,
): Promise<void> {
  const stored = await find(client, crd, signal)
  const newer = stored === undefined ? undefined : newerFormat(stored, CRD_FORMAT)
  if (newer !== undefined) {
    logger.info({ name: crd.metadata.name }, `${newer}: it stays as a later version installed it`)
    return await checkCrd(client, crd, signal)
  }
  // Nothing is written that is there already: every write makes the server publish its schemas anew.
  if (stored !== undefined && deepDerivative(stored, crd)) return
  // The chart or the replaced program that installed the CRDs gives up its fields.
  const patch = { type: 'apply', body: crd, fieldManager: FIELD_MANAGER, force: true } as const
  // Nor where the server would store the same: an old one leaves out parts that it does not know. Fields that are written belong to allot, and
  // the manifests could not be applied again without a conflict.
  if (stored !== undefined) {
    const next = await client.patch<KubeObject>(CRD_KIND, nameOf(crd), patch, { dryRun: true, signal })
    if (jsonEqual(next['spec'], stored['spec']) && deepDerivative(stored.metadata, crd.metadata)) return
  }
  await client.patch(CRD_KIND, nameOf(crd), patch, { signal })
}

async function checkCrd(client: KubeClient, crd: KubeObject, signal: AbortSignal): Promise<void> {
  const { name } = nameOf(crd)
  const stored = await find(client, crd, signal)
  if (stored === undefined) throw new StartupError('crds-missing', `the CRD ${name} is not installed`)
  const served = versionsOf(stored)
  const missing = versionsOf(crd).filter((version) => !served.includes(version))
  if (missing.length > 0) throw new StartupError('crds-missing', `the CRD ${name} does not serve ${missing.join(', ')}`)
}

async function established(
  client: KubeClient,
  crd: KubeObject,
  clock: CrdInstaller['clock'],
  signal: AbortSignal,
): Promise<void> {
  const deadline = clock.monotonic() + ESTABLISHED_DEADLINE_MS
  for (;;) {
    const stored = await find(client, crd, signal)
    if (stored !== undefined && isEstablished(stored)) return
    if (clock.monotonic() > deadline)
      throw new StartupError('crds-missing', `the CRD ${nameOf(crd).name} is not established: ${problems(stored)}`)
    await clock.sleep(LOOK_AGAIN_MS, signal)
  }
}

async function find(client: KubeClient, crd: KubeObject, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    return await client.get(CRD_KIND, nameOf(crd), { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

const nameOf = ({ metadata }: KubeObject) => ({ namespace: '', name: metadata.name ?? '' })

const versionsOf = (crd: CustomResourceDefinition): readonly string[] =>
  objectsOf(specOf(crd).versions).flatMap(({ name, served }) => (served === true ? [textOf(name)] : []))

const conditionsOf = (crd: CustomResourceDefinition): readonly CustomResourceDefinitionCondition[] =>
  objectsOf(statusOf(crd).conditions)

const isEstablished = (crd: CustomResourceDefinition): boolean =>
  conditionsOf(crd).some(({ type, status }) => type === 'Established' && status === 'True')

function problems(crd: KubeObject | undefined): string {
  const reasons = (crd === undefined ? [] : conditionsOf(crd))
    .filter(({ status }) => status === 'False')
    .map(({ type, message }) => `${String(type)}: ${String(message)}`)
  return reasons.length === 0 ? 'the API server has not said why' : reasons.join('; ')
}
