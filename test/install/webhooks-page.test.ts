import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { operatedServers } from '../operator/operated.ts'
import { ROOT } from '../readme/document-shell.ts'

const KINDS = ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']
const page = readFileSync(join(ROOT, 'docs/reference/webhooks.md'), 'utf8')
/** `Ignore` where the page says so. */
const MAY_IGNORE = /^quotaincreases\.|^limits\.resourcequotas\.|-deletion\.|^resourcepoolclaims\.validating\./

interface Stored {
  readonly name: string
  readonly failurePolicy: string
  readonly timeoutSeconds: number
  readonly matchPolicy: string
}

test.each(operatedServers.filter(({ available }) => available))(
  '$name: the page on webhooks names each that there is, with its policy and its time',
  async ({ share }) => {
    await using server = await share()
    const stored: Stored[] = []
    for (const kind of KINDS)
      for (const { metadata, webhooks } of (await server.send('GET', `/apis/admissionregistration.k8s.io/v1/${kind}`))
        .json.items)
        if (metadata.name.startsWith('allot')) stored.push(...(webhooks ?? []))
    expect(stored.length).toBeGreaterThan(10)
    const unnamed = stored
      .map(({ name }) => name.replace(/^v\d+\./, ''))
      .filter((name) => !page.includes(name.includes('-deletion.') ? '-deletion.validating.allot.dev' : `\`${name}\``))
    expect(unnamed).toEqual([])
    for (const { name, failurePolicy, timeoutSeconds, matchPolicy } of stored) {
      expect([name, timeoutSeconds, matchPolicy]).toEqual([name, 10, 'Equivalent'])
      if (!MAY_IGNORE.test(name)) expect([name, failurePolicy]).toEqual([name, 'Fail'])
    }
  },
)
