import { describe, expect, test } from 'vitest'
import type { QuotaSource } from '../api/source.ts'
import { countsAlike, countsNoMore } from './spec-changes.ts'

const PODS: QuotaSource = { apiVersion: 'v1', kind: 'Pod', op: 'count' }
const CPU: QuotaSource = { apiVersion: 'v1', kind: 'Pod', op: 'add', path: '.spec.cpu' }
const CLAIMS: QuotaSource = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', op: 'add', path: '.spec.size' }
const A = { matchLabels: { of: 'a' } }
const B = { matchLabels: { of: 'b' } }
const spec = (sources: readonly QuotaSource[], scopeSelectors?: (typeof A)[], namespaceSelectors?: (typeof A)[]) => ({
  sources,
  ...(scopeSelectors === undefined ? {} : { scopeSelectors }),
  ...(namespaceSelectors === undefined ? {} : { namespaceSelectors }),
})

describe('a change of the spec of a custom quota', () => {
  test.each([
    ['nothing', spec([PODS]), spec([PODS]), true, true],
    ['empty lists for absent ones', spec([PODS]), spec([PODS], [], []), true, true],
    ['a kind less', spec([PODS, CLAIMS]), spec([CLAIMS]), false, true],
    ['the order of kinds', spec([PODS, CLAIMS]), spec([CLAIMS, PODS]), false, true],
    ['the order of the sources of a kind', spec([PODS, CPU]), spec([CPU, PODS]), false, true],
    ['the order of the selectors of objects', spec([PODS], [A, B]), spec([PODS], [B, A]), false, true],
    ['a source twice', spec([PODS]), spec([PODS, PODS]), false, false],
    ['a kind more', spec([PODS]), spec([PODS, CLAIMS]), false, false],
    ['one of two sources of a kind less', spec([PODS, CPU]), spec([PODS]), false, false],
    ['another path', spec([CPU]), spec([{ ...CPU, path: '.spec.memory' }]), false, false],
    ['another operation', spec([PODS]), spec([CPU]), false, false],
    ['a source that counts fewer objects', spec([PODS]), spec([{ ...PODS, selectors: [A] }]), false, false],
    ['fewer objects by their labels', spec([PODS]), spec([PODS], [A]), false, false],
    ['one of two selectors of objects less', spec([PODS], [A, B]), spec([PODS], [A]), false, false],
    ['fewer namespaces', spec([PODS], [], [A, B]), spec([PODS], [], [B]), false, true],
    ['namespaces that are selected in place of all', spec([PODS]), spec([PODS], [], [A]), false, true],
    ['all namespaces in place of some', spec([PODS], [], [A]), spec([PODS]), false, false],
    ['other namespaces', spec([PODS], [], [A]), spec([PODS], [], [B]), false, false],
    ['fewer namespaces and a kind more', spec([PODS], [], [A, B]), spec([PODS, CLAIMS], [], [A]), false, false],
  ])('that brings %s', (_what, old, changed, isAlike, isNoMore) => {
    expect([countsAlike(old, changed), countsNoMore(old, changed)]).toEqual([isAlike, isNoMore])
  })
})
