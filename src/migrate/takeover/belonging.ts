import { type HookConfiguration, type PeerFacts, isHookOf, webhooksOf } from './peer-facts.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { objectsOf } from '../../machinery/read.ts'
import type { Peer } from './peer.ts'
import type { TakeoverRecord } from './record.ts'

/** The part of a record that belongs to a peer, and a sentence for each thing that does not: it is left alone. */
export function belonging(
  peer: Peer,
  record: TakeoverRecord,
  { workloads, services }: Pick<PeerFacts, 'workloads' | 'services'>,
): { readonly kept: TakeoverRecord; readonly ignored: readonly string[] } {
  const ignored: string[] = []
  const belongs = (what: string, is: boolean): boolean => {
    if (!is) ignored.push(`${what} of the record does not belong to ${peer.title}, and is left alone`)
    return is
  }
  const crds = peer.kinds.map(({ resource, group }) => `${resource}.${group}`)
  const kept = {
    ...record,
    deployments: record.deployments.filter(({ namespace, name }) =>
      belongs(
        `the Deployment ${namespace}/${name}`,
        workloads.some((one) => one.kind === 'Deployment' && one.namespace === namespace && one.name === name),
      ),
    ),
    crds: record.crds.filter(({ metadata: { name = '' } }) => belongs(`the CRD ${name}`, crds.includes(name))),
    configurations: record.configurations.filter((one) =>
      belongs(
        `the ${one.kind ?? ''} ${one.metadata.name ?? ''}`,
        webhooksOf(one).some((hook) => isHookOf(hook, peer, services)),
      ),
    ),
  }
  return { kept: { ...kept, configurations: kept.configurations.map((one) => onlyOf(one, peer, services)) }, ignored }
}

const onlyOf = (configuration: HookConfiguration, peer: Peer, services: readonly string[]): KubeObject => ({
  ...configuration,
  webhooks: objectsOf(configuration.webhooks).filter((hook) => isHookOf(hook, peer, services)),
})

/**
 * The webhooks of a configuration with some put back. Those of the same name are replaced. Those that are missing stand beside their
 * neighbours again, as the order counts. The webhooks of others stay as they are.
 */
export function withHooks(stored: readonly JsonObject[], back: readonly JsonObject[]): readonly JsonObject[] {
  const indexOf = (hooks: readonly JsonObject[], hook: JsonObject): number =>
    hooks.findIndex(({ name }) => name === hook['name'])
  const hooks = stored.map((hook) => back[indexOf(back, hook)] ?? hook)
  const first = hooks.findIndex((hook) => indexOf(back, hook) >= 0)
  let at = first < 0 ? hooks.length : first
  for (const hook of back) {
    const index = indexOf(hooks, hook)
    if (index < 0) hooks.splice(at, 0, hook)
    at = (index < 0 ? at : index) + 1
  }
  return hooks
}
