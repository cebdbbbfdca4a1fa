import type { Page } from 'playwright-core'

/** The answers of a server that there is only in the page, by path without a query; what is not here is answered with 404. */
export type Answers = Readonly<Record<string, unknown>>

export const SETTINGS = { format: 1, warnAt: [80, 95], seesAll: true }

/** Has the page ask these answers instead of a server, at a clock that only `tell` moves. Call it before the page is opened. */
export async function answerInPage(page: Page, answers: Answers): Promise<void> {
  await page.clock.install()
  await page.addInitScript((first) => {
    const streams = new Set<ReadableStreamDefaultController<Uint8Array>>()
    const state: PageServer = { answers: first, streams, fails: undefined }
    Object.assign(globalThis, { state })
    const isJson = { 'content-type': 'application/json' }
    const watching = `event: watching\ndata: ${JSON.stringify({ kinds: [{ state: 'watched' }] })}\n\n`
    const answer = (path: string): Response => {
      const { fails } = state
      if (fails === 'gone') throw new TypeError('no network')
      if (fails !== undefined && (fails === 401 || path !== '/api/v1/events'))
        return new Response(JSON.stringify({ message: `it fails with ${fails}` }), { status: fails, headers: isJson })
      if (path === '/api/v1/events')
        return new Response(
          new ReadableStream<Uint8Array>({
            start: (controller) => {
              streams.add(controller)
              controller.enqueue(new TextEncoder().encode(watching))
            },
            cancel: () => streams.clear(),
          }),
        )
      const value = state.answers[path]
      if (value !== undefined) return new Response(JSON.stringify(value), { headers: isJson })
      return new Response(JSON.stringify({ message: 'nothing is here' }), { status: 404, headers: isJson })
    }
    globalThis.fetch = async (asked) =>
      answer(new URL(asked instanceof Request ? asked.url : asked, 'http://page').pathname)
  }, answers)
}

/** What the page has in the place of a server. */
interface PageServer {
  answers: Answers
  readonly streams: Set<ReadableStreamDefaultController<Uint8Array>>
  fails: Failure | undefined
}

/** `gone`: nothing is answered, and streams break off. Else the code of each answer; streams stay but for 401. */
type Failure = 'gone' | number

/** Lets the server in the page fail from now on, or work again. */
export async function failInPage(page: Page, failure: Failure | undefined): Promise<void> {
  await page.evaluate((fails) => {
    const { state } = globalThis as unknown as { readonly state: PageServer }
    state.fails = fails
    if (fails !== 'gone') return
    for (const stream of state.streams) stream.error(new TypeError('no network'))
    state.streams.clear()
  }, failure)
}

/** Changes the answers, and tells the page by its stream that anything may have changed. */
export async function tell(page: Page, answers: Answers): Promise<void> {
  await page.evaluate((next) => {
    const { state } = globalThis as unknown as { readonly state: PageServer }
    state.answers = next
    const resources = ['resourcequotas', 'events', 'resourcepools.capsule.clastix.io']
    const change = JSON.stringify({ changes: resources.map((resource) => ({ resource })) })
    const bytes = new TextEncoder().encode(`event: change\ndata: ${change}\n\n`)
    for (const stream of state.streams) stream.enqueue(bytes)
  }, answers)
  await page.clock.fastForward(31_000)
}

/** Puts the page behind another tab, or in front again. */
export async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden })
    document.dispatchEvent(new Event('visibilitychange'))
  }, isHidden)
}

/** How many event streams the page holds open. */
export const openStreams = (page: Page): Promise<number> =>
  page.evaluate(() => (globalThis as unknown as { readonly state: PageServer }).state.streams.size)
