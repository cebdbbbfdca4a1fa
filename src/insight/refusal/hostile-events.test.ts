// Covers note.ts and refused-maker.ts, and ../explain/past-refusal.ts: a tenant writes Events with any text.
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { growth } from '../../../test/growth.ts'
import type { KubeObject } from '../../machinery/object.ts'
import type { Facts } from '../explain/facts.ts'
import { pastRefusal } from '../explain/past-refusal.ts'
import { refusalNote } from './note.ts'
import { namedOwner, refusedMaker } from './refused-maker.ts'

const HEAD = 'Error creating: pods "w" is forbidden: '

const REPEATED: readonly (readonly [string, string])[] = [
  ['the beginning of a ResourceQuota', 'exceeded quota: '],
  ['a ResourceQuota and what is requested', 'exceeded quota: a, requested: '],
  ['a ResourceQuota and its name', 'exceeded quota: a'],
  ['the beginning of demands', 'failed quota: '],
  ['demands', 'failed quota: a: must specify '],
  ['only demands', 'must specify '],
  ['the end of demands', 'must specify a; \n'],
  ['a custom quota', 'CustomQuota "'],
  ['a custom quota and what is requested', 'CustomQuota "x" (requested=1'],
  ['the head', HEAD],
]

describe('the time for a message grows with its length [security/refusal-events]', () => {
  const note = (message: string): unknown => refusalNote(message)
  const past = (message: string): unknown =>
    pastRefusal(
      {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { namespace: 'n', name: 'w', uid: 'u' },
        status: { conditions: [{ type: 'ReplicaFailure', status: 'True', message }] },
      },
      { failures: [], byMaker: new Map() } as unknown as Facts,
    )
  test.each(REPEATED)('of %s, noted', (_, text) => {
    expect(growth((size) => note(text.repeat(size)), 2_000, 8)).toBeLessThan(20)
    expect(growth((size) => note((HEAD + text.repeat(size)).slice(0, size * 8)), 64, 8)).toBeLessThan(20)
  })
  test.each(REPEATED)('of %s, explained', (_, text) => {
    expect(growth((size) => past(text.repeat(size)), 2_000, 8)).toBeLessThan(20)
  })
})

test.each([
  'exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2',
  `${HEAD}visit evil.test: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2`,
  `${HEAD}exceeded quota: visit evil.test now, requested: pods=1, used: pods=2, limited: pods=2`,
  `${HEAD}exceeded quota: small, requested: <a>=1, used: <a>=2, limited: <a>=2`,
  `${HEAD}failed quota: a: must specify a visit to evil.test`,
  `admission webhook "w" denied the request: creating resource exceeds limit for CustomQuota "few" (requested=a visit, currentUsed=2, available=0, limit=2, `,
  `${HEAD}exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2; ${'x'.repeat(5000)}`,
])('%s is not what API servers write [security/refusal-events]', (message) => {
  expect(refusalNote(message)).toBeUndefined()
})

test('a note and its cause take at most 1,024 bytes, and no part of the message stays in memory', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const one = (at: number): string =>
    `${HEAD}exceeded quota: a-quota-with-a-long-name-${at}, requested: pods=1, used: pods=2, limited: pods=2`
  const message = (at: number): string =>
    `${one(at)}${'; exceeded quota: small, requested: requests.cpu=1, used: requests.cpu=2, limited: requests.cpu=2'.repeat(30)}`
  const heap = (): number => {
    collect()
    return process.memoryUsage().heapUsed
  }
  expect(refusalNote(message(1))?.note.length).toBe(1024)
  expect(refusalNote(message(1))?.cause.length).toBeLessThanOrEqual(1024)
  const before = heap()
  const kept = Array.from({ length: 4000 }, (_, at) => refusalNote(`${one(at)}; ${'x'.repeat(3900)}`))
  expect(kept.every((found) => found !== undefined)).toBe(true)
  expect((heap() - before) / kept.length).toBeLessThan(1_000)
})

const about = {
  apiVersion: 'apps/v1',
  kind: 'ReplicaSet',
  namespace: 'n',
  name: 'web-1',
  uid: '4b9d7c52-0f3e-4c51-9d3f-000000000001',
}
const event = (involvedObject: unknown): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { namespace: 'n', name: 'e' },
  involvedObject,
})

test('an Event is about a workload of its own namespace', () => {
  expect(refusedMaker(event(about))).toMatchObject({
    resource: { group: 'apps', version: 'v1', resource: 'replicasets', kind: 'ReplicaSet' },
    namespace: 'n',
    name: 'web-1',
    uid: about.uid,
  })
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['a list', []],
  ['another namespace', { ...about, namespace: 'kube-system' }],
  ['no namespace', { ...about, namespace: '' }],
  ['a kind that makes nothing', { ...about, apiVersion: 'v1', kind: 'Namespace' }],
  ['a kind of every object', { ...about, kind: '__proto__' }],
  ['a path as its version', { ...about, apiVersion: 'apps/../../api/v1/namespaces/kube-system/secrets/x?' }],
  ['a version that nobody knows', { ...about, apiVersion: 'apps/v9' }],
  ['a version of another group', { ...about, apiVersion: 'batch/v1' }],
  ['a path as its name', { ...about, name: '../x' }],
  ['a name that is too long', { ...about, name: 'x'.repeat(254) }],
  ['no uid', { ...about, uid: '' }],
  ['a uid that is too long', { ...about, uid: 'x'.repeat(65) }],
  ['numbers', { ...about, name: 1, uid: 2 }],
])('an Event about %s is not believed [security/refusal-events]', (_, involvedObject) => {
  expect(refusedMaker(event(involvedObject))).toBeUndefined()
})

const owned = (kind: string, apiVersion: string, owner: string, name = 'web'): KubeObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: {
    namespace: 'n',
    name: 'w',
    ownerReferences: [{ apiVersion, kind: owner, name, uid: 'u', controller: true }],
  },
})

test.each<[string, string, string]>([
  ['ReplicaSet', 'apps/v1', 'Deployment'],
  ['Job', 'batch/v1', 'CronJob'],
])('a %s may belong to %s %s', (kind, apiVersion, owner) => {
  expect(namedOwner(owned(kind, apiVersion, owner), kind)?.resource).toMatchObject({ kind: owner })
})

test.each<[string, string, string, string]>([
  ['ReplicaSet', 'v1', 'Namespace', 'kube-system'],
  ['ReplicaSet', 'v1', 'Deployment', 'web'],
  ['ReplicaSet', 'apps/v1', 'StatefulSet', 'web'],
  ['ReplicaSet', 'batch/v1', 'CronJob', 'web'],
  ['ReplicaSet', 'apps/v1', 'Deployment', '../web'],
  ['Job', 'rbac.authorization.k8s.io/v1', 'ClusterRole', 'admin'],
  ['StatefulSet', 'a.test/v1', 'Database', 'db'],
])('a %s belongs to no %s %s named %s [security/refusal-events]', (kind, apiVersion, owner, name) => {
  expect(namedOwner(owned(kind, apiVersion, owner, name), kind)).toBeUndefined()
})
