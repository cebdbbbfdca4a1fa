import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { forWorld, operatedServers } from '../operator/operated.ts'
import { ARGS } from '../cli/explain/tenant-waits.ts'
import { forBrowser, hasChromium, signIn } from './browser.ts'
import { fillHarbour } from './harbour.ts'

const [up] = operatedServers
const THEMES = ['light', 'dark'] as const
const WIDTHS = [1280, 400] as const
/** Where screenshots go; none are taken without it. */
const SCREENSHOTS = process.env['ALLOT_SCREENSHOTS']

/** The views, each with what is there once it has its answer. */
const VIEWS: readonly (readonly [name: string, hash: string, ready: string])[] = [
  ['overview', '#/', '.cards .title a'],
  ['quotas', '#/quotas', '.rows li .use'],
  ['pools', '#/pools', '.pool .use'],
  ['namespaces', '#/namespaces', '.rows li .use'],
  ['namespace', '#/namespaces/harbour-0', '.use'],
  ['explanation', '#/explain/harbour-0/Deployment/ferry', '.causes li'],
  ['history', '#/history/harbour-0', 'main p'],
]

describe.skipIf(!hasChromium)('the page', () => {
  const suite = forWorld(() => {
    if (up === undefined) throw new Error('there is no server')
    return up.start({ workloads: true, args: ARGS })
  }, fillHarbour)
  const browser = forBrowser()

  test.each(THEMES)('has no barrier that axe finds, on any view in the %s theme [33/axe]', async (theme) => {
    const { page, context, wrong } = await browser.open({ theme })
    await page.goto(suite.server.dashboardUrl)
    await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor()
    expect(await barriers(page), 'sign-in').toEqual([])
    await shoot(page, 'sign-in', theme)
    await signIn(page, suite.server.dashboardUrl, suite.server.token)
    for (const [name, hash, ready] of VIEWS) {
      await page.goto(`${suite.server.dashboardUrl}/${hash}`)
      await page.locator(ready).first().waitFor()
      expect(await barriers(page), name).toEqual([])
      await shoot(page, name, theme)
    }
    expect(wrong).toEqual([])
    await context.close()
  })
})

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds, each with the first element that it names. It comes by the protocol of the browser: the page itself lets no foreign script in. */
async function barriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { readonly axe: { readonly run: () => Promise<AxeResult> } }
    const { violations } = await axe.run()
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
  })
}

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[]
}

async function shoot(page: Page, name: string, theme: string): Promise<void> {
  if (SCREENSHOTS === undefined) return
  mkdirSync(SCREENSHOTS, { recursive: true })
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${theme}-${width}.png`) })
  }
  await page.setViewportSize({ width: 1280, height: 900 })
}
