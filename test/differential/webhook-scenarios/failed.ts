import type { HookScenario, TestHook } from '../hook-pair.ts'
import { create, get, MERGE_PATCH, patch, remove } from '../scenario.ts'
import { deny, hook, map, one } from './hook-steps.ts'

const FAILURES: readonly (readonly [string, TestHook])[] = [
  ['hangs', { name: 'a.hook.test', kind: 'validating', reply: () => ({ hang: true }), more: { timeoutSeconds: 1 } }],
  [
    'is not there',
    { name: 'a.hook.test', kind: 'validating', more: { clientConfig: { url: 'https://127.0.0.1:1/x' } } },
  ],
  [
    'has no service',
    {
      name: 'a.hook.test',
      kind: 'validating',
      more: { clientConfig: { service: { name: 'x', namespace: 'WORD', path: '/y' } } },
    },
  ],
  [
    'has a certificate of others',
    { name: 'a.hook.test', kind: 'validating', more: (url) => ({ clientConfig: { url } }) },
  ],
  [
    'has no such port',
    {
      name: 'a.hook.test',
      kind: 'validating',
      more: { clientConfig: { service: { name: 'hooks', namespace: 'WORD', path: '/deny', port: 444 } } },
    },
  ],
  ['answers 500', { name: 'a.hook.test', kind: 'validating', reply: () => ({ status: 500, text: 'boom' }) }],
  ['denies', { name: 'a.hook.test', kind: 'validating', reply: deny() }],
]

const service = create('services', { metadata: { name: 'hooks' }, spec: { ports: [{ port: 443, targetPort: 17700 }] } })

const TIMEOUT = '?timeout=300ms'

/** Requests whose own time is over before that of a webhook. */
export const outlasted: readonly HookScenario[] = (
  [
    ['validating', 'Fail'],
    ['mutating', 'Ignore'],
  ] as const
).map(([kind, failurePolicy]) => ({
  name: `a ${kind} webhook of the policy ${failurePolicy} outlasts the request`,
  hooks: [hook(kind, () => ({ hang: true }), { failurePolicy, timeoutSeconds: 20 })],
  before: [create('configmaps', map('old'))],
  outlasts: true,
  steps: [
    create('configmaps', map('a'), TIMEOUT),
    patch(MERGE_PATCH, 'configmaps', 'old', { data: { x: 'y' } }, TIMEOUT),
    remove('configmaps', 'old', undefined, TIMEOUT),
    get('configmaps', 'a'),
    get('configmaps', 'old'),
  ],
}))

export const failed: readonly HookScenario[] = (['validating', 'mutating'] as const).flatMap((kind) =>
  ['Fail', 'Ignore'].flatMap((failurePolicy) =>
    FAILURES.map(([what, failing]) => ({
      name: `a ${kind} webhook of the policy ${failurePolicy} ${what}`,
      hooks: [
        {
          ...failing,
          kind,
          more: (url: string) => ({
            failurePolicy,
            ...(typeof failing.more === 'function' ? failing.more(url) : failing.more),
          }),
        },
      ],
      before: [service],
      steps: one,
    })),
  ),
)
