import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Quantity } from '../../../src/quantity/quantity.ts'
import { type BareServer, operatedServers } from '../operated.ts'
import { clusterWordsOf, renamed, type Scenario, scenariosOf, withAmounts } from './pool-scenario.ts'
import { ScenarioPlayer } from './scenario-player.ts'

const FILES = ['capsule/scenarios-resourcepool.json', 'capsule/scenarios-resourcepoolclaim.json']

const twice = (amount: string): string => {
  const quantity = Quantity.parse(amount)
  return quantity.add(quantity).toString()
}

/** Each scenario as it is, and with other names and amounts. */
const scenarios: readonly { readonly title: string; readonly scenario: Scenario }[] = FILES.flatMap((file) =>
  scenariosOf(file).flatMap((scenario, index) => [
    { title: `${file}: ${scenario.name}`, scenario },
    {
      title: `${file}: ${scenario.name}, with other names and twice the amounts`,
      scenario: withAmounts(renamed(scenario, `-x${FILES.indexOf(file)}${index}`), twice),
    },
  ]),
)

for (const { name, available, share } of operatedServers)
  describe(`${name}: the scenarios of Capsule's own tests`, { concurrent: true, skip: !available }, () => {
    let server: BareServer
    const plays = new Map<Scenario, Promise<void>>()

    beforeAll(async () => {
      server = await share()
      const before: { readonly scenario: Scenario; readonly cleared: Promise<void> }[] = []
      for (const { scenario } of scenarios) {
        const others = before.filter((one) => clash(one.scenario, scenario)).map(({ cleared }) => cleared)
        const player = new ScenarioPlayer(server)
        const play = Promise.all(others).then(() => player.play(scenario))
        const cleared = play.catch(() => undefined).then(() => player.clear())
        // Its failure is that of a test; here it is only not to end the process.
        cleared.catch(() => undefined)
        before.push({ scenario, cleared })
        plays.set(scenario, play)
      }
    })
    afterAll(() => server?.[Symbol.asyncDispose]())

    for (const { title, scenario } of scenarios)
      test(title, async () => {
        const play = plays.get(scenario)
        expect(play, 'the scenario was played').toBeDefined()
        await play
      })
  })

/** May they not be played at the same time? */
function clash(one: Scenario, other: Scenario): boolean {
  const words = clusterWordsOf(other)
  return [...clusterWordsOf(one)].some((word) => words.has(word))
}
