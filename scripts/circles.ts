import { importedFiles, type ParsedModule } from './syntax/parsed-modules.ts'

/** The files that import each other, a line for each circle; nothing when there is none. */
export const circleViolations = (modules: readonly ParsedModule[]): readonly string[] =>
  circles(new Map(modules.map((one) => [one.path, importedFiles(one)]))).map(
    (circle) => `${circle.join(' imports ')} imports ${circle[0]}`,
  )

/** The groups of files that import each other, each in the order in which one leads to the next, from the first by name. */
function circles(imports: ReadonlyMap<string, readonly string[]>): readonly (readonly string[])[] {
  return stronglyConnected(imports)
    .filter((group) => group.size > 1)
    .map((group) => wayAround(group, imports))
}

/** Tarjan's algorithm: sets of files each of which leads to each other one. */
function stronglyConnected(imports: ReadonlyMap<string, readonly string[]>): readonly ReadonlySet<string>[] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const groups: Set<string>[] = []
  const visit = (file: string): number => {
    let low = order.size
    order.set(file, low)
    const own = low
    open.push(file)
    for (const next of imports.get(file) ?? []) {
      if (!imports.has(next)) continue
      if (!order.has(next)) low = Math.min(low, visit(next))
      else if (open.includes(next)) low = Math.min(low, order.get(next) ?? low)
    }
    lowest.set(file, low)
    if (low === own) groups.push(new Set(open.splice(open.indexOf(file))))
    return low
  }
  for (const file of imports.keys()) if (!order.has(file)) visit(file)
  return groups
}

/** The shortest way from the first file of a group back to it. */
function wayAround(group: ReadonlySet<string>, imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const [start = ''] = [...group].toSorted()
  let ways: readonly (readonly string[])[] = [[start]]
  const seen = new Set<string>()
  for (;;) {
    const longer: (readonly string[])[] = []
    for (const way of ways)
      for (const next of imports.get(way.at(-1) ?? '') ?? []) {
        if (next === start) return way
        if (!group.has(next) || seen.has(next)) continue
        seen.add(next)
        longer.push([...way, next])
      }
    ways = longer
  }
}
