import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { kubeconfigOf } from '../install/pod-process.ts'
import { accountWith, created } from '../operator/operator-account.ts'
import { forWorld } from '../operator/operated.ts'
import { claimsIn } from '../operator/pool-objects.ts'
import { explained } from '../cli/explain/asked-explanation.ts'
import { ARGS } from '../cli/explain/tenant-waits.ts'
import { ViewerClient } from '../dashboard/viewer-client.ts'
import { forBrowser, hasChromium, signIn } from './browser.ts'
import { fillHarbour, tokenOf, type WaitingTenant } from './harbour.ts'
import { startPageServer } from './page-server.ts'
import { recordPast } from './recorded-past.ts'

const THEMES = ['light', 'dark'] as const
const WIDTHS = [1280, 400] as const
const HEIGHT = 900
const PAST_MS = 20 * 60_000
/** Where screenshots go; none are taken without it. */
const SCREENSHOTS = process.env['ALLOT_SCREENSHOTS']
/** The first view and what is loaded with it, as it is sent. */
const MOST_BYTES = 30_000

/** The views, each with what is there once it has its answer. */
const VIEWS: readonly (readonly [name: string, hash: string, ready: string])[] = [
  ['overview', '#/', '#refusals ~ .cards a'],
  ['quotas', '#/quotas', '.rows li .use'],
  ['pools', '#/pools', '.pool .use'],
  ['namespaces', '#/namespaces', '.rows li .use'],
  ['namespace', '#/namespaces/harbour-0', '#why ~ .cards a'],
  ['explanation', '#/explain/harbour-0/Deployment/ferry', '.causes li'],
  ['history', '#/history/harbour-store', '.chart canvas'],
]

