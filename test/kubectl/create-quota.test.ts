import { describe, expect, test } from 'vitest'
import { eachCase, vectors } from '../load-vectors.ts'
import { hasKubectl, session } from './kubectl.ts'
import { pod, quota } from './kubectl-objects.ts'

interface CreateQuotaCase {
  readonly name: string
  readonly args: { readonly name: string; readonly hard: string; readonly scopes: string }
  readonly expectSpec?: { readonly hard: Readonly<Record<string, string>> | null; readonly scopes?: readonly string[] }
  readonly expectError?: string
}

const FILE = 'kubernetes/kubectl-output.json'
const { createQuota } = vectors<{ readonly createQuota: readonly CreateQuotaCase[] }>(FILE)

const CPU = { requests: { cpu: '500m' } }

describe.skipIf(!hasKubectl)('kubectl create quota', { concurrent: true }, () => {
  const { inNewNamespace } = session()

  test('makes a quota whose use is known at once', async () => {
    const kubectl = await inNewNamespace()
    expect(await kubectl.ok('create', 'quota', 'small', '--hard=pods=2,requests.cpu=1')).toBe(
      'resourcequota/small created\n',
    )
    expect((await kubectl.get('quota', 'small')).status).toEqual({
      hard: { pods: '2', 'requests.cpu': '1' },
      used: { pods: '0', 'requests.cpu': '0' },
    })
  })

  test('counts what was there before', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.create(pod('old', CPU))
    await kubectl.ok('create', 'quota', 'small', '--hard=pods=2,requests.cpu=1')
    expect((await kubectl.get('quota', 'small')).status.used).toEqual({ pods: '1', 'requests.cpu': '500m' })
  })

  test('makes scoped quotas and quotas of nothing', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'resourcequota', 'be', '--hard=pods=1', '--scopes=BestEffort,NotTerminating')
    await kubectl.ok('create', 'quota', 'none')
    expect((await kubectl.get('quota', 'be')).spec).toEqual({
      hard: { pods: '1' },
      scopes: ['BestEffort', 'NotTerminating'],
    })
    expect((await kubectl.get('quota', 'none')).spec).toEqual({})
  })

  test.each([
    ['client', 'resourcequota/dry created (dry run)\n'],
    ['server', 'resourcequota/dry created (server dry run)\n'],
  ])('stores nothing with --dry-run=%s', async (mode, printed) => {
    const kubectl = await inNewNamespace()
    expect(await kubectl.ok('create', 'quota', 'dry', '--hard=pods=1', `--dry-run=${mode}`)).toBe(printed)
    expect(await kubectl.ok('get', 'quota', '-o', 'name')).toBe('')
  })

  test('warns of requests above their limits', async () => {
    const kubectl = await inNewNamespace()
    const made = await kubectl.run([
      'create',
      'quota',
      'w',
      '--hard=requests.cpu=2,limits.cpu=1,memory=2Gi,limits.memory=1Gi',
    ])
    expect(made).toEqual({
      code: 0,
      stdout: 'resourcequota/w created\n',
      stderr:
        'Warning: ResourceQuota requests.cpu (2) should be less than limits.cpu (1)\nWarning: ResourceQuota memory (2Gi) should be less than limits.memory (1Gi)\n',
    })
  })

  test.each([
    [
      ['q', '--hard=cpu=1', '--scopes=BestEffort'],
      'error: failed to create quota: ResourceQuota "q" is invalid: spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource\n',
    ],
    [
      ['q', '--hard=foo=1'],
      'error: failed to create quota: ResourceQuota "q" is invalid: [spec.hard[foo]: Invalid value: "foo": must be a standard resource type or fully qualified, spec.hard[foo]: Invalid value: "foo": must be a standard resource for quota]\n',
    ],
    [
      ['q', '--hard=pods=1500m'],
      'error: failed to create quota: ResourceQuota "q" is invalid: spec.hard[pods]: Invalid value: "1500m": must be an integer\n',
    ],
    [
      ['q', '--hard=pods=-1'],
      'error: failed to create quota: ResourceQuota "q" is invalid: spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0\n',
    ],
    [
      ['q', '--hard=pods=1', '--scopes=BestEffort,NotBestEffort'],
      'error: failed to create quota: ResourceQuota "q" is invalid: spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes\n',
    ],
    [[], "error: exactly one NAME is required, got 0\nSee 'kubectl create quota -h' for help and examples\n"],
  ])('refuses %j', async (args, text) => {
    const kubectl = await inNewNamespace()
    expect(await kubectl.fails('create', 'quota', ...args)).toBe(text)
  })

  test('refuses a name that is taken', async () => {
    const kubectl = await inNewNamespace()
    await kubectl.ok('create', 'quota', 'q')
    expect(await kubectl.fails('create', 'quota', 'q')).toBe(
      'error: failed to create quota: resourcequotas "q" already exists\n',
    )
  })

  test('has a line for each thing that is wrong in a file', async () => {
    const kubectl = await inNewNamespace()
    expect(
      await kubectl.refuses(
        quota('bad', { foo: '1', pods: '-1', services: '500m' }, { scopes: ['BestEffort', 'Nope'] }),
      ),
    ).toBe(`The ResourceQuota "bad" is invalid: 
* spec.hard[foo]: Invalid value: "foo": must be a standard resource type or fully qualified
* spec.hard[foo]: Invalid value: "foo": must be a standard resource for quota
* spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0
* spec.hard[services]: Invalid value: "500m": must be an integer
* spec.scopes: Invalid value: ["BestEffort","Nope"]: unsupported scope applied to resource
* spec.scopes: Invalid value: ["BestEffort","Nope"]: unsupported scope
`)
  })

  eachCase(
    `${FILE}#createQuota`,
    createQuota,
    ({ name }) => name,
    async ({ args, expectSpec, expectError }) => {
      const kubectl = await inNewNamespace()
      const flags = [
        ...(args.hard === '' ? [] : [`--hard=${args.hard}`]),
        ...(args.scopes === '' ? [] : [`--scopes=${args.scopes}`]),
      ]
      // Upstream tests what kubectl makes of its flags; the server then refuses some of it.
      const outcome = await kubectl.run(['create', 'quota', args.name, ...flags, '--dry-run=client', '-o', 'json'])
      if (expectError !== undefined) expect([outcome.code, outcome.stderr]).toEqual([1, `error: ${expectError}\n`])
      else expect(JSON.parse(outcome.stdout).spec).toEqual(expectSpec?.hard === null ? {} : expectSpec)
      const made = await kubectl.run(['create', 'quota', args.name, ...flags])
      if (expectError !== undefined) expect([made.code, made.stderr]).toEqual([1, `error: ${expectError}\n`])
      else if (args.scopes.includes('BestEffort')) {
        const scopes = JSON.stringify(expectSpec?.scopes)
        expect(made.stderr).toContain(`spec.scopes: Invalid value: ${scopes}: unsupported scope applied to resource`)
      } else expect((await kubectl.get('quota', args.name)).spec).toEqual(expectSpec?.hard === null ? {} : expectSpec)
    },
  )
})
