import { expect, test } from 'vitest'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import { UNREACHABLE } from '../../../test/kube/scripted-client.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { failure, forbidden } from '../../machinery/status.ts'
import { serverFeatures } from './server-features.ts'

const unlabelled: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' } }

const asked = (answer: (object: KubeObject) => KubeObject, found: KubeObject = unlabelled) => {
  const create: KubeClient['create'] = async (_kind, object, options) => {
    expect(options?.dryRun).toBe(true)
    return answer(object) as typeof object
  }
  const get: KubeClient['get'] = async () => found as never
  return serverFeatures({ create, get }, new AbortController().signal)
}

test('a server offers conditions of webhooks when it keeps one that it is shown', async () => {
  expect(await asked((object) => object)).toEqual({ matchConditions: true, labelsNamespaces: false })
  const [hook] = [{ name: 'probe.allot.dev' }]
  expect(await asked((object) => ({ ...object, webhooks: [hook] }))).toEqual({
    matchConditions: false,
    labelsNamespaces: false,
  })
})

test('a server labels namespaces when a new one has its name as a label', async () => {
  const named = (label: string) => (object: KubeObject) => {
    if (object.kind !== 'Namespace') return object
    return { ...object, metadata: { name: 'allot-probe-x', labels: { 'kubernetes.io/metadata.name': label } } }
  }
  expect(await asked(named('allot-probe-x'))).toMatchObject({ labelsNamespaces: true })
  expect(await asked(named('other'))).toMatchObject({ labelsNamespaces: false })
})

test.each([
  ['do not answer', failure(500, 'InternalError', 'failed calling webhook "x"')],
  ['refuse one without labels', forbidden({ group: '', resource: 'namespaces' }, '', 'a team is missing')],
])('a server whose webhooks on namespaces %s is judged by a namespace that is there', async (_, error) => {
  const failing = (object: KubeObject): KubeObject => {
    if (object.kind === 'Namespace') throw error
    return object
  }
  const labels = { 'kubernetes.io/metadata.name': 'kube-system' }
  const labelled = { ...unlabelled, metadata: { name: 'kube-system', labels } }
  expect(await asked(failing, labelled)).toEqual({ matchConditions: true, labelsNamespaces: true })
  expect(await asked(failing)).toEqual({ matchConditions: true, labelsNamespaces: false })
})

test('a server that refuses the question offers nothing, one that does not answer decides nothing', async () => {
  const refusal = forbidden({ group: '', resource: 'things' }, '', 'no')
  const refusing = asked(() => {
    throw refusal
  })
  expect(await refusing).toEqual({ matchConditions: false, labelsNamespaces: false })
  await expect(
    asked(() => {
      throw UNREACHABLE
    }),
  ).rejects.toBe(UNREACHABLE)
})
