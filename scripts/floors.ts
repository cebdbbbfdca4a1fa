import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

/** The floors of the house, lowest first; rooms on one floor do not know each other. */
export const FLOORS: readonly (readonly string[])[] = [
  ['quantity'],
  ['machinery'],
  ['cel'],
  ['schema'],
  ['api'],
  ['kinds'],
  ['charges', 'grants'],
  ['insight'],
  ['runtime'],
  ['kube', 'store'],
  ['apiserver', 'operator', 'dashboard', 'migrate'],
  ['sdk', 'testing', 'cli'],
]
const PURE = new Set(['quantity', 'machinery', 'cel', 'schema', 'api', 'kinds', 'charges', 'grants', 'insight'])
const CLOCK_OR_CHANCE = /\bDate\.now\(|new Date\(\)|\bMath\.random\(|\bperformance\.now\(|\bprocess\./
/** What a command composes: `up` starts the control plane, so the top floor may use every lower one. */
const floorOf = (room: string): number => FLOORS.findIndex((rooms) => rooms.includes(room))

/** What breaks the rules of floors and purity below `source`, one line each; nothing when all hold. */
export function floorViolations(source: string): readonly string[] {
  return files(source).flatMap((file) => {
    const room = relative(source, file).split('/')[0] ?? ''
    const text = readFileSync(file, 'utf8')
    const here = relative(source, file)
    const floor = floorOf(room)
    if (floor < 0) return [`src/${here}: ${room} is no room of the house (scripts/floors.ts)`]
    const imports = [
      ...text.matchAll(
        /^\s*(?:import|export)\b[^'"]*?from\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)|^\s*import\s+['"]([^'"]+)['"]/gm,
      ),
    ].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
    const wrongImports = imports.flatMap((specifier) => {
      if (specifier.startsWith('node:'))
        return PURE.has(room) ? [`src/${here}: ${room} is pure and imports ${specifier}`] : []
      if (!specifier.startsWith('.')) return []
      const target = relative(source, resolve(dirname(file), specifier)).split('/')[0] ?? ''
      if (target === room) return []
      return floorOf(target) >= 0 && floorOf(target) < floor ? [] : [`src/${here}: ${room} may not import ${target}`]
    })
    const impure =
      PURE.has(room) && CLOCK_OR_CHANCE.test(text)
        ? [`src/${here}: ${room} is pure and reads the clock, chance or the process`]
        : []
    const oneDefault = /^export default\b/m.test(text) ? [`src/${here}: only named exports`] : []
    const barrel =
      here.endsWith('/index.ts') && here !== 'sdk/index.ts' ? [`src/${here}: only sdk/index.ts may be an index`] : []
    return [...wrongImports, ...impure, ...oneDefault, ...barrel]
  })
}

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return files(path)
    return entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts') ? [path] : []
  })
}
