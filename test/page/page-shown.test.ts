import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { timeText } from '../../web/src/format/times.ts'
import { eventually } from '../eventually.ts'
import { forSuite } from '../operator/operated.ts'
import { answerInPage, type Answers, failInPage, openStreams, setHidden, SETTINGS, tell } from './answers.ts'
import { forBrowser, hasChromium, signIn } from './browser.ts'
import { startPageServer } from './page-server.ts'

const EMPTY = { format: 1, rows: [], notSeen: [] }
const LIMIT = { namespace: 'shop', kind: 'CustomQuota', resource: 'limit' }
const ROWS = [
  { ...LIMIT, name: 'bytes', hard: '10Gi', used: '943718400', fill: 'room', percent: 8, exhaustedInSeconds: 59 * 60 },
  { ...LIMIT, name: 'twice', hard: '100M', used: '200M', fill: 'over', percent: 200, exhaustedInSeconds: 0 },
  { ...LIMIT, name: 'all', hard: '5', used: '5', fill: 'full', percent: 100, exhaustedInSeconds: 0 },
]
const PAST = {
  kind: 'CustomQuota',
  namespace: 'shop',
  name: 'none',
  resource: 'limit',
  samples: ['05', '06'].map((hour) => ({ at: `2026-11-28T${hour}:00:00Z`, used: '0', hard: '0' })),
  exhaustedInSeconds: 0,
}
const ANSWERS: Answers = {
  '/api/v1/settings': SETTINGS,
  '/api/v1/quotas': { ...EMPTY, rows: ROWS },
  '/api/v1/pools': EMPTY,
  '/api/v1/refusals': EMPTY,
  '/api/v1/history': { ...EMPTY, since: '2026-11-28T05:00:00Z', rows: [PAST] },
}
const NAMESPACE = {
  format: 1,
  namespace: 'shop',
  isWhole: true,
  ...Object.fromEntries(
    ['quotas', 'claims', 'increases', 'blocked', 'unread', 'refusals', 'notSeen'].map((one) => [one, []]),
  ),
}
const EXPLANATION = {
  format: 1,
  object: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' },
  verdict: 'blocked',
  ...Object.fromEntries(
    ['chain', 'wanted', 'budgets', 'causes', 'warnings', 'holders', 'remedies', 'notSeen'].map((one) => [one, []]),
  ),
}
/** The longest that are built in. */
const LONG_RESOURCES = ['count/deployments.apps', 'requests.ephemeral-storage', 'count/replicationcontrollers']
const LONG_RESOURCE = `${'gold-'.repeat(12)}1.storageclass.storage.k8s.io/requests.storage`
const REFUSED = ['events', 'resourcequotas', 'resourcepools.capsule.clastix.io']
const NOTHING = {
  ...EMPTY,
  notSeen: REFUSED.map((resource) => ({ resource, reason: 'you may not list them' })),
}

const refusal = (namespace: string, index: number) => ({
  namespace,
  kind: 'Deployment',
  name: `app-${index}`,
  message: 'exceeded quota: compute',
  count: 1,
  firstSeen: '2026-11-28T05:00:00Z',
  lastSeen: '2026-11-28T05:00:00Z',
})

/** The history of one limit over so many seconds. */
function pastOf(seconds: number, hard: string) {
  const start = Date.UTC(2026, 10, 28, 15)
  const samples = (seconds === 0 ? [0] : [0, seconds]).map((second) => ({
    at: new Date(start + second * 1000).toISOString(),
    used: second === 0 ? '0' : '3',
    hard,
  }))
  return { since: samples[0]?.at, rows: [{ ...PAST, resource: 'limits.memory', samples }] }
}

interface Label {
  readonly text: string
  readonly left: number
  readonly right: number
  /** Of the canvas. */
  readonly end: number
}

