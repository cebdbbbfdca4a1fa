// Covers src/cli/top and src/insight/history/estimated-rows.ts.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runProgram } from '../../src/cli/allot-program.ts'
import { eventually } from '../eventually.ts'
import { runInProcess } from '../migrate/run-in-process.ts'
import { type Allot, startAllot } from '../start-allot.ts'

const CAPSULE = '/apis/capsule.clastix.io/v1beta2'
const API = { apiVersion: 'capsule.clastix.io/v1beta2' }
const OVER = ['--over', '1s', '--interval', '50ms'] as const

interface Row {
  readonly resource: string
  readonly fill: string
  readonly exhaustedInSeconds?: number
}

let allot: Allot
let made = 0

async function create(path: string, object: object): Promise<void> {
  const { status, text } = await allot.call(path, { method: 'POST', body: object })
  expect(status, text).toBe(201)
}
const growQuota = (): Promise<void> =>
  create('/api/v1/namespaces/dock/configmaps', { metadata: { name: `crate-${made++}` } })
const growPool = (): Promise<void> =>
  create(`${CAPSULE}/namespaces/dock/resourcepoolclaims`, {
    ...API,
    kind: 'ResourcePoolClaim',
    metadata: { name: `berth-${made++}` },
    spec: { pool: 'harbour', claim: { 'requests.cpu': '1' } },
  })

/** Runs work while something grows. */
async function whileGrowing<T>(grow: () => Promise<void>, work: () => Promise<T>): Promise<T> {
  const over = new AbortController()
  const growing = (async () => {
    while (!over.signal.aborted) {
      await grow()
      await sleep(30, undefined, { signal: over.signal }).catch(() => undefined)
    }
  })()
  try {
    return await work()
  } finally {
    over.abort()
    await growing
  }
}

const top = (...args: readonly string[]) => runInProcess(allot.kubeconfig, 'top', ...args)
async function rowsOf<T>(...args: readonly string[]): Promise<readonly T[]> {
  const { code, stdout, stderr } = await top(...args, '-o', 'json')
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as readonly T[]
}

