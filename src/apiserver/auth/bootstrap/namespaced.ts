import type { JsonObject } from '../../../machinery/object.ts'
import { EVENTS, on } from './rule.ts'

/** A Role that every cluster has in one of its own namespaces, and its binding to the subjects that need it. */
export interface NamespacedRole {
  readonly namespace: string
  readonly name: string
  readonly rules: readonly JsonObject[]
  /** Of the binding, where that is not the role's. */
  readonly binding?: string
  readonly users?: readonly string[]
  /** Of kube-system. */
  readonly serviceAccounts?: readonly string[]
}

const lock = (component: string): NamespacedRole => ({
  namespace: 'kube-system',
  name: `system::leader-locking-${component}`,
  rules: [on('', 'configmaps', 'watch'), on('', 'configmaps', 'get update', component)],
  users: [`system:${component}`],
  serviceAccounts: [component],
})

export const NAMESPACED_ROLES: readonly NamespacedRole[] = [
  {
    namespace: 'kube-public',
    name: 'system:controller:bootstrap-signer',
    rules: [on('', 'configmaps', 'get list watch'), on('', 'configmaps', 'update', 'cluster-info'), EVENTS],
    serviceAccounts: ['bootstrap-signer'],
  },
  {
    namespace: 'kube-system',
    name: 'extension-apiserver-authentication-reader',
    rules: [on('', 'configmaps', 'get list watch', 'extension-apiserver-authentication')],
    binding: 'system::extension-apiserver-authentication-reader',
    users: ['system:kube-controller-manager', 'system:kube-scheduler'],
  },
  lock('kube-controller-manager'),
  lock('kube-scheduler'),
  {
    namespace: 'kube-system',
    name: 'system:controller:bootstrap-signer',
    rules: [on('', 'secrets', 'get list watch')],
    serviceAccounts: ['bootstrap-signer'],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:cloud-provider',
    rules: [on('', 'configmaps', 'create get list watch')],
    serviceAccounts: ['cloud-provider'],
  },
  {
    namespace: 'kube-system',
    name: 'system:controller:token-cleaner',
    rules: [on('', 'secrets', 'delete get list watch'), EVENTS],
    serviceAccounts: ['token-cleaner'],
  },
]
