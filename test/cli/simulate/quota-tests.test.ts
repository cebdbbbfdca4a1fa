import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { runProgram } from '../../../src/cli/allot-program.ts'
import { ROOT } from '../../readme/document-shell.ts'
import { type Exit, temporaryDirectory } from '../../start-allot.ts'

const SYSTEMS = ['resource-quota', 'resource-pools', 'quota-increases', 'custom-quotas', 'karmada-quotas']

async function run(...args: readonly string[]): Promise<Exit> {
  let [stdout, stderr] = ['', '']
  const code = await runProgram(args, {
    out: (text) => void (stdout += text),
    err: (text) => void (stderr += text),
    environment: {},
    stop: new AbortController().signal,
  })
  return { code, stdout, stderr }
}

/** A folder with a test of this content, and a quota beside it. */
function folderWith(content: string): string {
  const folder = temporaryDirectory()
  writeFileSync(
    join(folder, 'quota.yaml'),
    'apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: small}\nspec: {hard: {pods: 2}}\n',
  )
  writeFileSync(join(folder, 'quota-test.yaml'), content)
  return folder
}

const POD = (name: string): string =>
  `{apiVersion: v1, kind: Pod, metadata: {name: ${name}}, spec: {containers: [{name: app, image: app}]}}`

test.each(SYSTEMS)('the examples of %s come to what their tests say', async (system) => {
  const { code, stdout, stderr } = await run('test', join(ROOT, 'examples', system))
  expect([code, stderr, stdout]).toEqual([0, '', expect.stringMatching(/^ok .*\n[^]*[1-9]\d* passed, 0 failed\n$/)])
})

test('a test that fails says what is not as expected, and reports it to CI systems', async () => {
  const folder = folderWith(`
name: two pods
given: [{file: quota.yaml}]
when:
- name: pods come
  apply: [{object: ${POD('a')}}, {object: ${POD('b')}}, {object: ${POD('c')}}]
  expect:
    refused: [{object: Pod/b}]
    quotas: [{name: small, hard: {pods: "2"}, used: {pods: 3}}]
`)
  const report = join(folder, 'report.xml')
  const { code, stdout } = await run('test', folder, '--junit', report)
  const file = join(folder, 'quota-test.yaml')
  const expected = [
    '6: pods come: Pod/c: refused: pods "c" is forbidden: exceeded quota: small, requested: pods=1, used: pods=2, limited: pods=2',
    '8: pods come: Pod/b: created, and should have been refused',
    '9: pods come: quota small: used pods is "2", expected "3"',
  ]
  expect([code, stdout.split('\n').slice(1)]).toEqual([
    3,
    [...expected.map((line) => `      ${file}:${line}`), '0 passed, 1 failed', ''],
  ])
  const xml = readFileSync(report, 'utf8')
  expect(xml).toContain('<testsuites tests="1" failures="1" errors="0">')
  expect(xml).toContain('quota small: used pods is &quot;2&quot;, expected &quot;3&quot;')
})

test('what is refused is not admitted, and what is in another namespace is another manifest', async () => {
  const both = folderWith(`
given: [{file: quota.yaml}]
when:
- name: pods come
  apply: [{object: ${POD('a')}}, {object: ${POD('b')}}, {object: ${POD('c')}}]
  expect: {admitted: [Pod/c], refused: [{object: Pod/c}]}
`)
  expect(await run('test', both)).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('pods come: Pod/c: refused, and should have been admitted'),
  })
  const elsewhere = folderWith(`
given: [{file: quota.yaml}]
when:
- apply: [{object: ${POD('a')}}, {object: ${POD('b')}}, {object: ${POD('c')}}]
  expect: {refused: [{object: Pod/c}]}
expect: {refused: [{object: Pod/other/c}]}
`)
  expect(await run('test', elsewhere)).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('at the end: Pod/other/c: no manifest of it was applied'),
  })
})

const THINGS =
  '{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.example.org}, spec: {group: example.org, scope: Namespaced, names: {kind: Thing, plural: things, singular: thing, listKind: ThingList}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}'

const QUOTA = (fields: string, kind = 'ResourceQuota'): string =>
  `{apiVersion: v1, kind: ${kind}, metadata: {name: small}, spec: {${fields}}}`
