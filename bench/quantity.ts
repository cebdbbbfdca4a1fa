// The costs of a quantity, in nanoseconds. One JSON line per figure.
import { measure } from 'mitata'
import { Quantity } from '../src/quantity/quantity.ts'

const sink: unknown[] = [undefined]
const one = Quantity.parse('100m')
const other = Quantity.parse('1Gi')
const cases: Readonly<Record<string, () => unknown>> = {
  'parse 100m': () => Quantity.parse('100m'),
  'parse 128Mi': () => Quantity.parse('128Mi'),
  'parse 1.5Gi': () => Quantity.parse('1.5Gi'),
  add: () => one.add(other),
  cmp: () => one.cmp(other),
  'add and print': () => one.add(other).toString(),
}
for (const [figure, run] of Object.entries(cases)) {
  const { avg } = await measure(() => {
    sink[0] = run()
  })
  console.log(JSON.stringify({ bench: 'quantity', figure, nanoseconds: Math.round(avg) }))
}
