import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Explanation } from '../../src/insight/explain/explanation.ts'
import { eventually } from '../eventually.ts'
import { kubeconfigOf } from '../install/pod-process.ts'
import { forBrowser, hasChromium, signIn } from '../page/browser.ts'
import { runInProcess } from '../migrate/run-in-process.ts'
import { forSuite, operatedServers } from '../operator/operated.ts'
import { claimsIn, GROUP, POOLS, quotasIn } from '../operator/pool-objects.ts'
import { increasesIn } from '../operator/quota-increase/increase-world.ts'
import { claimOf, makeTenants, refuse, type Tenant, type Tenants } from './tenants.ts'
import { ViewerClient } from './viewer-client.ts'

/** All that a viewer may ask about a namespace. */
const askedAbout = (namespace: string, mark: string): readonly string[] => [
  `/api/v1/quotas?namespace=${namespace}`,
  `/api/v1/history?namespace=${namespace}`,
  `/api/v1/namespaces/${namespace}`,
  `/api/v1/refusals?namespace=${namespace}`,
  `/api/v1/explain?namespace=${namespace}&kind=deployment&name=work-${mark}`,
  `/api/v1/explain?namespace=${namespace}&kind=resourcepoolclaim&name=waiting-${mark}`,
]
const ASKED_OF_ALL = ['/api/v1/quotas', '/api/v1/history', '/api/v1/pools', '/api/v1/refusals']