describe('the time to exhaustion in the tables of top', () => {
  beforeAll(async () => {
    allot = await startAllot({ inMemory: true, operator: true })
    await create('/api/v1/namespaces', { metadata: { name: 'dock', labels: { pool: 'harbour' } } })
    await create('/api/v1/namespaces/dock/resourcequotas', {
      metadata: { name: 'cargo' },
      spec: { hard: { configmaps: '100k', secrets: '5', services: '0', 'count/serviceaccounts': '1' } },
    })
    await create(`${CAPSULE}/resourcepools`, {
      ...API,
      kind: 'ResourcePool',
      metadata: { name: 'harbour' },
      spec: {
        selectors: [{ matchLabels: { pool: 'harbour' } }],
        quota: { hard: { 'requests.cpu': '100k', pods: '5' } },
      },
    })
    await eventually(
      () => rowsOf<Row>('-n', 'dock'),
      (rows) =>
        ['configmaps', 'secrets', 'services'].every((name) => rows.some(({ resource }) => resource === name)) &&
        // The ServiceAccount that every namespace has.
        rows.some(({ resource, fill }) => resource === 'count/serviceaccounts' && fill === 'full'),
      { what: 'the quota' },
    )
  }, 120_000)
  afterAll(() => allot.stop())

  test('without a time to watch for, a look says nothing of the future [33/exhaustion-top]', async () => {
    expect((await top('-n', 'dock')).stdout).not.toContain('USED UP IN')
    for (const row of await rowsOf<Row>('-n', 'dock')) expect(row).not.toHaveProperty('exhaustedInSeconds')
  })

  test('after a time it is printed for what grows, and for nothing that rests [33/exhaustion-top]', async () => {
    const rows = await whileGrowing(growQuota, () =>
      eventually(
        () => rowsOf<Row>('-n', 'dock', ...OVER),
        (all) =>
          all.some(({ resource, exhaustedInSeconds }) => resource === 'configmaps' && exhaustedInSeconds !== undefined),
        { what: 'an estimate' },
      ),
    )
    const times = new Map(rows.map(({ resource, exhaustedInSeconds }) => [resource, exhaustedInSeconds]))
    expect(times.get('configmaps')).toBeGreaterThan(0)
    expect(times.get('secrets')).toBeUndefined()
    expect(times.get('services')).toBe(0)
    const { stdout } = await top('-n', 'dock', ...OVER)
    expect(stdout).toMatch(/^NAMESPACE +KIND +NAME +RESOURCE +USED +HARD +USED UP IN +USE\n/)
    expect(stdout).toMatch(/ services +0 +0 +now +\[/)
    expect(stdout).toMatch(/ secrets +0 +5 +- +\[/)
    expect(stdout).toMatch(/\nUSED UP IN -: no growth was seen that uses it up within 30 days\n$/)
    // The usual interval is longer than that.
    const brief = await top('-n', 'dock', '--over', '300ms')
    expect(brief.stdout).toMatch(/\nUSED UP IN -: no growth was seen/)
  })

  test('namespaces show it for their nearest limit, and pools for what is claimed [33/exhaustion-top]', async () => {
    const pools = await whileGrowing(growPool, () =>
      eventually(
        () => rowsOf<{ readonly limits: readonly Row[] }>('pools', ...OVER),
        ([pool]) => pool?.limits.some(({ exhaustedInSeconds }) => exhaustedInSeconds !== undefined) === true,
        { what: 'an estimate' },
      ),
    )
    const growing = pools[0]?.limits.filter(({ exhaustedInSeconds }) => exhaustedInSeconds !== undefined)
    expect(growing?.map(({ resource }) => resource)).toEqual(['requests.cpu'])
    expect((await top('pools', ...OVER)).stdout).toMatch(/ RESOURCE +CLAIMED +HARD +USED UP IN +USE\n/)
    const namespaces = await rowsOf<{ readonly namespace: string; readonly nearest: Row }>('namespaces', ...OVER)
    expect(namespaces.find(({ namespace }) => namespace === 'dock')?.nearest.exhaustedInSeconds).toBe(0)
  })

  test('a watch shows it as soon as it has seen some growth [33/exhaustion-top]', async () => {
    const over = new AbortController()
    let printed = ''
    const watching = runProgram(['top', '-n', 'dock', '--watch', '--interval', '50ms'], {
      out: (text) => void (printed += text),
      err: (text) => void (printed += text),
      environment: { KUBECONFIG: allot.kubeconfig },
      stop: over.signal,
    })
    await whileGrowing(growQuota, () =>
      eventually(
        () => printed,
        (text) => / configmaps +\d+ +100k +(?:<1m|\d+[mhd]) +\[/.test(text),
        { what: 'a time' },
      ),
    )
    expect(printed).toMatch(/ configmaps +\d+ +100k +- +\[[^]*\nUSED UP IN -: it was not watched for long enough/)
    over.abort()
    expect(await watching).toBe(0)
  })

  test('stopped before its time, it prints what it has seen [33/exhaustion-top]', async () => {
    const over = new AbortController()
    let printed = ''
    const running = runProgram(['top', '-n', 'dock', '--over', '24h', '--interval', '10ms'], {
      out: (text) => void (printed += text),
      err: (text) => void (printed += text),
      environment: { KUBECONFIG: allot.kubeconfig },
      stop: over.signal,
    })
    const asked = async () =>
      (await allot.call('/metrics')).text.match(
        /apiserver_request_total\{verb="LIST".*resource="resourcequotas".*\} (\d+)/,
      )?.[1]
    const before = Number(await asked())
    await eventually(asked, (count) => Number(count) > before + 2, { what: 'some looks' })
    expect(printed).toBe('')
    over.abort()
    expect(await running).toBe(0)
    expect(printed).toMatch(/ services +0 +0 +now +\[/)
  })

  test.each([
    [['--watch', '--over', '1s'], /--over <duration>' cannot be used with option '-w, --watch'/],
    [['claims', '--over', '1s'], /--over <duration>' cannot be used with claims/],
    [['--over', '0s'], /must be a duration from 1ms/],
  ])('%j is refused [33/exhaustion-top]', async (args, said) => {
    const { code, stderr } = await top(...args)
    expect([code, stderr]).toEqual([2, expect.stringMatching(said)])
  })
})
