import { expect } from 'vitest'
import type { ClusterAccess } from '../../src/kube/access/cluster-access.ts'
import { type AccessOptions, loadAccess } from '../../src/kube/kubeconfig/kubeconfig.ts'
import { KubeconfigError } from '../../src/kube/kubeconfig/error.ts'

export const SECRET = 'hunter2-secret-value'

/** Loads with only these files there. */
export function load(files: Readonly<Record<string, string>>, options: Partial<AccessOptions> = {}): ClusterAccess {
  return loadAccess({
    environment: {},
    home: '/home/me',
    readText: (file) => {
      const text = files[file]
      if (text === undefined) throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
      return text
    },
    ...options,
  })
}

/** The error of a file that cannot be used; no message may ever show a secret. */
export function errorOf(
  files: Readonly<Record<string, string>> | string,
  options: Partial<AccessOptions> = { kubeconfig: '/c' },
): KubeconfigError {
  try {
    load(typeof files === 'string' ? { '/c': files } : files, options)
  } catch (error) {
    expect(error).toBeInstanceOf(KubeconfigError)
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain(SECRET.slice(0, 7))
    return error as KubeconfigError
  }
  throw new Error('it was accepted')
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64')
const indented = (text: string): string => text.replaceAll(/^/gm, '    ')

/** A kubeconfig of one context. */
export const config = ({ cluster = 'server: https://host:6443', user = `token: ${SECRET}`, more = '' } = {}): string =>
  `apiVersion: v1
kind: Config
current-context: dev
contexts:
- name: dev
  context: {cluster: main, user: me}
clusters:
- name: main
  cluster:
${indented(cluster)}
users:
- name: me
  user:
${indented(user)}
${more}`

export const withUser = (user: string): ClusterAccess => load({ '/c': config({ user }) }, { kubeconfig: '/c' })

export const withCluster = (cluster: string, files: Readonly<Record<string, string>> = {}): ClusterAccess =>
  load({ '/c': config({ cluster }), ...files }, { kubeconfig: '/c' })
