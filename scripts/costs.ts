// The costs of the tests: CPU and wall time of each room, and of the slowest files.
import { dirname, relative } from 'node:path'
import type { FileCost } from '../test/file-costs.ts'

export type { FileCost }

/** The costs as `FileCost` objects, one a line; each file of tests once, its path relative to `root`. */
export function costsIn(text: string, root: string): readonly FileCost[] {
  const costs = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as FileCost]))
  return summedUp(costs, ({ file }) => (file.startsWith('/') ? relative(root, file) : file))
}

/** The lines that `make test` prints: rooms, the one with the most CPU time first, then the `slowest` files. */
export function costLines(costs: readonly FileCost[], slowest: number): readonly string[] {
  const line = ({ file, cpuSeconds, wallSeconds }: FileCost): string =>
    `${cpuSeconds.toFixed(1).padStart(7)} s CPU ${wallSeconds.toFixed(1).padStart(7)} s wall  ${file}`
  return [
    ...summedUp(costs, roomOf)
      .toSorted((a, b) => b.cpuSeconds - a.cpuSeconds)
      .map(line),
    'The slowest files:',
    ...costs
      .toSorted((a, b) => b.wallSeconds - a.wallSeconds)
      .slice(0, slowest)
      .map(line),
  ]
}

/** The room of a file: the folder below `src` or `test` that it is in. Other names are rooms of their own. */
const roomOf = ({ file }: FileCost): string =>
  file.includes('/') ? dirname(file).split('/').slice(0, 2).join('/') : file

/** The sum of the costs that have the same name. */
function summedUp(costs: readonly FileCost[], nameOf: (cost: FileCost) => string): readonly FileCost[] {
  return [...Map.groupBy(costs, nameOf)].map(([file, same]) => ({
    file,
    cpuSeconds: same.reduce((sum, one) => sum + one.cpuSeconds, 0),
    wallSeconds: same.reduce((sum, one) => sum + one.wallSeconds, 0),
  }))
}
