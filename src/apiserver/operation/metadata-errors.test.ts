import { expect, test } from 'vitest'
import type { Resource } from '../resource/registry.ts'
import { required } from '../../machinery/field-error.ts'
import { finalizerErrors, metadataErrors } from './metadata-errors.ts'

const resource = (bucket: string, custom = false): Resource =>
  ({ bucket, served: { namespaced: true, ...(custom ? { custom } : {}) } }) as unknown as Resource
const META = { name: 'a', namespace: 'n', resourceVersion: '1' }
const OTHERS = [required('spec')]
const places = (bucket: string, subresource = ''): readonly string[] =>
  metadataErrors(
    resource(bucket),
    subresource,
    { ...META, labels: { 'a b': '' }, finalizers: ['x'] },
    META,
    OTHERS,
  ).map(({ path }) => path.replace('metadata.', ''))

test('errors of metadata are reported for every kind alike, and then by the rules of the kind', () => {
  expect(places('configmaps')).toEqual([
    'labels',
    'labels',
    'labels',
    'finalizers[0]',
    'spec',
    'labels',
    'finalizers[0]',
  ])
  expect(places('services')).toEqual(['labels', 'labels', 'labels', 'finalizers[0]', 'labels', 'finalizers[0]', 'spec'])
  expect(places('deployments.apps')).toEqual(['labels', 'labels', 'labels', 'finalizers[0]', 'spec'])
  expect(places('leases.coordination.k8s.io')).toEqual(['labels', 'labels', 'labels', 'spec'])
  expect(places('events')).toEqual(['labels', 'labels', 'spec'])
  expect(places('pods', 'status')).toEqual(['labels', 'labels', 'labels', 'finalizers[0]', 'spec'])
})

test('only custom resources and some kinds take a finalizer without a domain', () => {
  const errors = (one: Resource): number => finalizerErrors(one, { finalizers: ['x', 'kubernetes', 'a.test/b'] }).length
  expect([errors(resource('pods')), errors(resource('things.test', true)), errors(resource('events'))]).toEqual([
    1, 0, 0,
  ])
})
