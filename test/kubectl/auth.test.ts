import { describe, expect, test } from 'vitest'
import { hasKubectl, session } from './kubectl.ts'

describe.skipIf(!hasKubectl)('kubectl and permissions', () => {
  const { allot, inNewNamespace } = session()
  const server = (): readonly string[] => ['--server', allot().url]

  test('whoami shows the user, its groups and the impersonated user', async () => {
    const kubectl = await inNewNamespace()
    expect(await kubectl.ok('auth', 'whoami')).toMatch(
      /^ATTRIBUTE +VALUE\nUsername +admin\nGroups +\[system:masters system:authenticated\]\n$/,
    )
    expect(
      await kubectl.ok('auth', 'whoami', '--as=jane', '--as-group=dev,ops', '--as-group=qa', '--as-uid=7'),
    ).toMatch(
      /Username +jane\nUID +7\nGroups +\[dev ops qa system:authenticated\]|Username +jane\nUID +7\nGroups +\[dev,ops qa system:authenticated\]/,
    )
  })

  test('can-i answers for oneself and for others', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'role', 'reader', '--verb=get,list', '--resource=pods,pods/log')
    await kubectl.ok('create', 'rolebinding', 'readers', '--role=reader', '--user=jane')
    const canI = async (...args: string[]): Promise<string> =>
      (await kubectl.run(['auth', 'can-i', ...args])).stdout.trim()
    expect([
      await canI('delete', 'nodes'),
      await canI('list', 'pods', '--as=jane'),
      await canI('get', 'pods', '--subresource=log', '--as=jane'),
      await canI('delete', 'pods', '--as=jane'),
      await canI('list', 'pods', '--as=jane', '-n', 'default'),
      await canI('get', '/version', '--as=jane'),
      await canI('get', '/metrics', '--as=jane'),
    ]).toEqual(['yes', 'yes', 'yes', 'no', 'no', 'yes', 'no'])
  })

  test('can-i --list prints every rule', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'role', 'reader', '--verb=get', '--resource=configmaps', '--resource-name=one')
    await kubectl.ok('create', 'rolebinding', 'readers', '--role=reader', '--user=jane')
    const list = await kubectl.ok('auth', 'can-i', '--list', '--as=jane')
    expect(list).toMatch(/^configmaps +\[\] +\[one\] +\[get\]$/m)
    expect(list).toMatch(/^selfsubjectaccessreviews.authorization.k8s.io +\[\] +\[\] +\[create\]$/m)
    expect(await kubectl.ok('auth', 'can-i', '--list')).toMatch(/^\*\.\* +\[\] +\[\] +\[\*\]$/m)
  })

  test('the token of a service account does what is bound to the account', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'serviceaccount', 'robot')
    await kubectl.ok(
      'create',
      'rolebinding',
      'robots',
      '--clusterrole=edit',
      `--serviceaccount=${kubectl.namespace}:robot`,
    )
    const token = (await kubectl.ok('create', 'token', 'robot', '--duration=1h')).trim()
    const env = { KUBECONFIG: '/dev/null' }
    const asRobot = (...args: string[]) =>
      kubectl.run([...server(), '--insecure-skip-tls-verify', '--token', token, ...args], { env })
    expect(await asRobot('create', 'configmap', 'made')).toMatchObject({ code: 0, stdout: 'configmap/made created\n' })
    expect(await asRobot('get', 'nodes')).toMatchObject({
      code: 1,
      stderr: `Error from server (Forbidden): nodes is forbidden: User "system:serviceaccount:${kubectl.namespace}:robot" cannot list resource "nodes" in API group "" at the cluster scope\n`,
    })
    await kubectl.ok('delete', 'serviceaccount', 'robot')
    expect((await asRobot('get', 'configmaps')).stderr).toContain('You must be logged in to the server')
  })

  test('auth reconcile makes roles and adds what they lack', async () => {
    const kubectl = await inNewNamespace()
    const role = (verbs: readonly string[]): object => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'r', namespace: kubectl.namespace },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs }],
    })
    for (const verbs of [['get'], ['list']])
      expect(await kubectl.run(['auth', 'reconcile', '-f', '-'], { input: role(verbs) })).toMatchObject({ code: 0 })
    const { rules } = await kubectl.get('role', 'r')
    expect(rules.flatMap((rule: { verbs: readonly string[] }) => rule.verbs)).toEqual(['get', 'list'])
  })

  test('describe shows the rules of a role', async () => {
    const kubectl = await inNewNamespace()
    expect(await kubectl.ok('describe', 'clusterrole', 'system:basic-user')).toContain(
      'selfsubjectaccessreviews.authorization.k8s.io',
    )
  })
})
