import { describe, expect, test } from 'vitest'
import { eachCase, vectors } from '../../../../test/load-vectors.ts'
import type { QuotaSource } from '../api/source.ts'
import { compileFieldSelector } from './path-selector/field-selector.ts'
import { compileQuota } from './compile-quota.ts'
import { reservationQuotaKey } from './quota-key.ts'
import {
  hasWildcard,
  isCountedKind,
  kindOfObject,
  kindText,
  normalizedApiVersion,
  type SourceKind,
  sourceKind,
  withApiVersion,
} from './source-kind.ts'

interface Named {
  readonly apiVersion: string
  readonly kind: string
}
type Case = { readonly name: string } & (
  | { readonly fn: 'gvk'; readonly in: Named; readonly want: SourceKind }
  | { readonly fn: 'hasWildcard'; readonly in: Named; readonly want: boolean }
  | { readonly fn: 'normalizeAPIVersion'; readonly in: string; readonly want: string }
  | { readonly fn: 'matchesGVK'; readonly pattern: Named; readonly value: SourceKind; readonly want: boolean }
  | { readonly fn: 'matchesVersionKind'; readonly pattern: Named; readonly value: Named; readonly want: boolean }
  | { readonly fn: 'matchPattern'; readonly pattern: string; readonly value: string; readonly want: boolean }
)

/** Only kinds without `*` are counted: patterns belong to other kinds of Capsule, and a quota that has one is refused. */
function checkMatch(pattern: Named, value: SourceKind, want: boolean): void {
  if (hasWildcard(pattern)) {
    const spec = {
      limit: 1,
      sources: [{ ...pattern, op: 'count' as const }],
      options: { emitMetricPerClaimUsage: false },
    }
    expect(compileQuota(spec, { strictPaths: false }).ok).toBe(false)
  } else expect(isCountedKind(sourceKind(pattern), value)).toBe(want)
}

describe('the kind of a source', () => {
  eachCase(
    'capsule/versionkind.json',
    vectors<{ readonly cases: readonly Case[] }>('capsule/versionkind.json').cases,
    ({ fn, name }) => `${fn}: ${name}`,
    (one) => {
      switch (one.fn) {
        case 'gvk':
          expect(sourceKind(one.in)).toEqual(one.want)
          break
        case 'hasWildcard':
          expect(hasWildcard(one.in)).toBe(one.want)
          break
        case 'normalizeAPIVersion':
          expect(normalizedApiVersion(one.in)).toBe(one.want)
          break
        case 'matchesGVK':
          checkMatch(one.pattern, one.value, one.want)
          break
        case 'matchesVersionKind':
          checkMatch(one.pattern, sourceKind(one.value), one.want)
          break
        case 'matchPattern':
        default:
          checkMatch({ apiVersion: '', kind: one.pattern }, { group: '', version: 'v1', kind: one.value }, one.want)
      }
    },
  )
})

interface KeyCase {
  readonly name: string
  readonly namespace?: string
  readonly quota?: string
  readonly path?: string
  readonly paths?: readonly string[]
  readonly object?: unknown
  readonly want?: unknown
  readonly expectError?: boolean
}

describe('keys and conditions of Capsule', () => {
  eachCase(
    'capsule/quota-cachekeys-bool.json',
    vectors<{ readonly cases: readonly KeyCase[] }>('capsule/quota-cachekeys-bool.json').cases,
    ({ name }) => name,
    ({ namespace = '', quota, path, paths, object, want, expectError }) => {
      if (quota !== undefined) {
        expect(reservationQuotaKey({ namespace, name: quota })).toBe(want)
        return
      }
      const holds = () => (paths ?? [path ?? '']).every((one) => compileFieldSelector(one).matches(object))
      if (expectError === true) expect(holds).toThrow()
      else expect(holds()).toBe(want)
    },
  )
})

test.each<readonly [Partial<QuotaSource>, string, string]>([
  [{ kind: 'Pod' }, '/v1, Kind=Pod', 'v1'],
  [{ apiVersion: 'v1', kind: 'Pod' }, '/v1, Kind=Pod', 'v1'],
  [{ group: '', version: 'v1', kind: 'Pod' }, '/v1, Kind=Pod', 'v1'],
  [{ group: 'apps', version: 'v1', kind: 'Deployment' }, 'apps/v1, Kind=Deployment', 'apps/v1'],
  [{ group: 'apps', kind: 'Deployment' }, 'apps/, Kind=Deployment', 'apps'],
  [{ version: 'v1', kind: 'Pod' }, '/v1, Kind=Pod', 'v1'],
])('%j is the kind %s', (named, text, apiVersion) => {
  const source = { op: 'count', ...named } as QuotaSource
  expect(kindText(sourceKind(source))).toBe(text)
  const stored = withApiVersion(source)
  expect(stored).not.toHaveProperty('group')
  expect(stored).not.toHaveProperty('version')
  expect(kindText(sourceKind(stored))).toBe(text)
  if (named.group !== undefined || named.version !== undefined) expect(stored.apiVersion).toBe(apiVersion)
})

test('an object has the kind and the version that it says it has', () => {
  expect(kindOfObject({ apiVersion: 'v1', kind: 'Pod' })).toEqual({ group: '', version: 'v1', kind: 'Pod' })
  expect(kindOfObject({ apiVersion: 'apps/v1', kind: 'Deployment' })).toEqual({
    group: 'apps',
    version: 'v1',
    kind: 'Deployment',
  })
})