for (const { name, available, share } of operatedServers)
  describe.skipIf(!available)(`${name}: the dashboard`, () => {
    const suite = forSuite(share)
    const client = new ViewerClient(() => suite.server.dashboardUrl)
    let tenants: Tenants
    beforeAll(async () => {
      tenants = await makeTenants(suite.server, suite.world)
    })
    afterAll(async () => {
      await client[Symbol.asyncDispose]()
      await suite.world.delete(`${POOLS}/${tenants.pool}`)
      for (const { namespace } of [tenants.alpha, tenants.bravo])
        await suite.server.send('DELETE', `/api/v1/namespaces/${namespace}`)
    })
    const get = (token: string, path: string) => client.ask({ path, token })

    test('shows an owner what it has, what waits and why something was refused [33/viewers]', async () => {
      for (const { namespace, mark, amount, token } of [tenants.alpha, tenants.bravo]) {
        const view = await eventually(
          () => get(token, `/api/v1/namespaces/${namespace}`),
          ({ code, json }) => code === 200 && json.blocked.length > 0,
          { what: 'the view of the namespace' },
        )
        const { quotas, claims, blocked, refusals, notSeen } = view.json
        expect(quotas).toContainEqual(
          expect.objectContaining({ name: `quota-${mark}`, resource: 'limits.memory', hard: amount }),
        )
        expect(quotas).toContainEqual(
          expect.objectContaining({ name: `quota-${mark}`, resource: 'pods', fill: 'full' }),
        )
        expect(claims).toContainEqual(expect.objectContaining({ name: `waiting-${mark}`, state: 'waiting' }))
        expect(claims).toContainEqual(expect.objectContaining({ name: `granted-${mark}`, state: 'granted' }))
        expect(blocked[0].object).toMatchObject({ kind: 'Deployment', name: `work-${mark}` })
        expect(blocked[0].causes[0].by).toEqual({ kind: 'ResourceQuota', name: `quota-${mark}` })
        expect(refusals).toContainEqual(
          expect.objectContaining({ kind: 'Deployment', name: `work-${mark}`, message: expect.stringContaining(mark) }),
        )
        expect(notSeen.map(({ resource }: { readonly resource: string }) => resource)).toEqual([
          'globalcustomquotas.capsule.clastix.io',
        ])
      }
    })

    if (name !== 'allot up')
      describe.skipIf(!hasChromium)('in a browser', () => {
        const browser = forBrowser()

        test('shows an owner the own namespace, live, with its explanation, and creates a claim [33/page]', async () => {
          const { alpha, bravo } = tenants
          const { page, context, wrong } = await browser.open()
          await signIn(page, suite.server.dashboardUrl, alpha.token)
          await page.getByText('Live', { exact: true }).waitFor()
          await page
            .getByRole('link', { name: `Deployment work-${alpha.mark}`, exact: true })
            .first()
            .click()
          const query = `namespace=${alpha.namespace}&kind=Deployment&name=work-${alpha.mark}`
          const { json } = await get(alpha.token, `/api/v1/explain?${query}`)
          await page.getByText(json.summary, { exact: true }).waitFor()
          expect(await page.locator('.causes li').allTextContents()).toEqual(
            json.causes.map(({ text }: { readonly text: string }) => text),
          )
          await page.getByRole('link', { name: alpha.namespace, exact: true }).click()
          await page.getByLabel('Name', { exact: true }).fill('from-the-page')
          await page.getByLabel('Resource', { exact: true }).fill('requests.memory')
          await page.getByLabel('Amount').fill('1Mi')
          await page.keyboard.press('Enter')
          await page.getByText('The API server would accept it.').waitFor()
          await page.getByRole('button', { name: 'Create', exact: true }).click()
          await page.getByRole('link', { name: 'ResourcePoolClaim from-the-page' }).waitFor()
          await suite.server.send('DELETE', `${claimsIn(alpha.namespace)}/from-the-page`)
          expect(await page.locator('body').innerText()).not.toContain(bravo.mark)
          expect(wrong).toEqual([])
          await context.close()
        })
      })

    test('shows of the quotas of many namespaces those that count in the namespace [33/viewers]', async () => {
      const { alpha } = tenants
      const globals = `${GROUP}/globalcustomquotas`
      const quota = (name: string, label: string): object => ({
        apiVersion: 'capsule.clastix.io/v1beta2',
        kind: 'GlobalCustomQuota',
        metadata: { name },
        spec: {
          limit: '9',
          sources: [{ apiVersion: 'v1', kind: 'Secret', op: 'count' }],
          namespaceSelectors: [{ matchLabels: { pool: label } }],
        },
      })
      const [here, elsewhere] = ['dash-counts-here', 'dash-counts-elsewhere']
      await suite.world.create(globals, quota(here, tenants.pool))
      await suite.world.create(globals, quota(elsewhere, 'nowhere'))
      for (const name of [here, elsewhere])
        await suite.world.until(`${globals}/${name}`, ({ status }) => status?.usage?.used !== undefined)
      const { json } = await get(suite.server.token, `/api/v1/namespaces/${alpha.namespace}`)
      const names = json.quotas.map((row: { readonly name: string }) => row.name)
      expect(names).toContain(here)
      expect(names).not.toContain(elsewhere)
      for (const name of [here, elsewhere]) await suite.world.delete(`${globals}/${name}`)
    })

    test('shows each viewer what was used of the quotas that it may read, and of no other [33/viewers] [33/history]', async () => {
      const { alpha, bravo, pool } = tenants
      const namesFor = async (token: string, query: string): Promise<readonly string[]> => {
        const { code, json } = await get(token, `/api/v1/history${query}`)
        expect(code).toBe(200)
        return json.rows.map((row: { readonly name: string }) => row.name)
      }
      const own = ({ mark }: Tenant): readonly string[] => [`quota-${mark}`, `custom-${mark}`]
      for (const one of [alpha, bravo]) {
        await eventually(
          () => namesFor(one.token, `?namespace=${one.namespace}`),
          (names) => own(one).every((name) => names.includes(name)),
          { what: 'the first look at the quotas of the tenant', patienceMs: 60_000 },
        )
        const { json } = await get(one.token, `/api/v1/history?namespace=${one.namespace}`)
        const row = json.rows.find((some: { readonly resource: string }) => some.resource === 'limits.memory')
        expect(row.samples.at(-1)).toEqual({ at: expect.stringMatching(/Z$/), used: '0', hard: one.amount })
        expect(await namesFor(one.token, '')).not.toContain(own(one)[0])
      }
      const all = await namesFor(suite.server.token, '')
      expect(all).toEqual(expect.arrayContaining([...own(alpha), ...own(bravo), pool]))
      expect(await namesFor(alpha.token, '')).toContain(pool)
      expect(await namesFor(bravo.token, '')).toEqual([])
    })

    test('explains an object in the words of allot explain [33/viewers]', async () => {
      const { namespace, mark, token } = tenants.alpha
      const kubeconfig = await kubeconfigOf(suite.server, namespace, 'owner')
      const asked = ['explain', 'deployment', `work-${mark}`, '-n', namespace, '-o', 'json']
      const { stdout } = await runInProcess(kubeconfig, ...asked)
      const printed = JSON.parse(stdout) as Explanation
      const path = `/api/v1/explain?kind=deployment&name=work-${mark}&namespace=${namespace}`
      const { code, json } = await get(token, path)
      expect([code, json]).toEqual([200, printed])
    })

    test('shows an administrator all of it [33/viewers]', async () => {
      const { token } = suite.server
      const texts = await Promise.all(ASKED_OF_ALL.map(async (path) => (await get(token, path)).text))
      for (const text of texts)
        for (const { namespace, mark } of [tenants.alpha, tenants.bravo]) {
          expect(text).toContain(namespace)
          expect(text).toContain(mark)
        }
      const { rows } = (await get(token, '/api/v1/pools')).json
      const row = rows.find(({ pool }: { readonly pool: string }) => pool === tenants.pool)
      expect(row).toMatchObject({ claims: 2, waiting: 2, isWhole: true })
      expect(row.namespaces.map((one: { readonly namespace: string }) => one.namespace)).toEqual([
        'dash-alpha',
        'dash-bravo',
      ])
    })

    test('shows a reader of pools the own part of them, and others no pool [33/viewers]', async () => {
      const { alpha, bravo, pool } = tenants
      const ofAlpha = (await get(alpha.token, '/api/v1/pools')).json
      const row = ofAlpha.rows.find((one: { readonly pool: string }) => one.pool === pool)
      expect(row).toMatchObject({ claims: 1, waiting: 1, isWhole: false })
      expect(row.namespaces).toEqual([
        {
          namespace: alpha.namespace,
          claims: [{ name: `granted-${alpha.mark}`, amounts: { 'requests.memory': alpha.amount } }],
        },
      ])
      expect(row.queue).toEqual([expect.objectContaining({ name: `waiting-${alpha.mark}` })])
      const ofBravo = (await get(bravo.token, '/api/v1/pools')).json
      expect(ofBravo.rows).toEqual([])
      expect(ofBravo.notSeen).toEqual([
        { resource: 'resourcepools.capsule.clastix.io', reason: 'you may not list them' },
      ])
    })

    test('tells no tenant of another: no name, number or event, in answers or errors [33/viewers]', async () => {
      for (const [viewer, other] of pairsOf(tenants)) {
        for (const path of ASKED_OF_ALL) {
          const { text } = await get(viewer.token, path)
          for (const secret of [other.namespace, other.mark, other.amount]) expect(text, path).not.toContain(secret)
        }
        // Of what there is not it says the same.
        const there = askedAbout(other.namespace, other.mark)
        const nowhere = askedAbout('dash-nowhere', 'nothing')
        for (const [at, path] of there.entries()) {
          const [real, imagined] = [await get(viewer.token, path), await get(viewer.token, nowhere[at] ?? '')]
          const words = (text: string): string =>
            text.replaceAll(other.namespace, 'dash-nowhere').replaceAll(other.mark, 'nothing')
          expect([real.code, words(real.text)], path).toEqual([imagined.code, imagined.text])
        }
      }
    })

    test('creates a claim as far as the token may [33/viewers]', async () => {
      const { alpha, bravo } = tenants
      const body = claimOf(alpha.namespace, 'from-the-page')
      const ask = (token: string, path: string, object: object) =>
        client.ask({ method: 'POST', path, token, body: object })
      const refused = await ask(bravo.token, '/api/v1/claims', body)
      expect([refused.code, refused.json.reason]).toEqual([403, 'Forbidden'])
      const same = await suite.server.send('POST', claimsIn(alpha.namespace), body, {
        authorization: `Bearer ${bravo.token}`,
      })
      expect(refused.json).toEqual(same.json)
      const tried = await ask(alpha.token, '/api/v1/claims?dryRun=All', body)
      expect(tried.code).toBe(201)
      expect((await suite.server.send('GET', `${claimsIn(alpha.namespace)}/from-the-page`)).status).toBe(404)
      const made = await ask(alpha.token, '/api/v1/claims', body)
      expect([made.code, made.json.metadata.name]).toEqual([201, 'from-the-page'])
      // Nothing but claims comes through, whatever the token may.
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: alpha.namespace } }
      for (const path of ['/api/v1/claims', '/api/v1/increases'])
        expect((await ask(alpha.token, path, secret)).code).toBe(400)
      const increase = {
        apiVersion: 'openmcp.cloud/v1alpha1',
        kind: 'QuotaIncrease',
        metadata: { name: 'from-the-page', namespace: alpha.namespace },
        spec: { hard: { pods: '1' } },
      }
      const raised = await ask(alpha.token, '/api/v1/increases', increase)
      expect([raised.code, raised.json.kind, raised.json.metadata?.name]).toEqual([201, increase.kind, 'from-the-page'])
      expect((await ask(bravo.token, '/api/v1/increases', increase)).code).toBe(403)
      // What the API server warns of goes on as it is.
      const more = { ...increase, metadata: { ...increase.metadata, name: 'more' } }
      const direct = await suite.server.send('POST', `${increasesIn(alpha.namespace)}?dryRun=All`, more)
      const warned = await ask(alpha.token, '/api/v1/increases?dryRun=All', more)
      const warnings = [warned, direct].map(({ headers }) => [headers['warning'] ?? []].flat().join(', '))
      expect([warned.code, ...warnings]).toEqual([
        201,
        warnings[1],
        expect.stringContaining('the increase raises nothing'),
      ])
      const view = await get(alpha.token, `/api/v1/namespaces/${alpha.namespace}`)
      expect(view.json.increases).toContainEqual(expect.objectContaining({ name: 'from-the-page' }))
      const invalid = await ask(alpha.token, '/api/v1/claims', {
        ...body,
        metadata: { namespace: '../bravo', name: 'x' },
      })
      expect(invalid.code).toBe(400)
    })

    test('tells pages what has changed where their viewers may watch, and nothing else [33/stream]', async () => {
      const { alpha, bravo } = tenants
      const [admin, ofAlpha, ofBravo, strange] = await Promise.all([
        client.open(suite.server.token),
        client.open(alpha.token, alpha.namespace),
        client.open(bravo.token, bravo.namespace),
        client.open(alpha.token, bravo.namespace),
      ])
      const all = [admin, ofAlpha, ofBravo, strange]
      const statesOf = (stream: (typeof all)[number]): ReadonlyMap<string, string> =>
        new Map(
          (stream.events('watching').at(-1)?.kinds ?? []).map(
            (one: { readonly resource: string; readonly state: string }) => [one.resource, one.state],
          ),
        )
      const isSettled = (stream: (typeof all)[number]): boolean => statesOf(stream).size >= 7
      await eventually(
        () => all.map(isSettled),
        (settled) => settled.every(Boolean),
        { what: 'all watches' },
      )
      expect(statesOf(ofAlpha).get('resourcequotas')).toBe('watched')
      expect(statesOf(ofAlpha).get('resourcepools.capsule.clastix.io')).toBe('watched')
      expect(statesOf(ofBravo).get('resourcepools.capsule.clastix.io')).toBe('refused')
      expect(statesOf(strange).get('resourcequotas')).toBe('refused')
      expect(statesOf(strange).get('events')).toBe('refused')
      const touched = (stream: (typeof all)[number], resource: string): readonly string[] =>
        stream
          .events('change')
          .flatMap(({ changes }) => changes)
          .filter((one: { readonly resource: string }) => one.resource === resource)
          .flatMap(({ namespaces = [] }) => namespaces)
      for (const { namespace, mark } of [bravo, alpha]) {
        await suite.world.patch(`${quotasIn(namespace)}/quota-${mark}`, { metadata: { labels: { seen: 'now' } } })
        await refuse(suite.server, namespace, mark)
      }
      await eventually(
        () => [
          touched(ofBravo, 'resourcequotas').includes(bravo.namespace),
          touched(ofBravo, 'events').includes(bravo.namespace),
          // It was changed last: what it is told of the other would have come before.
          touched(ofAlpha, 'events').includes(alpha.namespace),
          touched(admin, 'events').includes(alpha.namespace),
          touched(admin, 'events').includes(bravo.namespace),
        ],
        (told) => told.every(Boolean),
        { what: 'the changes' },
      )
      expect(ofAlpha.text()).not.toContain(bravo.namespace)
      expect(strange.text()).not.toContain(bravo.namespace)
      expect(ofBravo.text()).not.toContain(alpha.namespace)

      // What a viewer loses is lost to the open stream as well.
      await suite.world.delete(alpha.binding)
      await suite.world.delete(bravo.account)
      await ofBravo.ended
      expect(ofBravo.events('end')).toEqual([{ reason: 'unauthenticated' }])
      expect((await get(bravo.token, '/api/v1/quotas')).code).toBe(401)
      await eventually(
        () => statesOf(ofAlpha).get('resourcequotas'),
        (state) => state === 'refused',
        { what: 'the end of the right to watch' },
      )
      const before = ofAlpha.text()
      for (const round of ['one', 'two']) {
        const told = admin.text().length
        await suite.world.patch(`${quotasIn(alpha.namespace)}/quota-${alpha.mark}`, {
          metadata: { labels: { seen: round } },
        })
        await eventually(
          () => admin.text().slice(told),
          (text) => text.includes(`"${alpha.namespace}"`),
          { what: 'a change that only an administrator is told of' },
        )
      }
      const since = ofAlpha.text().slice(before.length)
      expect(since).not.toContain('resourcequotas","namespaces"')
      for (const stream of all) stream.close()
      await Promise.all(all.map(({ ended }) => ended))
    })
  })

const pairsOf = ({ alpha, bravo }: Tenants): readonly (readonly [viewer: Tenant, other: Tenant])[] => [
  [alpha, bravo],
  [bravo, alpha],
]
