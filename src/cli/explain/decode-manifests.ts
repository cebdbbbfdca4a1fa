import type { Decoder } from '../../insight/schemas.ts'
import { workloadKind } from '../../insight/explain/workload-kinds.ts'
import { AdvisingError } from '../../machinery/advising-error.ts'
import { groupOf } from '../../machinery/group-version.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { ApiError } from '../../machinery/status.ts'
import { inOneLine } from '../../machinery/text/shown.ts'
import { lineOf, type PlacedManifest } from '../../migrate/read-manifests.ts'
import { DecodeError } from '../../schema/type/decode-error.ts'

/** A manifest has a field of a type that no API server takes. */
export class ManifestError extends AdvisingError {}

/**
 * Decodes manifests as an API server would. So a field of a wrong type is not ignored. Throws ManifestError, which
 * names the file, the line and the field.
 */
export function decodeManifests(manifests: readonly PlacedManifest[], decode: Decoder): readonly KubeObject[] {
  return manifests.map(({ object, place }) => {
    try {
      return inItsVersion(object, (one) => decode(one, false))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const wrong = error.cause instanceof DecodeError ? error.cause : undefined
      const path = wrong?.path ?? ''
      const name = `${object.kind} ${object.metadata.name ?? ''}`
      const text = `${name}${path === '' ? '' : `, ${path}`}: ${wrong?.message ?? error.message}`
      throw new ManifestError(`${lineOf(place, path)}: ${inOneLine(text)}`, 'mend the manifest, and repeat the command')
    }
  })
}

/** Older versions of workloads have the same fields where quotas look, and no schema any more. */
function inItsVersion(object: KubeObject, decode: (object: KubeObject) => KubeObject): KubeObject {
  if (workloadKind(object) === undefined) return decode(object)
  const group = groupOf(object.apiVersion)
  const { apiVersion } = object
  return { ...decode({ ...object, apiVersion: group === '' ? 'v1' : `${group}/v1` }), apiVersion }
}
