import { describe, expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { crdStatus } from './crd-status.ts'

const NOW = '2026-11-21T00:00:00Z'
const LATER = '2026-11-21T00:00:01Z'
const names = (kind: string, more: JsonObject = {}): JsonObject => ({
  plural: `${kind.toLowerCase()}s`,
  singular: kind.toLowerCase(),
  kind,
  listKind: `${kind}List`,
  ...more,
})
const crd = (wanted: JsonObject, status: JsonObject = {}): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${String(wanted['plural'])}.a.test` },
  spec: { group: 'a.test', names: wanted },
  status,
})
const settled = (wanted: JsonObject, others: readonly JsonObject[] = []): KubeObject =>
  crd(wanted, crdStatus(crd(wanted), others, NOW))
const conditionsOf = (status: JsonObject): unknown =>
  (status['conditions'] as readonly JsonObject[]).map(({ type, status: is, reason, message }) =>
    [type, is, reason, message].join(' '),
  )

test('names that nobody has are accepted, and the CRD is established', () => {
  const { status } = settled(names('Widget', { shortNames: ['g'] })) as unknown as { readonly status: JsonObject }
  expect(conditionsOf(status)).toEqual([
    'NamesAccepted True NoConflicts no conflicts found',
    'Established True InitialNamesAccepted the initial names have been accepted',
  ])
  expect(status['acceptedNames']).toEqual(names('Widget', { shortNames: ['g'] }))
})

describe('names that another CRD has', () => {
  const widgets = names('Widget', { shortNames: ['g'] })

  test('are not accepted, and nothing is established', () => {
    const status = crdStatus(crd(names('Rock', { kind: 'Widget', shortNames: ['g', 'widgets'] })), [widgets], NOW)
    expect(conditionsOf(status)).toEqual([
      'NamesAccepted False KindConflict "Widget" is already in use',
      'Established False NotAccepted not all names are accepted',
    ])
    expect(status['acceptedNames']).toEqual({ plural: 'rocks', singular: 'rock', kind: '', listKind: 'RockList' })
  })

  test('are each reported where several short names are taken', () => {
    const status = crdStatus(crd(names('Rock', { shortNames: ['g', 'r', 'widgets'] })), [widgets], NOW)
    expect(conditionsOf(status)).toContain(
      'NamesAccepted False ShortNamesConflict ["g" is already in use, "widgets" is already in use]',
    )
  })

  test('leave an established CRD with those that it has', () => {
    const rocks = settled(names('Rock'), [widgets])
    const wanting = crd(names('Rock', { shortNames: ['g'] }), rocks['status'] as JsonObject)
    const status = crdStatus(wanting, [widgets], LATER)
    expect(conditionsOf(status)).toEqual([
      'NamesAccepted False ShortNamesConflict "g" is already in use',
      'Established True InitialNamesAccepted the initial names have been accepted',
    ])
    expect(status['acceptedNames']).toEqual(names('Rock'))
    expect((status['conditions'] as readonly JsonObject[]).map(({ lastTransitionTime }) => lastTransitionTime)).toEqual(
      [LATER, NOW],
    )
  })
})
