import { expect } from 'vitest'
import type { Answer, hookedServer } from './hooked-server.ts'

/** Every kind of write that a webhook is asked about, for tests of what becomes of a write while one is asked. */
export const EVERYTHING = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }]

const container = { name: 'c', image: 'i' }
const labels = { app: 'a' }
const data = { data: { changed: 'yes' } }
const MERGE = { 'content-type': 'application/merge-patch+json' }
const APPLY = { 'content-type': 'application/apply-patch+yaml' }
const KINDS = ['api/v1/configmaps', 'api/v1/pods', 'api/v1/serviceaccounts', 'apis/apps/v1/deployments'] as const

export type HookedWrite = readonly [
  method: string,
  path: string,
  body?: object,
  headers?: Readonly<Record<string, string>>,
]

/** Paths without a leading slash are below the namespace of the test (`hookedWrites().at`). */
export const WRITES: readonly HookedWrite[] = [
  ['POST', 'api/v1/configmaps', { metadata: { name: 'new' } }],
  ['POST', 'api/v1/configmaps?dryRun=All', { metadata: { name: 'new' } }],
  ['PUT', 'api/v1/configmaps/old', { metadata: { name: 'old' }, ...data }],
  ['PATCH', 'api/v1/configmaps/old', data, MERGE],
  [
    'PATCH',
    'api/v1/configmaps/applied?fieldManager=m',
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' } },
    APPLY,
  ],
  ['DELETE', 'api/v1/configmaps/old'],
  ['DELETE', 'api/v1/configmaps/old?dryRun=All'],
  ['DELETE', 'api/v1/configmaps'],
  ['DELETE', 'api/v1/configmaps?dryRun=All'],
  ['PATCH', 'apis/apps/v1/deployments/old/scale', { spec: { replicas: 3 } }, MERGE],
  ['PATCH', 'apis/apps/v1/deployments/old/status', { status: { replicas: 3 } }, MERGE],
  ['POST', 'api/v1/pods/old/eviction', { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'old' } }],
  ['POST', 'api/v1/pods/old/binding', { metadata: { name: 'old' }, target: { kind: 'Node', name: 'n' } }],
  ['POST', 'api/v1/serviceaccounts/old/token', {}],
  [
    'POST',
    '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    { spec: { nonResourceAttributes: { verb: 'get', path: '/' } } },
  ],
]

/** A webhook that answers with what `release` is given, to all reviews. */
export function slowAnswer(): { readonly answer: Answer; readonly release: (response: object) => void } {
  const { promise, resolve } = Promise.withResolvers<object>()
  return { answer: () => promise, release: resolve }
}

/** The objects that `WRITES` change, in the namespace of the current test. */
export function hookedWrites(hooked: ReturnType<typeof hookedServer>) {
  const at = (path: string): string =>
    path.replace(/^(apis\/[^/]+|api)\/v1\//, (prefix) => `/${prefix}namespaces/${hooked.ns}/`)
  return {
    at,
    make: async (): Promise<void> => {
      const template = { metadata: { labels }, spec: { containers: [container] } }
      const bodies: readonly object[] = [
        {},
        { spec: { containers: [container] } },
        {},
        { spec: { replicas: 1, selector: { matchLabels: labels }, template } },
      ]
      for (const [index, kind] of KINDS.entries()) {
        const { status } = await hooked.server.send('POST', at(kind), { metadata: { name: 'old' }, ...bodies[index] })
        expect(status).toBe(201)
      }
    },
    /** The stored objects. */
    stored: async (): Promise<unknown> =>
      await Promise.all(KINDS.map(async (kind) => (await hooked.server.send('GET', at(kind))).body.items)),
  }
}
