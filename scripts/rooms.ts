/** The pure layers of the systems, each a room with a floor of its own. */
const SHARED_LAYERS: readonly string[] = ['systems/counted/protocol', 'systems/generated-quota/decide']
/** The kinds of allot's own, with the list of them. */
export const KINDS_OF_SYSTEMS = 'systems/*/api'
export const DECISIONS_OF_SYSTEMS = 'systems/*/decide'
/** The rooms whose results follow from what they are given. */
export const PURE: ReadonlySet<string> = new Set([
  'quantity',
  'machinery',
  'builtin',
  'cel',
  'schema',
  'api',
  'kinds',
  'charges',
  'install',
  'insight',
  'migrate',
  ...SHARED_LAYERS,
  KINDS_OF_SYSTEMS,
  DECISIONS_OF_SYSTEMS,
])

/** Returns the room of a file, whose path is below the folder of the sources. */
export function roomOf(path: string): string {
  const [room = '', system = '', layer = ''] = path.split('/')
  if (room !== 'systems') return room
  const shared = `${room}/${system}/${layer}`
  if (SHARED_LAYERS.includes(shared)) return shared
  if (layer === 'api' || path === 'systems/custom-resources.ts') return KINDS_OF_SYSTEMS
  return layer === 'decide' ? DECISIONS_OF_SYSTEMS : room
}
