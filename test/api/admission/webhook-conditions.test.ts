import { describe, expect, test } from 'vitest'
import { GROUP, hookedServer } from './hooked-server.ts'

const hook = hookedServer()
const { create, maps, register } = hook

describe('the conditions of a webhook', () => {
  const condition = (expression: string, name = 'c.example.test/x'): object => ({ name, expression })
  const refused = async (...matchConditions: readonly object[]): Promise<string> => {
    const webhook = {
      name: 'hook.example.test',
      clientConfig: { url: hook.url, caBundle: hook.ca },
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      matchConditions,
    }
    const { body } = await hook.server.send('POST', `${GROUP}/validatingwebhookconfigurations`, {
      metadata: { name: 'conditional' },
      webhooks: [webhook],
    })
    return body.message
  }
  const subject = 'ValidatingWebhookConfiguration.admissionregistration.k8s.io "conditional" is invalid: '
  const path = 'webhooks[0].matchConditions'

  test('are checked when it is written', async () => {
    expect(await refused({ expression: 'true' })).toBe(`${subject}${path}[0].name: Required value`)
    expect(await refused(condition(' '))).toBe(`${subject}${path}[0].expression: Required value`)
    expect(await refused(condition('1'))).toBe(
      `${subject}${path}[0].expression: Invalid value: "1": must evaluate to bool but got int`,
    )
    expect(await refused(condition('object.x =='))).toMatch(/Invalid value: "object.x ==": compilation failed: ERROR: /)
    expect(await refused(condition('true', 'bad name!'))).toMatch(
      /\[0\]\.name: Invalid value: "bad name!": name part must/,
    )
    expect(await refused(condition('true'), condition('false'))).toBe(
      `${subject}${path}[1].name: Duplicate value: "c.example.test/x"`,
    )
    expect(await refused(...Array.from({ length: 65 }, (_, at) => condition('true', `c${at}`)))).toBe(
      `${subject}${path}: Too many: 65: must have at most 64 items`,
    )
  })

  test('may ask for the permissions of users', async () => {
    const may = (verb: string): object =>
      condition(`authorizer.group('').resource('configmaps').namespace('${hook.ns}').check('${verb}').allowed()`)
    await register('validating', { matchConditions: [may('bypass')] })
    hook.answer = () => ({ allowed: false })
    expect((await create('by-administrator')).status).toBe(400)
    await hook.server.send('POST', `/apis/rbac.authorization.k8s.io/v1/namespaces/${hook.ns}/rolebindings`, {
      metadata: { name: 'edit' },
      subjects: [{ kind: 'User', name: 'ann' }],
      roleRef: { kind: 'ClusterRole', name: 'edit' },
    })
    const asAnn = { 'impersonate-user': 'ann' }
    expect((await hook.server.send('POST', maps(), { metadata: { name: 'by-ann' } }, asAnn)).status).toBe(201)
  })

  test('that cannot be evaluated reject the request, or leave the webhook out where its policy says so', async () => {
    const broken = { matchConditions: [condition('object.nowhere.at.all == 1')] }
    await register('validating', broken)
    hook.answer = () => ({ allowed: false })
    const { status, body } = await create('untold')
    expect([status, body.message]).toEqual([
      403,
      `configmaps "untold" is forbidden: expression 'object.nowhere.at.all == 1' resulted in error: no such key: nowhere`,
    ])
    await hook.server.send('DELETE', `${GROUP}/validatingwebhookconfigurations`)
    await register('validating', { ...broken, failurePolicy: 'Ignore' })
    expect((await create('untold')).status).toBe(201)
  })
})
