import { expect, test } from 'vitest'
import type { KubeObject } from '../../machinery/object.ts'
import { aggregatedRules } from './role-aggregation.ts'

const rule = (resource: string): object => ({ verbs: ['get'], apiGroups: [''], resources: [resource] })
const role = (name: string, labels: Record<string, string>, ...resources: string[]): KubeObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name, labels },
  rules: resources.map(rule),
})
const gathering = (...clusterRoleSelectors: object[]): KubeObject => ({
  ...role('all', { part: 'yes' }, 'old'),
  aggregationRule: { clusterRoleSelectors },
})

test('the rules of every selected role are gathered, each once, its own not', () => {
  const all = gathering({ matchLabels: { part: 'yes' } }, { matchLabels: { more: 'yes' } })
  const roles = [
    all,
    role('a', { part: 'yes' }, 'pods', 'nodes'),
    role('b', { more: 'yes' }, 'nodes', 'secrets'),
    role('c', {}, 'events'),
  ]
  expect(aggregatedRules(all, roles)).toEqual([rule('pods'), rule('nodes'), rule('secrets')])
})

test('an empty selector takes all', () => {
  const all = gathering({})
  expect(aggregatedRules(all, [role('a', {}, 'pods'), all])).toEqual([rule('pods')])
})
