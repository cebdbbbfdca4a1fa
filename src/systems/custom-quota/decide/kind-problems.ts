import type { QuotaSource } from '../api/source.ts'
import { type FieldError, forbidden, invalid, required } from '../../../machinery/field-error.ts'
import { hasWildcard, isSplit, kindText, type SourceKind, sourceKind } from './source-kind.ts'

/** Every kind must be one kind, and be counted in one version: two would count each object twice. */
export function kindProblems(sources: readonly QuotaSource[]): FieldError[] {
  const versions = new Map<string, SourceKind>()
  return sources.flatMap((source, index) => {
    const path = `spec.sources[${index}]`
    const { kind: name, apiVersion = '' } = source
    if (name === '') return [required(`${path}.kind`)]
    if (hasWildcard(source)) return [invalid(path, `${apiVersion} ${name}`.trim(), 'must name one kind, without *')]
    if (apiVersion !== '' && (source.group !== undefined || source.version !== undefined))
      return [forbidden(`${path}.apiVersion`, 'may not be given together with group and version')]
    const kind = sourceKind(source)
    if (kind.group === '' && kind.version === '')
      return [
        invalid(
          `${path}.${isSplit(source) ? 'version' : 'apiVersion'}`,
          isSplit(source) ? '' : apiVersion,
          'must name a group and a version',
        ),
      ]
    const key = `${kind.group}/${kind.kind}`
    const known = versions.get(key) ?? kind
    versions.set(key, known)
    if (known.version === kind.version) return []
    return [
      invalid(
        `${path}.apiVersion`,
        apiVersion,
        `must be the version that another source reads the kind in: ${kindText(known)}`,
      ),
    ]
  })
}
