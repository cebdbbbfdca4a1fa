import { expect, test } from 'vitest'
import { allowed } from '../../runtime/admission/admission-decision.ts'
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
