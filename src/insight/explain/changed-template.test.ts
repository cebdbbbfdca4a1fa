// Covers replacement.ts and whole-rollout.ts: what a manifest makes of a stored workload.
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { app, NO_FACTS, object, quota, templateOf } from '../../../test/insight/explained.ts'
import type { JsonObject, KubeObject } from '../../machinery/object.ts'
import { afterwards } from './afterwards.ts'
import { explain } from './explain.ts'
import type { Explanation } from './explanation.ts'
import { type Facts, indexed, type Target } from './facts.ts'

interface Change {
  readonly kind?: 'Deployment' | 'StatefulSet' | 'DaemonSet'
  readonly replicas?: number
  readonly from: JsonObject
  readonly to: JsonObject
  readonly strategy?: JsonObject
  readonly hard: Readonly<Record<string, string>>
  readonly used: Readonly<Record<string, string>>
}

/** A workload whose pods all run, and the manifest that gives them other requests. */
function changed({ kind = 'Deployment', replicas = 3, from, to, strategy = {}, hard, used }: Change): {
  readonly target: Target
  readonly facts: Facts
  readonly resource: { readonly group: string; readonly resource: string }
} {
  const field = kind === 'Deployment' ? 'strategy' : 'updateStrategy'
  const count = kind === 'DaemonSet' ? {} : { replicas }
  const of = (requests: JsonObject): KubeObject => ({
    ...object('apps/v1', kind, 'web', {
      ...count,
      selector: {},
      template: templateOf([app('web', requests)]),
      [field]: strategy,
    }),
    status: { desiredNumberScheduled: replicas },
  })
  const before = of(from)
  const set = object('apps/v1', 'ReplicaSet', 'web-1', { replicas, template: templateOf([app('web', from)]) }, before)
  const maker = kind === 'Deployment' ? set : before
  const pods = Array.from({ length: replicas }, (_, index) =>
    object('v1', 'Pod', `web-${index}`, { containers: [app('web', from)] }, maker),
  )
  const objects = new Map([
    ['pods', pods],
    [`${kind.toLowerCase()}s.apps`, [before]],
    ['replicasets.apps', kind === 'Deployment' ? [set] : []],
  ])
  return {
    target: { object: of(to), isStored: true, before },
    facts: { ...NO_FACTS, quotas: [quota(hard, used)], objects, ...indexed(objects) },
    resource: { group: 'apps', resource: `${kind.toLowerCase()}s` },
  }
}

function said(change: Change): Explanation {
  const { target, facts, resource } = changed(change)
  return explain(target, resource, facts)
}

const cpu = (amount: string): JsonObject => ({ cpu: amount })

