import { readdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { KINDS_OF_SYSTEMS, PURE, roomOf } from './rooms.ts'

/** The floors of the house, lowest first; rooms on one floor do not know each other. */
export const FLOORS: readonly (readonly string[])[] = [
  ['quantity'],
  ['machinery'],
  ['builtin', 'cel'],
  ['schema'],
  ['api'],
  ['kinds'],
  ['charges'],
  // The pure layers of the systems lie below the servers; the rest of the systems lies above the operator that runs them.
  ['systems/*/api'],
  ['systems/counted/protocol', 'systems/generated-quota/decide'],
  ['systems/*/decide'],
  ['install'],
  ['insight'],
  ['runtime'],
  ['kube', 'store'],
  ['apiserver', 'operator'],
  ['systems', 'reading'],
  ['dashboard', 'migrate', 'uninstall'],
  ['sdk', 'cli'],
]
/**
 * The floors inside a room or a folder of it, lowest first: folders, and files that lie in none. `.` stands for the other files that lie
 * in none, `*` for each other folder.
 */
const INNER_FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  // The decision on budgets knows no kind of budget, and is handed its evaluators.
  charges: [['.'], ['evaluators'], ['limit-names', 'limit-range']],
  machinery: [['go'], ['text'], ['.'], ['yaml', 'jsonpath', 'selector']],
  cel: [['types'], ['parser'], ['library'], ['checker'], ['interpreter'], ['.']],
  runtime: [['time', 'tasks'], ['process'], ['files'], ['certificate'], ['http'], ['admission', 'probe']],
  kube: [
    ['time', 'access'],
    ['kubeconfig', 'credentials'],
    ['transport'],
    ['client'],
    ['cache', 'election'],
    ['events', 'webhook-certificates'],
    ['.'],
  ],
  store: [['record'], ['log'], ['revision'], ['.']],
  apiserver: [
    ['table', 'protobuf'],
    ['resource'],
    ['decoding', 'discovery', 'openapi'],
    ['storing'],
    ['resource-quota'],
    ['auth'],
    ['admission'],
    ['operation'],
    ['event'],
    ['port'],
    ['controller', 'workload'],
    ['http'],
    ['.'],
  ],
  operator: [['cluster'], ['webhook'], ['shell'], ['system.ts'], ['.']],
  dashboard: [['bounds'], ['viewer'], ['answer'], ['stream'], ['page'], ['.']],
  // No system imports another: what several need lies on the floors below.
  systems: [['counted', 'generated-quota'], ['*'], ['.']],
  'apiserver/http': [['answer'], ['request'], ['subresource', 'path'], ['.']],
  'apiserver/workload': [['shared'], ['node', 'replica'], ['daemon-set', 'disruption', 'job', 'stateful-set'], ['.']],
  'schema/structural': [['value'], ['crd-schema', 'defaults'], ['.']],
  'schema/apply': [['field'], ['manager'], ['.']],
  'apiserver/auth': [['request'], ['rule'], ['bootstrap', 'identity'], ['guard'], ['.']],
  'systems/resource-pool/decide': [
    ['amount'],
    ['ledger'],
    ['quota'],
    ['limit-range'],
    ['end'],
    ['queue'],
    ['claim'],
    ['waiting'],
    ['.'],
  ],
}
interface Entrance {
  readonly place: string
  /** The room for which the entrance is the only way; every room where it is undefined. */
  readonly room?: string
  readonly importers: readonly string[]
}
/** Files and folders that only the named files of a room (of the house, where none is named) import, besides those beside them. */
const ENTRANCES: readonly Entrance[] = [
  // The server is complete without them, so that the folder could be deleted.
  { place: 'apiserver/workload', importers: ['cli/up/up.ts'] },
  // Every write of the server passes one door: what reads is given `StoredObjects`, which cannot write.
  {
    place: 'store/store.ts',
    room: 'apiserver',
    importers: [
      'apiserver/control-plane.ts',
      'apiserver/storing/store-writer.ts',
      'apiserver/storing/stored-objects.ts',
    ],
  },
  {
    place: 'apiserver/storing/store-writer.ts',
    importers: [
      'apiserver/control-plane.ts',
      'apiserver/controllers.ts',
      'apiserver/resource-quota/quota-admission.ts',
      'apiserver/resource-quota/controller.ts',
      'apiserver/resource-quota/quota-transaction.ts',
    ],
  },
]

