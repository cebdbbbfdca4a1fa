import type { Page } from 'playwright-core'

const HOURS = 6
const START = Date.UTC(2026, 10, 28, 2)
const QUARTER_MS = 15 * 60_000
const GIB = 1024 ** 3

/** Has the history of the page answered with hours that nobody waits for. */
export async function shownHistory(page: Page): Promise<void> {
  await page.route('**/api/v1/history*', (route) => route.fulfill({ json: history() }))
}

function history() {
  const times = Array.from({ length: HOURS * 4 + 1 }, (_, index) => index)
  const at = (index: number): string => new Date(START + index * QUARTER_MS).toISOString()
  const row = (resource: string, hard: string, used: (index: number) => string, further: object = {}) => ({
    kind: 'ResourceQuota',
    namespace: 'harbour-0',
    name: 'compute',
    resource,
    samples: times.map((index) => ({ at: at(index), used: used(index), hard })),
    ...further,
  })
  return {
    format: 1,
    since: at(0),
    notSeen: [],
    rows: [
      row('limits.memory', '16Gi', (index) => String(Math.round((4 + index * 0.4) * GIB)), {
        exhaustedInSeconds: 8_640,
      }),
      row('requests.cpu', '4', (index) => `${1200 + 900 * (index % 5)}m`),
      row('pods', '10', (index) => String(3 + (index % 3))),
    ],
  }
}