/** Notes what is written on canvases from now on. */
async function noteLabels(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const labels: Label[] = []
    Object.assign(globalThis, { labels })
    const { prototype } = CanvasRenderingContext2D
    const fillText = Reflect.get(prototype, 'fillText') as (...given: unknown[]) => void
    prototype.fillText = function (text, x, y) {
      const { width } = this.measureText(text)
      const left = this.textAlign === 'center' ? x - width / 2 : this.textAlign === 'right' ? x - width : x
      labels.push({ text, left, right: left + width, end: this.canvas.width })
      Reflect.apply(fillText, this, [text, x, y])
    }
  })
}

/** All labels that were written. */
const labelsOf = async (page: Page): Promise<readonly Label[]> =>
  await page.evaluate(() => (globalThis as unknown as { readonly labels: readonly Label[] }).labels)

/** Those of the time axis, once each. */
async function timeLabels(page: Page): Promise<readonly Label[]> {
  const times = (await labelsOf(page)).filter(({ text }) => text.includes(':'))
  return [...new Map(times.map((label) => [label.text, label])).values()].toSorted((a, b) => a.left - b.left)
}

/** The texts of lists that are not whole, or that reach into others. */
const cutIn = async (page: Page): Promise<readonly string[]> =>
  await page.evaluate(() => {
    const isCut = (one: Element): boolean =>
      one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight + 1
    const cells = [...document.querySelectorAll('.amounts, .state, .cell')].filter(isCut)
    return [...cells, ...[...document.querySelectorAll('.rows li')].filter(isCut)].map((one) => one.textContent)
  })

