import { describe, expect, test } from 'vitest'
import { config, load } from '../../../test/kube/kubeconfig-files.ts'

describe('exec plugins', () => {
  const plugin = (user: string, cluster = 'server: https://h', path = '/x/c') =>
    load({ [path]: config({ user, cluster }) }, { kubeconfig: path }).credentials

  test('are read with all that they may say', () => {
    const user = `exec:
  apiVersion: client.authentication.k8s.io/v1
  command: login
  args: [--cluster, main]
  env: [{name: REGION, value: eu}]
  interactiveMode: Never
  provideClusterInfo: true
  installHint: |
    get it from example.com
`
    const cluster = `server: https://h
extensions:
- name: client.authentication.k8s.io/exec
  extension: {audience: x}`
    expect(plugin(user, cluster)).toEqual({
      type: 'exec',
      plugin: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: 'login',
        args: ['--cluster', 'main'],
        env: [{ name: 'REGION', value: 'eu' }],
        interactiveMode: 'Never',
        provideClusterInfo: true,
        installHint: 'get it from example.com',
        clusterConfig: { audience: 'x' },
      },
    })
  })

  test.each([
    ['login', 'login'],
    ['./bin/login', '/x/bin/login'],
    ['bin/login', '/x/bin/login'],
    ['/usr/bin/login', '/usr/bin/login'],
  ])('with the command %s run %s', (command, expected) => {
    const user = `exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: ${command}}`
    expect(plugin(user)).toMatchObject({ plugin: { command: expected, interactiveMode: 'IfAvailable' } })
  })

  test('do not count beside a token', () => {
    expect(plugin('token: t\nexec: {apiVersion: client.authentication.k8s.io/v1beta1, command: x}')).toMatchObject({
      type: 'token',
    })
  })
})