describe.skipIf(!hasChromium)('the page', () => {
  const suite = forWorld(() => startPageServer({ workloads: true, args: ARGS }), fillHarbour)
  beforeAll(() => (SCREENSHOTS === undefined ? undefined : recordPast(suite.server, 'harbour-store')), PAST_MS)
  const browser = forBrowser()
  const tenantOf = (index: number): WaitingTenant => {
    const tenant = suite.world[index]
    if (tenant === undefined) throw new Error('there is no such tenant')
    return tenant
  }
  const goTo = (page: Page, hash: string) => page.goto(`${suite.server.dashboardUrl}/${hash}`)

  test.each(THEMES)('has no barrier that axe finds, on any view in the %s theme [33/axe]', async (theme) => {
    const { page, context, wrong } = await browser.open({ theme })
    await page.goto(suite.server.dashboardUrl)
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    expect(await barriers(page), 'sign-in').toEqual([])
    await shoot(page, 'sign-in', theme)
    await signIn(page, suite.server.dashboardUrl, suite.server.token)
    for (const [name, hash, ready] of VIEWS) {
      await goTo(page, hash)
      await page.locator(ready).first().waitFor()
      await page.waitForFunction(() => !document.body.innerText.includes('Loading'))
      await page.getByText('Live', { exact: true }).waitFor()
      expect(await barriers(page), name).toEqual([])
      await shoot(page, name, theme)
      await page.setViewportSize({ width: WIDTHS[1], height: HEIGHT })
      expect(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(WIDTHS[1])
      await page.setViewportSize({ width: WIDTHS[0], height: HEIGHT })
    }
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const before = await paper()
    await page.getByLabel('Theme').selectOption(theme === 'light' ? 'Dark' : 'Light')
    await expect.poll(paper).not.toBe(before)
    expect(wrong).toEqual([])
    await context.close()
  })

  test('leads tenants from the start page to the words of allot explain, by mouse and by keyboard [33/page]', async () => {
    const { page, context, wrong } = await browser.open()
    for (const { namespace, token, asked, cause, title } of suite.world) {
      const kubeconfig = await kubeconfigOf(suite.server, namespace, 'default')
      const { said } = await eventually(
        () => explained(kubeconfig, ...asked),
        (one) => cause.test(one.said?.causes[0]?.text ?? ''),
        { what: `the cause of ${title}` },
      )
      if (said === undefined) throw new Error('nothing was explained')
      const { kind, name } = said.object
      const texts = {
        summary: said.summary,
        causes: said.causes.map(({ text }) => text),
        remedies: said.remedies.map(({ text }) => text),
        warnings: said.warnings.map(({ text }) => text),
      }
      const link = page.getByRole('link', { name: `${kind} ${name}`, exact: true }).first()
      await signIn(page, suite.server.dashboardUrl, token)
      await link.click()
      expect(await shownExplanation(page), title).toEqual(texts)
      await goTo(page, '#/')
      await link.waitFor()
      await tabTo(page, `#/explain/${namespace}/${kind}/${name}`)
      await page.keyboard.press('Enter')
      expect(await shownExplanation(page), title).toEqual(texts)
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    }
    expect(wrong).toEqual([])
    await context.close()
  })

  test('leads an administrator there in two clicks [33/page]', async () => {
    const { page, context, wrong } = await browser.open()
    await signIn(page, suite.server.dashboardUrl, suite.server.token)
    const refusals = page.getByRole('region', { name: 'Recent refusals' }).getByRole('listitem')
    await refusals.first().waitFor()
    for (const refusal of await refusals.all())
      expect(await refusal.getByRole('link').first().getAttribute('href')).toMatch(/^#\/explain\//)
    await page.getByRole('link', { name: 'harbour-1', exact: true }).first().click()
    await page.getByRole('link', { name: 'Deployment ferry' }).first().click()
    const { causes } = await shownExplanation(page)
    expect(causes[0]).toMatch(tenantOf(1).cause)
    expect(wrong).toEqual([])
    await context.close()
  })

  test('shows each viewer the own namespaces only, in the page and in all that it is answered [33/page-viewers]', async () => {
    const [one, other] = [tenantOf(1), tenantOf(3)]
    const poor = await accountWith(suite.server, [])
    for (const [token, hidden] of [
      [one.token, ['harbour-3', 'strict']],
      [other.token, ['harbour-1', 'crew']],
      [poor.token, ['harbour-1', 'harbour-3', 'crew', 'strict']],
    ] as const) {
      const { page, context } = await browser.open()
      const heard: Promise<string>[] = []
      page.on('response', (answer) => {
        if (!answer.url().endsWith('/events') && !answer.url().includes('/events?'))
          heard.push(answer.text().catch(() => ''))
      })
      await signIn(page, suite.server.dashboardUrl, token)
      for (const hash of ['#/', '#/quotas', '#/pools', '#/namespaces', '#/history']) {
        await goTo(page, hash)
        await page.locator('main .quiet, main .use, main .problem').first().waitFor()
        await page.waitForFunction(() => !document.body.innerText.includes('Loading'))
        const text = await page.locator('body').innerText()
        for (const name of hidden) expect(text, hash).not.toContain(name)
      }
      for (const text of await Promise.all(heard)) for (const name of hidden) expect(text).not.toContain(name)
      await context.close()
    }
  })

  test('asks for more as its viewer, and creates only what the API server would accept [33/page-room]', async () => {
    const { namespace, token } = tenantOf(0)
    const { page, context, wrong } = await browser.open()
    await signIn(page, suite.server.dashboardUrl, token)
    await goTo(page, `#/namespaces/${namespace}`)
    const create = page.getByRole('button', { name: 'Create', exact: true })
    await page.getByLabel('Name', { exact: true }).fill('one')
    await page.getByLabel('Resource', { exact: true }).fill('pods')
    await page.getByLabel('Amount').fill('1')
    await page.getByLabel('Pool (optional)').fill(namespace)
    await page.keyboard.press('Enter')
    await page.getByText(/"one" already exists/).waitFor()
    expect(await create.getAttribute('aria-disabled')).toBe('true')
    await page.getByLabel('Increase of the quota').check()
    await page.getByRole('button', { name: 'Try it (dry run)' }).click()
    const said = page.getByRole('status').filter({ hasText: 'The API server would accept it.' })
    await said.getByText(/^Warning: the increase raises nothing: /).waitFor()
    await page.getByLabel('Claim of a pool').check()
    await page.getByLabel('Name', { exact: true }).fill('more-room')
    await page.getByRole('button', { name: 'Try it (dry run)' }).click()
    await page.getByText('The API server would accept it.').waitFor()
    const path = `${claimsIn(namespace)}/more-room`
    expect((await suite.server.send('GET', path)).status).toBe(404)
    await create.click()
    await page.getByText('It was created.').waitFor()
    expect((await suite.server.send('GET', path)).json.spec).toMatchObject({ pool: namespace, claim: { pods: '1' } })
    // The view is told of it, and shows it without being loaded again.
    await page.getByRole('link', { name: 'ResourcePoolClaim more-room' }).first().waitFor()
    await page.getByRole('link', { name: 'See what becomes of it' }).click()
    await page.getByRole('heading', { name: 'ResourcePoolClaim more-room', level: 1 }).waitFor()
    await page.locator('.explanation .summary').waitFor()
    expect(wrong).toEqual([])
    await context.close()
  })

  test('sets the words of tenants as text, and follows changes until the token is gone [33/page-live]', async () => {
    const { namespace } = tenantOf(2)
    const token = await tokenOf(suite.server, namespace)
    const { page, context, wrong } = await browser.open()
    await signIn(page, suite.server.dashboardUrl, token)
    await page.getByText('Live', { exact: true }).waitFor()
    const message = '<img src=x onerror="document.title=1"> <b>bold</b> &amp; quota'
    await created(suite.server, `/api/v1/namespaces/${namespace}/events`, {
      metadata: { generateName: 'words-' },
      // Of an object that nobody refuses meanwhile: a newer refusal takes the place of an earlier one.
      involvedObject: { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'words' },
      type: 'Warning',
      reason: 'QuotaExceeded',
      message,
      lastTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
    })
    // A read may rest for 30 seconds first, which is as long as Playwright waits.
    await page.getByText(message).waitFor({ timeout: 60_000 })
    expect(await page.locator('main img').count()).toBe(0)
    await suite.server.send('DELETE', `/api/v1/namespaces/${namespace}/serviceaccounts/default`)
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    await page.getByText('The API server does not know this token').first().waitFor()
    expect(wrong).toEqual([])
    await context.close()
  })

  test('keeps the token out of the address, of storage and of cookies [33/page, security/dashboard]', async () => {
    const { page, context, wrong } = await browser.open()
    const asked: string[] = []
    page.on('request', (request) => void asked.push(request.url()))
    await signIn(page, suite.server.dashboardUrl, suite.server.token)
    const kept = await page.evaluate(() => [
      location.href,
      localStorage.length + sessionStorage.length,
      document.cookie,
    ])
    expect(kept).toEqual([`${suite.server.dashboardUrl}/#/`, 0, ''])
    expect(asked.filter((url) => url.includes(suite.server.token) && !url.includes('#'))).toEqual([])
    await page.goBack().catch(() => undefined)
    await page.goForward().catch(() => undefined)
    expect(page.url()).not.toContain(suite.server.token)
    await page.goto('about:blank')
    await page.goto(suite.server.dashboardUrl)
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    expect(wrong).toEqual([])
    await context.close()
  })

  test('comes in less than 30 kB, under a policy that lets in nothing but its own [33/page-size]', async () => {
    const { dashboardUrl } = suite.server
    const start = await fetch(dashboardUrl, { headers: { 'accept-encoding': 'gzip' } })
    const html = await start.text()
    const policy = start.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; /)
    expect(policy).toMatch(/frame-ancestors 'none'/)
    expect(policy).not.toMatch(/unsafe|\*|data:|https?:/)
    expect(html).not.toMatch(/<script>|<style|style=|onload|https?:/)
    const assets = [...html.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = '']) => path)
    expect(assets.length).toBe(3)
    let bytes = Number(start.headers.get('content-length'))
    for (const path of assets) {
      const answer = await fetch(`${dashboardUrl}${path}`, { headers: { 'accept-encoding': 'gzip' } })
      expect(answer.headers.get('cache-control')).toContain('immutable')
      expect(answer.headers.get('content-security-policy')).toBe(policy)
      const again = await fetch(`${dashboardUrl}${path}`, {
        headers: { 'if-none-match': answer.headers.get('etag') ?? '' },
      })
      expect(again.status).toBe(304)
      bytes += Number(answer.headers.get('content-length'))
    }
    await using client = new ViewerClient(() => dashboardUrl)
    const ofOther = await client.ask({ path: '/', headers: { host: 'rebound.example' } })
    expect(ofOther.code).toBe(403)
    expect((await client.ask({ method: 'POST', path: '/', body: {} })).code).toBe(401)
    expect(bytes).toBeGreaterThan(0)
    expect(bytes).toBeLessThan(MOST_BYTES)
  })
})

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
}

