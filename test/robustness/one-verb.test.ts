import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type InProcess, startInProcess } from '../in-process.ts'
import { customVersion } from '../custom-version.ts'
import { CUSTOM_GROUP, type Fixture, fixtures } from './one-verb-fixtures.ts'
import { type Attempt, attempts, type Effect, excess, METHOD_OF, type Person, Prober, VERBS } from './one-verb.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
/** One in so many attempts is made in the short form, whatever it is. */
const SHARE = 17
const soak = process.env['ALLOT_SOAK'] !== undefined

const people: readonly Person[] = VERBS.flatMap((verb) =>
  [false, true].map((onlyNamed) => ({ user: `${onlyNamed ? 'named' : 'only'}-${verb}`, verb, onlyNamed })),
)

let server: InProcess
beforeAll(async () => {
  server = await startInProcess()
  for (const { user, verb, onlyNamed } of people) {
    const rule = { verbs: [verb], apiGroups: ['*'], resources: ['*'], ...(onlyNamed ? { resourceNames: ['a'] } : {}) }
    await make(`${RBAC}/clusterroles`, { metadata: { name: user }, rules: [rule] })
    await make(`${RBAC}/clusterrolebindings`, {
      metadata: { name: user },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: user }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: user },
    })
  }
  await make('/api/v1/namespaces', { metadata: { name: 'one-verb' } })
  for (const { plural, namespaced, root } of fixtures().filter(({ root: at }) => at.includes(CUSTOM_GROUP))) {
    const kind = plural === 'widgets' ? 'Widget' : 'Stone'
    await make('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: `${plural}.${CUSTOM_GROUP}` },
      spec: {
        group: CUSTOM_GROUP,
        scope: namespaced ? 'Namespaced' : 'Cluster',
        names: { plural, kind },
        versions: [
          customVersion('v1', {
            subresources: {
              status: {},
              scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
            },
          }),
        ],
      },
    })
    await server.until(`${root}/${plural}`, ({ kind: answered }) => answered === `${kind}List`)
  }
})
afterAll(() => server.stop())

async function make(path: string, body: object): Promise<void> {
  const answer = await server.send('POST', path, body)
  if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
}

const homeOf = ({ root, namespaced, namespace, plural }: Fixture): string =>
  namespaced ? `${root}/namespaces/${namespace}/${plural}` : `${root}/${plural}`

/** Makes both objects anew, and removes what attempts created. */
async function restore(fixture: Fixture): Promise<void> {
  const home = homeOf(fixture)
  for (const { metadata } of (await server.send('GET', home)).body.items) {
    const { name } = metadata
    if (name !== 'a' && name !== 'b' && !name.startsWith('new-') && name !== 'missing') continue
    await server.send('DELETE', `${home}/${name}?gracePeriodSeconds=0`)
    if (fixture.plural !== 'namespaces') continue
    await server.send('PUT', `${home}/${name}/finalize`, { metadata: { name }, spec: {} })
    await server.until(`${home}/${name}`, ({ code }) => code === 404)
  }
  for (const name of ['a', 'b']) await make(home, fixture.object(name))
}

/** In the short form each person tries what its verb is good for, and a share of the rest; `watch` tries all old watch paths. */
function tries({ verb, onlyNamed }: Person, { method, path, subresource }: Attempt, turn: number): boolean {
  if (soak || turn % SHARE === 0) return true
  const old = path.includes('watch/')
  return !onlyNamed && (old ? verb === 'watch' : METHOD_OF[verb] === method && (subresource !== '' || turn % 3 === 0))
}

describe.each(fixtures().map((fixture) => [fixture.bucket, fixture] as const))(
  'a user with one verb on %s',
  (_, fixture) => {
    test('has only the effect of that verb, by whatever route and method [security/one-verb]', async () => {
      await restore(fixture)
      await using prober = new Prober(server, fixture)
      const able = new Set<string>()
      const excesses: string[] = []
      const all = attempts(fixture)
      for (const [person, someone] of people.entries())
        for (const [index, attempt] of all.entries()) {
          if (!tries(someone, attempt, index + person)) continue
          const effect = await prober.attempt(attempt, someone.user)
          const wrong = excess(someone, attempt, effect)
          if (wrong !== undefined)
            excesses.push(`${someone.user}: ${attempt.method} ${attempt.path} ${wrong}: ${JSON.stringify(effect)}`)
          if (hasEffect(effect)) able.add(`${someone.verb} ${attempt.subresource}`.trim())
          if (effect.created.length + effect.deleted.length > 0 || attempt.subresource === 'binding') {
            if (effect.code < 300) await restore(fixture)
          }
        }
      expect(excesses).toEqual([])
      // Each verb is good for something, so that the test cannot pass by refusing everything.
      expect([...able]).toEqual(expect.arrayContaining([...fixture.able]))
    })
  },
)

const hasEffect = ({ created, changed, deleted, read, token }: Effect): boolean =>
  created.length + changed.length + deleted.length > 0 || read !== '' || token
