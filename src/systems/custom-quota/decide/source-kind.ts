import type { QuotaSource } from '../api/source.ts'
import type { KubeObject } from '../../../machinery/object.ts'

/** A kind of objects in one version. */
export interface SourceKind {
  /** Empty for the core group. */
  readonly group: string
  /** Empty where a source names a group only: any version that the API server prefers. */
  readonly version: string
  readonly kind: string
}

type Named = Pick<QuotaSource, 'apiVersion' | 'group' | 'version' | 'kind'>

const CORE_VERSION = 'v1'

/** The `apiVersion` that stands for an absent one, or the same one (Capsule's `normalizeAPIVersion`). */
export function normalizedApiVersion(apiVersion: string | undefined): string {
  return apiVersion === undefined || apiVersion === '' ? CORE_VERSION : apiVersion
}

/**
 * The kind that a source names, by `apiVersion` or by `group` and `version`. `apiVersion: apps` names a group without a
 * version; one that has several slashes names nothing (as in Capsule).
 */
export function sourceKind(source: Named): SourceKind {
  const { kind } = source
  if (isSplit(source)) return { group: source.group ?? '', version: source.version ?? '', kind }
  const [first = '', second, ...more] = normalizedApiVersion(source.apiVersion).split('/')
  if (more.length > 0) return { group: '', version: '', kind }
  if (second !== undefined) return { group: first, version: second, kind }
  return first === CORE_VERSION || first === '*'
    ? { group: '', version: first, kind }
    : { group: first, version: '', kind }
}

/** Does the source name its kind by `group` and `version`? */
export function isSplit({ apiVersion = '', group, version }: Named): boolean {
  return apiVersion === '' && (group !== undefined || version !== undefined)
}

/** Does a part of the source's kind contain `*`? No kind is counted by a pattern. */
export function hasWildcard({ apiVersion = '', group = '', version = '', kind }: Named): boolean {
  return [apiVersion, group, version, kind].some((text) => text.includes('*'))
}

/** The source with `apiVersion` in place of `group` and `version`, as it is stored. */
export function withApiVersion(source: QuotaSource): QuotaSource {
  if (!isSplit(source)) return source
  const { group = '', version: _, ...rest } = source
  const version = source.version ?? ''
  const apiVersion = [group, version].filter((part) => part !== '').join('/')
  const { group: __, ...named } = rest as QuotaSource
  return { apiVersion, ...named }
}

/** The kind as messages name it: `apps/v1, Kind=Deployment`, and `/v1, Kind=Pod` for the core group (as Go prints it). */
export function kindText({ group, version, kind }: SourceKind): string {
  return `${group}/${version}, Kind=${kind}`
}

/** The kind and the version that an object says it has. */
export function kindOfObject({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): SourceKind {
  const slash = apiVersion.indexOf('/')
  return { group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1), kind }
}

/** Does a source of `wanted` count objects of the other kind? A source without a version counts any. */
export function isCountedKind(wanted: SourceKind, { group, version, kind }: SourceKind): boolean {
  return wanted.kind === kind && wanted.group === group && (wanted.version === '' || wanted.version === version)
}
