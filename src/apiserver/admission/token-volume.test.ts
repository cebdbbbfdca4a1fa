import { expect, test } from 'vitest'
import { withTokenVolume } from './token-volume.ts'

const MOUNT = {
  name: 'kube-api-access-abcde',
  readOnly: true,
  mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
}
const fresh = (): string => 'kube-api-access-abcde'

test('every container finds the token of its account', () => {
  const spec = withTokenVolume({ initContainers: [{ name: 'i' }], containers: [{ name: 'a' }, { name: 'b' }] }, fresh)
  expect(spec).toMatchObject({
    initContainers: [{ volumeMounts: [MOUNT] }],
    containers: [{ volumeMounts: [MOUNT] }, { volumeMounts: [MOUNT] }],
    volumes: [{ name: 'kube-api-access-abcde', projected: { defaultMode: 420 } }],
  })
})

test('a volume mount of the container itself stays', () => {
  const own = { name: 'c', volumeMounts: [{ name: 'own', mountPath: MOUNT.mountPath }] }
  const spec = { containers: [own], volumes: [{ name: 'own', emptyDir: {} }] }
  expect(withTokenVolume(spec, fresh)).toBe(spec)
})

test('a volume that is there already is not added again', () => {
  const spec = { containers: [{ name: 'c' }], volumes: [{ name: 'kube-api-access-xyz12', projected: {} }] }
  expect(withTokenVolume(spec, fresh)).toMatchObject({
    containers: [{ volumeMounts: [{ ...MOUNT, name: 'kube-api-access-xyz12' }] }],
    volumes: [{ name: 'kube-api-access-xyz12' }],
  })
})
