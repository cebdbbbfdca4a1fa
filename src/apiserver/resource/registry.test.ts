import { expect, test } from 'vitest'
import { servedCustomResource } from '../../../test/apiserver/served-custom-resource.ts'
import { compileSchema } from '../../schema/type/compile.ts'
import { Registry } from './registry.ts'
import type { ServedResource } from './served-resource.ts'

const schemas = compileSchema({ 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta': { type: 'object' } })
const served = (version: string, more: Partial<ServedResource> = {}): ServedResource =>
  servedCustomResource({ version, ...more })

test('versions of one resource share where they are stored, which outlives any of them', () => {
  const registry = new Registry(schemas, [], {})
  const [one, two] = [registry.add(served('v1')), registry.add(served('v2'))]
  expect([one.bucket, two.bucket, registry.stored()]).toEqual(['widgets.a.test', 'widgets.a.test', [one]])
  registry.remove('a.test', 'v1', 'widgets')
  expect([registry.find('a.test', 'v1', 'widgets'), registry.ofBucket('widgets.a.test')]).toEqual([undefined, two])
  registry.remove('a.test', 'v2', 'widgets')
  expect([registry.stored(), registry.hasGroupVersion('a.test', 'v2')]).toEqual([[], false])
})

test('a version that is converted does not stand for what is stored', () => {
  const registry = new Registry(schemas, [], {})
  const builtin = {
    group: 'autoscaling',
    resource: 'horizontalpodautoscalers',
    kind: 'HorizontalPodAutoscaler',
    custom: false,
  }
  const old = registry.add(served('v1', builtin))
  const current = registry.add(served('v2', builtin))
  expect([old.bucket, registry.ofBucket(old.bucket)]).toEqual([current.bucket, current])
})

test('each change of what is served counts, and the removal of nothing does not', () => {
  const registry = new Registry(schemas, [], {})
  const before = registry.generation
  registry.add(served('v1'))
  registry.remove('a.test', 'v1', 'widgets')
  registry.remove('a.test', 'v1', 'widgets')
  expect(registry.generation - before).toBe(2)
})
