import { beforeAll, describe, expect, test } from 'vitest'
import { apiServer } from '../api-server.ts'

const api = apiServer()

const pod = (name: string, spec: object): object => ({
  metadata: { name },
  spec: { runtimeClassName: 'boxed', containers: [{ name: 'c', image: 'i' }], ...spec },
})

describe('a pod of a runtime class', () => {
  let ns = ''
  beforeAll(async () => {
    await api.create('/apis/node.k8s.io/v1/runtimeclasses', {
      metadata: { name: 'boxed' },
      handler: 'boxed',
      overhead: { podFixed: { cpu: '250m' } },
      scheduling: {
        nodeSelector: { arch: 'arm', disk: 'ssd' },
        tolerations: [{ key: 'boxed', operator: 'Exists', effect: 'NoSchedule' }],
      },
    })
    ns = await api.namespace()
  })

  test('is kept to the nodes of the class, beside those that it asks for, and gets the overhead', async () => {
    const { spec } = await api.create(`${ns}/pods`, pod('a', { nodeSelector: { arch: 'arm', zone: 'z' } }))
    expect(spec).toMatchObject({
      nodeSelector: { arch: 'arm', disk: 'ssd', zone: 'z' },
      overhead: { cpu: '250m' },
    })
  })

  test('tolerates what the class tolerates, without what another toleration covers', async () => {
    const own = { key: 'boxed', operator: 'Equal', value: 'x', effect: 'NoSchedule' }
    const other = { key: 'gpu', operator: 'Exists' }
    const { spec } = await api.create(`${ns}/pods`, pod('b', { tolerations: [own, other] }))
    expect(
      spec.tolerations.map(({ key, operator }: { key: string; operator: string }) => `${key} ${operator}`),
    ).toEqual([
      'gpu Exists',
      'node.kubernetes.io/not-ready Exists',
      'node.kubernetes.io/unreachable Exists',
      'boxed Exists',
    ])
  })

  test.each([
    [
      'a nodeSelector that contradicts it',
      { nodeSelector: { arch: 'x86' } },
      'pods "c" is forbidden: conflict: runtimeClass.scheduling.nodeSelector[arch] = arm; pod.spec.nodeSelector[arch] = x86',
    ],
    [
      'another overhead',
      { overhead: { cpu: '1' } },
      `pods "c" is forbidden: pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead`,
    ],
    [
      'an overhead without a class',
      { runtimeClassName: null, overhead: { cpu: '250m' } },
      'pods "c" is forbidden: pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    ],
    [
      'a class that does not exist',
      { runtimeClassName: 'other' },
      'pods "c" is forbidden: pod rejected: RuntimeClass "other" not found',
    ],
  ])('is refused with %s', async (_what, spec, message) => {
    const { status, body } = await api.send('POST', `${ns}/pods`, pod('c', spec))
    expect([status, body.message]).toEqual([403, message])
  })

  test('may say the same as its class', async () => {
    const same = { overhead: { cpu: '0.25' }, nodeSelector: { arch: 'arm', disk: 'ssd' } }
    expect((await api.send('POST', `${ns}/pods`, pod('d', same))).status).toBe(201)
  })
})
