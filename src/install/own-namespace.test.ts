import { describe, expect, test } from 'vitest'
import type { JsonObject, KubeObject } from '../machinery/object.ts'
import { isOwnNamespace, ownNamespace, printedLabels, printedNamespace } from './own-namespace.ts'

const CREATED = '2026-03-01T10:00:05Z'
const LABELS = ['f:app.kubernetes.io/name', 'f:pod-security.kubernetes.io/enforce']

function wrote(manager: string, time: string, labels: readonly string[], more: JsonObject = {}): JsonObject {
  const fields = Object.fromEntries(labels.map((label) => [label, {}]))
  return { manager, operation: 'Apply', time, fieldsV1: { 'f:metadata': { 'f:labels': fields, ...more } } }
}

const stored = (managedFields: readonly JsonObject[], labels: Readonly<Record<string, string>> = {}): KubeObject => {
  const { metadata, ...rest } = printedNamespace('allot')
  return {
    ...rest,
    metadata: { ...metadata, labels: { ...metadata.labels, ...labels }, creationTimestamp: CREATED, managedFields },
  }
}

describe('a namespace came with allot', () => {
  const rows: readonly (readonly [string, KubeObject, boolean])[] = [
    ['when allot made it', ownNamespace('allot'), true],
    ['when the apply of the manifest created it', stored([wrote('kubectl', CREATED, LABELS)]), true],
    ['when a slow admission came between', stored([wrote('kubectl', '2026-03-01T10:00:01Z', LABELS)]), true],
    [
      'when kubectl sent the manifest without server-side apply',
      stored([
        wrote('kubectl-client-side-apply', CREATED, ['.', 'f:kubernetes.io/metadata.name', ...LABELS], {
          'f:annotations': { '.': {}, 'f:kubectl.kubernetes.io/last-applied-configuration': {} },
        }),
      ]),
      true,
    ],
    [
      'when the cluster has put labels on it since',
      stored([wrote('kubectl', CREATED, LABELS), wrote('rancher', '2026-03-01T11:00:00Z', ['f:project'])], {
        project: 'x',
      }),
      true,
    ],
    [
      'not when it was there before the apply',
      stored([
        wrote('kubectl', '2026-03-01T10:00:06Z', LABELS),
        wrote('kubectl-create', CREATED, ['.', 'f:kubernetes.io/metadata.name']),
      ]),
      false,
    ],
    [
      'not when the same manager applied it before with other fields',
      stored([wrote('kubectl', '2026-05-01T00:00:00Z', LABELS)]),
      false,
    ],
    [
      'not when it was created and applied in the same second',
      stored([wrote('kubectl', CREATED, LABELS), wrote('kubectl-create', CREATED, ['f:kubernetes.io/metadata.name'])]),
      false,
    ],
    [
      'not when its creator gave it one label of the manifest only',
      stored([wrote('flux', CREATED, LABELS.slice(0, 1))]),
      false,
    ],
    ['not when its creator gave it other labels, too', stored([wrote('flux', CREATED, [...LABELS, 'f:team'])]), false],
    [
      'not when its creator gave it annotations',
      stored([wrote('flux', CREATED, LABELS, { 'f:annotations': { 'f:team': {} } })]),
      false,
    ],
    [
      'not when its creator gave it owners',
      stored([wrote('flux', CREATED, LABELS, { 'f:ownerReferences': {} })]),
      false,
    ],
    [
      'not when a label has another value than the manifest gives',
      stored([wrote('flux', CREATED, LABELS)], { 'pod-security.kubernetes.io/enforce': 'baseline' }),
      false,
    ],
    ['not when an entry has no time', stored([{ ...wrote('kubectl', CREATED, LABELS), time: null }]), false],
    ['not when nobody can say', stored([]), false],
  ]
  for (const [name, namespace, expected] of rows) test(name, () => expect(isOwnNamespace(namespace)).toBe(expected))
})

test('of a namespace of others, labels of the manifest go that nobody else has written', () => {
  const before = wrote('kubectl-create', CREATED, ['f:kubernetes.io/metadata.name'])
  const applied = wrote('kubectl', '2026-03-02T00:00:00Z', LABELS)
  const enforced = wrote('kubectl-label', CREATED, ['f:pod-security.kubernetes.io/enforce'])
  expect(printedLabels(stored([before, applied]))).toEqual(LABELS.map((label) => label.slice('f:'.length)))
  expect(printedLabels(stored([before, applied, enforced]))).toEqual(['app.kubernetes.io/name'])
  expect(printedLabels(stored([before]))).toEqual([])
})
