import { describe, expect, test } from 'vitest'
import { app, explainedWith, object, quota, templateOf } from '../../../../test/insight/explained.ts'
import type { JsonObject, KubeObject } from '../../../machinery/object.ts'

const MEMORY = 'requests.memory'

/** What is said of a StatefulSet of two pods of 600Mi as the API server stores it. `ready`: whether each pod that it has is ready. */
function ofSet(hard: string, ready: readonly boolean[], more: JsonObject = {}, claims?: string) {
  const containers = [app('db', { memory: '600Mi' })]
  const updateStrategy = { type: 'RollingUpdate', rollingUpdate: { partition: 0 } }
  const spec = { replicas: 2, selector: {}, template: templateOf(containers), updateStrategy, ...more }
  const set = object('apps/v1', 'StatefulSet', 'ss', spec)
  const pods = ready.map((isReady, at): KubeObject => {
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }]
    return { ...object('v1', 'Pod', `ss-${at}`, { containers }, set), status: { conditions } }
  })
  const objects = [['pods', pods] as const, ['statefulsets.apps', [set]] as const]
  const counted = claims === undefined ? {} : { persistentvolumeclaims: claims }
  const none = claims === undefined ? {} : { persistentvolumeclaims: '0' }
  const limit = quota({ [MEMORY]: hard, ...counted }, { [MEMORY]: `${pods.length * 600}Mi`, ...none })
  return explainedWith(set, objects, limit).remedies.filter(({ type }) => type === 'lower')
}

describe('a StatefulSet', () => {
  const patchTo = (amount: string): string =>
    `kubectl -n shop patch statefulset/ss --patch '{"spec":{"template":{"spec":{"containers":[{"name":"db","resources":{"requests":{"memory":"${amount}"}}}]}}}}'`

  test.each<readonly [string, readonly boolean[], string, JsonObject, string, string]>([
    ['has no pods', [], '500Mi', {}, '250Mi', 'all 2 missing pods fit'],
    ['has a pod beside which the next one fits', [true], '1000Mi', {}, '400Mi', 'the missing pod fits'],
  ])('that %s asks for less in its template', (_, ready, hard, more, amount, then) => {
    expect(ofSet(hard, ready, more)).toMatchObject([
      { text: `ask for less: memory requests of db at most ${amount}; then ${then}`, command: patchTo(amount) },
    ])
  })

  test.each<readonly [string, boolean, string, JsonObject, string, string]>([
    ['holds all room', true, '600Mi', {}, '300Mi', 'all 2 pods fit once pod ss-0 is deleted'],
    [
      'is not ready, so that no next pod is made',
      false,
      '1000Mi',
      {},
      '500Mi',
      'all 2 pods fit once pod ss-0 is deleted, which is not ready',
    ],
    [
      'is not ready, and is not waited for',
      false,
      '1000Mi',
      { podManagementPolicy: 'Parallel' },
      '400Mi',
      'the missing pod fits',
    ],
  ])('whose pod %s', (_, ready, hard, more, amount, then) => {
    const [remedy, ...others] = ofSet(hard, [ready], more)
    const isDeleted = then.includes('deleted')
    expect(others).toEqual([])
    expect(remedy).toMatchObject({
      text: `ask for less: memory requests of db at most ${amount}; then ${then}`,
      command: `${patchTo(amount)}${isDeleted ? ' && kubectl -n shop delete pod/ss-0' : ''}`,
      ...(isDeleted ? { alsoNeeds: [{ verb: 'delete', group: '', resource: 'pods', name: 'ss-0' }] } : {}),
    })
  })

  test.each([
    ['has room for its claims', '2', 1],
    ['has no room for its claims', '1', 0],
  ])('whose quota %s, too', (_, claims, count) => {
    const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: {} }]
    expect(ofSet('500Mi', [], { volumeClaimTemplates }, claims)).toHaveLength(count)
  })

  test('that keeps its pods at an earlier template gets no number', () => {
    const held = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } }
    expect([ofSet('500Mi', [], held), ofSet('500Mi', [], { updateStrategy: { type: 'OnDelete' } })]).toEqual([[], []])
  })
})
