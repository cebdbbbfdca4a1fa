import { expect, test } from 'vitest'
import { allowed } from '../../runtime/admission/decision.ts'
import { type AnsweredHook, WebhookRules } from './registered-webhooks.ts'

const hook = (resource: string, handle: AnsweredHook['handle'] = async () => allowed()): AnsweredHook => ({
  phase: 'validating',
  name: 'a.test',
  path: '/a',
  rules: [{ groups: [''], resources: [resource], operations: ['CREATE'] }],
  handle,
})

test('rules that come back are live only when they are proven again, and everybody hears of it', () => {
  const rules = new WebhookRules()
  const heard: string[] = []
  rules.onLive(() => heard.push(rules.hash))
  rules.set(hook('pods'))
  const { hash } = rules
  rules.proveLive(hash)
  expect([rules.isLive, heard]).toEqual([true, [hash]])
  // A handler is not part of what the API server sees.
  rules.set(hook('pods', async () => allowed(['a warning'])))
  expect(rules.isLive).toBe(true)
  rules.set(hook('services'))
  rules.set(hook('pods'))
  expect([rules.hash, rules.isLive]).toEqual([hash, false])
  rules.proveLive(hash)
  expect([rules.isLive, heard]).toEqual([true, [hash, hash]])
})

test('a path that no rule leads to any more is answered, since an API server may go by earlier rules', () => {
  const rules = new WebhookRules()
  const handle: AnsweredHook['handle'] = async () => allowed()
  rules.answerAlways({ path: '/a', handle })
  rules.set({ ...hook('pods'), path: '/a/2' })
  const { hash } = rules
  expect(rules.at('/a/2')?.handle).not.toBe(handle)
  rules.remove(hook('pods'))
  expect(['/a', '/a/2', '/ab', '/'].map((path) => rules.at(path)?.handle === handle)).toEqual([
    true,
    true,
    false,
    false,
  ])
  expect(rules.hash).not.toBe(hash)
})
