import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { customVersion } from '../custom-version.ts'
import { eventually } from '../eventually.ts'
import { type Allot, type Answer, startAllot } from '../start-allot.ts'
import { findings, run, start } from './client-program.ts'
import { toolPath } from './tool.ts'

const program = toolPath('go') ?? ''

/** The promise that a check of `go/checks.go` proves. */
const CHECKS: readonly (readonly [string, string])[] = [
  ['writes and reads built-in kinds in protobuf', 'crud'],
  ['reads the same in protobuf and in JSON', 'json-fallback'],
  ['lists in pages and deletes a selection', 'pages'],
  ['watches in protobuf, and again from a version', 'watch'],
  ['misses nothing when its watches end and are resumed', 'retry-watch'],
  ['fills the cache of an informer and keeps it up', 'informer'],
  ['patches in every way', 'patches'],
  ['applies on the side of the server, with conflicts and what it can extract', 'apply'],
  ['defines a kind and uses it through the dynamic client', 'custom'],
  ['reads metadata alone', 'metadata'],
  ['tells errors apart by their reasons', 'errors'],
  ['writes status and scale, binds and evicts pods', 'subresources'],
  ['asks for tokens and reviews', 'accounts'],
  ['elects a leader over a lease, and the next when the first stops', 'election'],
]

describe.skipIf(program === '')('where Go is on the machine: client-go', () => {
  let found: ReadonlyMap<string, string>
  beforeAll(async () => {
    await using allot = await startAllot({ inMemory: true })
    found = findings(await run(program, ['check', 'go'], allot.kubeconfig))
  })

  test.each(CHECKS)('%s', (_sentence, check) => {
    expect(found.get(check)).toBe('')
  })
})

const TEAMS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'teams.witness.example.com' },
  spec: {
    group: 'witness.example.com',
    scope: 'Namespaced',
    names: { plural: 'teams', singular: 'team', kind: 'Team', listKind: 'TeamList' },
    versions: [customVersion('v1', { subresources: { status: {} } })],
  },
}

