import { readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { Pair } from './pair.ts'
import { assets } from './real-server.ts'
import type { Scenario } from './scenario.ts'

const folder = new URL('scenarios/', import.meta.url)
const only = process.env['ALLOT_SCENARIOS']
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts') && (only === undefined || name.includes(only)),
)
const loaded = await Promise.all(
  files.toSorted().map(async (file) => {
    const { scenarios } = (await import(new URL(file, folder).href)) as { readonly scenarios: readonly Scenario[] }
    return { file, scenarios }
  }),
)

describe.skipIf(assets === undefined)('a real API server and allot answer the same', () => {
  let pair: Pair
  beforeAll(async () => {
    // Its own: controllers that are busy with the objects of other tests would answer late.
    pair = await Pair.start({})
  })
  afterAll(() => pair[Symbol.asyncDispose]())

  for (const { file, scenarios } of loaded)
    describe.concurrent(basename(file, '.ts'), () => {
      for (const scenario of scenarios)
        test.concurrent(scenario.name, async ({ expect }) => {
          expect(await pair.play(scenario)).toEqual([])
        })
    })
})
