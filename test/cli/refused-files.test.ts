import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runAllot, temporaryDirectory } from '../start-allot.ts'

const BASE = '{spec: {hard: {pods: "1"}}}'

/** The text of a file, the flags that name it, and what must be said about it; `FILE` stands for its path. */
const REFUSED: Readonly<Record<string, { text?: string; flags: readonly string[]; says: readonly string[] }>> = {
  'definitions with errors': {
    text: `quotas:\n- name: UPPER\n  mode: maximum\n  template: ${BASE}\n- name: b\n  mode: sometimes\n  template: ${BASE}\n`,
    flags: ['--quota-definitions', 'FILE'],
    says: [
      'FILE:2:3: quotas[0].name: Invalid value: "UPPER"',
      'FILE:6:3: quotas[1].mode: Unsupported value: "sometimes"',
      '; mend the file or start without it',
    ],
  },
  'definitions that are missing': {
    flags: ['--quota-definitions', 'FILE'],
    says: ['error reading config file: ', 'FILE'],
  },
  'rules for the webhook of custom quotas with an error': {
    text: 'webhooks:\n  hooks:\n    calculations:\n      enabled: often\n',
    flags: ['--custom-quota-webhook', 'FILE'],
    says: ['FILE:4:7: webhooks.hooks.calculations.enabled: Invalid value'],
  },
  'limited resources with an error': {
    text: 'apiVersion: apiserver.config.k8s.io/v1\nkind: ResourceQuotaConfiguration\nlimitedResources:\n- matchContains: [cpu]\n',
    flags: ['--limited-resources', 'FILE'],
    says: ['FILE:4:3: limitedResources[0].resource: Required value'],
  },
  'a file that holds no certificate': {
    text: 'none',
    flags: ['--tls-cert', 'FILE', '--tls-key', 'FILE'],
    says: ['the file FILE holds no certificate'],
  },
  'a kubeconfig of somebody else': {
    text: 'clusters: [{name: production}]\n',
    flags: ['--kubeconfig', 'FILE'],
    says: ['FILE exists and was not written by allot'],
  },
}

test.each(Object.entries(REFUSED))(
  'allot up refuses %s: it says where the error is, and makes no data directory',
  async (_, { text, flags, says }) => {
    const folder = temporaryDirectory()
    const file = join(folder, 'file')
    if (text !== undefined) writeFileSync(file, text)
    const named = (line: string): string => line.replaceAll('FILE', file)
    const dataDir = join(folder, 'data')
    const { code, stdout, stderr } = await runAllot('up', '--port', '0', '--data-dir', dataDir, ...flags.map(named))
    expect({ code, stdout, made: existsSync(dataDir) }, stderr).toEqual({ code: 1, stdout: '', made: false })
    for (const line of says) expect(stderr).toContain(named(line))
    expect(stderr.trim().split('\n')).toHaveLength(1)
  },
)