describe.skipIf(!hasChromium)('what the page shows of its answers', () => {
  const suite = forSuite(startPageServer)
  const browser = forBrowser()
  const goTo = (page: Page, view: string) => page.getByRole('link', { name: view, exact: true }).click()

  test('shows an earlier answer while a newer one loads, and holds none after the sign-out [33/page]', async () => {
    const { page, context, wrong } = await browser.open()
    let isAnswered = true
    await page.route('**/api/v1/**', async (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname === '/api/v1/history' && !isAnswered) return
      await route.fulfill(pathname in ANSWERS ? { json: ANSWERS[pathname] } : { status: 404, json: {} })
    })
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    await goTo(page, 'History')
    await page.locator('.chart canvas').waitFor()
    await goTo(page, 'Pools')
    await page.getByRole('heading', { name: 'Pools', level: 1 }).waitFor()
    isAnswered = false
    await goTo(page, 'History')
    await page.getByText('Loading a newer answer …').waitFor()
    await page.locator('.chart canvas').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await signIn(page, suite.server.dashboardUrl, 'another-token')
    await goTo(page, 'History')
    await page.getByText('Loading …', { exact: true }).waitFor()
    expect(await page.locator('.chart').count()).toBe(0)
    expect(wrong.filter((one) => !one.includes('404'))).toEqual([])
    await context.close()
  })

  test('shows nothing of the question before, and nothing that may not be read any more [33/page]', async () => {
    const { page, context, wrong } = await browser.open()
    let isRefused = false
    await page.route('**/api/v1/**', async (route) => {
      const { pathname, search } = new URL(route.request().url())
      if (search === '?namespace=other') return
      if (pathname === '/api/v1/quotas' && isRefused)
        return await route.fulfill({ status: 403, json: { message: 'you may not do that' } })
      await route.fulfill(pathname in ANSWERS ? { json: ANSWERS[pathname] } : { status: 404, json: {} })
    })
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    await goTo(page, 'Quotas')
    const rows = page.getByRole('region', { name: 'Limits of quotas' }).getByRole('listitem')
    await rows.first().waitFor()
    await page.getByLabel('Namespace', { exact: true }).fill('other')
    // In the first frame, before any effect of the new question.
    const shown = await page.evaluate(async () => {
      document.querySelector<HTMLElement>('form.choice button[type=submit]')?.click()
      await new Promise(requestAnimationFrame)
      return [document.querySelectorAll('.rows li').length, document.querySelector('main')?.textContent]
    })
    expect(shown).toEqual([0, expect.stringContaining('Loading …')])
    await goTo(page, 'Namespaces')
    // The choice of a namespace elsewhere leaves out none of those that may all be seen.
    await page.getByRole('region', { name: 'Namespaces with quotas' }).getByText('shop', { exact: true }).waitFor()
    await goTo(page, 'Quotas')
    await page.getByRole('button', { name: 'Show all' }).click()
    await rows.first().waitFor()
    isRefused = true
    await page.getByRole('button', { name: 'Load again' }).click()
    await page.getByText('you may not do that').waitFor()
    expect(await rows.count()).toBe(0)
    expect(wrong.filter((one) => !/40[34]/.test(one))).toEqual([])
    await context.close()
  })

  test('says why it hears of no change, and when it tries again [33/page-live]', async () => {
    const { page, context, wrong } = await browser.open()
    let name = 'bytes'
    await page.route('**/api/v1/**', async (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname === '/api/v1/events')
        return await route.fulfill({ status: 503, json: { message: 'too many streams are open' } })
      const [row] = ROWS
      if (pathname === '/api/v1/quotas') return await route.fulfill({ json: { ...EMPTY, rows: [{ ...row, name }] } })
      await route.fulfill({ json: ANSWERS[pathname] ?? {} })
    })
    await page.goto(suite.server.dashboardUrl)
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('token')
    await page.keyboard.type('a-token')
    await page.keyboard.press('Enter')
    await page.getByText('Not live', { exact: true }).waitFor()
    await page.getByText('too many streams are open').waitFor()
    await page.getByText(/^Next try: .*\d\d:\d\d/).waitFor()
    name = 'renamed'
    await page.getByRole('button', { name: 'Load again' }).click()
    await page.getByTitle('CustomQuota renamed').waitFor()
    expect(wrong.filter((one) => !one.includes('503'))).toEqual([])
    await context.close()
  })

  test('says what is wrong in a form, with an example, when it is submitted [33/page-room]', async () => {
    const { page, context, wrong } = await browser.open()
    await answerInPage(page, { ...ANSWERS, '/api/v1/namespaces/shop': NAMESPACE })
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    await page.evaluate(() => void (location.hash = '#/namespaces/shop'))
    await page.getByText('Nothing was found in shop. Is the name right, or was it deleted?').waitFor()
    const field = (label: string) => page.getByLabel(label)
    await page.getByRole('link', { name: 'How do I get more?' }).press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('room-name')
    expect(await page.getByText('Enter a name').count()).toBe(0)
    await field('Resource').fill('limits.memory')
    await field('Amount').fill('4 gigs')
    await page.keyboard.press('Enter')
    await page.getByText('Enter a name: lower-case letters').waitFor()
    await page.getByText('“4 gigs” is no amount. Enter one as manifests have it, for example 4Gi').waitFor()
    expect(await field('Amount').getAttribute('aria-invalid')).toBe('true')
    expect(await page.locator('main').innerText()).not.toMatch(/\^\(/)
    await field('Amount').fill('4Gi')
    await field('Name').fill('more')
    await page.keyboard.press('Enter')
    await page.getByText('nothing is here').last().waitFor()
    expect(await page.locator('[aria-invalid=true]').count()).toBe(0)
    expect(wrong).toEqual([])
    await context.close()
  })

  test('asks nothing about a namespace that there cannot be, and says why [33/page]', async () => {
    const { page, context, wrong } = await browser.open()
    const asked: string[] = []
    await page.route('**/api/v1/**', async (route) => {
      const { pathname, search } = new URL(route.request().url())
      asked.push(`${pathname}${search}`)
      const answer = pathname === '/api/v1/settings' ? { ...SETTINGS, seesAll: false } : ANSWERS[pathname]
      await route.fulfill(answer === undefined ? { status: 404, json: {} } : { json: answer })
    })
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    for (const hash of ['#/namespaces/A%20B', '#/history/A%20B', '#/explain/A%20B/Pod/web']) {
      await page.evaluate((next) => void (location.hash = next), hash)
      await page.getByRole('heading', { name: 'There is no such view', level: 1 }).waitFor()
      await page.getByText('“A B” is no name of a namespace.').waitFor()
      expect(await page.locator('main form').count()).toBe(0)
      await goTo(page, 'Overview')
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    }
    await page.getByLabel('Namespace', { exact: true }).fill('A B')
    await page.keyboard.press('Enter')
    await page.getByText('“A B” is no name of a namespace.').waitFor()
    expect(await page.getByLabel('Namespace', { exact: true }).getAttribute('aria-invalid')).toBe('true')
    expect(asked.filter((one) => one.includes('A%20B') || one.includes('A+B'))).toEqual([])
    expect(wrong.filter((one) => !one.includes('404'))).toEqual([])
    await context.close()
  })

  test('shows only full limits where usage is warned of nowhere [33/page]', async () => {
    const { page, context, wrong } = await browser.open()
    await answerInPage(page, { ...ANSWERS, '/api/v1/settings': { ...SETTINGS, warnAt: [] } })
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    await goTo(page, 'Quotas')
    await page.getByLabel('Only full ones').check()
    await page.getByText('2 of 3 limits').waitFor()
    expect(wrong).toEqual([])
    await context.close()
  })

  test('finds limits in the history by words, each with its use in percent and the colour of that [33/page]', async () => {
    const { page, context, wrong } = await browser.open()
    const rows = ['one', 'two', 'three'].map((name, index) => ({
      ...PAST,
      name,
      namespace: `team-${name}`,
      samples: PAST.samples.map(({ at }) => ({ at, used: ['830', '999', '5'][index], hard: '1000' })),
    }))
    await answerInPage(page, { ...ANSWERS, '/api/v1/history': { ...EMPTY, since: PAST.samples[0]?.at, rows } })
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    await goTo(page, 'History')
    await page.getByText('3 limits', { exact: true }).waitFor()
    expect(await page.locator('.past .state').allTextContents()).toEqual([
      '83 % · filling',
      '99 % · almost full',
      '0 %',
    ])
    const strokes = await page
      .locator('.sparkline polyline')
      .evaluateAll((all) => all.map((one) => getComputedStyle(one).stroke))
    expect(new Set(strokes).size).toBe(3)
    await page.getByLabel('Filter', { exact: true }).fill('TEAM-T three')
    await page.getByText('1 of 3 limits').waitFor()
    expect(await page.locator('.past button').allTextContents()).toEqual(['team-three: CustomQuota three, limit'])
    await page.getByText(/^team-three: CustomQuota three, limit: /).waitFor()
    await page.getByLabel('Filter', { exact: true }).fill('nowhere')
    await page.getByText('None of 3 limits match').waitFor()
    expect(await page.locator('.chart').count()).toBe(0)
    expect(wrong).toEqual([])
    await context.close()
  })

  test('hides the refusals of no namespace behind those of others, and leads from each to its explanation [33/page]', async () => {
    const { page, context, wrong } = await browser.open()
    const blank = { ...refusal('blank', 0), kind: '', name: '' }
    const rows = [...Array.from({ length: 60 }, (_, index) => refusal('loud', index)), refusal('quiet', 99), blank]
    await answerInPage(page, { ...ANSWERS, '/api/v1/refusals': { ...EMPTY, rows } })
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    const section = page.getByRole('region', { name: 'Recent refusals' })
    await section.getByRole('link', { name: 'Deployment app-99', exact: true }).waitFor()
    const nameless = section.getByRole('listitem').filter({ hasText: 'Object of no kind without a name' })
    expect(await nameless.getByRole('link').allTextContents()).toEqual(['blank'])
    expect(await section.getByRole('link', { name: 'Deployment app-59', exact: true }).count()).toBe(0)
    await section.getByText('and 22 more', { exact: true }).click()
    const more = page.getByRole('region', { name: 'More refusals' })
    await more.getByRole('link', { name: 'Deployment app-39', exact: true }).waitFor()
    await more.evaluate((box) => void (box.scrollTop = box.scrollHeight))
    await more.getByRole('link', { name: 'Deployment app-59', exact: true }).click()
    await page.getByRole('heading', { name: 'Deployment app-59', level: 1 }).waitFor()
    expect(wrong).toEqual([])
    await context.close()
  })

  test('writes bytes as bytes, and says of what is full that it is so now [33/page]', async () => {
    const { page, context, wrong } = await browser.open()
    const [bytes] = ROWS
    const long = LONG_RESOURCES.map((resource) => ({ ...bytes, kind: 'ResourceQuota', name: 'compute', resource }))
    await answerInPage(page, { ...ANSWERS, '/api/v1/quotas': { ...EMPTY, rows: [...ROWS, ...long] } })
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    await goTo(page, 'Quotas')
    const list = page.getByRole('region', { name: 'Limits of quotas' })
    await list.getByText('900 MiB of 10 GiB').first().waitFor()
    await list.getByText('200 % · over the limit').waitFor()
    const later = 'full in 59 minutes'
    expect(await list.locator('.full-in').allTextContents()).toEqual([
      later,
      'full now',
      'full now',
      later,
      later,
      later,
    ])
    const broken = await list
      .locator('.amounts, .state, .cell')
      .evaluateAll((all) =>
        all.filter((one) => one.textContent.length < 23 && one.clientHeight > 30).map((one) => one.textContent),
      )
    expect(broken).toEqual([])
    expect(wrong).toEqual([])
    await context.close()
  })

  test.each([1280, 400])('cuts no name that there can be, in no list, %s pixels wide [33/page]', async (width) => {
    const { page, context, wrong } = await browser.open({ width })
    const [bytes] = ROWS
    const long = { ...bytes, kind: 'GlobalCustomQuota', name: 'capsule-pool-'.repeat(10), resource: LONG_RESOURCE }
    const rows = [...ROWS, { ...long, namespace: 'n'.repeat(63) }]
    const answers = { '/api/v1/quotas': { ...EMPTY, rows }, '/api/v1/namespaces/shop': { ...NAMESPACE, quotas: rows } }
    await answerInPage(page, { ...ANSWERS, ...answers })
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    for (const view of ['Overview', 'Quotas', 'Namespaces', 'shop']) {
      await page.getByRole('link', { name: view, exact: true }).first().click()
      await page.getByText(long.name).waitFor()
      await expect.poll(() => cutIn(page), view).toEqual([])
      // A list that becomes narrower, and wide again, is as high as its names need.
      await page.setViewportSize({ width: 500, height: 900 })
      await expect.poll(() => cutIn(page), view).toEqual([])
      await page.setViewportSize({ width, height: 900 })
      await expect.poll(() => cutIn(page), view).toEqual([])
    }
    expect(wrong).toEqual([])
    await context.close()
  })

  test('writes each label of the axes where it is read, in one form of time [33/page]', async () => {
    for (const [width, seconds, hard] of [
      [1280, 600, '10'],
      [400, 75, '9223372036854775807'],
      [400, 427, '10'],
      [320, 6 * 3600, '10'],
      // A single sample has a minute before it.
      [400, 0, '10'],
    ] as const) {
      const { page, context, wrong } = await browser.open({ width, locale: 'en-US' })
      await noteLabels(page)
      const past = pastOf(seconds, hard)
      await answerInPage(page, { ...ANSWERS, '/api/v1/history': { ...EMPTY, ...past } })
      await signIn(page, suite.server.dashboardUrl, 'a-token')
      await goTo(page, 'History')
      await page.locator('.chart canvas').waitFor()
      const times = await timeLabels(page)
      const at = past.rows.flatMap(({ samples }) => samples.map((one) => Date.parse(one.at)))
      const begins = seconds === 0 ? Math.max(...at) - 60_000 : Math.min(...at)
      const ends = [begins, Math.max(...at)].map((time) => timeText(new Date(time)))
      expect([times[0]?.text, times.at(-1)?.text]).toEqual(ends)
      for (const [index, { text, left, right, end }] of times.entries()) {
        expect(text).toMatch(/^\d\d:\d\d:\d\d$/)
        expect(left).toBeGreaterThan(times[index - 1]?.right ?? 0)
        expect(right).toBeLessThanOrEqual(end)
      }
      const amounts = (await labelsOf(page)).filter(({ text }) => !text.includes(':')).map(({ text }) => text)
      expect(amounts).toEqual(expect.arrayContaining(hard === '10' ? ['0', '8'] : ['0', '4 EiB', '8 EiB']))
      expect(await page.locator('main').innerText()).not.toMatch(/\b[AP]M\b/)
      expect(wrong).toEqual([])
      await context.close()
    }
  })

  test('draws a limit of 0 as full, and its chart in the colours of the theme [33/page]', async () => {
    const { page, context, wrong } = await browser.open({ theme: 'light' })
    await answerInPage(page, ANSWERS)
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    await goTo(page, 'History')
    expect(await page.locator('.past.full .sparkline polyline').getAttribute('points')).toBe('0.0,0.0 120.0,0.0')
    expect(await page.locator('.full-in').allTextContents()).toEqual(['full now'])
    const drawn = () => page.locator('.chart canvas').evaluate((one: HTMLCanvasElement) => one.toDataURL())
    const light = await drawn()
    await page.getByLabel('Theme').selectOption('Dark')
    await expect.poll(drawn).not.toBe(light)
    await page.getByLabel('Theme').selectOption('System')
    await expect.poll(drawn).toBe(light)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(drawn).not.toBe(light)
    expect(wrong).toEqual([])
    await context.close()
  })

  test('says in the open on each view what could not be read, and how to see it [33/page]', async () => {
    const { page, context, wrong } = await browser.open()
    const cut = 'they are too large to be read here: the first 3 are shown, the others are left out'
    const notSeen = REFUSED.map((resource) => ({ resource, reason: cut }))
    const ofAll = Object.fromEntries(
      ['quotas', 'pools', 'refusals', 'history'].map((one) => [
        `/api/v1/${one}`,
        { ...(ANSWERS[`/api/v1/${one}`] as object), notSeen, isWhole: false, isComplete: false },
      ]),
    )
    await answerInPage(page, { ...ANSWERS, ...ofAll, '/api/v1/namespaces/shop': { ...NAMESPACE, notSeen } })
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    for (const [view, rows, also] of [
      ['Overview', 'refusals', 'there are more refusals than one answer holds'],
      ['Overview', 'quotas', `resourcequotas: ${cut}`],
      ['Overview', 'claims that wait', `resourcepools.capsule.clastix.io: ${cut}`],
      ['Quotas', 'quotas', `resourcequotas: ${cut}`],
      ['Pools', 'pools', `resourcepools.capsule.clastix.io: ${cut}`],
      ['Pools', 'namespaces', 'there are more namespaces than one answer holds'],
      ['Namespaces', 'namespaces', `resourcequotas: ${cut}`],
      ['History', 'limits', 'there are more limits than one answer holds'],
    ] as const) {
      await goTo(page, view)
      const note = page.getByRole('note').filter({ hasText: `Not all ${rows} are shown.` })
      await note.getByText(also).waitFor()
      if (view !== 'Pools') expect(await note.innerText(), view).toMatch(/Enter (?:the name of )?a namespace/)
    }
    await page.evaluate(() => void (location.hash = '#/namespaces/shop'))
    await page.getByRole('note').getByText(`events: ${cut}`).waitFor()
    // Of a namespace of which not all could be read it is not said that nothing is there.
    expect(await page.getByText('Is the name right').count()).toBe(0)
    expect(wrong).toEqual([])
    await context.close()
  })

  test('says that its server is gone, and shows what there is when it is back [33/page-live]', async () => {
    const { page, context, wrong } = await browser.open()
    await answerInPage(page, ANSWERS)
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    await goTo(page, 'Quotas')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByText('3 limits', { exact: true }).waitFor()
    await failInPage(page, 'gone')
    await page.getByText('Changes are not shown by themselves. The connection broke off.').waitFor()
    await page.getByRole('button', { name: 'Load again' }).click()
    const late = page.getByText(
      'This is not up to date: The dashboard cannot be reached. The page tries again by itself.',
    )
    await page.clock.runFor(2000)
    await late.waitFor()
    expect(await page.getByText('3 limits', { exact: true }).count()).toBe(1)
    await goTo(page, 'Pools')
    await page.getByText('The dashboard cannot be reached. The page tries again by itself.').waitFor()
    await failInPage(page, undefined)
    await page.clock.runFor(61_000)
    await page.getByText('No pool was found.').waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    expect(await page.locator('main .problem, .not-live').count()).toBe(0)
    // Where only an answer fails, no stream tells when to ask again.
    await failInPage(page, 503)
    await goTo(page, 'Namespaces')
    await page.getByText('it fails with 503 The page tries again by itself.').waitFor()
    await failInPage(page, undefined)
    await page.clock.runFor(61_000)
    await page.getByText('1 namespace', { exact: true }).waitFor()
    expect(wrong).toEqual([])
    await context.close()
  })

  test('leads back to the view after a token has expired, and says that what it showed was deleted [33/page]', async () => {
    const { page, context, wrong } = await browser.open()
    const explained = { ...EXPLANATION, summary: 'Deployment web is blocked' }
    await answerInPage(page, { ...ANSWERS, '/api/v1/explain': explained, '/api/v1/namespaces/shop': NAMESPACE })
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    await page.evaluate(() => void (location.hash = '#/explain/shop/Deployment/web'))
    await page.getByText('Deployment web is blocked').waitFor()
    await failInPage(page, 401)
    await tell(page, ANSWERS)
    await page.getByText('The API server does not know this token, or not any more.').first().waitFor()
    expect(await page.getByText('Deployment web is blocked').count()).toBe(0)
    await failInPage(page, undefined)
    await tell(page, { ...ANSWERS, '/api/v1/explain': explained })
    await page.getByLabel('Bearer token').fill('another-token')
    await page.keyboard.press('Enter')
    await page.getByText('Deployment web is blocked').waitFor()
    await tell(page, ANSWERS)
    await page.getByText('It was deleted, or its name is not right.').waitFor()
    expect(await page.getByText('Deployment web is blocked').count()).toBe(0)
    await page.getByRole('link', { name: 'shop', exact: true }).waitFor()
    expect(wrong).toEqual([])
    await context.close()
  })

  test('holds no stream while it is behind another tab, and shows what has changed when it is seen again [33/page]', async () => {
    const { page, context, wrong } = await browser.open()
    await answerInPage(page, ANSWERS)
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    await goTo(page, 'Quotas')
    await page.getByText('3 limits', { exact: true }).waitFor()
    await eventually(
      () => openStreams(page),
      (open) => open === 1,
      { what: 'a stream' },
    )
    await setHidden(page, true)
    await eventually(
      () => openStreams(page),
      (open) => open === 0,
      { what: 'the end of the stream' },
    )
    await tell(page, { ...ANSWERS, '/api/v1/quotas': { ...EMPTY, rows: ROWS.slice(1) } })
    expect(await page.getByText('3 limits', { exact: true }).count()).toBe(1)
    await setHidden(page, false)
    await page.getByText('2 limits', { exact: true }).waitFor()
    expect([await openStreams(page), wrong]).toEqual([1, []])
    await context.close()
  })

  test('goes back to the namespace that was shown before, and stays on the page [33/page]', async () => {
    const { page, context, wrong } = await browser.open()
    await answerInPage(page, { ...ANSWERS, '/api/v1/namespaces/shop': NAMESPACE })
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    await page.getByText('All 3 limits').or(page.getByText('bytes')).first().waitFor()
    const field = page.getByLabel('Namespace', { exact: true })
    await field.fill('shop')
    await page.keyboard.press('Enter')
    await page.getByText('All of shop, and how to get more').waitFor()
    await goTo(page, 'Quotas')
    await page.getByText('3 limits', { exact: true }).waitFor()
    await page.goBack()
    await page.getByText('All of shop, and how to get more').waitFor()
    expect(await field.inputValue()).toBe('shop')
    await page.goBack()
    await page.getByText('bytes').first().waitFor()
    expect([await field.inputValue(), wrong]).toEqual(['', []])
    await page.goForward()
    await page.getByText('All of shop, and how to get more').waitFor()
    await context.close()
  })

  test('keeps filters and places of lists while its viewer goes back and forth, and not for the next [33/page]', async () => {
    const { page, context, wrong } = await browser.open()
    const [first] = ROWS
    const rows = Array.from({ length: 200 }, (_, index) => ({ ...first, namespace: `team-${index}` }))
    await answerInPage(page, { ...ANSWERS, '/api/v1/quotas': { ...EMPTY, rows } })
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    await goTo(page, 'Quotas')
    await page.getByLabel('Filter', { exact: true }).fill('team-1')
    await page.getByText('111 of 200 limits').waitFor()
    const list = page.getByRole('region', { name: 'Limits of quotas' })
    await list.evaluate((box) => void (box.scrollTop = box.scrollHeight))
    await list.getByRole('link', { name: 'team-199', exact: true }).click()
    await page.getByRole('heading', { name: 'Namespace team-199', level: 1 }).waitFor()
    await page.goBack()
    await page.getByText('111 of 200 limits').waitFor()
    await list.getByRole('link', { name: 'team-199', exact: true }).waitFor()
    await page.goForward()
    await page.getByRole('heading', { name: 'Namespace team-199', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    await page.getByLabel('Bearer token').fill('another-token')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Namespace team-199', level: 1 }).waitFor()
    await goTo(page, 'Quotas')
    await page.getByText('200 limits', { exact: true }).waitFor()
    expect(wrong).toEqual([])
    await context.close()
  })

  test('shows the chart of a limit that is chosen far below, and covers nothing that has the focus [33/page]', async () => {
    const { page, context, wrong } = await browser.open({ width: 400, height: 800 })
    const rows = Array.from({ length: 30 }, (_, index) => ({ ...PAST, name: `quota-${index}` }))
    await answerInPage(page, { ...ANSWERS, '/api/v1/history': { ...EMPTY, since: PAST.samples[0]?.at, rows } })
    await page.route('**/assets/history-view-*', (route) => route.abort())
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    await goTo(page, 'History')
    await page.getByText('This view could not be loaded.').waitFor()
    await page.unroute('**/assets/history-view-*')
    await page.getByRole('button', { name: 'Load again' }).click()
    const limits = page.locator('.past button')
    await limits.nth(25).click()
    await page.getByText(/^shop: CustomQuota quota-25, limit: /).waitFor()
    const chart = await page.locator('.chart').boundingBox()
    expect(chart?.y).toBeGreaterThanOrEqual(0)
    for (let count = 0; count < 8; count++) {
      await page.keyboard.press('Shift+Tab')
      const top = await page.evaluate(() => document.activeElement?.getBoundingClientRect().top)
      expect(top).toBeGreaterThanOrEqual((chart?.y ?? 0) + (chart?.height ?? 0))
    }
    expect(wrong).toEqual([])
    await context.close()
  })

  test('says that nothing is known to viewers who may list nothing [33/page-viewers]', async () => {
    const { page, context, wrong } = await browser.open()
    await answerInPage(page, {
      '/api/v1/settings': SETTINGS,
      ...Object.fromEntries(['quotas', 'pools', 'refusals', 'history'].map((one) => [`/api/v1/${one}`, NOTHING])),
    })
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    await page.getByText('Unknown: you may not list events.').first().waitFor()
    await page.getByText('Unknown: you may not list resourcequotas.').waitFor()
    await goTo(page, 'Pools')
    await page.getByText('Unknown: you may not list resourcepools.capsule.clastix.io.').waitFor()
    await goTo(page, 'History')
    await page.getByText('Nothing is recorded yet.').waitFor()
    expect(await page.locator('main').innerText()).not.toMatch(/Invalid|\bwas found\b/)
    expect(wrong).toEqual([])
    await context.close()
  })
})
