import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Logger } from '../../runtime/process/logger.ts'
import { LongStart } from './long-start.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'allot-long-start-'))
})
afterEach(() => rmSync(directory, { recursive: true }))

/** The fields of what is reported while this configuration is in the way. */
function reported(configuration: string): readonly object[] {
  const fields: object[] = []
  const logger = { warn: (of: object) => void fields.push(of) } as unknown as Logger
  const start = new LongStart({
    logger,
    access: { url: 'https://127.0.0.1:1', caCertificate: '', token: 't' },
    kubeconfig: join(directory, 'kubeconfig.starting'),
    own: ['ours'],
  })
  start.admitted(() => ({ kind: 'ValidatingWebhookConfiguration', configuration, problem: 'refused' }))
  start.report()
  start.over()
  return fields
}

test('a long start advises to delete the webhook configuration that is in the way', () => {
  expect(reported('theirs')).toEqual([
    expect.objectContaining({ advice: expect.stringContaining('delete ValidatingWebhookConfiguration/theirs') }),
  ])
})

test('a long start never advises to delete the webhooks of the operator itself, which answer once it runs', () => {
  const [fields] = reported('ours')
  expect(fields).toMatchObject({ waitsFor: 'the operator' })
  expect(fields).not.toHaveProperty('advice')
  expect(fields).not.toHaveProperty('webhookConfiguration')
})
