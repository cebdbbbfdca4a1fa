import type { HookScenario } from '../hook-pair.ts'
import { create, MERGE_PATCH, patch, remove } from '../scenario.ts'
import { add, allow, deny, hook, map, named, one, pod } from './hook-steps.ts'

export const matched: readonly HookScenario[] = [
  ...(
    [
      [
        'operations',
        { operations: ['UPDATE', 'DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
      ],
      ['an operation', { operations: ['CONNECT'], apiGroups: [''], apiVersions: ['v1'], resources: ['*'] }],
      ['a group', { operations: ['*'], apiGroups: ['apps'], apiVersions: ['v1'], resources: ['*'] }],
      ['all groups', { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }],
      ['all and their subresources', { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
      ['a version', { operations: ['*'], apiGroups: [''], apiVersions: ['v2'], resources: ['*'] }],
      [
        'the scope of the cluster',
        { operations: ['*'], apiGroups: [''], apiVersions: ['*'], resources: ['*'], scope: 'Cluster' },
      ],
      [
        'the scope of namespaces',
        { operations: ['*'], apiGroups: [''], apiVersions: ['*'], resources: ['*'], scope: 'Namespaced' },
      ],
      [
        'subresources',
        { operations: ['*'], apiGroups: [''], apiVersions: ['*'], resources: ['configmaps/*', '*/status'] },
      ],
    ] as const
  ).map(([what, rule]): HookScenario => ({
    name: `a rule about ${what}`,
    hooks: [hook('validating', allow, { rules: [rule] })],
    before: [create('pods', pod('p'))],
    steps: [
      create('configmaps', map('a')),
      patch(MERGE_PATCH, 'configmaps', 'a', { data: { b: 'c' } }),
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/WORD/pods/p/status',
        type: MERGE_PATCH,
        body: { status: { message: 'x' } },
      },
      {
        method: 'PATCH',
        path: '/api/v1/namespaces/WORD',
        type: MERGE_PATCH,
        body: { metadata: { labels: { n: 'o' } } },
      },
      remove('configmaps', 'a'),
    ],
  })),
  ...(
    [
      ['objects', { objectSelector: { matchLabels: { watch: 'me' } } }],
      ['objects that lack it', { objectSelector: { matchExpressions: [{ key: 'watch', operator: 'DoesNotExist' }] } }],
      ['namespaces', { namespaceSelector: { matchLabels: { hooked: 'other' } } }],
    ] as const
  ).map(([what, more]): HookScenario => ({
    name: `a selector of ${what}`,
    hooks: [hook('validating', allow, more)],
    steps: [
      create('configmaps', map('a')),
      create('configmaps', map('b', { labels: { watch: 'me' } })),
      patch(MERGE_PATCH, 'configmaps', 'b', { metadata: { labels: { watch: 'you' } } }),
      patch(MERGE_PATCH, 'configmaps', 'b', { metadata: { labels: { watch: 'him' } } }),
      remove('configmaps', 'a'),
      remove('configmaps', 'b'),
    ],
  })),
  ...(['Exact', 'Equivalent'] as const).map((matchPolicy): HookScenario => ({
    name: `events are asked about under the name of their other group, matched as ${matchPolicy}`,
    hooks: [
      hook('mutating', allow, {
        matchPolicy,
        rules: [{ operations: ['*'], apiGroups: ['events.k8s.io'], apiVersions: ['v1'], resources: ['events'] }],
      }),
    ],
    steps: [
      create('events', {
        metadata: { name: 'e' },
        involvedObject: { namespace: 'WORD' },
        reason: 'x',
        message: 'y',
        type: 'Normal',
        count: 1,
        reportingComponent: 'c',
        reportingInstance: 'i',
      }),
    ],
  })),
  {
    name: 'an older version of reviews is spoken where it comes first',
    hooks: [
      hook('validating', deny({ message: 'x' }), { admissionReviewVersions: ['v9', 'v1beta1', 'v1'] }),
      named('b.hook.test', 'mutating', () => add('b'), { admissionReviewVersions: ['v1beta1'] }),
    ],
    steps: one,
  },
  ...['None', 'NoneOnDryRun'].map((sideEffects): HookScenario => ({
    name: `side effects ${sideEffects} at dry runs`,
    hooks: [hook('validating', allow, { sideEffects })],
    steps: [
      create('configmaps', map('a'), '?dryRun=All'),
      create('configmaps', map('a')),
      remove('configmaps', 'a', { dryRun: ['All'] }),
    ],
  })),
]
