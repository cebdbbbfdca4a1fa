import { type Answers, APPLY_PATCH, apply, create, get, patch, type Scenario, type Step } from '../../scenario.ts'

const config = (over: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a' },
  data: { k: 'v' },
  ...over,
})
const named = (metadata: object): object => config({ metadata })

/** The same wrong bodies where nothing is yet, and where something is. */
const twice = (bodies: readonly unknown[], query = ''): readonly Step[] =>
  ['absent', 'a'].flatMap((name) => bodies.map((body) => apply('one', 'configmaps', name, body, query)))

const YAML = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
data:
  text: |
    two
    lines
  empty:
  quoted: "1"
`

export const scenarios: readonly Scenario[] = [
  {
    name: 'an applied configuration may be YAML or JSON',
    steps: [
      apply('one', 'configmaps', 'a', YAML.replace('  empty:\n', '')),
      apply('one', 'configmaps', 'a', YAML),
      apply('one', 'configmaps', 'a', `# a comment\n---\n${YAML.replace('  empty:\n', '')}`),
      apply('one', 'configmaps', 'a', JSON.stringify(config(), undefined, '\t')),
      apply('one', 'configmaps', 'a', '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {k: v}}'),
      patch(APPLY_PATCH, 'configmaps', 'a', YAML),
      apply('one', 'configmaps', 'a', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: &d {k: v}\n'),
      apply('one', 'configmaps', 'a', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: 1}\n'),
      apply(
        'one',
        'configmaps',
        'a',
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {1: one, true: two, 2.5: x}\n',
      ),
      get('configmaps', 'a'),
    ],
  },
  {
    name: 'a body of invalid YAML is rejected',
    steps: [
      create('configmaps', config()),
      ...twice([
        '\tapiVersion: v1\n',
        'apiVersion: v1\n\tkind: ConfigMap\n',
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a\ndata: {}\n',
        'apiVersion: v1\nkind: "ConfigMap\n',
        'apiVersion: v1\n  kind: ConfigMap\n',
        'a: b: c\n',
        '{"apiVersion":"v1"',
        '{"apiVersion":"v1",}',
        '@x',
        '%x',
        'a: *b\n',
        '- a\n- b\n',
        '[]',
        'text',
        '1',
        'true',
        'null',
        '',
        ' ',
        '---\n',
        '---\n---\n',
        `${JSON.stringify(config())}\n---\n${JSON.stringify(config({ data: { k: 'w' } }))}`,
        `${YAML}---\n${YAML}`,
        `${YAML}...\n`,
      ]),
      get('configmaps', 'a'),
    ],
  },
  {
    name: 'the applied kind, version, name and namespace must be those of the URL',
    steps: [
      create('configmaps', config()),
      ...twice([
        config({ apiVersion: 'v2' }),
        config({ apiVersion: 'apps/v1' }),
        config({ apiVersion: '' }),
        config({ apiVersion: null }),
        config({ apiVersion: 1 }),
        config({ apiVersion: 'a/b/c' }),
        config({ apiVersion: undefined }),
        config({ kind: 'Secret' }),
        config({ kind: 'configmap' }),
        config({ kind: '' }),
        config({ kind: 1 }),
        config({ kind: undefined }),
        config({ apiVersion: undefined, kind: undefined }),
        config({ apiVersion: 'apps/v1', kind: 'Deployment' }),
        {},
        named({}),
        named({ name: '' }),
        named({ name: 'b' }),
        named({ name: 1 }),
        named({ name: null }),
        named({ name: 'a', namespace: 'other' }),
        named({ name: 'a', namespace: '' }),
        named({ name: 'a', namespace: 'WORD' }),
        named({ name: 'absent', namespace: 'WORD' }),
        named({ generateName: 'a-' }),
        named({ name: 'a', generateName: 'a-' }),
        config({ metadata: null }),
        config({ metadata: undefined }),
        config({ metadata: 'a' }),
        config({ metadata: [] }),
      ]),
      get('configmaps', 'a'),
    ],
  },
  {
    name: 'an applied configuration may not have what only the server sets',
    steps: [
      { ...create('configmaps', config()), name: 'made' },
      ...twice([
        named({ name: 'a', managedFields: [] }),
        named({ name: 'a', managedFields: null }),
        named({ name: 'a', managedFields: [{}] }),
        named({ name: 'a', managedFields: {} }),
        named({ name: 'a', resourceVersion: '1' }),
        named({ name: 'a', resourceVersion: '' }),
        named({ name: 'a', resourceVersion: 'x' }),
        named({ name: 'a', uid: '' }),
        named({ name: 'a', creationTimestamp: null }),
        named({ name: 'a', creationTimestamp: '2020-01-01T00:00:00Z' }),
        named({ name: 'a', creationTimestamp: 'yesterday' }),
        named({ name: 'a', generation: 7 }),
        named({ name: 'a', selfLink: '/x' }),
      ]),
      {
        ...apply('one', 'configmaps', 'a', undefined),
        body: ({ made }: Answers) => named({ name: 'a', resourceVersion: made?.body.metadata.resourceVersion }),
      },
      {
        ...apply('two', 'configmaps', 'a', undefined),
        body: ({ made }: Answers) => named({ name: 'a', uid: made?.body.metadata.uid }),
      },
      apply('two', 'configmaps', 'a', named({ name: 'a' })),
      get('configmaps', 'a'),
      ...['1e400', '-1e400'].flatMap((number, index) => [
        apply(
          'one',
          'configmaps',
          `n${index}`,
          `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"n${index}"},"data":{"k":${number}}}`,
        ),
        apply(
          'one',
          'configmaps',
          `y${index}`,
          `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y${index}\ndata: {k: ${number}}\n`,
        ),
        apply(
          'one',
          'pods',
          'n',
          `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"n"},"spec":{"containers":[{"name":${number},"image":"i","ports":[{"containerPort":${number}}]}]}}`,
        ),
      ]),
      ...['1', '0', 'x'].map((version, index) =>
        apply('one', 'configmaps', `new-${index}`, named({ name: `new-${index}`, resourceVersion: version })),
      ),
    ],
  },
  {
    name: 'fields that do not exist and values of wrong types are refused',
    steps: [
      create('configmaps', config()),
      ...twice([
        config({ spec: {} }),
        config({ metadata: { name: 'a', label: {} } }),
        config({ data: [] }),
        config({ data: 'x' }),
        config({ data: 1 }),
        config({ data: { k: 1 } }),
        config({ data: { k: true } }),
        config({ data: { k: 1.5 } }),
        config({ data: { k: {} } }),
        config({ data: { k: [] } }),
        config({ data: { k: null } }),
        config({ immutable: 'yes' }),
        config({ immutable: 1 }),
        config({ immutable: {} }),
        config({ immutable: [true] }),
        config({ immutable: null }),
        config({ binaryData: { k: '!' } }),
        config({ binaryData: { k: 'YQ' } }),
        config({ binaryData: { k: 'YQ==' } }),
        config({ metadata: { name: 'a', labels: { a: 1 } } }),
        config({ metadata: { name: 'a', labels: ['a'] } }),
        config({ metadata: { name: 'a', finalizers: 'a' } }),
        config({ metadata: { name: 'a', finalizers: [1] } }),
        config({ metadata: { name: 'a', finalizers: [{}] } }),
        config({ metadata: { name: 'a', finalizers: [null] } }),
        config({ metadata: { name: 'a', finalizers: ['x/y', 'x/y'] } }),
        config({ metadata: { name: 'a', generation: 'x' } }),
        config({ data: { 'a/b': 'x' } }),
      ]),
      get('configmaps', 'a'),
    ],
  },
]
