import { expect, test } from 'vitest'
import { sharedProjection, validateProjected } from './projected-volume.ts'

const token = (path: string) => ({ sources: [{ serviceAccountToken: { expirationSeconds: 3607, path } }] })

test('a shared projection is looked at once, an equal one of a pod again', () => {
  let looks = 0
  const watched = new Proxy(token('token'), { get: (target, key) => (looks++, Reflect.get(target, key)) })
  const shared = sharedProjection(watched)
  const before = looks
  expect([validateProjected(shared, 'spec'), looks - before]).toEqual([[], 0])
  expect(validateProjected(token('../token'), 'spec')).not.toEqual([])
})

test('a projection that is invalid cannot be shared', () => {
  expect(() => sharedProjection(token('../token'))).toThrow(TypeError)
})
