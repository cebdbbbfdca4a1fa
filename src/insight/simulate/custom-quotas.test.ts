import { expect, test } from 'vitest'
import { guessedResource } from '../../api/guessed-resource.ts'
import { readManifests } from '../../migrate/read-manifests.ts'
import { timestamp } from '../../runtime/time/timestamp.ts'
import { type KindOf, Simulator } from './simulate.ts'
import type { Simulation } from './simulation.ts'
import { simulationText } from './simulation-text.ts'

const CLUSTER_WIDE = new Set(['Namespace', 'GlobalCustomQuota', 'ClusterRole'])
const kinds: KindOf = (apiVersion, kind) => ({
  ...guessedResource(apiVersion, kind),
  kind,
  namespaced: !CLUSTER_WIDE.has(kind),
})

function simulated(state: string, changes: string, { isFromCluster = false, deleted = '' } = {}): Simulation {
  const simulator = new Simulator({
    state: readManifests('state', state),
    isFromCluster,
    kinds,
    decode: (object) => object,
    typeOf: () => undefined,
    namespace: 'shop',
    now: Date.parse('2026-01-01T00:00:00Z'),
    timestamp,
  })
  const of = (operation: 'apply' | 'delete', text: string) =>
    readManifests('changes', text).map((object) => ({ operation, object }))
  simulator.step([...of('delete', deleted), ...of('apply', changes)])
  return simulator.result()
}

const namespace = (name: string, labels = '{}'): string =>
  `{apiVersion: v1, kind: Namespace, metadata: {name: ${name}, uid: ${name}, labels: ${labels}}}\n---\n`
const NAMESPACES = namespace('shop', '{team: a}') + namespace('bank', '{team: a}') + namespace('home')
const secret = (name: string, within = 'shop', labels = '{}'): string =>
  `{apiVersion: v1, kind: Secret, metadata: {name: ${name}, namespace: ${within}, uid: ${within}-${name}, labels: ${labels}}, data: {size: "2"}}\n---\n`
const SECRETS = '{apiVersion: v1, kind: Secret, op: count}'
const spec = (limit: string, source: string, more = ''): string => `{limit: "${limit}", sources: [${source}]${more}}`
const custom = (limit: string, source = SECRETS, more = ''): string => `{apiVersion: capsule.clastix.io/v1beta2,
  kind: CustomQuota, metadata: {name: few, namespace: shop}, spec: ${spec(limit, source, more)}}\n---\n`
const global = (limit: string, source = SECRETS, more = ''): string => `{apiVersion: capsule.clastix.io/v1beta2,
  kind: GlobalCustomQuota, metadata: {name: wide}, spec: ${spec(limit, source, more)}}\n---\n`
const counted = (quota: string, used: string, conditions: string): string =>
  quota.replace(
    /\}\n---\n$/,
    `, status: {observedGeneration: 1, usage: {used: "${used}"}, conditions: ${conditions}}}\n---\n`,
  )
const READY = '{type: Ready, status: "True"}'
const TEAM = ', namespaceSelectors: [{matchLabels: {team: a}}]'
const exceeded = (kind: string, name: string, used: number): RegExp =>
  new RegExp(
    `denied the request: creating resource exceeds limit for ${kind} "${name}" \\(requested=\\d+, currentUsed=${used},`,
  )

test.each<readonly [string, string, string, RegExp | undefined]>([
  ['fits', custom('2') + secret('one'), secret('two'), undefined],
  ['does not fit', custom('1') + secret('one'), secret('two'), exceeded('CustomQuota', 'few', 1)],
  ['is of another namespace', custom('1') + secret('one'), secret('two', 'bank'), undefined],
  [
    'is in a namespace of the cluster',
    global('1') + secret('old') + namespace('kube-system'),
    secret('one', 'kube-system'),
    undefined,
  ],
  [
    'is refused for all of a global quota',
    global('1') + secret('one', 'home'),
    secret('two'),
    exceeded('GlobalCustomQuota', 'wide', 1),
  ],
  [
    'has room, as its namespace is not selected',
    global('1', SECRETS, TEAM) + secret('old'),
    secret('one', 'home'),
    undefined,
  ],
  [
    'shares with other selected namespaces',
    global('1', SECRETS, TEAM) + secret('one', 'bank'),
    secret('two'),
    exceeded('GlobalCustomQuota', 'wide', 1),
  ],
  [
    'has other labels than the quota counts',
    custom('1', SECRETS, ', scopeSelectors: [{matchLabels: {app: x}}]') + secret('old', 'shop', '{app: x}'),
    secret('one'),
    undefined,
  ],
  [
    'has the labels that the quota counts',
    custom('1', SECRETS, ', scopeSelectors: [{matchLabels: {app: x}}]') + secret('old', 'shop', '{app: x}'),
    secret('one', 'shop', '{app: x}'),
    exceeded('CustomQuota', 'few', 1),
  ],
  [
    'costs what CEL says',
    custom('3', '{apiVersion: v1, kind: Secret, op: add, cel: "quantity(object.data.size)"}') + secret('one'),
    secret('two'),
    exceeded('CustomQuota', 'few', 2),
  ],
  [
    'costs what a path says',
    custom('4', '{apiVersion: v1, kind: Secret, op: add, path: .data.size}') + secret('one'),
    secret('two'),
    undefined,
  ],
  [
    'cannot be measured',
    custom('4', '{apiVersion: v1, kind: Secret, op: add, path: .data.size}'),
    secret('one').replace('"2"', 'much'),
    /cannot be admitted because custom quota usage could not be calculated: CustomQuota "few"/,
  ],
  [
    'is beside an object that cannot be measured',
    custom('4', '{apiVersion: v1, kind: Secret, op: add, path: .data.size}') + secret('one').replace('"2"', 'much'),
    secret('two'),
    /CustomQuota shop\/few allows nothing more in namespace "shop" until an object there can be measured/,
  ],
  [
    'is counted by a quota that cannot be ready',
    custom(
      '4',
      '{apiVersion: v1, kind: Secret, op: count}, {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, op: count}',
    ),
    secret('one'),
    /CustomQuota shop\/few is not ready for generation 1/,
  ],
])('a manifest %s: so a custom quota decides', (_, state, changes, refusal) => {
  const { changes: results, verdict, undecided } = simulated(NAMESPACES + state, changes)
  const messages = results.map(({ message }) => message ?? '')
  if (refusal === undefined) expect([messages, verdict]).toEqual([[''], 'fits'])
  else expect([messages, verdict]).toEqual([[expect.stringMatching(refusal)], 'refused'])
  expect(undecided).toEqual([])
})

