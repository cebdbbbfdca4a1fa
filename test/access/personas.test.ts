import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { KIND_ACCESS } from '../../src/install/rbac/kind-access.ts'
import { personaRoles, withheldRoles } from '../../src/install/rbac/persona-roles.ts'
import type { BareServer } from '../bare-server.ts'
import { eventually } from '../eventually.ts'
import { operatedServers, over } from '../operator/operated.ts'
import { startAllot } from '../start-allot.ts'

const ROOT = join(import.meta.dirname, '../..')
const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const GROUP = 'rbac.authorization.k8s.io'
const READ = ['get', 'list', 'watch']
const WRITE = ['create', 'update', 'patch', 'delete', 'deletecollection']
const VERBS = [...READ, ...WRITE]
/** Of tenants, by the ClusterRole that is bound to them in this namespace. */
const TENANTS = ['view', 'edit', 'admin']
const PLATFORM = ['allot-viewer', 'allot-platform-admin']
const OWN = 'personas-own'
const OTHER = 'personas-other'

const ALL = { claims: true, increases: true, customQuotas: true }
const DEFAULT = { claims: true, increases: false, customQuotas: false }
const CLAIMS = ['claims']
const EVERYTHING = ['claims', 'increases', 'custom-quotas']

interface Crd {
  readonly spec: {
    readonly group: string
    readonly scope: 'Namespaced' | 'Cluster'
    readonly names: { readonly kind: string; readonly plural: string }
    readonly versions: readonly { readonly subresources?: { readonly status?: object } }[]
  }
}

const CRDS = readdirSync(join(ROOT, 'config/crd')).map(
  (file) => parse(readFileSync(join(ROOT, 'config/crd', file), 'utf8')) as Crd,
)

