import { expect, test } from 'vitest'
import { AnswerTooLarge } from '../kube/client/answer-reader.ts'
import type { KubeClient } from '../kube/client/kube-client.ts'
import { NEVER_ABORTED } from '../kube/time/clock.ts'
import { failure, forbidden } from '../machinery/status.ts'
import { VisibleObjects } from './visible-objects.ts'

const PODS = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true }
const pods = (count: number) => Array.from({ length: count }, (_, at) => ({ metadata: { name: `p${at}` } }))

/** What is seen of pods that the API server lists so. */
async function seen(list: () => Promise<unknown>) {
  const visible = new VisibleObjects({ list } as unknown as KubeClient, { of: () => PODS }, NEVER_ABORTED)
  const found = await visible.list('', 'pods')
  return { count: found.length, notSeen: visible.notSeen.map(({ resource, reason }) => `${resource}: ${reason}`) }
}

const tooLarge = (code: number) => () => Promise.reject(new AnswerTooLarge(failure(code, 'TooLarge', 'too much')))
const BEGINNING = 'pods: they are too large to be read here:'

test.each([
  ['whole', async () => ({ items: pods(2) }), 2, []],
  [
    'cut',
    async () => ({ items: pods(2), cut: { left: 9 } }),
    2,
    [`${BEGINNING} the first 2 are shown, 9 are left out`],
  ],
  [
    'cut by an API server that does not count',
    async () => ({ items: pods(2), cut: { left: undefined } }),
    2,
    [`${BEGINNING} the first 2 are shown, the others are left out`],
  ],
  ['too large', tooLarge(413), 0, [`${BEGINNING} none is shown`]],
  ['refused', () => Promise.reject(forbidden(PODS, '', 'no')), 0, ['pods: you may not list them in all namespaces']],
])('of a list that is %s what is there is given, and it is said what is not', async (_, list, count, notSeen) => {
  expect(await seen(list)).toEqual({ count, notSeen })
})

test('what its reader cannot hold now is asked for again, and not said to be too large', async () => {
  await expect(seen(tooLarge(429))).rejects.toMatchObject({ status: { code: 429 } })
})
