import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HookPair } from './hook-pair.ts'
import { Pair } from './pair.ts'
import { assets } from './real-server.ts'
import { HOOK_SCENARIOS } from './webhook-scenarios.ts'

describe.skipIf(assets === undefined)(
  'a real API server and allot ask webhooks alike and take their answers alike',
  () => {
    let pair: Pair
    let hooks: HookPair
    beforeAll(async () => {
      pair = await Pair.start({})
      hooks = await HookPair.start(pair)
    })
    afterAll(async () => {
      await hooks[Symbol.asyncDispose]()
      await pair[Symbol.asyncDispose]()
    })

    for (const { title, scenarios } of HOOK_SCENARIOS)
      describe(title, () => {
        for (const scenario of scenarios)
          test(scenario.name, async () => {
            expect(await hooks.play(scenario)).toEqual([])
          })
      })
  },
)
