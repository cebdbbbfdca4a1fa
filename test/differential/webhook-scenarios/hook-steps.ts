import type { HookReply, HookScenario, TestHook } from '../hook-pair.ts'
import { create, type Step } from '../scenario.ts'

export const map = (name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...more },
  data: { a: '1' },
})

export const pod = (name: string, more: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, labels: { app: name } },
  spec: { containers: [{ name: 'c', image: 'nginx:1' }], ...more },
})

/** The reply of a webhook that has nothing against it. */
export const allow = (): HookReply => ({})

/** The reply of a webhook that patches. */
export const patched = (operations: unknown, more: object = {}): HookReply => ({
  response: {
    patchType: 'JSONPatch',
    patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
    ...more,
  },
})

/** A webhook for every request that `more` does not exclude. */
export const hook = (
  kind: TestHook['kind'],
  reply: TestHook['reply'] = allow,
  more: TestHook['more'] = {},
): TestHook => ({
  name: 'a.hook.test',
  kind,
  reply,
  more,
})

/** Which resources a webhook is for. */
export const rules = (...resources: readonly string[]): object => ({
  rules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources }],
})

/** The same steps with a hook of each kind. */
export const both = (
  name: string,
  more: TestHook['more'],
  steps: readonly Step[],
  before?: readonly Step[],
): HookScenario[] =>
  (['validating', 'mutating'] as const).map((kind) => ({
    name: `${name}, as a ${kind} webhook sees it`,
    hooks: [hook(kind, allow, more)],
    steps,
    ...(before === undefined ? {} : { before }),
  }))

export const deny =
  (status?: object): (() => HookReply) =>
  () => ({
    response: { allowed: false, ...(status === undefined ? {} : { status }) },
  })

export const one = [create('configmaps', map('a'))]

export const add = (key: string): HookReply => patched([{ op: 'add', path: `/data/${key}`, value: 'x' }])

export const named = (
  name: string,
  kind: TestHook['kind'],
  reply: TestHook['reply'],
  more: TestHook['more'] = {},
): TestHook => ({ name, kind, ...(reply === undefined ? {} : { reply }), more })
