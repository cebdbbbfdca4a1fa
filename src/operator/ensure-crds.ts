import { isObject, type JsonObject, type KubeObject } from '../machinery/object.ts'
import { isNotFound } from '../machinery/status.ts'
import type { Clock } from '../kube/time/clock.ts'
import type { KubeClient, ResourceKind } from '../kube/client/kube-client.ts'
import { StartupError } from '../runtime/process/startup-error.ts'
import { deepDerivative } from './deep-derivative.ts'
import type { DefinitionMode } from './crd-mode.ts'

export const DEFINITIONS: ResourceKind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  resource: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
  namespaced: false,
}
export const FIELD_MANAGER = 'allot'
const ESTABLISHED_DEADLINE_MS = 60_000
const LOOK_AGAIN_MS = 50

export interface DefinitionInstaller {
  readonly client: KubeClient
  readonly mode: DefinitionMode
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly signal: AbortSignal
}

/**
 * Brings the definitions of the operator's kinds to the API server, or looks whether they are there, and resolves when all
 * are served. Throws StartupError for one that is missing or does not serve the version that the operator speaks.
 */
export async function ensureDefinitions(
  definitions: readonly KubeObject[],
  { client, mode, clock, signal }: DefinitionInstaller,
): Promise<void> {
  if (mode === 'skip') return
  await Promise.all(
    definitions.map(async (definition) => {
      if (mode === 'apply') await applyDefinition(client, definition, signal)
      else await checkDefinition(client, definition, signal)
      await established(client, definition, clock, signal)
    }),
  )
}

async function applyDefinition(client: KubeClient, definition: KubeObject, signal: AbortSignal): Promise<void> {
  const stored = await find(client, definition, signal)
  // Nothing is written that is there already: every write makes the server publish its schemas anew.
  if (stored !== undefined && deepDerivative(stored, definition)) return
  await client.patch(
    DEFINITIONS,
    nameOf(definition),
    // Whoever installed the definitions before, a chart or the program that is replaced, hands them over.
    { type: 'apply', body: definition, fieldManager: FIELD_MANAGER, force: true },
    { signal },
  )
}

async function checkDefinition(client: KubeClient, definition: KubeObject, signal: AbortSignal): Promise<void> {
  const { name } = nameOf(definition)
  const stored = await find(client, definition, signal)
  if (stored === undefined) throw new StartupError('definitions-missing', `the definition ${name} is not installed`)
  const served = versionsOf(stored)
  const missing = versionsOf(definition).filter((version) => !served.includes(version))
  if (missing.length > 0)
    throw new StartupError('definitions-missing', `the definition ${name} does not serve ${missing.join(', ')}`)
}

async function established(
  client: KubeClient,
  definition: KubeObject,
  clock: DefinitionInstaller['clock'],
  signal: AbortSignal,
): Promise<void> {
  const deadline = clock.monotonic() + ESTABLISHED_DEADLINE_MS
  for (;;) {
    const stored = await find(client, definition, signal)
    if (stored !== undefined && isEstablished(stored)) return
    if (clock.monotonic() > deadline)
      throw new StartupError(
        'definitions-missing',
        `the definition ${nameOf(definition).name} is not established: ${problems(stored)}`,
      )
    await clock.sleep(LOOK_AGAIN_MS, signal)
  }
}

async function find(client: KubeClient, definition: KubeObject, signal: AbortSignal): Promise<KubeObject | undefined> {
  try {
    return await client.get(DEFINITIONS, nameOf(definition), { signal })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}

const nameOf = ({ metadata }: KubeObject) => ({ namespace: '', name: metadata.name ?? '' })

function versionsOf(definition: KubeObject): readonly string[] {
  const spec = definition['spec']
  const versions = isObject(spec) && Array.isArray(spec['versions']) ? spec['versions'] : []
  return versions.filter(isObject).flatMap(({ name, served }) => (served === true ? [String(name)] : []))
}

function conditionsOf(definition: KubeObject | undefined): readonly JsonObject[] {
  const status = definition?.['status']
  const conditions = isObject(status) ? status['conditions'] : undefined
  return Array.isArray(conditions) ? conditions.filter(isObject) : []
}

const isEstablished = (definition: KubeObject): boolean =>
  conditionsOf(definition).some(({ type, status }) => type === 'Established' && status === 'True')

function problems(definition: KubeObject | undefined): string {
  const reasons = conditionsOf(definition)
    .filter(({ status }) => status === 'False')
    .map(({ type, message }) => `${String(type)}: ${String(message)}`)
  return reasons.length === 0 ? 'the API server has not said why' : reasons.join('; ')
}
