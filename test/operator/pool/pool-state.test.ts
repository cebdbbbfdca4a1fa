// Covers pool-state.ts.
import { expect, test } from 'vitest'
import { settledState } from './pool-state.ts'

/** More looks than the state has to stay the same for. */
const SLOW = 30

test('a state in which pods that are gone still count is not settled, however long it stays the same', async () => {
  let looks = 0
  const send = async (_method: string, path: string) => {
    const used = path.endsWith('resourcequotas') && looks++ < SLOW ? '1' : '0'
    const quota = {
      metadata: { namespace: 'calm-a', name: 'quota' },
      status: { hard: { pods: '3' }, used: { pods: used } },
    }
    const json = { items: path.endsWith('resourcequotas') ? [quota] : [] }
    return { status: 200, headers: {}, text: JSON.stringify(json), json }
  }
  const { quotas } = await settledState({ send }, 'calm')
  expect(quotas).toMatchObject([{ status: { used: { pods: '0' } } }])
})
