import { describe, expect, test } from 'vitest'
import { hasKubectl, type Kubectl, session } from './kubectl.ts'

const deployment = (replicas: number | undefined, image: string, more: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', ...more },
  spec: {
    ...(replicas === undefined ? {} : { replicas }),
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } },
  },
})

const apply = (kubectl: Kubectl, object: object, ...args: readonly string[]) =>
  kubectl.run(['apply', '--server-side', '-f', '-', ...args], { input: object })

const managers = async (kubectl: Kubectl): Promise<readonly string[]> => {
  const { metadata } = JSON.parse(await kubectl.ok('get', 'deploy', 'web', '-o', 'json', '--show-managed-fields')) as {
    readonly metadata: { readonly managedFields: readonly { readonly manager: string; readonly operation: string }[] }
  }
  return metadata.managedFields.map(({ manager, operation }) => `${manager} ${operation}`)
}

describe.skipIf(!hasKubectl)('kubectl apply --server-side', { concurrent: true }, () => {
  const { inNewNamespace } = session()

  test('creates the object, and changes nothing when it is applied again', async () => {
    const kubectl = await inNewNamespace()
    expect((await apply(kubectl, deployment(2, 'a:1'))).stdout).toBe('deployment.apps/web serverside-applied\n')
    const before = await kubectl.get('deploy', 'web')
    expect((await apply(kubectl, deployment(2, 'a:1'))).code).toBe(0)
    expect((await kubectl.get('deploy', 'web')).metadata.resourceVersion).toBe(before.metadata.resourceVersion)
    expect(await managers(kubectl)).toEqual(['kubectl Apply'])
  })

  test('refuses to take what another manager applied, names it, and takes it when forced', async () => {
    const kubectl = await inNewNamespace()
    await apply(kubectl, deployment(2, 'a:1'))
    const conflict = await apply(kubectl, deployment(3, 'a:1'), '--field-manager=other')
    expect([conflict.code, conflict.stderr.split('\n')[0]]).toEqual([
      1,
      'error: Apply failed with 1 conflict: conflict with "kubectl": .spec.replicas',
    ])
    expect((await apply(kubectl, deployment(3, 'a:1'), '--field-manager=other', '--force-conflicts')).code).toBe(0)
    expect((await kubectl.get('deploy', 'web')).spec.replicas).toBe(3)
  })

  test('conflicts with the manager that scaled it, unless it leaves the replicas alone', async () => {
    const kubectl = await inNewNamespace()
    await apply(kubectl, deployment(2, 'a:1'))
    await kubectl.ok(
      'patch',
      'deploy',
      'web',
      '--type=merge',
      '--field-manager=scaler',
      '-p',
      '{"spec":{"replicas":5}}',
    )
    expect((await apply(kubectl, deployment(2, 'a:1'))).stderr).toContain(
      'conflict with "scaler" using apps/v1: .spec.replicas',
    )
    expect((await apply(kubectl, deployment(undefined, 'a:2'))).code).toBe(0)
    expect((await kubectl.get('deploy', 'web')).spec.replicas).toBe(5)
  })

  test('removes fields that are no longer applied', async () => {
    const kubectl = await inNewNamespace()
    await apply(kubectl, deployment(1, 'a:1', { labels: { tier: 'front', team: 'a' } }))
    await apply(kubectl, deployment(1, 'a:1', { labels: { tier: 'front' } }))
    expect((await kubectl.get('deploy', 'web')).metadata.labels).toEqual({ tier: 'front' })
  })

  test('takes over what was applied by the client before', async () => {
    const kubectl = await inNewNamespace()
    const input = deployment(1, 'a:1', { labels: { old: 'yes' } })
    expect((await kubectl.run(['apply', '-f', '-'], { input })).code).toBe(0)
    expect((await apply(kubectl, deployment(1, 'a:2'))).code).toBe(0)
    const { metadata, spec } = await kubectl.get('deploy', 'web')
    expect([metadata.labels, spec.template.spec.containers[0].image]).toEqual([undefined, 'a:2'])
  })

  test('in a dry run stores nothing, and is charged to a quota only when it is real', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'quota', 'q', '--hard=count/deployments.apps=1')
    expect((await apply(kubectl, deployment(1, 'a:1'), '--dry-run=server')).code).toBe(0)
    expect(await kubectl.ok('get', 'deploy', '-o', 'name')).toBe('')
    expect((await apply(kubectl, deployment(1, 'a:1'))).code).toBe(0)
    const second = await apply(kubectl, { ...deployment(1, 'a:1'), metadata: { name: 'second' } })
    expect(second.stderr).toContain('exceeded quota: q, requested: count/deployments.apps=1')
  })
})
