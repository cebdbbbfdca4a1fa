import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { describe, expect, test } from 'vitest'
import { hasKubectl, session } from './kubectl.ts'

const { inNewNamespace } = session()

describe.runIf(hasKubectl)('kubectl says that nothing runs here', () => {
  test.each([
    ['logs', ['logs', 'p']],
    ['exec', ['exec', 'p', '--', 'ls']],
    ['attach', ['attach', 'p']],
    ['port-forward', ['port-forward', 'p', ':80']],
    ['cp', ['cp', 'p:/etc/hosts', join(tmpdir(), 'allot-never-copied')]],
  ])('for %s', async (_, args) => {
    const kubectl = await inNewNamespace()
    await kubectl.has({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p' },
      spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }] },
    })
    await kubectl.ok(
      'patch',
      'pod',
      'p',
      '--subresource=status',
      '--type=merge',
      '-p',
      '{"status":{"phase":"Running"}}',
    )
    expect(await kubectl.fails(...args)).toContain('nothing runs on node n: this server keeps objects only')
  })

  test('but not of a pod that is not there, nor of a container that it does not have', async () => {
    const kubectl = await inNewNamespace()
    expect(await kubectl.fails('exec', 'p', '--', 'ls')).toContain('pods "p" not found')
  })
})
