import { define, definition, GROUP, object, resource, version } from '../../compared-definition.ts'
import {
  apply,
  create,
  get,
  JSON_PATCH,
  MERGE_PATCH,
  patch,
  put,
  type Scenario,
  type Step,
  STRATEGIC_PATCH,
} from '../../scenario.ts'

const YAML = 'application/yaml'
const DRY = '?dryRun=All'

/** Spellings of numbers that JSON and YAML may have where a whole number is expected. */
const NUMBERS = ['1', '1.0', '1e1', '1E+1', '10e-1', '-0', '1.5', '-1.0']
/** Numbers beyond 32 bits, of which the real server cuts what does not fit. */
const LONG = ['4294967297.0', '9007199254740993']
/** Numbers beyond 64 bits. */
const LONGER = ['1e20', '12345678901234567890']

/** A place of a kind where a number stands: `body` is the whole object with `N` in its place, `change` a patch of it. */
interface Place {
  readonly name: string
  readonly resource: string
  readonly body: string
  readonly change: string
  readonly pointer: string
  /** Makes the kind of a custom resource. */
  readonly definition?: Step
  /** More numbers than usual. */
  readonly more?: readonly string[]
  /** Is it not compared what applied configurations become? */
  readonly isNotApplied?: boolean
}

const POD = '{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}'
const DEPLOYMENT = (fields: string): string =>
  `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"a"},"spec":{"selector":{"matchLabels":{"a":"b"}},${fields},"template":${POD}}}`
const SERVICE = (port: string): string =>
  `{"apiVersion":"v1","kind":"Service","metadata":{"name":"a"},"spec":{"clusterIP":"None","ports":[${port}]}}`
const GAUGE = (fields: string): string =>
  `{"apiVersion":"${GROUP}/v1","kind":"Gauge","metadata":{"name":"a"},"spec":{${fields}}}`

const places: readonly Place[] = [
  {
    name: 'replicas of 32 bits',
    resource: 'apps/v1/deployments',
    body: DEPLOYMENT('"replicas":N'),
    change: '{"spec":{"replicas":N}}',
    pointer: '/spec/replicas',
    more: LONG,
  },
  {
    name: 'a revision of 64 bits',
    resource: 'apps/v1/controllerrevisions',
    body: '{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{"name":"a"},"revision":N}',
    change: '{"revision":N}',
    pointer: '/revision',
    more: [...LONG, '9223372036854775807'],
  },
  {
    name: 'a number or a text',
    resource: 'services',
    body: SERVICE('{"port":80,"protocol":"TCP","targetPort":N}'),
    change: '{"spec":{"ports":[{"port":80,"protocol":"TCP","targetPort":N}]}}',
    pointer: '/spec/ports/0/targetPort',
  },
  {
    name: 'the key of a list',
    resource: 'services',
    body: SERVICE('{"port":N,"protocol":"TCP"}'),
    change: '{"spec":{"ports":[{"port":N,"protocol":"TCP"}]}}',
    pointer: '/spec/ports/0/port',
  },
  {
    name: 'a quantity',
    resource: 'resourcequotas',
    body: '{"apiVersion":"v1","kind":"ResourceQuota","metadata":{"name":"a"},"spec":{"hard":{"cpu":N}}}',
    change: '{"spec":{"hard":{"cpu":N}}}',
    pointer: '/spec/hard/cpu',
    more: [...LONG, ...LONGER],
    // As a real server of 1.20 knows the schema, a quantity is a text.
    isNotApplied: true,
  },
  {
    name: 'a text',
    resource: 'configmaps',
    body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":N}}',
    change: '{"data":{"k":N}}',
    pointer: '/data/k',
    more: LONGER,
  },
  {
    name: 'a boolean',
    resource: 'configmaps',
    body: '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"immutable":N}',
    change: '{"immutable":N}',
    pointer: '/immutable',
    more: LONGER,
  },
  ...Object.entries({
    whole: { type: 'integer' },
    fraction: { type: 'number' },
    either: { 'x-kubernetes-int-or-string': true },
    anything: { 'x-kubernetes-preserve-unknown-fields': true },
  }).map(([field, schema]): Place => ({
    name: `a field ${field} of a custom resource`,
    resource: resource('gauges'),
    body: GAUGE(`"${field}":N`),
    change: `{"spec":{"${field}":N}}`,
    pointer: `/spec/${field}`,
    definition: define(definition('Gauge', [version('v1', object({ spec: object({ [field]: schema }) }))])),
    more: [...LONG, ...LONGER],
  })),
]

/** JSON as block YAML would say it: the number keeps its spelling. */
const yaml = (body: string): string => `# in YAML\n${body}`

function stepsOf(
  { resource: kind, body, change, pointer, definition: custom, isNotApplied }: Place,
  number: string,
): readonly Step[] {
  const whole = body.replace('N', number)
  const other = whole.replace('"name":"a"', '"name":"b"')
  const changed = change.replace('N', number)
  return [
    create(kind, other, DRY),
    { ...create(kind, yaml(other), DRY), type: YAML },
    { ...create(kind, other, DRY), type: YAML },
    put(kind, 'a', whole, DRY),
    { ...put(kind, 'a', yaml(whole), DRY), type: YAML },
    patch(MERGE_PATCH, kind, 'a', changed, DRY),
    ...(custom !== undefined ? [] : [patch(STRATEGIC_PATCH, kind, 'a', changed, DRY)]),
    patch(JSON_PATCH, kind, 'a', `[{"op":"add","path":"${pointer}","value":${number}}]`, DRY),
    ...(isNotApplied === true
      ? []
      : [
          apply('one', kind, 'a', whole, '&force=true&dryRun=All'),
          apply('one', kind, 'a', yaml(whole), '&force=true&dryRun=All'),
          apply('one', kind, 'b', yaml(other), '&dryRun=All'),
        ]),
  ]
}

const first = ({ body, pointer }: Place): string =>
  body.replace('N', pointer === '/data/k' ? '"v"' : pointer === '/immutable' ? 'false' : '3')

export const scenarios: readonly Scenario[] = places.map((place) => ({
  name: `every spelling of a number in a body, for ${place.name}`,
  steps: [
    ...(place.definition === undefined
      ? []
      : [place.definition, { ...get(place.resource, ''), path: `/apis/${GROUP}/v1/namespaces/WORD/gauges` }]),
    create(place.resource, first(place)),
    ...[...NUMBERS, ...(place.more ?? [])].flatMap((number) => stepsOf(place, number)),
    get(place.resource, 'a'),
  ],
}))