test.each<readonly [string, string, RegExp | undefined]>([
  ['as it has counted', counted(custom('3'), '3', `[${READY}]`), exceeded('CustomQuota', 'few', 3)],
  [
    'not, as enforcement is off',
    counted(custom('3'), '3', `[${READY}, {type: Enforced, status: "False", reason: EnforcementOff}]`),
    undefined,
  ],
  [
    'not, as the namespace is exempt',
    counted(custom('3'), '3', `[${READY}, {type: Enforced, status: "False", reason: ExemptNamespace}]`),
    undefined,
  ],
  [
    'later, as it is not ready',
    counted(custom('3'), '0', '[{type: Ready, status: "False", reason: Failed}]'),
    /few is not ready for generation 1/,
  ],
])('a quota of a cluster refuses %s', (_, state, refusal) => {
  const [one] = simulated(NAMESPACES + state, secret('two'), { isFromCluster: true }).changes
  if (refusal === undefined) expect(one?.result).toBe('created')
  else expect(one?.message).toMatch(refusal)
})

test('limit and usage are shown before and after, of new, changed and removed quotas', () => {
  const result = simulated(NAMESPACES + custom('3') + secret('one') + global('9'), custom('2') + secret('two'), {
    deleted: global('9'),
  })
  expect(result.countedQuotas).toEqual([
    {
      kind: 'CustomQuota',
      namespace: 'shop',
      name: 'few',
      change: 'changed',
      limits: [{ resource: 'limit', hard: { before: '3', after: '2' }, used: { before: '1', after: '2' } }],
    },
    {
      kind: 'GlobalCustomQuota',
      namespace: '',
      name: 'wide',
      change: 'deleted',
      limits: [{ resource: 'limit', hard: { before: '9' }, used: { before: '1' } }],
    },
  ])
  expect(simulationText(result)).toContain('~ CustomQuota shop/few: limit 3 → 2, used 1 → 2\n')
})

test('a lower limit than what is used is refused in the words of the webhook', () => {
  const [one] = simulated(NAMESPACES + custom('3') + secret('one') + secret('two'), custom('1')).changes
  expect(one?.message).toBe(
    'admission webhook "namespaced.custom-quotas.validating.projectcapsule.dev" denied the request: spec.limit cannot be lowered below current usage (2); requested limit: 1',
  )
})

const deployment = (replicas: number, within = 'shop'): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: ${within}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: app, image: app}]}}
---
`
const PODS = '{apiVersion: v1, kind: Pod, op: count}'

test('a rollout that a global quota has no room for stalls, and goes on when another namespace gives room', () => {
  const state = NAMESPACES + global('3', PODS) + deployment(2, 'bank')
  const stuck = simulated(state, deployment(3))
  expect([stuck.verdict, stuck.workloads.map(({ pods }) => pods)]).toEqual([
    'stalls',
    [{ before: 0, after: 1, wanted: 3 }],
  ])
  expect(stuck.workloads[0]?.causes.map(({ text }) => text).join()).toContain('wide')
  const freed = simulated(state + deployment(3), deployment(0, 'bank'))
  expect(freed.countedQuotas).toEqual([])
  expect(freed.workloads.find(({ object }) => object.namespace === 'shop')?.pods).toEqual({
    before: 1,
    after: 3,
    wanted: 3,
  })
})

test('the labels of a namespace decide whether a global quota counts what is there', () => {
  const state = NAMESPACES + global('5', SECRETS, TEAM) + secret('one', 'home') + secret('two')
  const { countedQuotas } = simulated(state, namespace('home', '{team: a}'))
  expect(countedQuotas).toMatchObject([{ name: 'wide', limits: [{ used: { before: '1', after: '2' } }] }])
})