const BROKEN: readonly (readonly [string, string, string])[] = [
  ['a negative limit', QUOTA('hard: {configmaps: "-1"}'), 'spec.hard[configmaps]'],
  ['an unknown scope', QUOTA('hard: {pods: "1"}, scopes: [Nope]'), 'spec.scopes'],
  ['an unknown field', QUOTA('hard: {pods: "1"}, nosuch: 1'), 'spec.nosuch'],
  ['an unknown kind', QUOTA('hard: {pods: "1"}', 'ResourceQuotas'), 'does not serve its kind (v1)'],
  [
    'a claim of no amounts',
    `{apiVersion: capsule.clastix.io/v1beta2, kind: ResourcePoolClaim, metadata: {name: small}, spec: {claim: 5}}`,
    'spec.claim',
  ],
]

test.each(BROKEN)('%s of what is given fails the test, and leaves a simulation unknown', async (_, object, said) => {
  const { code, stdout } = await run(
    'test',
    folderWith(`given: [{object: ${object}}]\nwhen: [{apply: [{object: ${POD('a')}}]}]\n`),
  )
  expect([code, stdout]).toEqual([
    3,
    expect.stringMatching(/ given: \w+ (?:default\/)?small of what is there cannot be used: /),
  ])
  expect(stdout).toContain(said)
  const [state = '', change = ''] = filesWith(object, POD('a'))
  const simulated = await run('simulate', '--state', state, '-f', change)
  expect([simulated.code, simulated.stdout]).toEqual([
    1,
    expect.stringContaining('small of what is there cannot be used: '),
  ])
})

test.each([
  ['apply', '{apiVersion: v1, kind: Deploymnet, metadata: {name: a}}', 'Deploymnet/a: ignored'],
  ['apply', '{apiVersion: no.such/v1, kind: Deployment, metadata: {name: a}}', 'Deployment/a: ignored'],
  [
    'delete',
    '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}',
    'ConfigMap/a: refused: configmaps "a" not found',
  ],
  ['delete', '{apiVersion: v1, kind: Configmap, metadata: {name: a}}', 'Configmap/a: ignored'],
])('%s of %s fails a test', async (verb, object, said) => {
  const { code, stdout } = await run('test', folderWith(`when: [{${verb}: [{object: ${object}}]}]\n`))
  expect([code, stdout]).toEqual([3, expect.stringContaining(said)])
})

test('what is given and is no object ends no other test, and is named with its file', async () => {
  const folder = temporaryDirectory()
  const write = (name: string, given: string): void => {
    mkdirSync(join(folder, name))
    writeFileSync(
      join(folder, name, 'quota-test.yaml'),
      `given: [{object: ${THINGS}}, {object: ${given}}]\nwhen: [{apply: []}]\n`,
    )
  }
  const crd = (metadata: string): string =>
    `{apiVersion: example.org/v1, kind: Thing, metadata: {name: odd, ${metadata}}}`
  write('a', '{apiVersion: v1, kind: Pod, metadata: {name: bad}, spec: {containers: 5}}')
  write('b', crd('ownerReferences: 5'))
  write('c', crd('labels: 7'))
  write('d', POD('good'))
  const { code, stdout, stderr } = await run('test', folder)
  expect([code, stderr]).toEqual([3, ''])
  expect(stdout).toContain(`${join(folder, 'a', 'quota-test.yaml')}: given: Pod default/bad of what is there: `)
  expect(stdout).toContain(`${join(folder, 'b', 'quota-test.yaml')}: given: Thing default/odd of what is there: `)
  expect(stdout).toContain('1 passed, 3 failed')
})

test('--state has no namespace that nothing is in, and lists without items are empty', async () => {
  const folder = temporaryDirectory()
  const write = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const pool = (hard: string): string => `
apiVersion: capsule.clastix.io/v1beta2
kind: ResourcePool
metadata: {name: all}
spec: {selectors: [{}], quota: {hard: {pods: "${hard}"}}}
`
  const state = write('state.yaml', `${pool('1')}---\n{apiVersion: v1, kind: List, items: null}\n`)
  const changes = write('changes.yaml', pool('2'))
  const first = await run('simulate', '--state', state, '-f', changes)
  expect([first.code, first.stdout]).toEqual([0, expect.not.stringContaining('default')])
  const odd = write(
    'odd.yaml',
    `${THINGS}\n---\n{apiVersion: example.org/v1, kind: Thing, metadata: {name: odd, ownerReferences: 5}}`,
  )
  const refused = await run('simulate', '--state', state, '-f', odd)
  expect([refused.code, refused.stderr, refused.stdout]).toEqual([
    3,
    '',
    expect.stringContaining('! Thing default/odd is refused'),
  ])
})

