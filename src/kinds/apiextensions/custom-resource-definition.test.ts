import { expect, test } from 'vitest'
import { context, objectOf, problems, stored, strategy } from '../../../test/apiserver/object-life.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'

test('a definition says what it is called, and in which versions it was stored', () => {
  const resource = 'customresourcedefinitions.apiextensions.k8s.io'
  const version = (name: string, storage: boolean) => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: { type: 'object' } },
  })
  const definition = (versions: JsonObject[], name = 'boxes.example.com'): KubeObject =>
    objectOf(
      { spec: { group: 'example.com', scope: 'Namespaced', names: { plural: 'boxes', kind: 'Box' }, versions } },
      { name },
    )
  const object = stored(resource, definition([version('v1', true)]))
  expect(object).toMatchObject({
    spec: { names: { singular: 'box', listKind: 'BoxList' }, conversion: { strategy: 'None' } },
    status: { storedVersions: ['v1'] },
  })
  expect(problems(resource, definition([version('v1', true)]))).toEqual([])
  expect(
    problems(resource, definition([version('v1', false)], 'crates.example.com')).map((text) =>
      text.replace(/\[\{.*\}\]/, '[…]'),
    ),
  ).toEqual([
    'metadata.name: Invalid value: "crates.example.com": must be spec.names.plural+"."+spec.group',
    'spec.versions: Invalid value: […]: must have exactly one version marked as storage version',
    'status.storedVersions: Invalid value: []: must have at least one stored version',
  ])
  const next = strategy(resource).prepareForUpdate!(
    definition([version('v1', false), version('v2', true)]),
    object,
    context,
  )
  expect(next).toMatchObject({ status: { storedVersions: ['v1', 'v2'] } })
})