/** The table of the page: what each role says of a kind. */
function documented(): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const [, section = ''] = readFileSync(join(ROOT, 'docs/reference/access.md'), 'utf8').split('## People and quotas\n')
  const [table = ''] = section.split('\n## ')
  const [head = [], , ...rows] = table
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
  return new Map(
    rows.map(([kind = '', ...cells]) => [
      kind,
      new Map(
        head
          .slice(1)
          .flatMap((cell, at) =>
            [...cell.matchAll(/`([^`]+)`/g)].map(([, role = '']) => [role, cells[at] ?? ''] as const),
          ),
      ),
    ]),
  )
}

/** The verbs that a cell of the table stands for, where tenants may write these kinds. */
function verbsIn(cell: string | undefined, allowed: readonly string[]): readonly string[] {
  const [, value] = /^write with `(.*)`$/.exec(cell ?? '') ?? []
  if (value !== undefined) return allowed.includes(value) ? VERBS : READ
  if (cell === 'write') return VERBS
  if (cell === 'read') return READ
  if (cell === 'nothing') return []
  throw new Error(`the page says nothing that this test understands: ${cell}`)
}

interface Question {
  readonly role: string
  readonly group: string
  readonly resource: string
  readonly subresource: string
  readonly verb: string
  readonly namespace: string
  /** As the page says it. */
  readonly isAllowed: boolean
}

/** Every verb on every kind for every persona, with the answer of the page. Elsewhere tenants may do nothing. */
function questions(allowed: readonly string[]): readonly Question[] {
  const table = documented()
  return CRDS.flatMap(({ spec: { group, scope, names, versions } }) =>
    [...TENANTS, ...PLATFORM].flatMap((role) => {
      const verbs = verbsIn(table.get(names.kind)?.get(role), allowed)
      const of = { role, group, resource: names.plural }
      const everywhere = PLATFORM.includes(role) && verbs.length > 0
      const own = scope === 'Cluster' ? '' : OWN
      const hasStatus = versions.some(({ subresources }) => subresources?.status !== undefined)
      return [
        ...VERBS.map((verb) => ({ ...of, verb, subresource: '', namespace: own, isAllowed: verbs.includes(verb) })),
        ...(hasStatus ? VERBS : []).map((verb) => {
          const isAllowed = READ.includes(verb) && verbs.includes(verb)
          return { ...of, verb, subresource: 'status', namespace: own, isAllowed }
        }),
        ...(scope === 'Cluster' ? [] : ['get', 'create']).map((verb) => {
          const isAllowed = everywhere && verbs.includes(verb)
          return { ...of, verb, subresource: '', namespace: OTHER, isAllowed }
        }),
      ]
    }),
  )
}

const asText = ({ role, verb, resource, subresource, namespace, isAllowed }: Question): string =>
  `${role} ${isAllowed ? 'may' : 'may not'} ${verb} ${resource}/${subresource} in ${namespace}`

/** The same with the answer of the server. */
const answered = (server: BareServer, asked: readonly Question[]): Promise<readonly string[]> =>
  Promise.all(
    asked.map(async (question) => {
      const { role, group, resource, subresource, verb, namespace } = question
      const { json } = await server.send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user: userOf(role), resourceAttributes: { group, resource, subresource, verb, namespace } },
      })
      return asText({ ...question, isAllowed: json.status.allowed })
    }),
  )

const userOf = (role: string): string => `personas:${role}`

async function bindPersonas(server: BareServer): Promise<void> {
  const create = async (path: string, body: object): Promise<void> => {
    const { status, text } = await server.send('POST', path, body)
    expect(status, text).toBe(201)
  }
  for (const name of [OWN, OTHER]) await create('/api/v1/namespaces', { metadata: { name } })
  const bindingOf = (role: string) => ({
    metadata: { name: `personas-${role}` },
    roleRef: { apiGroup: GROUP, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: GROUP, kind: 'User', name: userOf(role) }],
  })
  for (const role of TENANTS) await create(`${RBAC}/namespaces/${OWN}/rolebindings`, bindingOf(role))
  for (const role of PLATFORM) await create(`${RBAC}/clusterrolebindings`, bindingOf(role))
}

/** Compares every answer with the page. Control planes fill aggregated roles, and go by them, a moment later. */
async function expectPromised(
  server: BareServer,
  allowed: readonly string[],
  roles: readonly string[] = [...TENANTS, ...PLATFORM],
): Promise<void> {
  const asked = questions(allowed).filter(({ role }) => roles.includes(role))
  const wanted = asked.map(asText)
  for (const role of TENANTS) {
    const writes = Object.entries(WRITTEN).map(([value, plural]) => [
      plural,
      role !== 'view' && allowed.includes(value),
    ])
    await eventually(
      () => server.send('GET', `${RBAC}/clusterroles/${role}`),
      ({ json }) =>
        mayDo(json.rules, 'get', 'karmadaquotas') &&
        writes.every(([plural, isWritten]) => mayDo(json.rules, 'create', plural) === isWritten),
      { what: `the role ${role}` },
    )
  }
  let seen: readonly string[] = []
  await eventually(
    async () => (seen = await answered(server, asked)),
    (answers) => answers.every((answer, at) => answer === wanted[at]),
    { patienceMs: 10_000, everyMs: 500 },
  ).catch(() => undefined)
  expect(seen).toEqual(wanted)
}

interface Rule {
  readonly resources?: readonly string[]
  readonly verbs: readonly string[]
}

/** Rules that are not filled in yet are null. */
const mayDo = (rules: readonly Rule[] | null, verb: string, plural: string | boolean | undefined): boolean =>
  (rules ?? []).some(({ resources, verbs }) => resources?.includes(String(plural)) === true && verbs.includes(verb))

const WRITTEN: Readonly<Record<string, string>> = {
  claims: 'resourcepoolclaims',
  increases: 'quotaincreases',
  'custom-quotas': 'customquotas',
}

test('a kind needs a decision on who may read and write it, and the page tells it', () => {
  const names = CRDS.map(
    ({
      spec: {
        group,
        names: { plural },
      },
    }) => `${plural}.${group}`,
  )
  expect(Object.keys(KIND_ACCESS).toSorted()).toEqual(names.toSorted())
  expect([...documented().keys()].toSorted()).toEqual(CRDS.map(({ spec }) => spec.names.kind).toSorted())
})

describe('allot up', () => {
  test('lets personas do what the page says of them, as its flag allows, and takes away what it allows no more [security/personas]', async () => {
    const args = ['--tenants-may-create', EVERYTHING.join(',')]
    const first = await startAllot({ operator: true, args })
    {
      await using server = over({ ...first, [Symbol.asyncDispose]: async () => void (await first.stop()) })
      await bindPersonas(server)
      await expectPromised(server, EVERYTHING)
    }
    const { dataDir } = first
    const again = await startAllot({ operator: true, dataDir })
    await using server = over({ ...again, [Symbol.asyncDispose]: async () => void (await again.stop()) })
    await expectPromised(server, CLAIMS, TENANTS)
    expect(await asTenant(server)).toEqual([201, 403, 403])
  })
})

describe.skipIf(operatedServers[1]?.available !== true)('a real API server', () => {
  test('lets personas do what the page says of them, with the roles of an installation [security/personas]', async () => {
    await using server = await shareReal()
    const install = async (tenantsMayCreate: typeof ALL): Promise<void> => {
      for (const role of personaRoles(tenantsMayCreate)) {
        const path = `${RBAC}/clusterroles/${role.metadata.name}?fieldManager=installer&force=true`
        const { status, text } = await server.send('PATCH', path, role, APPLY)
        expect([200, 201], text).toContain(status)
      }
      for (const name of withheldRoles(tenantsMayCreate)) await server.send('DELETE', `${RBAC}/clusterroles/${name}`)
    }
    await install(ALL)
    await bindPersonas(server)
    await expectPromised(server, EVERYTHING)
    await install(DEFAULT)
    await expectPromised(server, CLAIMS, TENANTS)
    expect(await asTenant(server)).toEqual([201, 403, 403])
  })
})

const APPLY = { 'content-type': 'application/apply-patch+yaml' }

const shareReal = async () => {
  const real = operatedServers[1]
  if (real === undefined) throw new Error('there is no real server')
  return await real.share()
}

/** The codes for a tenant with the role `edit` who asks for room, makes a quota and looks into another namespace. */
async function asTenant(server: BareServer): Promise<readonly number[]> {
  const as = { 'impersonate-user': userOf('edit') }
  const capsule = '/apis/capsule.clastix.io/v1beta2/namespaces'
  const claim = {
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'ResourcePoolClaim',
    metadata: { name: 'of-tenant' },
    spec: { claim: { pods: '1' } },
  }
  const quota = {
    apiVersion: 'capsule.clastix.io/v1beta2',
    kind: 'CustomQuota',
    metadata: { name: 'of-tenant' },
    spec: { limit: '1', sources: [{ group: '', version: 'v1', kind: 'ConfigMap', op: 'count' }] },
  }
  const answers = [
    await server.send('POST', `${capsule}/${OWN}/resourcepoolclaims?dryRun=All`, claim, as),
    await server.send('POST', `${capsule}/${OWN}/customquotas?dryRun=All`, quota, as),
    await server.send('GET', `${capsule}/${OTHER}/resourcepoolclaims`, undefined, as),
  ]
  return answers.map(({ status }) => status)
}