test('--fail-only is silent about tests that pass', async () => {
  const folder = folderWith('given: [{file: quota.yaml}]\nexpect: {quotas: [{name: small, used: {pods: 0}}]}\n')
  expect(await run('test', folder, '--fail-only')).toMatchObject({ code: 0, stdout: '1 passed, 0 failed\n' })
})

test.each([
  ['an unknown field', 'given: []\nwhen:\n- apply: []\n  expct: {}\n', ':4: unknown field "when[0].expct"'],
  ['a wrong type', 'given: []\nexpect:\n  quotas:\n  - name: 5\n', ':4: expect.quotas[0].name'],
  ['a missing field', 'expect:\n  claims:\n  - state: waiting\n', ':3: expect.claims[0].name: Required value'],
  ['no YAML', 'given: [\n', 'it is not YAML'],
  [
    'usage that is no amount',
    'expect:\n  quotas:\n  - name: a\n    used: {pods: abc}\n',
    ':4: expect.quotas[0].used[pods]',
  ],
  ['a limit that is no amount', 'when:\n- expect:\n    customQuotas: [{name: a, limit: foo}]\n', ':3: when[0].expect.'],
  [
    'a negative amount',
    'expect:\n  pools:\n  - name: a\n    hard:\n      pods: -1\n',
    ':5: expect.pools[0].hard[pods]',
  ],
  ['a negative number of pods', 'expect:\n  workloads: [{object: A/b, pods: -1}]\n', ':2: expect.workloads[0].pods'],
  ['a workload without a name', 'expect:\n  workloads: [{object: Deployment}]\n', ':2: expect.workloads[0].object'],
  ['a manifest that has no kind', 'expect:\n  admitted: [x]\n', ':2: expect.admitted[0]'],
  ['a source without anything', 'given: [{}]\n', 'given[0]: give either file or object'],
  ['an object that is none', 'given: [{object: {kind: Pod}}]\n', 'given[0].object is not an object of Kubernetes'],
  ['a test of nothing', 'given: [{file: quota.yaml}]\n', 'it tests nothing'],
  ['a file that is not there', 'given: [{file: nowhere.yaml}]\n', 'nowhere.yaml'],
  ['an alias of nothing', 'given: [*none]\n', 'none'],
  ['definitions that are not there', 'definitions: nowhere.yaml\nwhen: [{apply: []}]\n', 'nowhere.yaml'],
])('%s is one message with its place', async (_, content, said) => {
  const { code, stdout, stderr } = await run('test', folderWith(content))
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^ERROR .*\n {6}.*\n0 passed, 0 failed, 1 not run\n$/)])
  expect(stdout).toContain(said)
  expect(stderr).toContain(said)
  expect(stderr.trimEnd()).not.toContain('\n')
})

test('a folder without a test is an error, and so is one that is not there', async () => {
  const empty = join(temporaryDirectory(), 'empty')
  mkdirSync(empty)
  expect(await run('test', empty)).toMatchObject({ code: 1, stderr: expect.stringContaining('there is no quota-test') })
  expect(await run('test', join(empty, 'no'))).toMatchObject({ code: 1, stderr: expect.stringContaining('no folder') })
})

test('the schema for editors takes the tests of the examples', () => {
  const schema = JSON.parse(readFileSync(join(ROOT, 'schemas/quota-test.schema.json'), 'utf8')) as object
  const isTest = new Ajv2020({ strict: false }).compile(schema)
  const example = readFileSync(join(ROOT, 'examples/resource-pools/4-queue/test/quota-test.yaml'), 'utf8')
  expect([isTest(parse(example)), isTest.errors]).toEqual([true, null])
  expect(isTest({ whn: [] })).toBe(false)
})

/** Files with these contents. */
function filesWith(...contents: readonly string[]): readonly string[] {
  const folder = temporaryDirectory()
  return contents.map((content, index) => {
    const file = join(folder, `${index}.yaml`)
    writeFileSync(file, content)
    return file
  })
}

const CUSTOM_QUOTA = (path: string): string =>
  `{apiVersion: capsule.clastix.io/v1beta2, kind: CustomQuota, metadata: {name: few}, spec: {limit: 1, sources: [{apiVersion: v1, kind: Pod, ${path}}]}}`