/** What axe finds, each with the first element that it names. It comes by the protocol of the browser: the page itself lets no foreign script in. */
async function barriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { readonly axe: { readonly run: () => Promise<AxeResult> } }
    const { violations } = await axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
  })
}

/** What the view of an explanation says. */
async function shownExplanation(page: Page) {
  await page.locator('.explanation .summary').waitFor()
  const all = (selector: string) => page.locator(`.explanation ${selector}`).allTextContents()
  const [summary = ''] = await all('.summary')
  return {
    summary,
    causes: await all('.causes li'),
    remedies: await all('.remedies .text'),
    warnings: await all('.warnings li'),
  }
}

/** Presses Tab until a link to this address has the focus. */
async function tabTo(page: Page, hash: string): Promise<void> {
  for (let count = 0; count < 200; count++) {
    await page.keyboard.press('Tab')
    if ((await page.evaluate(() => document.activeElement?.getAttribute('href'))) === hash) return
  }
  throw new Error(`Tab does not lead to ${hash}`)
}

async function shoot(page: Page, name: string, theme: string): Promise<void> {
  if (SCREENSHOTS === undefined) return
  mkdirSync(SCREENSHOTS, { recursive: true })
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: HEIGHT })
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${theme}-${width}.png`) })
  }
  await page.setViewportSize({ width: WIDTHS[0], height: HEIGHT })
}
