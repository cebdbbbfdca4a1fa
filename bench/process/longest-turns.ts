// How long one request of a tenant keeps everybody else waiting: for every list and map of every built-in kind, the largest body that
// has it full is created, and changed in each way over a stored object. The CPU time of the longest turn of the event loop counts.
// One JSON line for each way, with the places of the longest turns.
//
//   BENCH_PLACES=1 node bench/process/longest-turns.ts [created,applied] [part of the name of a place …]
import { MOST_PATCH_VALUES } from '../../src/apiserver/decoding/patch-length.ts'
import type { JsonObject } from '../../src/machinery/object.ts'
import { longestTurn } from '../../test/growth.ts'
import { canStandStored, CHANGES, documentOf, everyPlace, kindOf, nameOf } from '../../test/sweep/built-ins.ts'
import { largest } from '../../test/sweep/largest.ts'
import type { Style } from '../../test/sweep/entries.ts'
import { eachOrigin, type Place } from '../../test/sweep/schema-places.ts'
import { NAMESPACE, SweptPlane } from '../../test/sweep/swept-plane.ts'

/** A little less than a body, and than the store takes. */
const BODY_BYTES = 3_000_000
const STORED_BYTES = 900_000
/** Looks at every so many-th place. */
const EVERY = Number(process.env['BENCH_PLACES'] ?? '1')
/** Below this one measurement is enough. */
const ENOUGH_MS = 80
const SHOWN = 12
const STYLES: readonly Style[] = ['plain', 'full']

const asked = process.argv[2]?.split(',')
const parts = process.argv.slice(3)
const places = eachOrigin(everyPlace)
  .filter((place) => parts.length === 0 || parts.some((part) => nameOf(place).includes(part)))
  .filter((_, index) => index % EVERY === 0)
const swept = await SweptPlane.start()

type Way = (place: Place, style: Style, text: string) => Promise<unknown>
const created: Way = (place, _, text) => swept.send('POST', `${kindOf(place).path}?dryRun=All`, text)
const ways: Readonly<Record<string, Way>> = {
  created,
  ...Object.fromEntries(
    Object.entries(CHANGES).map(([way, [method, type, query = '']]): [string, Way] => [
      way,
      async (place, style, text) => {
        const stored: JsonObject = largest(documentOf(place, style), STORED_BYTES)
        const path = `${kindOf(place).path}/${NAMESPACE}?dryRun=All${query}`
        await swept.onStored(kindOf(place), stored, () => swept.send(method, path, text, type))
      },
    ]),
  ),
}

for (const [way, run] of Object.entries(ways)) {
  if (asked !== undefined && !asked.includes(way)) continue
  const turns: { readonly place: string; readonly style: Style; readonly ms: number; readonly codes: string }[] = []
  for (const place of places) {
    if (way !== 'created' && !canStandStored(place)) continue
    for (const style of STYLES) {
      const values = ['created', 'replaced'].includes(way) ? Infinity : MOST_PATCH_VALUES
      const text = JSON.stringify(largest(documentOf(place, style), BODY_BYTES, values))
      swept.found()
      const ms = await longestTurn(async () => void (await run(place, style, text)), ENOUGH_MS)
      turns.push({ place: nameOf(place), style, ms: Math.round(ms), codes: [...swept.found().codes.keys()].join() })
    }
  }
  const longest = turns.toSorted((one, other) => other.ms - one.ms)
  console.log(
    JSON.stringify({
      bench: 'longest-turns',
      way,
      turns: turns.length,
      above100: turns.filter(({ ms }) => ms > 100).length,
      longest: longest.slice(0, SHOWN),
    }),
  )
}
await swept.stop()