describe.skipIf(program === '')('where Go is on the machine: a controller of controller-runtime', () => {
  let allot: Allot
  beforeAll(async () => {
    allot = await startAllot()
    await post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', TEAMS)
  })
  afterAll(() => allot.stop())

  const post = async (path: string, body: object): Promise<void> => {
    const { status, text } = await allot.call(path, { method: 'POST', body })
    if (status !== 201) throw new Error(`${path}: ${status} ${text}`)
  }
  const inNewNamespace = async (name: string) => {
    await post('/api/v1/namespaces', { metadata: { name } })
    return clientOf(() => allot, name)
  }

  test('makes what a team owns, writes its status, and follows every change', async () => {
    const { team, changeTeam, get, call } = await inNewNamespace('follows')
    await using _controller = start(program, ['controller', 'follows'], allot.kubeconfig)
    await team('red', ['ann', 'bob'])
    const status = await get('teams/red', ({ status }) => status?.rosters?.length === 1)
    expect(status).toMatchObject({
      metadata: { finalizers: ['witness.example.com/farewell'] },
      status: {
        members: 2,
        rosters: ['roster-red'],
        conditions: [{ type: 'Ready', status: 'True', message: '2 members may have 3 pods' }],
      },
    })
    const owner = { kind: 'Team', name: 'red', uid: status.metadata.uid }
    expect(await get('configmaps/roster-red')).toMatchObject({
      data: { members: 'ann,bob' },
      metadata: { ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }] },
    })
    expect(await get('resourcequotas/team-red')).toMatchObject({
      spec: { hard: { pods: '3' } },
      metadata: {
        ownerReferences: [owner],
        managedFields: expect.arrayContaining([expect.objectContaining({ manager: 'witness', operation: 'Apply' })]),
      },
    })
    await changeTeam('red', { spec: { members: ['ann'] } })
    await get('configmaps/roster-red', ({ data }) => data.members === 'ann')
    await call('configmaps/roster-red', { method: 'DELETE' })
    await get('configmaps/roster-red')
    await get('events', ({ items }) =>
      items.some(({ message }: { readonly message: string }) => message === 'made the roster of 1 members'),
    )
  })

  test('is woken by what it watches beside, and says farewell with its finalizer', async () => {
    const { team, get, call } = await inNewNamespace('farewell')
    await using _controller = start(program, ['controller', 'farewell'], allot.kubeconfig)
    await team('red', ['ann'])
    await get('teams/red', ({ status }) => status?.rosters?.length === 1)
    await call('resourcequotas/team-red', { method: 'DELETE' })
    const labels = { 'witness.example.com/wakes': 'red' }
    await call('secrets', { method: 'POST', body: { metadata: { name: 'alarm', labels } } })
    await get('resourcequotas/team-red')
    await call('teams/red', { method: 'DELETE' })
    await get('configmaps/farewell-red')
    await get('configmaps', ({ items }) =>
      items.every(({ metadata }: { readonly metadata: { readonly name: string } }) => metadata.name !== 'roster-red'),
    )
    expect((await call('teams/red')).status).toBe(404)
  })

  test('is led by one process at a time: another takes over when the leader dies or stops', async () => {
    const { team, changeTeam, get } = await inNewNamespace('led')
    const candidate = () => start(program, ['controller', 'led', '3s'], allot.kubeconfig)
    await using first = candidate()
    await first.until(/leads/)
    await team('red', ['ann'])
    await get('teams/red', ({ status }) => status?.members === 1)
    await using second = candidate()
    await first.stop('SIGKILL')
    await second.until(/leads/)
    await changeTeam('red', { spec: { members: [] } })
    await get('teams/red', ({ status }) => status.members === 0)
    await using third = candidate()
    expect(await second.stop('SIGTERM')).toMatchObject({ code: 0 })
    await third.until(/leads/)
    expect(await get('leases/witness')).toMatchObject({ spec: { leaseTransitions: 2 } })
  })

  test('goes on where it was when the server was away', async () => {
    const { team, get } = await inNewNamespace('resumes')
    await using _controller = start(program, ['controller', 'resumes'], allot.kubeconfig)
    await team('red', ['ann'])
    await get('teams/red', ({ status }) => status?.members === 1)
    await allot.stop()
    allot = await startAllot({ dataDir: allot.dataDir, port: Number(new URL(allot.url).port) })
    await team('blue', ['bob'])
    const blue = await get('teams/blue', ({ status }) => status?.rosters?.length === 1)
    expect(blue.status.rosters).toEqual(['roster-blue'])
  })
})

/** Asks for objects of a namespace by `resource/name`. */
function clientOf(allot: () => Allot, namespace: string) {
  const groups: Readonly<Record<string, string>> = {
    teams: '/apis/witness.example.com/v1',
    leases: '/apis/coordination.k8s.io/v1',
  }
  const call = (path: string, options: Parameters<Allot['call']>[1] = {}) =>
    allot().call(`${groups[path.split('/')[0] ?? ''] ?? '/api/v1'}/namespaces/${namespace}/${path}`, options)
  return {
    call,
    team: (name: string, members: readonly string[]) =>
      call('teams', {
        method: 'POST',
        body: { apiVersion: 'witness.example.com/v1', kind: 'Team', metadata: { name }, spec: { members, pods: 3 } },
      }),
    changeTeam: (name: string, body: object) =>
      call(`teams/${name}`, { method: 'PATCH', body, headers: { 'content-type': 'application/merge-patch+json' } }),
    /** The object, as soon as it is there and is so. */
    // oxlint-disable-next-line typescript/no-explicit-any -- tests look into objects of any shape
    get: async (path: string, isSo: (object: any) => boolean = () => true): Promise<any> => {
      const isThere = ({ status, json }: Answer): boolean => status === 200 && isSo(json)
      return (await eventually(() => call(path), isThere, { patienceMs: 30_000, what: path })).json
    },
  }
}
