import { expect, test } from 'vitest'
import { objectOf, problems, updateProblems } from '../../../test/apiserver/object-life.ts'
import type { KubeObject } from '../../machinery/object.ts'

test('a binding keeps its role', () => {
  const binding = (name: string): KubeObject =>
    objectOf({ roleRef: { kind: 'ClusterRole', name }, subjects: [{ kind: 'User', name: 'ann' }] })
  expect(problems('rolebindings.rbac.authorization.k8s.io', binding('a'))).toEqual([])
  expect(updateProblems('rolebindings.rbac.authorization.k8s.io', binding('a'), binding('b'))).toEqual([
    'roleRef: Invalid value: {"kind":"ClusterRole","name":"b","apiGroup":"rbac.authorization.k8s.io"}: cannot change roleRef',
  ])
})

test('a rule names verbs and resources', () => {
  expect(problems('roles.rbac.authorization.k8s.io', objectOf({ rules: [{}] }))).toEqual([
    'rules[0].verbs: Required value: verbs must contain at least one value',
    'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
    'rules[0].resources: Required value: resource rules must supply at least one resource',
  ])
})
