import { existsSync } from 'node:fs'
import { afterAll, beforeAll } from 'vitest'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'

/** Debian's. */
const CHROMIUM = '/usr/bin/chromium'
/** Asks for nothing but what tests ask for. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export const hasChromium = existsSync(CHROMIUM)

export interface OpenedPage {
  readonly page: Page
  readonly context: BrowserContext
  /** What went wrong in the page: uncaught errors, errors of the console, and requests to elsewhere. */
  readonly wrong: readonly string[]
}

export interface OpenOptions {
  readonly width?: number
  readonly height?: number
  readonly theme?: 'light' | 'dark'
  readonly locale?: string
}

/** A browser for the tests of the suite that this is called in. */
export function forBrowser(): { readonly open: (options?: OpenOptions) => Promise<OpenedPage> } {
  let browser: Browser | undefined
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
  })
  afterAll(() => browser?.close())
  return {
    open: async ({ width = 1280, height = 900, theme = 'light', locale = 'en-GB' } = {}) => {
      if (browser === undefined) throw new Error('there is no browser')
      const viewport = { width, height }
      const context = await browser.newContext({
        viewport,
        colorScheme: theme,
        reducedMotion: 'reduce',
        locale,
        // `allot run` serves it over TLS, with an authority of its own.
        ignoreHTTPSErrors: true,
      })
      const page = await context.newPage()
      const wrong: string[] = []
      page.on('pageerror', (error) => void wrong.push(`uncaught: ${error.stack ?? error.message}`))
      page.on('console', (message) => {
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          wrong.push(message.text())
      })
      page.on('request', (request) => {
        const [asked, own] = [
          new URL(request.url()),
          new URL(page.url() === 'about:blank' ? request.url() : page.url()),
        ]
        if (asked.origin !== own.origin) wrong.push(`asked ${request.url()}`)
      })
      return { page, context, wrong }
    },
  }
}

/** Opens the page as the bearer of a token, by an address that signs in. */
export async function signIn(page: Page, url: string, token: string): Promise<void> {
  await page.goto(`${url}/#token=${token}`)
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
}
