/** The facts about built-in types that server-side apply uses and the schema data leaves out. */

/** Definition → field → the default of a field that is a key of lists; other required keys default to their zero value. */
export const KEY_DEFAULTS: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  ['io.k8s.api.core.v1.ContainerPort', { protocol: 'TCP' }],
  ['io.k8s.api.core.v1.ServicePort', { protocol: 'TCP' }],
  ['io.k8s.api.core.v1.LocalObjectReference', { name: '' }],
])
