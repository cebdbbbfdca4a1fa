import { connect, type Socket } from 'node:net'
import { connect as secureConnect } from 'node:tls'
import { afterAll, describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { created } from '../operator/operator-account.ts'
import { forSuite, operatedServers } from '../operator/operated.ts'
import { quotasIn } from '../operator/pool-objects.ts'
import { makeOwner, type Owner } from './owners.ts'
import { type OpenStream, ViewerClient } from './viewer-client.ts'

const RBAC = '/apis/rbac.authorization.k8s.io/v1'
const LARGE = 'x'.repeat(250_000)

for (const { name, available, share } of operatedServers)
  describe.skipIf(!available)(`${name}: the dashboard, where a tenant takes all that it can get`, () => {
    const suite = forSuite(share)
    const client = new ViewerClient(() => suite.server.dashboardUrl)
    const owners: Owner[] = []
    afterAll(async () => {
      await client[Symbol.asyncDispose]()
      for (const { namespace } of owners) await suite.server.send('DELETE', `/api/v1/namespaces/${namespace}`)
    })
    const ownerOf = async (namespace: string): Promise<Owner> => {
      const owner = await makeOwner(suite.server, namespace)
      owners.push(owner)
      return owner
    }
    const quotasOf = ({ token, namespace }: Owner) =>
      client.ask({ path: `/api/v1/quotas?namespace=${namespace}`, token })

    test('keeps no watch beyond its right, however many streams it opens [security/dashboard]', async () => {
      const owner = await ownerOf('greedy-watch')
      const other = await ownerOf('greedy-watched')
      const bindings = `${RBAC}/namespaces/${other.namespace}/rolebindings`
      await created(suite.server, bindings, {
        metadata: { name: 'guest' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'owner' },
        subjects: [{ kind: 'ServiceAccount', namespace: owner.namespace, name: 'owner' }],
      })
      const stream = await client.open(owner.token, other.namespace)
      const stateOf = (): string | undefined =>
        (stream.events('watching').at(-1)?.kinds ?? []).find(
          (one: { readonly resource: string }) => one.resource === 'resourcequotas',
        )?.state
      await eventually(stateOf, (state) => state === 'watched', { what: 'the watch' })
      const codes = new Map<string, number>()
      for (let round = 0; round < 100; round++)
        await Promise.all(
          Array.from({ length: 6 }, async (_, at) => {
            const opened = await client.open(owner.token, `nowhere-${round}-${at}`).catch(String)
            const code = typeof opened === 'string' ? opened.replace(/^Error: (\d+) .*/s, '$1') : '200'
            codes.set(code, (codes.get(code) ?? 0) + 1)
            if (typeof opened !== 'string') opened.close()
          }),
        )
      expect(codes.get('429')).toBeGreaterThan(500)
      await suite.world.delete(`${bindings}/guest`)
      await eventually(stateOf, (state) => state === 'refused', { what: 'the end of the right to watch' })
      const told = stream.events('change').length
      await created(suite.server, quotasIn(other.namespace), {
        metadata: { name: 'later' },
        spec: { hard: { pods: '1' } },
      })
      const own = await client.open(other.token, other.namespace)
      await eventually(
        () => own.text(),
        (text) => text.includes('"resourcequotas"'),
        { what: 'that the owner is told' },
      )
      // How it stands with other kinds may be told later, and names all.
      expect(JSON.stringify(stream.events('change').slice(told))).not.toContain('resourcequotas')
      for (const one of [stream, own]) one.close()
    })

    test('holds nobody up with bodies that do not end, with however many tokens [security/dashboard]', async () => {
      const [greedy, victim] = [await ownerOf('greedy-bodies'), await ownerOf('greedy-bodies-victim')]
      expect((await quotasOf(victim)).code).toBe(200)
      const tokens = await greedy.mint(8)
      const { hostname, port, protocol, host } = new URL(suite.server.dashboardUrl)
      const answers: string[] = []
      const sockets = await Promise.all(
        tokens.flatMap((token) =>
          Array.from({ length: 8 }, async () => {
            const to = { host: hostname, port: Number(port), rejectUnauthorized: false }
            const socket: Socket = protocol === 'http:' ? connect(to) : secureConnect(to)
            socket.on('error', () => undefined)
            socket.on('data', (data) => void answers.push(data.toString('latin1')))
            socket.write(
              `POST /api/v1/claims HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n` +
                'content-type: application/json\r\ncontent-length: 9000\r\n\r\n{',
            )
            return socket
          }),
        ),
      )
      // Most are refused at once, and the others wait.
      await eventually(
        () => answers.length,
        (count) => count >= 60,
        { what: 'the refusals' },
      )
      expect((await quotasOf(victim)).code).toBe(200)
      const claim = {
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'Other',
        metadata: { namespace: victim.namespace },
      }
      const sent = await client.ask({ method: 'POST', path: '/api/v1/claims', token: victim.token, body: claim })
      expect(sent.code).toBe(400)
      // Those that wait do so for a moment only.
      await eventually(
        () => answers.filter((text) => text.startsWith('HTTP/1.1 408')).length,
        (late) => late > 0,
        { what: 'the end of the bodies' },
      )
      for (const socket of sockets) socket.destroy()
    })

    test('takes neither the streams nor the places of others with tokens that it mints [security/dashboard]', async () => {
      const [greedy, victim] = [await ownerOf('greedy-tokens'), await ownerOf('greedy-tokens-victim')]
      expect((await quotasOf(victim)).code).toBe(200)
      const tokens = await greedy.mint(20)
      const open: OpenStream[] = []
      const codes: number[] = []
      for (const token of tokens) {
        // An address may try ten unknown tokens a second.
        const asked = await eventually(
          () => client.ask({ path: '/nowhere', token }),
          ({ text }) => !text.includes('unknown tokens'),
          { what: 'that the token is tried' },
        )
        codes.push(asked.code)
        for (let at = 0; at < 3; at++) {
          const opened = await client.open(token, greedy.namespace).catch(String)
          if (typeof opened !== 'string') open.push(opened)
        }
      }
      expect(open.length).toBeLessThanOrEqual(12)
      expect(codes.filter((code) => code === 404)).toHaveLength(8)
      expect(codes.filter((code) => code === 429)).toHaveLength(12)
      expect((await quotasOf(victim)).code).toBe(200)
      const stream = await client.open(victim.token, victim.namespace)
      for (const one of [stream, ...open]) one.close()
    })

    test('makes the server hold no more than a bound, and keeps its own view [security/dashboard]', async () => {
      const [greedy, victim] = [await ownerOf('greedy-bytes'), await ownerOf('greedy-bytes-victim')]
      const deployments = `/apis/apps/v1/namespaces/${greedy.namespace}/deployments`
      const spec = {
        replicas: 0,
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      }
      for (let at = 0; at < 60; at++)
        await created(suite.server, deployments, { metadata: { name: `d${at}`, annotations: { LARGE } }, spec })
      const view = () => client.ask({ path: `/api/v1/namespaces/${greedy.namespace}`, token: greedy.token })
      expect((await view()).code).toBe(200)
      const all = Promise.all(Array.from({ length: 8 }, view))
      expect((await quotasOf(victim)).code).toBe(200)
      for (const { code } of await all) expect([200, 429, 503]).toContain(code)
      // Of what cannot be pruned the first ones are read.
      const [container] = spec.template.spec.containers
      const large = { ...spec.template, spec: { containers: [{ ...container, command: [LARGE] }] } }
      for (let at = 0; at < 60; at++)
        await created(suite.server, deployments, { metadata: { name: `e${at}` }, spec: { ...spec, template: large } })
      const partial = await view()
      const notSeen: readonly { readonly resource: string; readonly reason: string }[] = partial.json.notSeen
      expect([partial.code, notSeen.find(({ resource }) => resource === 'deployments.apps')?.reason]).toEqual([
        200,
        expect.stringMatching(/^they are too large to be read here: the first \d+ are shown, \d+ are left out$/),
      ])
      expect((await quotasOf(greedy)).code).toBe(200)
      expect((await quotasOf(victim)).code).toBe(200)
    })
  })