describe('the pods of a changed template', () => {
  const dearer = { from: cpu('1'), to: cpu('2'), hard: { 'requests.cpu': '4' }, used: { 'requests.cpu': '3' } }
  test.each<readonly [string, Change, string, readonly string[], readonly string[]]>([
    [
      'of a Deployment, which makes a pod before it deletes one',
      dearer,
      'Deployment web is blocked: 0 of 3 new Pods exist beside 3 old ones, 0 more fit',
      ['quota compute: requests.cpu 3 of 4 used, 4 more requested'],
      [
        'ask for less: cpu requests of web at most 1; then all 3 pods fit',
        'ask for less: cpu requests of web at most 1333m; then all 3 pods fit once pods are deleted before others are made (maxSurge 0, maxUnavailable 1)',
        'have quota compute raised to requests.cpu 7',
      ],
    ],
    [
      'of a Deployment that may lack a pod',
      { ...dearer, strategy: { rollingUpdate: { maxUnavailable: 1 } } },
      'Deployment web is blocked: 0 of 3 new Pods exist beside 3 old ones, 1 more fit',
      ['quota compute: requests.cpu 3 of 4 used, 3 more requested'],
      [
        'ask for less: cpu requests of web at most 1333m; then all 3 pods fit',
        'have quota compute raised to requests.cpu 6',
      ],
    ],
    [
      'of a Deployment that deletes all pods first',
      { ...dearer, strategy: { type: 'Recreate' } },
      'Deployment web is blocked: 0 of 3 new Pods exist beside 3 old ones, 2 more fit',
      ['quota compute: requests.cpu 3 of 4 used, 3 more requested'],
      [
        'ask for less: cpu requests of web at most 1333m; then all 3 pods fit',
        'have quota compute raised to requests.cpu 6',
      ],
    ],
    [
      'of a Deployment for which the last pod is one too many',
      { ...dearer, hard: { 'requests.cpu': '6' } },
      'Deployment web is blocked: 0 of 3 new Pods exist beside 3 old ones, 1 more fit',
      ['quota compute: requests.cpu 3 of 6 used, 4 more requested'],
      [
        'let the rollout delete a pod before it makes the next one: maxSurge 0, maxUnavailable 1',
        'ask for less: cpu requests of web at most 1666m; then all 3 pods fit',
        'have quota compute raised to requests.cpu 7',
      ],
    ],
    [
      'of a StatefulSet, which deletes a pod before it makes one',
      { ...dearer, kind: 'StatefulSet' },
      'StatefulSet web is blocked: 0 of 3 new Pods exist beside 3 old ones, 1 more fit',
      ['quota compute: requests.cpu 3 of 4 used, 3 more requested'],
      [
        'ask for less: cpu requests of web at most 1333m; then all 3 pods fit',
        'have quota compute raised to requests.cpu 6',
      ],
    ],
    [
      'of a DaemonSet, which deletes a pod before it makes one',
      { ...dearer, kind: 'DaemonSet' },
      'DaemonSet web is blocked: 0 of 3 new Pods exist beside 3 old ones, 1 more fit',
      ['quota compute: requests.cpu 3 of 4 used, 3 more requested'],
      [
        'ask for less: cpu requests of web at most 1333m; then all 3 pods fit',
        'have quota compute raised to requests.cpu 6',
      ],
    ],
  ])('%s, are decided', (_, change, summary, causes, remedies) => {
    const found = said(change)
    expect([found.summary, found.causes.map(({ text }) => text), found.remedies.map(({ text }) => text)]).toEqual([
      summary,
      causes,
      remedies,
    ])
    // What is to be changed is the manifest.
    expect(found.remedies.filter(({ type }) => type !== 'raise').map(({ command }) => command ?? '')).toEqual(
      found.remedies.filter(({ type }) => type !== 'raise').map(() => ''),
    )
  })

  test.each<readonly [string, Partial<Change>]>([
    ['fits', { hard: { 'requests.cpu': '7' } }],
    ['asks for less', { to: cpu('500m'), hard: { 'requests.cpu': '4' } }],
    ['stays', { to: cpu('1'), hard: { 'requests.cpu': '3' } }],
    ['is for pods that somebody deletes', { kind: 'StatefulSet', strategy: { type: 'OnDelete' } }],
    ['is for no pod', { kind: 'StatefulSet', strategy: { rollingUpdate: { partition: 3 } } }],
  ])('refuse nothing where the template %s', (_, change) => {
    expect(said({ ...dearer, ...change })).toMatchObject({ verdict: 'clear', causes: [] })
  })

  test('leave their room to the next manifest', () => {
    const { target, facts, resource } = changed({ ...dearer, hard: { 'requests.cpu': '7' } })
    expect(afterwards(facts, target, resource).quotas.map(({ status }) => status?.used)).toEqual([
      { 'requests.cpu': '6' },
    ])
    const stuck = changed(dearer)
    expect(afterwards(stuck.facts, stuck.target, stuck.resource).quotas.map(({ status }) => status?.used)).toEqual([
      { 'requests.cpu': '3' },
    ])
  })

  test('are refused exactly where a rollout comes to a halt', () => {
    const amount = fc.integer({ min: 1, max: 6 })
    fc.assert(
      fc.property(
        fc.record({
          replicas: fc.integer({ min: 1, max: 5 }),
          maxSurge: fc.integer({ min: 0, max: 3 }),
          maxUnavailable: fc.integer({ min: 0, max: 5 }),
          old: fc.tuple(amount, amount),
          fresh: fc.tuple(amount, amount),
          spare: fc.tuple(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 12 })),
        }),
        ({ replicas, maxSurge, maxUnavailable, old, fresh, spare }) => {
          fc.pre(maxSurge > 0 || maxUnavailable > 0)
          fc.pre(old[0] !== fresh[0] || old[1] !== fresh[1])
          const requests = ([cores, memory]: readonly [number, number]): JsonObject => ({
            cpu: String(cores),
            memory: String(memory),
          })
          const sums = (of: readonly [number, number]): Record<string, string> => ({
            'requests.cpu': String(of[0]),
            'requests.memory': String(of[1]),
          })
          const used: readonly [number, number] = [old[0] * replicas, old[1] * replicas]
          const hard: readonly [number, number] = [used[0] + spare[0], used[1] + spare[1]]
          const { verdict } = said({
            replicas,
            from: requests(old),
            to: requests(fresh),
            strategy: { rollingUpdate: { maxSurge, maxUnavailable } },
            hard: sums(hard),
            used: sums(used),
          })
          const ends = comesToItsEnd({ replicas, maxSurge, unavailable: Math.min(maxUnavailable, replicas) }, (a, b) =>
            [0, 1].every((at) => a * (old[at] ?? 0) + b * (fresh[at] ?? 0) <= (hard[at] ?? 0)),
          )
          expect(verdict).toBe(ends ? 'clear' : 'blocked')
        },
      ),
    )
  })
})

/** A rollout step by step, where each pod is ready at once. `fits`: do so many old and new pods fit? */
function comesToItsEnd(
  { replicas, maxSurge, unavailable }: { replicas: number; maxSurge: number; unavailable: number },
  fits: (old: number, fresh: number) => boolean,
): boolean {
  let [old, fresh] = [replicas, 0]
  for (let isMoving = true; isMoving;) {
    const gone = Math.min(old, Math.max(0, old + fresh - (replicas - unavailable)))
    old -= gone
    const isMade = fresh < replicas && old + fresh < replicas + maxSurge && fits(old, fresh + 1)
    fresh += isMade ? 1 : 0
    isMoving = gone > 0 || isMade
  }
  return old === 0 && fresh === replicas
}
