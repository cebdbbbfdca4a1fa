import { expect, test } from 'vitest'
import { ManualClock } from '../../../test/kube/manual-clock.ts'
import { SYSTEM_NAMESPACE_ANNOTATION } from '../../install/installed-names.ts'
import type { KubeClient } from '../../kube/client/kube-client.ts'
import type { KubeObject } from '../../machinery/object.ts'
import { operatorNamespaces } from './operator-namespaces.ts'

const RBAC = 'rbac.authorization.k8s.io'
const ROLE = {
  metadata: { name: 'keeper' },
  rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
}
const BINDING = {
  metadata: { name: 'keeper' },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'keeper' },
  subjects: [{ kind: 'ServiceAccount', namespace: 'privileged', name: 'allot' }],
}
const configuration = (annotations: Readonly<Record<string, string>>) => ({ metadata: { name: 'allot', annotations } })
const NAMED = configuration({ [SYSTEM_NAMESPACE_ANNOTATION]: 'named' })

/** Asks about three namespaces, where these configurations are stored. */
function setUp(stored: { configurations: readonly object[] }) {
  const clock = new ManualClock()
  const list: KubeClient['list'] = (kind) => {
    const ofRbac = kind.resource === 'clusterroles' ? [ROLE] : [BINDING]
    const items = kind.group === RBAC ? ofRbac : stored.configurations
    return Promise.resolve({ items: items as readonly KubeObject[] as never, resourceVersion: '1' })
  }
  const ask = async (...namespaces: readonly string[]) => {
    const counts = await operatorNamespaces({ list }, namespaces, clock, new AbortController().signal)
    return namespaces.filter(counts)
  }
  return { clock, ask }
}

test('an operator works from a namespace that configurations name, or of an account that may write pools', async () => {
  const { ask } = setUp({ configurations: [NAMED] })
  expect(await ask('named', 'tenant', 'privileged')).toEqual(['named', 'privileged'])
})

test('a leader has some seconds to name its namespace, and nobody waits where that changes nothing', async () => {
  const stored: { configurations: readonly object[] } = { configurations: [configuration({})] }
  const { clock, ask } = setUp(stored)
  expect(await ask('privileged')).toEqual(['privileged'])
  const early = ask('named', 'tenant')
  await clock.advance(2_000)
  stored.configurations = [NAMED]
  await clock.advance(500)
  expect(await early).toEqual(['named'])
  stored.configurations = []
  const never = ask('named', 'tenant')
  await clock.advance(5_000)
  expect(await never).toEqual([])
})
