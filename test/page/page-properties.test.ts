import fc from 'fast-check'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { Quantity } from '../../src/quantity/quantity.ts'
import { forSuite } from '../operator/operated.ts'
import { startPageServer } from './page-server.ts'
import { answerInPage, type Answers, SETTINGS, tell } from './answers.ts'
import { forBrowser, hasChromium, signIn } from './browser.ts'
import { madeAnswers } from './made-answers.ts'

const LONG = process.env['ALLOT_SOAK'] !== undefined
/** What a viewer may press. */
const PRESSABLE = 'a[href], button, summary, input[type=checkbox], input[type=radio]'

type Step =
  | { readonly does: 'click' | 'tab'; readonly at: number }
  | { readonly does: 'change'; readonly answers: Answers }
  | { readonly does: 'type'; readonly text: string }

const at = fc.nat(200)
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: at.map((value) => ({ does: 'click', at: value }) as const) },
  { weight: 2, arbitrary: at.map((value) => ({ does: 'tab', at: value % 12 }) as const) },
  { weight: 3, arbitrary: madeAnswers.map((answers) => ({ does: 'change', answers }) as const) },
  { weight: 1, arbitrary: fc.constantFrom('shop', '<i>', 'pods 0').map((text) => ({ does: 'type', text }) as const) },
)

describe.skipIf(!hasChromium)('the page, whatever it is answered and wherever is clicked', () => {
  const suite = forSuite(startPageServer)
  const browser = forBrowser()

  test('throws nothing, shows what has no room as full, keeps the focus, and leads to each explanation [33/page-properties]', async () => {
    const first = fc.sample(madeAnswers, { numRuns: 1, seed: 33 })[0] ?? {}
    const { page, wrong } = await browser.open()
    await answerInPage(page, first)
    await fc.assert(
      fc.asyncProperty(madeAnswers, fc.array(step, { minLength: 3, maxLength: 12 }), async (answers, steps) => {
        await page.goto('about:blank')
        await signIn(page, suite.server.dashboardUrl, 'a-token')
        await tell(page, answers)
        for (const one of steps) {
          await take(page, one)
          expect(await broken(page)).toEqual([])
          expect(wrong).toEqual([])
        }
      }),
      { numRuns: LONG ? 300 : 8, seed: LONG ? Date.now() : 33 },
    )
  })

  test('keeps a few of ten thousand limits in the document, and finds each of them [33/many]', async () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => ({
      namespace: `team-${index % 1000}`,
      kind: 'ResourceQuota',
      name: 'compute',
      resource: `example.com/r${Math.floor(index / 1000)}`,
      hard: '10',
      used: '5',
      fill: 'room',
      percent: 50,
    }))
    const empty = { format: 1, rows: [], notSeen: [] }
    const { page, context, wrong } = await browser.open()
    await answerInPage(page, {
      '/api/v1/settings': SETTINGS,
      '/api/v1/quotas': { ...empty, rows },
      '/api/v1/pools': empty,
      '/api/v1/refusals': empty,
    })
    await signIn(page, suite.server.dashboardUrl, 'a-token')
    await page.getByRole('link', { name: 'Quotas', exact: true }).click()
    const list = page.getByRole('region', { name: 'Limits of quotas' })
    await list.getByText('team-0', { exact: true }).waitFor()
    expect(await list.getByRole('listitem').count()).toBeLessThan(60)
    await list.evaluate((box) => void (box.scrollTop = box.scrollHeight))
    await list.getByText('team-999', { exact: true }).waitFor()
    expect(await list.getByRole('listitem').count()).toBeLessThan(60)
    await page.getByLabel('Filter', { exact: true }).fill('team-777 r3')
    await page.getByText('1 of 10000 limits').waitFor()
    expect(await list.getByRole('listitem').count()).toBe(1)
    await page.getByRole('link', { name: 'Namespaces', exact: true }).click()
    const namespaces = page.getByRole('region', { name: 'Namespaces with quotas' })
    await namespaces.getByText('team-0', { exact: true }).waitFor()
    expect(await namespaces.getByRole('listitem').count()).toBeLessThan(60)
    expect(wrong).toEqual([])
    await context.close()
  })
})

async function take(page: Page, one: Step): Promise<void> {
  switch (one.does) {
    case 'click':
      await page.evaluate(
        ([selector, at]) => {
          const all = [...document.querySelectorAll<HTMLElement>(selector)].filter(
            (element) => element.textContent !== 'Sign out',
          )
          const chosen = all[at % Math.max(1, all.length)]
          chosen?.focus()
          chosen?.click()
        },
        [PRESSABLE, one.at] as const,
      )
      break
    case 'tab':
      for (let count = 0; count <= one.at; count++) await page.keyboard.press('Tab')
      // Behind the last element the focus is with the browser, and then at the first.
      if (await page.evaluate(() => document.activeElement === document.body)) await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      break
    case 'type':
      await page.keyboard.type(one.text)
      break
    case 'change':
      await tell(page, one.answers)
  }
  await page.clock.runFor(100)
}

/** What is wrong in the page. */
async function broken(page: Page): Promise<readonly string[]> {
  const { said, uses } = await page.evaluate(() => {
    const said: string[] = []
    const { activeElement, body } = document
    if (activeElement === null || activeElement === body || !activeElement.isConnected)
      said.push('the focus is nowhere')
    for (const refusal of document.querySelectorAll('#refusals ~ .cards li, #why ~ .cards li'))
      if (refusal.querySelector('a[href^="#/explain/"]') === null) said.push('a refusal without its explanation')
    if (document.querySelector('main b, main i, main script, main img') !== null) said.push('text became markup')
    const uses = [...document.querySelectorAll('.use')].map((use) => ({
      exact: use.getAttribute('title') ?? '',
      width: Number(use.querySelector('.fill')?.getAttribute('width')),
      state: use.querySelector('.state')?.textContent ?? '',
    }))
    return { said, uses }
  })
  return [...said, ...uses.flatMap(wrongBar)]
}

interface SeenUse {
  readonly exact: string
  readonly width: number
  readonly state: string
}

/** A bar is full, and says so, exactly where nothing more fits. */
function wrongBar({ exact, width, state }: SeenUse): readonly string[] {
  const [, used, hard] = /^exactly (\S+) of (\S+)$/.exec(exact) ?? []
  if (used === undefined || hard === undefined) return [`no amounts: ${exact}`]
  if (used === '?') return width === 0 && state === 'not counted' ? [] : [`${exact}: ${width}, ${state}`]
  const [use, limit] = [Quantity.parse(used), Quantity.parse(hard)]
  const isFull = use.cmp(limit) >= 0 || limit.sign() <= 0
  const [percent = '', words = percent] = state.split(' · ')
  return (width === 100) === isFull && /^(?:full|over the limit)$/.test(words) === isFull
    ? []
    : [`${exact}: ${width}, ${state}`]
}