interface Pattern {
  readonly regex: string
  readonly message: string
  readonly allowTypeImports?: boolean
}
/** The lint rules of some files: an item of `overrides` in the configuration of oxlint. */
export interface FileRules {
  readonly files: string[]
  readonly rules: {
    readonly 'no-restricted-imports': ['error', { readonly patterns: readonly Pattern[] }]
    readonly 'no-restricted-globals'?: ['error', ...unknown[]]
    readonly 'no-restricted-properties'?: ['error', ...unknown[]]
  }
}

const ADVICE =
  'A room imports only rooms on lower floors, and an entrance may be the only way in. scripts/house.ts holds the floors and the entrances.'
/** Globals by which a program reads or changes what it was not given, or finishes at another time. */
const IMPURE = [
  'console',
  'crypto',
  'eval',
  'fetch',
  'Function',
  'global',
  'globalThis',
  'performance',
  'process',
  'require',
  'setImmediate',
  'setInterval',
  'setTimeout',
  'Temporal',
]
/** Files of pure rooms that turn a given time into text or back; none of them reads the clock. */
const GIVEN_TIMES: readonly string[] = [
  'cel/library/time-text.ts',
  'cel/library/time.ts',
  'charges/evaluators/pod-lifecycle.ts',
  'machinery/object-meta.ts',
  'machinery/text/time.ts',
  'schema/apply/manager/managers.ts',
  'schema/type/go-time.ts',
  'systems/quota-increase/decide/namespace-plan.ts',
  'systems/resource-pool/decide/end/claim.ts',
]

/** What the page takes of allot: kinds, quantities and what tells how full a limit is. Types come from every room. */
const FOR_THE_PAGE: ReadonlySet<string> = new Set(['api', 'insight', 'quantity', 'systems'])

/** The lint rules of the page, which runs in browsers. `sources`: the folder of the rooms. */
export function pageRules(sources: string): FileRules {
  const others = readdirSync(sources).filter((room) => !FOR_THE_PAGE.has(room))
  return {
    files: ['web/src/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: `/src/(?:${others.join('|')}|systems/[^/]+/(?:decide|operate|protocol))/`,
              message: 'The page imports values of a few pure rooms, and types of all.',
              allowTypeImports: true,
            },
            { regex: '^node:', message: 'A browser has nothing of Node.' },
          ],
        },
      ],
    },
  }
}

/** Returns the lint rules by which the floors, the entrances and the purity of the rooms of `sources`, a folder, hold. */
export function houseRules(sources: string): FileRules[] {
  const files = readdirSync(sources, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(sources, join(entry.parentPath, entry.name)))
  const named = new Set([...ENTRANCES.flatMap(({ importers }) => importers), ...GIVEN_TIMES])
  const groups = Map.groupBy(
    files.filter((file) => !file.endsWith('.test.ts')),
    (file) => [dirname(file), roomOf(file), ...placesOf(file), named.has(file) ? file : ''].join(' '),
  )
  return [...groups.values()].map((group) => rulesOf(group, files))
}

/** The rules of files that may import the same. */
function rulesOf(group: readonly string[], files: readonly string[]): FileRules {
  const [from = ''] = group
  const isPure = PURE.has(roomOf(from))
  const forbidden = forbiddenPlaces(from, files).map((place) => specifier(from, place))
  const patterns = [
    ...(forbidden.length === 0 ? [] : [{ regex: `^(?:${forbidden.map(escaped).join('|')})`, message: ADVICE }]),
    ...(isPure ? [{ regex: '^(?!\\.|re2js$|yaml$)', message: 'A pure room imports neither Node nor packages.' }] : []),
  ]
  return {
    files: group.map((file) => `src/${file}`),
    rules: {
      'no-restricted-imports': ['error', { patterns }],
      ...(isPure ? pureRules(from) : {}),
    },
  }
}