test('what is deleted gives room, and what is not simulated gives exit code 1', async () => {
  const [state = '', more = '', unread = ''] = filesWith(
    `${CUSTOM_QUOTA('op: count')}\n---\n${POD('a')}\n`,
    POD('b'),
    CUSTOM_QUOTA("op: add, cel: \"quantity(has(object.status.phase) ? '1' : '0')\""),
  )
  const refused = await run('simulate', '--state', state, '-f', more)
  expect([refused.code, refused.stdout]).toEqual([3, expect.stringContaining('exceeds limit for CustomQuota "few"')])
  const gone = await run('simulate', '--state', state, '--delete-filename', state)
  expect([gone.code, gone.stdout]).toEqual([0, expect.stringContaining('- CustomQuota default/few: limit 1 → none')])
  const unknown = await run('simulate', '--state', unread, '-f', more)
  expect([unknown.code, unknown.stdout]).toEqual([1, expect.stringContaining('Undecided')])
})

test('a test does not pass where it is not known what a quota counts', async () => {
  const folder = folderWith(`
given: [{object: ${CUSTOM_QUOTA("op: add, cel: \"quantity(has(object.status.phase) ? '1' : '0')\"")}}]
when: [{apply: [{object: ${POD('a')}}]}]
`)
  const { code, stdout } = await run('test', folder)
  expect([code, stdout]).toEqual([
    3,
    expect.stringContaining('unknown: CustomQuota default/few counts what changes: it reads the status of Pod objects'),
  ])
})

const KARMADA = join(ROOT, 'examples/karmada-quotas/1-business')

test('bindings are charged to KarmadaQuotas, and those beyond a limit are refused in the words of the webhook', async () => {
  const files = ['03-web', '04-batch', '05-more-refused'].flatMap((name) => ['-f', join(KARMADA, `${name}.yaml`)])
  const state = ['01-namespace', '02-quota'].flatMap((name) => ['--state', join(KARMADA, `${name}.yaml`)])
  const { code, stdout } = await run('simulate', ...state, ...files)
  expect(code).toBe(3)
  expect(stdout).toContain(
    '! ResourceBinding business-a/more-deployment is refused: admission webhook "quota.karmada.io" denied the request: exceeded quota: business-a, requested: cpu=1, used: cpu=100, limited: cpu=100\n',
  )
  expect(stdout).toContain('~ KarmadaQuota business-a/business-a: cpu 100, used 0 → 100\n')
  expect(stdout).not.toContain('Undecided')
})

test('a KarmadaQuota that can limit nothing is refused, and one whose amounts cannot be read lets no binding grow', async () => {
  const quota = (name: string, hard: string): string =>
    `{apiVersion: quota.karmada.io/v1alpha1, kind: KarmadaQuota, metadata: {name: ${name}}, spec: {hard: ${hard}}}`
  const binding =
    '{apiVersion: work.karmada.io/v1alpha2, kind: ResourceBinding, metadata: {name: web}, spec: {replicas: 1}}'
  const [state = '', ...changes] = filesWith(
    quota('wrong', '{limits.cpu: 1}'),
    quota('idle', '{fast.storageclass.storage.k8s.io/requests.storage: 1Gi}'),
    binding,
  )
  const { stdout } = await run('simulate', '--state', state, ...changes.flatMap((file) => ['-f', file]))
  expect(stdout).toContain(
    '! KarmadaQuota default/idle is refused: admission webhook "karmadaquotas.validating.allot.dev"',
  )
  expect(stdout).toContain('! ResourceBinding default/web is refused: admission webhook "quota.karmada.io" denied')
  expect(stdout).toContain('KarmadaQuota "wrong" is invalid: spec.hard[limits.cpu]')
})

test('limits and usage of quotas of every kind can be expected, and what is not so is named with its line', async () => {
  const of = (kind: string, spec: string): string =>
    `  - object: {apiVersion: capsule.clastix.io/v1beta2, kind: ${kind}, metadata: {name: few}, spec: {limit: 4, ${spec}sources: [{apiVersion: v1, kind: Pod, op: count}]}}\n`
  const karmada =
    '  - object: {apiVersion: quota.karmada.io/v1alpha1, kind: KarmadaQuota, metadata: {name: fleet}, spec: {hard: {requests.cpu: 2}}}\n'
  const selector = 'namespaceSelectors: [{matchLabels: {kubernetes.io/metadata.name: default}}], '
  const folder = folderWith(`given:
${of('CustomQuota', '')}${of('GlobalCustomQuota', selector)}${karmada}when:
- apply: [{object: ${POD('a')}}]
  expect:
    customQuotas:
    - {name: few, limit: "4", used: 1}
    - {name: few, limit: 5}
    globalCustomQuotas:
    - {name: few,
       limit: 4,
       used: 2}
    karmadaQuotas:
    - {name: fleet, hard: {requests.cpu: 2000m}, used: {requests.cpu: 0}}
    - name: fleet
      hard: {requests.cpu: 2}
      used:
        requests.cpu: 1
expect:
  customQuotas: [{name: few, namespace: other}]
`)
  const { code, stdout } = await run('test', folder)
  const lines = [
    '10: step 1: custom quota few: limit is "4", expected "5"',
    '14: step 1: global custom quota few: used is "1", expected "2"',
    '20: step 1: KarmadaQuota fleet: used requests.cpu is "0", expected "1"',
    '22: at the end: custom quota few: there is none in namespace other',
  ]
  expect([code, stdout.split('\n').slice(1, -2)]).toEqual([
    3,
    lines.map((line) => `      ${join(folder, 'quota-test.yaml')}:${line}`),
  ])
})

