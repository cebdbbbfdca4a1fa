import { JSON_PATCH, MERGE_PATCH, type Scenario, type Step, STRATEGIC_PATCH } from '../../scenario.ts'

const GROUP = '/apis/admissionregistration.k8s.io/v1'
const PATHS = {
  validating: `${GROUP}/validatingwebhookconfigurations`,
  mutating: `${GROUP}/mutatingwebhookconfigurations`,
} as const
type Which = keyof typeof PATHS
const KINDS = { validating: 'ValidatingWebhookConfiguration', mutating: 'MutatingWebhookConfiguration' } as const

/** Takes nothing that anybody sends, so that the scenarios that run beside this one are not held up. */
const rule = {
  operations: ['CREATE'],
  apiGroups: ['nowhere.test'],
  apiVersions: ['v1'],
  resources: ['things'],
}
const hook = (more: object = {}): object => ({
  name: 'a.hook.test',
  clientConfig: { url: 'https://127.0.0.1:1/x' },
  rules: [rule],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
})
const configuration = (which: Which, name: string, ...webhooks: readonly unknown[]): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: KINDS[which],
  metadata: { name },
  webhooks,
})
const post = (which: Which, name: string, ...webhooks: readonly unknown[]): Step => ({
  method: 'POST',
  path: PATHS[which],
  body: configuration(which, name, ...webhooks),
})
const drop = (which: Which, name: string): Step => ({ method: 'DELETE', path: `${PATHS[which]}/${name}` })
const look = (which: Which, name: string): Step => ({ method: 'GET', path: `${PATHS[which]}/${name}` })

/** Creates (and, should it be accepted, deletes again) one configuration for each of these webhooks. */
const tried = (which: Which, ...webhooks: readonly object[]): readonly Step[] =>
  webhooks.flatMap((one, index) => [post(which, `word-${index}-WORD`, one), drop(which, `word-${index}-WORD`)])

const url = (text: unknown): object => hook({ clientConfig: { url: text } })
const service = (more: object): object => hook({ clientConfig: { service: { name: 's', namespace: 'n', ...more } } })
const ruled = (more: object): object => hook({ rules: [{ ...rule, ...more }] })

const without = (key: string): object => {
  const { [key]: _dropped, ...rest } = hook() as Readonly<Record<string, unknown>>
  return rest
}

