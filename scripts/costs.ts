// The costs of the tests: CPU and wall time of each room, and of the slowest files.
import { dirname, relative } from 'node:path'
import type { FileCost } from '../test/file-costs.ts'

export type { FileCost }

export interface RoomCost {
  readonly room: string
  readonly files: number
  readonly cpuSeconds: number
  readonly wallSeconds: number
}

/** The room of a file: the folder below `src` or `test` that it is in. Other names are rooms of their own. */
export function roomOf(file: string): string {
  return file.includes('/') ? dirname(file).split('/').slice(0, 2).join('/') : file
}

/** The costs as `FileCost` objects, one a line; each file of tests once, its path relative to `root`. */
export function costsIn(text: string, root: string): readonly FileCost[] {
  const costs = new Map<string, FileCost>()
  for (const line of text.split('\n').filter((one) => one !== '')) {
    const { file: path, cpuSeconds, wallSeconds } = JSON.parse(line) as FileCost
    const file = path.startsWith('/') ? relative(root, path) : path
    const before = costs.get(file) ?? { cpuSeconds: 0, wallSeconds: 0 }
    const sum = { cpuSeconds: before.cpuSeconds + cpuSeconds, wallSeconds: before.wallSeconds + wallSeconds }
    costs.set(file, { file, ...sum })
  }
  return [...costs.values()]
}

/** The costs of all files of a room, the room with the most CPU time first. */
export function costsByRoom(costs: readonly FileCost[]): readonly RoomCost[] {
  const rooms = Map.groupBy(costs, ({ file }) => roomOf(file))
  const sum = (files: readonly FileCost[], of: 'cpuSeconds' | 'wallSeconds'): number =>
    files.reduce((total, file) => total + file[of], 0)
  return [...rooms]
    .map(([room, files]) => ({
      room,
      files: files.length,
      cpuSeconds: sum(files, 'cpuSeconds'),
      wallSeconds: sum(files, 'wallSeconds'),
    }))
    .toSorted((a, b) => b.cpuSeconds - a.cpuSeconds)
}

/** The lines that `make test` prints: rooms with their files, then the `slowest` files. */
export function costLines(costs: readonly FileCost[], slowest: number): readonly string[] {
  const columns = (cpu: number, wall: number, what: string): string =>
    `${cpu.toFixed(1).padStart(7)} s CPU ${wall.toFixed(1).padStart(7)} s wall  ${what}`
  return [
    ...costsByRoom(costs).map(({ room, files, cpuSeconds, wallSeconds }) =>
      columns(cpuSeconds, wallSeconds, `${room} (${files} ${files === 1 ? 'file' : 'files'})`),
    ),
    'The slowest files:',
    ...costs
      .toSorted((a, b) => b.wallSeconds - a.wallSeconds)
      .slice(0, slowest)
      .map(({ file, cpuSeconds, wallSeconds }) => columns(cpuSeconds, wallSeconds, file)),
  ]
}