test('a wrong file keeps no other test from being run, and is an error of the report', async () => {
  const folder = temporaryDirectory()
  for (const [name, content] of [
    ['a', 'given: []\nexpct: {}\n'],
    ['b', `when: [{apply: [{object: ${POD('a')}}]}]\n`],
    ['c', `when: [{apply: [{object: ${POD('a')}}], expect: {refused: [{object: Pod/a}]}}]\n`],
    ['d', 'given: [\n'],
  ] as const) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'quota-test.yaml'), content)
  }
  const report = join(folder, 'report.xml')
  const { code, stdout, stderr } = await run('test', folder, '--junit', report)
  const said = `${join(folder, 'a', 'quota-test.yaml')}:2: unknown field "expct"`
  expect([code, stderr]).toEqual([1, expect.stringContaining(`${said} (and 1 more); `)])
  expect(stdout).toContain(
    `ERROR ${join(folder, 'a')}\n      ${said}\nok    ${join(folder, 'b')}\nFAIL  ${join(folder, 'c')}\n`,
  )
  expect(stdout).toMatch(/\n1 passed, 1 failed, 2 not run\n$/)
  const xml = readFileSync(report, 'utf8')
  expect(xml).toContain('<testsuites tests="4" failures="1" errors="2">')
  expect(xml.match(/<error message="/g)).toHaveLength(2)
})

test('a manifest without a name gets an invented one, and it says so; without a name nothing is deleted', async () => {
  const job = '{apiVersion: v1, kind: ConfigMap, metadata: {generateName: run-}}'
  const quota = '{apiVersion: v1, kind: ResourceQuota, metadata: {name: small}, spec: {hard: {configmaps: 2}}}'
  const [state = '', first = '', second = ''] = filesWith(quota, job, job)
  const { code, stdout } = await run('simulate', '--state', state, '-f', first, '-f', second)
  expect([code, stdout]).toEqual([3, expect.stringContaining('! ConfigMap default/run-simulated2 is refused: ')])
  expect(stdout).toContain(
    '+ ConfigMap default/run-simulated1: the name is invented: the API server completes generateName "run-"\n',
  )
  const deleted = await run('simulate', '--state', state, '--delete-filename', first)
  expect([deleted.code, deleted.stdout]).toEqual([3, expect.stringContaining('resource name may not be empty')])
  const folder = folderWith(`
given: [{file: quota.yaml}]
when:
- apply: [{object: ${job}}, {object: {apiVersion: v1, kind: Pod, metadata: {generateName: run-}, spec: {containers: [{name: app, image: app}]}}}]
  expect: {admitted: [ConfigMap/run-simulated1, Pod/run-simulated2], quotas: [{name: small, used: {pods: 1}}]}
`)
  expect(await run('test', folder)).toMatchObject({ code: 0 })
})

test('a ServiceAccount that files leave out is taken to be there, and it says so', async () => {
  const [pod = ''] = filesWith(
    '{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {serviceAccountName: builder, containers: [{name: app, image: app}]}}',
  )
  const [state = ''] = filesWith(QUOTA('hard: {pods: "1"}'))
  const { code, stdout } = await run('simulate', '--state', state, '-f', pod)
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('? serviceaccounts: default/builder is not among the files, and is taken to be there\n'),
  ])
})

test.each([
  ['simulate', ['fits', 'stalls', 'refused', 'unknown']],
  ['test', ['ok', 'FAIL', 'ERROR']],
] as const)('allot %s --help names the verdicts with their exit codes', async (verb, verdicts) => {
  const { code, stdout } = await run(verb, '--help')
  const named = [...stdout.matchAll(/^ {2}(\w+) +(\d) {2}\S/gm)].map(([, verdict]) => verdict)
  expect([code, named]).toEqual([0, verdicts])
})