export const scenarios: readonly Scenario[] = (['validating', 'mutating'] as const).flatMap(
  (which): readonly Scenario[] => [
    {
      name: `a ${which} configuration is defaulted and lives`,
      steps: [
        post(which, 'life-WORD', hook()),
        post(which, 'life-WORD', hook()),
        look(which, 'life-WORD'),
        {
          method: 'PATCH',
          path: `${PATHS[which]}/life-WORD`,
          type: STRATEGIC_PATCH,
          body: {
            webhooks: [
              {
                name: 'b.hook.test',
                clientConfig: { service: { name: 'x', namespace: 'y' } },
                sideEffects: 'NoneOnDryRun',
                admissionReviewVersions: ['v1beta1'],
              },
            ],
          },
        },
        {
          method: 'PATCH',
          path: `${PATHS[which]}/life-WORD`,
          type: MERGE_PATCH,
          body: { metadata: { labels: { a: 'b' } } },
        },
        {
          method: 'PATCH',
          path: `${PATHS[which]}/life-WORD`,
          type: JSON_PATCH,
          body: [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }],
        },
        {
          method: 'PATCH',
          path: `${PATHS[which]}/life-WORD`,
          type: JSON_PATCH,
          body: [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Never' }],
        },
        {
          method: 'PUT',
          path: `${PATHS[which]}/life-WORD`,
          body: configuration(which, 'life-WORD', hook({ sideEffects: 'Some' })),
        },
        { method: 'PUT', path: `${PATHS[which]}/life-WORD`, body: configuration(which, 'life-WORD', hook()) },
        drop(which, 'life-WORD'),
        drop(which, 'life-WORD'),
      ],
    },
    {
      name: `a ${which} configuration without webhooks`,
      steps: [
        post(which, 'none-WORD'),
        drop(which, 'none-WORD'),
        { method: 'POST', path: PATHS[which], body: { metadata: { name: 'bare-WORD' } } },
        drop(which, 'bare-WORD'),
        { method: 'POST', path: PATHS[which], body: { metadata: {} } },
        { method: 'POST', path: PATHS[which], body: { metadata: { name: 'Bad_WORD' }, webhooks: [hook()] } },
        { method: 'POST', path: PATHS[which], body: { metadata: { name: 'wrong-WORD' }, webhooks: 'x' } },
        {
          method: 'POST',
          path: PATHS[which],
          body: { metadata: { name: 'wrong-WORD' }, webhooks: [hook({ timeoutSeconds: 'x' })] },
        },
      ],
    },
    {
      name: `the names of ${which} webhooks`,
      steps: [
        ...tried(
          which,
          ...['', 'one', 'one.two', 'One.Two.Three', 'one.two.three', 'one..three', '-a.b.c', 'a_b.c.d', 'a.b.c.'].map(
            (name) => hook({ name }),
          ),
        ),
        ...tried(which, without('name')),
        post(which, 'twice-WORD', hook(), hook()),
        drop(which, 'twice-WORD'),
        post(which, 'thrice-WORD', hook({ name: 'x' }), hook({ name: 'x' }), hook({ name: 'x' })),
      ],
    },
    {
      name: `what ${which} webhooks must say`,
      steps: tried(
        which,
        ...['clientConfig', 'rules', 'sideEffects', 'admissionReviewVersions'].map(without),
        {},
        hook({ sideEffects: 'Unknown' }),
        hook({ sideEffects: 'Some' }),
        hook({ sideEffects: '' }),
        hook({ sideEffects: 'nonsense' }),
        hook({ failurePolicy: 'Maybe' }),
        hook({ matchPolicy: 'Roughly' }),
        hook({ timeoutSeconds: 0 }),
        hook({ timeoutSeconds: 31 }),
        hook({ timeoutSeconds: -1 }),
        hook({ timeoutSeconds: 30 }),
        hook({ admissionReviewVersions: [] }),
        hook({ admissionReviewVersions: ['v2'] }),
        hook({ admissionReviewVersions: ['v2', 'v1'] }),
        hook({ admissionReviewVersions: ['v1', 'v1'] }),
        hook({ admissionReviewVersions: ['', 'v1'] }),
        hook({ admissionReviewVersions: ['Bad Version', 'v1'] }),
        hook({ admissionReviewVersions: ['v1', 'v1beta1', 'x', 'x'] }),
        hook({ reinvocationPolicy: 'Sometimes' }),
        hook({ reinvocationPolicy: 'IfNeeded' }),
      ),
    },
    {
      name: `where ${which} webhooks are`,
      steps: tried(
        which,
        ...[
          'http://example.test',
          'https://user:pass@example.test/x',
          'https://user@example.test/x',
          'https://example.test/x#y',
          'https://example.test/x?y=z',
          'https://example.test',
          'https://',
          'https:///path',
          'example.test/x',
          'example.test:443',
          '',
          '::',
          'https://example.test/a b',
          'HTTPS://example.test/',
          'ftp://u:p@/x?y#z',
          '%zz',
          'https://[::1]:4/x',
        ].map(url),
        hook({ clientConfig: {} }),
        hook({ clientConfig: { url: 'https://x.test', service: { name: 'a', namespace: 'b' } } }),
        service({}),
        service({ name: '' }),
        service({ namespace: '' }),
        service({ name: '', namespace: '' }),
        service({ port: 0 }),
        service({ port: -1 }),
        service({ port: 65_536 }),
        service({ port: 8443 }),
        ...['/a/b', 'a', '//', '/', '/a//b', '/a/', '/a b', '/a/B_c', '/a.b/..', '/%41', ''].map((path) =>
          service({ path }),
        ),
        hook({ clientConfig: { url: 'https://x.test', caBundle: 'bm9uc2Vuc2U=' } }),
        hook({ clientConfig: { url: 'https://x.test', caBundle: '***' } }),
      ),
    },
    {
      name: `the rules of ${which} webhooks`,
      steps: tried(
        which,
        hook({ rules: [] }),
        hook({ rules: [{}] }),
        ruled({ operations: [] }),
        ruled({ operations: ['*', 'CREATE'] }),
        ruled({ operations: ['*'] }),
        ruled({ operations: ['create'] }),
        ruled({ operations: ['CREATE', 'BIND', 'CONNECT'] }),
        ruled({ operations: [''] }),
        ruled({ apiGroups: [] }),
        ruled({ apiGroups: ['*', 'apps'] }),
        ruled({ apiGroups: [''], resources: ['nothing'] }),
        ruled({ apiVersions: [] }),
        ruled({ apiVersions: [''] }),
        ruled({ apiVersions: ['*', 'v1'] }),
        ruled({ apiVersions: ['v1', ''] }),
        ruled({ resources: [] }),
        ruled({ resources: [''] }),
        ruled({ resources: ['', 'pods', ''] }),
        ruled({ resources: ['*', 'pods'] }),
        ruled({ resources: ['*/*', 'pods'] }),
        ruled({ resources: ['*/*', '*'] }),
        ruled({ resources: ['pods/*', 'pods/status'] }),
        ruled({ resources: ['*/status', 'pods/status'] }),
        ruled({ resources: ['pods/*', '*/status'] }),
        ruled({ resources: ['*', 'pods/status'] }),
        ruled({ resources: ['*', '*/status'] }),
        ruled({ resources: ['a/b/c'] }),
        ruled({ resources: ['/'] }),
        ruled({ resources: ['*/'] }),
        ruled({ scope: 'Everywhere' }),
        ruled({ scope: '' }),
        ruled({ scope: 'Cluster' }),
        hook({
          rules: [
            {
              operations: ['*', 'DELETE', 'x'],
              apiGroups: ['*', ''],
              apiVersions: ['*', ''],
              resources: ['*/*', ''],
              scope: 'x',
            },
            {},
          ],
        }),
      ),
    },
    {
      name: `the selectors of ${which} webhooks`,
      steps: ['namespaceSelector', 'objectSelector'].flatMap((name) =>
        tried(
          which,
          ...[
            { matchLabels: { 'a b': 'c' } },
            { matchLabels: { a: 'b c' } },
            { matchExpressions: [{ key: 'a', operator: 'In' }] },
            { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] },
            { matchExpressions: [{ key: 'a', operator: 'Near', values: ['b'] }] },
            { matchExpressions: [{ key: '', operator: 'Exists' }] },
            { matchExpressions: [{ operator: '' }] },
            { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['b'] }] },
          ].map((selector) => hook({ [name]: selector })),
        ),
      ),
    },
    {
      name: `many mistakes of ${which} webhooks at once`,
      steps: tried(
        which,
        hook({
          name: 'x',
          sideEffects: 'Some',
          timeoutSeconds: 99,
          failurePolicy: 'x',
          matchPolicy: 'y',
          namespaceSelector: { matchLabels: { 'a b': 'c' } },
          rules: [{}],
          clientConfig: {},
          admissionReviewVersions: ['v9'],
        }),
      ),
    },
  ],
)
