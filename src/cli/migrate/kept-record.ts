import { gunzipSync, gzipSync } from 'node:zlib'
import { ownNamespace } from '../../install/own-namespace.ts'
import type { KubeClient, ObjectName, ResourceKind } from '../../kube/client/kube-client.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { textAt } from '../../machinery/read.ts'
import { isNotFound } from '../../machinery/status.ts'
import { MigrateError } from '../../migrate/error.ts'
import type { Peer } from '../../migrate/takeover/peer.ts'
import { readRecord, type TakeoverRecord } from '../../migrate/takeover/record.ts'
import { NAMESPACES } from '../../operator/cluster/keep-namespace.ts'
import type { ClusterObjects } from '../../uninstall/cluster-objects.ts'

export const CONFIG_MAPS: ResourceKind = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}
/** CRDs are large, and a ConfigMap holds a megabyte. */
const FIELD = 'record.json.gz'

/** Where the record of a takeover is: in the namespace of allot, in which no tenant writes. The caller does what it says. */
export const recordName = ({ name }: Peer, namespace: string): ObjectName => ({
  namespace,
  name: `allot-migrate-${name}`,
})

/** The record of an earlier run. Throws MigrateError for one of a newer allot. */
export async function findRecord(objects: ClusterObjects, place: ObjectName): Promise<TakeoverRecord | undefined> {
  const stored = await objects.find(CONFIG_MAPS, place)
  if (stored === undefined) return undefined
  const packed = textAt(stored, 'binaryData', FIELD)
  const record = packed === '' ? undefined : readRecord(gunzipSync(Buffer.from(packed, 'base64')).toString())
  if (record === undefined)
    throw new MigrateError(
      `the ConfigMap ${place.namespace}/${place.name} is no record that this allot can read`,
      'use the allot that wrote it',
    )
  return record
}

/** Writes a record, and the namespace for it where allot is not installed yet. */
export async function keepRecord(
  client: KubeClient,
  place: ObjectName,
  record: TakeoverRecord,
  signal: AbortSignal,
): Promise<void> {
  const packed = gzipSync(JSON.stringify(record)).toString('base64')
  const labels = { 'app.kubernetes.io/managed-by': 'allot' }
  const map: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...place, labels },
    binaryData: { [FIELD]: packed },
  }
  try {
    await client.create(CONFIG_MAPS, map, { signal })
  } catch (error) {
    if (!isNotFound(error)) throw error
    await client.create(NAMESPACES, ownNamespace(place.namespace), { signal })
    await client.create(CONFIG_MAPS, map, { signal })
  }
}
