import type { ConfigMap } from '../../builtin/core-v1.ts'
import type { Deployment } from '../../builtin/apps-v1.ts'
import { quotaServiceConfig } from '../../systems/quota-increase/api/quota-service-config.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { objectOf, objectsOf, textAt, textOf, valueAt } from '../../machinery/read.ts'
import { parseYaml } from '../../machinery/yaml/text.ts'
import { MigrateError } from '../../migrate/error.ts'
import type { PeerFacts } from '../../migrate/takeover/peer-facts.ts'
import { ensureCrds } from '../../operator/cluster/ensure-crds.ts'
import { definitionsIn } from '../../systems/quota-increase/operate/definitions-file.ts'
import { StartupError } from '../../runtime/process/startup-error.ts'
import { CONFIG_MAPS } from './kept-record.ts'
import { DEPLOYMENTS } from './look-at-peer.ts'
import type { Preparation } from './take-over.ts'
import type { TakeoverWork } from './takeover-work.ts'

/** The file that the chart of the quota operator mounts. */
const FILE = 'config.yaml'

/**
 * The base quotas of the quota operator as allot follows them: those of 1.0 stay where they are, in its QuotaServiceConfig. Those of the configuration
 * file before are written as the QuotaServiceConfig `name`. Throws MigrateError where there are none or they are invalid.
 */
export async function prepareDefinitions(work: TakeoverWork, facts: PeerFacts, name: string): Promise<Preparation> {
  const { objects, client, clock, signal } = work
  const configs = await objects.list(quotaServiceConfig)
  const exists = configs.some(({ metadata }) => metadata.name === name)
  if (exists) return { lines: [`base quotas: those of the QuotaServiceConfig ${name}`], made: [], make: nothing }
  if (facts.workloads.every(({ version }) => /^v?[1-9]/.test(version)))
    throw new MigrateError(
      `there is no QuotaServiceConfig ${name}`,
      `name the one of the quota operator with --quota-service-config${configs.length === 0 ? '' : `: ${configs.map(({ metadata }) => metadata.name ?? '').join(', ')}`}`,
    )
  const { place, quotas } = await quotasInFile(work, facts)
  const config = { apiVersion: quotaServiceConfig.apiVersion, kind: quotaServiceConfig.kind, metadata: { name } }
  return {
    lines: [
      `base quotas: ${quotas.length} definitions of ${place} become the QuotaServiceConfig ${name}; allot follows it with the value quotaServiceConfig: ${name}`,
    ],
    made: [name],
    make: async () => {
      await ensureCrds([quotaServiceConfig.crd] as unknown as readonly KubeObject[], {
        client,
        mode: 'apply',
        clock,
        logger: { info: (_, text) => work.say(text) },
        signal,
      })
      await client.create<KubeObject>(quotaServiceConfig, { ...config, spec: { quotas } }, { signal })
      work.say(`quotaserviceconfigs.openmcp.cloud/${name} created`)
    },
  }
}

const nothing = (): Promise<void> => Promise.resolve()

/** The definitions in the ConfigMap that the Deployment of the peer mounts, and what to call it. */
async function quotasInFile(
  { objects }: TakeoverWork,
  { workloads }: PeerFacts,
): Promise<{ readonly place: string; readonly quotas: readonly unknown[] }> {
  const files = new Map<string, string>()
  for (const { namespace, name } of workloads)
    for (const map of mountedMaps(await objects.find(DEPLOYMENTS, { namespace, name }))) {
      const text = fileIn(await objects.find(CONFIG_MAPS, { namespace, name: map }))
      if (text !== '') files.set(`the ConfigMap ${namespace}/${map}`, text)
    }
  const [[place, text] = ['', '']] = files
  if (place === '')
    throw new MigrateError(
      `no Deployment of the quota operator mounts a ConfigMap with a ${FILE}`,
      'write its definitions as a QuotaServiceConfig, and name it with --quota-service-config',
    )
  if (files.size > 1)
    throw new MigrateError(
      `the quota operator mounts several files ${FILE}: those of ${[...files.keys()].join(' and ')}`,
      'write its definitions as a QuotaServiceConfig, and name it with --quota-service-config',
    )
  demandValid(place, text)
  const file = parseYaml(text)
  if (objectsOf(valueAt(file, 'externalQuotaDefinitionNames')).length > 0)
    throw new MigrateError(
      `${place} names definitions of other quota operators (externalQuotaDefinitionNames)`,
      'put the definitions of all of them into one QuotaServiceConfig, and name it with --quota-service-config',
    )
  return { place, quotas: objectsOf(valueAt(file, 'quotas')) }
}

const fileIn = (map: ConfigMap | undefined): string => textOf(objectOf(map?.data)[FILE])

function demandValid(place: string, text: string): void {
  try {
    definitionsIn(place, text)
  } catch (error) {
    if (!(error instanceof StartupError)) throw error
    throw new MigrateError(error.message, 'mend it first; nothing was changed')
  }
}

const mountedMaps = (deployment: Deployment | undefined): readonly string[] =>
  objectsOf(valueAt(deployment, 'spec', 'template', 'spec', 'volumes'))
    .flatMap((volume) => [
      textAt(volume, 'configMap', 'name'),
      ...objectsOf(valueAt(volume, 'projected', 'sources')).map((source) => textAt(source, 'configMap', 'name')),
    ])
    .filter((name) => textOf(name) !== '')
