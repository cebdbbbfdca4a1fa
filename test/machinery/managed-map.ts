import { readFileSync } from 'node:fs'
import { type Applied, type ApplyRequest, applyPatch } from '../../src/schema/apply/patch.ts'
import { conflictError } from '../../src/schema/apply/manager/conflict-error.ts'
import { trackUpdate, type UpdateTracking } from '../../src/schema/apply/track-update.ts'
import type { JsonObject } from '../../src/machinery/object.ts'
import { compileSchema, type SchemaDefinitions } from '../../src/schema/type/compile.ts'

const file = new URL('../../schemas/kubernetes-1.36-definitions.json', import.meta.url)

/** Of Kubernetes 1.36. */
export const schemas = compileSchema(
  (JSON.parse(readFileSync(file, 'utf8')) as { definitions: SchemaDefinitions }).definitions,
)

export const core = (kind: string): ApplyRequest['type'] => schemas.type(`io.k8s.api.core.v1.${kind}`)

export const at = (second: number): string => `2026-11-21T00:00:${String(second).padStart(2, '0')}Z`

/** A ConfigMap. */
export const config = (data: Record<string, string>, metadata: JsonObject = {}): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', namespace: 'n', ...metadata },
  data,
})

const request = (applied: JsonObject, more: Partial<ApplyRequest> = {}): ApplyRequest => ({
  type: core('ConfigMap'),
  live: undefined,
  applied,
  manager: 'me',
  force: false,
  apiVersion: 'v1',
  subresource: '',
  time: at(1),
  ...more,
})

/** Applies by server-side apply; throws on conflicts. */
export function apply(applied: JsonObject, more: Partial<ApplyRequest> = {}): Applied {
  const result = applyPatch(request(applied, more))
  if ('conflicts' in result) throw conflictError(result.conflicts)
  return result
}

/** The object after an update by this manager. */
export function track(updated: JsonObject, more: Partial<UpdateTracking> = {}): JsonObject {
  const managedFields = trackUpdate({
    type: core('ConfigMap'),
    live: undefined,
    updated,
    manager: 'me',
    apiVersion: 'v1',
    subresource: '',
    time: at(1),
    ...more,
  })
  const metadata = { uid: 'u', ...(updated['metadata'] as JsonObject), managedFields }
  return { ...updated, metadata }
}

export const managers = (object: JsonObject): JsonObject[] =>
  (object['metadata'] as { managedFields: JsonObject[] }).managedFields

export const fieldsOf = (object: JsonObject, manager: string): unknown =>
  managers(object).find((one) => one['manager'] === manager)?.['fieldsV1']
