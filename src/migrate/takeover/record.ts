import type { CustomResourceDefinition } from '../../builtin/apiextensions-v1.ts'
import { isObject, type JsonObject, type KubeObject } from '../../machinery/object.ts'
import { objectsOf, textOf, textsOf } from '../../machinery/read.ts'
import type { PeerFacts } from './peer-facts.ts'

/** The version of the format: a newer one may say what an older allot would not put back. */
const FORMAT = 1

/** The state of a peer before the first change, so that it can be put back. */
export interface TakeoverRecord {
  readonly format: typeof FORMAT
  readonly deployments: readonly { readonly namespace: string; readonly name: string; readonly replicas: number }[]
  /** Webhook configurations and CRDs, as they were. */
  readonly configurations: readonly KubeObject[]
  readonly crds: readonly CustomResourceDefinition[]
  /** The QuotaServiceConfigs that the command made. */
  readonly made: readonly string[]
}

/** The record of a peer as it is. */
export const recordOf = (
  { workloads, configurations, crds }: PeerFacts,
  made: TakeoverRecord['made'],
): TakeoverRecord => ({
  format: FORMAT,
  deployments: workloads.map(({ namespace, name, replicas }) => ({ namespace, name, replicas })),
  configurations: configurations.map(({ object }) => wanted(object)),
  crds: crds.map(wanted),
  made,
})

/** Reads a record. Returns undefined for one of another format. */
export function readRecord(text: string): TakeoverRecord | undefined {
  const value: unknown = JSON.parse(text)
  if (!isObject(value) || value['format'] !== FORMAT) return undefined
  return {
    format: FORMAT,
    deployments: objectsOf(value['deployments']).map(({ namespace, name, replicas }) => ({
      namespace: textOf(namespace),
      name: textOf(name),
      replicas: typeof replicas === 'number' ? replicas : 1,
    })),
    configurations: objectsOf(value['configurations']).flatMap(asObject).map(wanted),
    crds: objectsOf(value['crds']).flatMap(asObject).map(wanted),
    made: textsOf(value['made']),
  }
}

/** The record was written by this program. */
const asObject = (value: JsonObject): readonly KubeObject[] =>
  isObject(value['metadata']) ? [value as KubeObject] : []

/** An object without its status, its owners, which may be gone, and what only the API server writes. */
function wanted({ metadata, ...rest }: KubeObject): KubeObject {
  const object = { ...rest, status: undefined }
  const { name, labels, annotations, finalizers } = metadata
  const kept = { labels, annotations, finalizers }
  const present = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined))
  return { ...object, metadata: { ...(name === undefined ? {} : { name }), ...present } }
}