function pureRules(file: string): Omit<FileRules['rules'], 'no-restricted-imports'> {
  const globals = GIVEN_TIMES.includes(file) ? IMPURE : [...IMPURE, 'Date']
  return {
    'no-restricted-globals': [
      'error',
      ...globals.map((name) => ({ name, message: 'A pure room is given what it needs.' })),
    ],
    'no-restricted-properties': [
      'error',
      { object: 'Math', property: 'random', message: 'A pure room leaves nothing to chance.' },
      { object: 'Date', property: 'now', message: 'A pure room reads no clock.' },
    ],
  }
}

/** The files that `from` may not import; a folder, with its slash, stands for all files below it. */
function forbiddenPlaces(from: string, files: readonly string[], folder = ''): readonly string[] {
  const below = files.filter((file) => file.startsWith(folder))
  if (below.every((file) => !mayImport(from, file))) return [folder]
  const children = new Set(below.map((file) => childOf(file, folder)))
  return [...children].flatMap((child) => {
    if (child.endsWith('/')) return forbiddenPlaces(from, below, child)
    return mayImport(from, child) ? [] : [child]
  })
}

/** The file or folder, directly in `folder`, that a file is or lies in. */
function childOf(file: string, folder: string): string {
  const end = file.indexOf('/', folder.length)
  return end < 0 ? file : file.slice(0, end + 1)
}

function mayImport(from: string, target: string): boolean {
  return (
    isLowerRoom(from, target) &&
    Object.entries(INNER_FLOORS).every(([within, floors]) => isLowerPlace(from, target, within, floors)) &&
    ENTRANCES.every((entrance) => isThroughEntrance(from, target, entrance))
  )
}

function isLowerRoom(from: string, target: string): boolean {
  const [room, other] = [roomOf(from), roomOf(target)]
  return room === other || (floorOf(FLOORS, other) >= 0 && floorOf(FLOORS, other) < floorOf(FLOORS, room))
}

function isLowerPlace(from: string, target: string, within: string, floors: readonly (readonly string[])[]): boolean {
  // The kinds of every system are known to all.
  if (!from.startsWith(`${within}/`) || !target.startsWith(`${within}/`) || roomOf(target) === KINDS_OF_SYSTEMS)
    return true
  const [place, other] = [from, target].map((path) => placeOf(path, within, floors))
  return place === other || innerFloorOf(floors, other ?? '') < innerFloorOf(floors, place ?? '')
}

function isThroughEntrance(from: string, target: string, { place, room, importers }: Entrance): boolean {
  const isWithin = (file: string): boolean => file === place || file.startsWith(`${place}/`)
  if (!isWithin(target) || isWithin(from)) return true
  return roomOf(from) !== (room ?? roomOf(from)) || importers.includes(from)
}

/** Where a file lies within each folder that has floors of its own. */
const placesOf = (file: string): readonly string[] =>
  Object.entries(INNER_FLOORS).map(([within, floors]) =>
    file.startsWith(`${within}/`) ? placeOf(file, within, floors) : '',
  )

/** The folder of a file within a room or folder; for a file in none its own name where it has a floor of its own, else `.`. */
function placeOf(path: string, within: string, floors: readonly (readonly string[])[]): string {
  const [name = '', file] = path.slice(within.length + 1).split('/')
  return file !== undefined || floorOf(floors, name) >= 0 ? name : '.'
}

const floorOf = (floors: readonly (readonly string[])[], name: string): number =>
  floors.findIndex((names) => names.includes(name))

function innerFloorOf(floors: readonly (readonly string[])[], place: string): number {
  const floor = floorOf(floors, place)
  return floor < 0 && place !== '.' ? floorOf(floors, '*') : floor
}

function specifier(from: string, target: string): string {
  const path = `${relative(dirname(from), target)}${target.endsWith('/') ? '/' : ''}`
  return path.startsWith('.') ? path : `./${path}`
}

const escaped = (text: string): string => text.replaceAll('.', String.raw`\.`)
