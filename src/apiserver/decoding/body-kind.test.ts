import { expect, test } from 'vitest'
import { compileSchema } from '../../schema/type/compile.ts'
import { Registry, type Resource } from '../resource/registry.ts'
import type { ServedResource } from '../resource/served-resource.ts'
import { bodyKind, kindProblem } from './body-kind.ts'

const served = (group: string, resource: string, kind: string): ServedResource => ({
  group,
  version: 'v1',
  resource,
  kind,
  listKind: `${kind}List`,
  singular: kind.toLowerCase(),
  namespaced: true,
  verbs: [],
  subresources: [],
})
const registry = new Registry(
  compileSchema({ 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': { type: 'object' } }),
  [],
  {},
)
const maps: Resource = registry.add(served('', 'configmaps', 'ConfigMap'), {})
registry.add(served('apps', 'deployments', 'Deployment'), {})

test.each<[unknown, string]>([
  [[], 'json: cannot unmarshal array into Go value of type struct '],
  ['x', 'json: cannot unmarshal string into Go value of type struct '],
  [{ kind: 5 }, 'json: cannot unmarshal number into Go struct field .kind of type string'],
  [{ apiVersion: {} }, 'json: cannot unmarshal object into Go struct field .apiVersion of type string'],
])('%j has no kind', (value, why) => {
  expect(() => bodyKind(value)).toThrow(`couldn't get version/kind; json parse error: ${why}`)
})

test('a version with two slashes is invalid', () => {
  expect(() => bodyKind({ apiVersion: 'a/b/c' })).toThrow('unexpected GroupVersion string: a/b/c')
})

const SCHEME = 'in scheme "k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30"'

test.each([
  [{}, undefined],
  [null, undefined],
  [{ kind: 'ConfigMap', apiVersion: 'v1' }, undefined],
  [{ kind: 'ConfigMapList' }, 'converting (v1.ConfigMapList) to (core.ConfigMap): unknown conversion'],
  [{ kind: 'Status' }, 'converting (v1.Status) to (core.ConfigMap): unknown conversion'],
  [{ kind: 'Deployment', apiVersion: 'apps/v1' }, 'converting (v1.Deployment) to (core.ConfigMap): unknown conversion'],
  [{ kind: 'Nonsense' }, `no kind "Nonsense" is registered for version "v1" ${SCHEME}`],
  [{ apiVersion: 'v2' }, `no kind "ConfigMap" is registered for version "v2" ${SCHEME}`],
])('of %j as a ConfigMap: %s', (value, problem) => {
  expect(kindProblem(registry, maps, bodyKind(value))).toBe(problem)
})
