import { importedFiles, type ParsedModule, type SyntaxNode } from './syntax/parsed-modules.ts'
import { impurities } from './purity.ts'
import { KINDS_OF_SYSTEMS, roomOf } from './rooms.ts'

/** The floors of the house, lowest first; rooms on one floor do not know each other. */
export const FLOORS: readonly (readonly string[])[] = [
  ['quantity'],
  ['machinery'],
  ['cel'],
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
  ['systems'],
  ['dashboard', 'migrate', 'uninstall'],
  ['sdk', 'testing', 'cli'],
]
/**
 * The floors inside a room or a folder of it, lowest first: folders, and files that lie in none. `.` stands for the other files that lie
 * in none, `*` for each other folder.
 */
const INNER_FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  // The decision on budgets knows no kind of budget, and is handed its evaluators.
  charges: [['.'], ['evaluators'], ['limit-names'], ['resource-quota']],
  machinery: [['go'], ['.'], ['yaml', 'jsonpath', 'selector']],
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
  // No system imports another: what several need lies on the floors below.
  systems: [['generated-quota'], ['counted'], ['*'], ['.']],
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
/** Files and folders that only the named files of a room (of the house, where none is named) import, besides those beside them. */
const ENTRANCES: readonly {
  readonly place: string
  readonly room?: string
  readonly importers: readonly string[]
}[] = [
  // The server is complete without them, so that the folder could be deleted.
  { place: 'apiserver/workload', importers: ['cli/up.ts'] },
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
      'apiserver/resource-quota/resource-quota-controller.ts',
      'apiserver/resource-quota/quota-transaction.ts',
    ],
  },
]

/** Returns the violations of the floors and of purity among the modules of the sources, one line each; none when all rules hold. */
export function floorViolations(modules: readonly ParsedModule[]): readonly string[] {
  return modules
    .map((one) => ({ ...one, program: one.program, files: importedFiles(one) }))
    .flatMap((one) => [
      ...outerFloors(one),
      ...innerFloors(one),
      ...entrances(one),
      ...computedImports(one),
      ...impurities(one),
      ...exportRules(one),
    ])
}

interface Source extends ParsedModule {
  /** Below the folder of the sources. */
  readonly files: readonly string[]
}

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

function outerFloors({ path, files: imports }: Source): readonly string[] {
  const room = roomOf(path)
  const floor = floorOf(FLOORS, room)
  if (floor < 0) return [`src/${path}: ${room} is not a room of the house (scripts/floors.ts)`]
  return imports
    .map(roomOf)
    .filter((target) => target !== room && !(floorOf(FLOORS, target) >= 0 && floorOf(FLOORS, target) < floor))
    .map((target) => `src/${path}: ${room} may not import ${target}`)
}

function innerFloors(source: Source): readonly string[] {
  return Object.entries(INNER_FLOORS).flatMap(([within, floors]) => floorsWithin(source, within, floors))
}

function floorsWithin(
  { path, files: imports }: Source,
  within: string,
  floors: readonly (readonly string[])[],
): readonly string[] {
  if (!path.startsWith(`${within}/`)) return []
  const place = placeOf(path, within, floors)
  const floor = innerFloorOf(floors, place)
  if (floor < 0) return [`src/${path}: ${within}/${place} is not a folder of the house (scripts/floors.ts)`]
  return (
    imports
      // The kinds of every system are known to all.
      .filter((target) => target.startsWith(`${within}/`) && roomOf(target) !== KINDS_OF_SYSTEMS)
      .map((target) => placeOf(target, within, floors))
      .filter((target) => target !== place && innerFloorOf(floors, target) >= floor)
      .map((target) => `src/${path}: ${within}/${place} may not import ${within}/${target}`)
  )
}

function entrances({ path, files: imports }: Source): readonly string[] {
  const isWithin = (file: string, place: string): boolean => file === place || file.startsWith(`${place}/`)
  return ENTRANCES.filter(
    ({ place, room = roomOf(path), importers }) =>
      roomOf(path) === room && !isWithin(path, place) && !importers.includes(path),
  ).flatMap(({ place, importers }) =>
    imports
      .filter((target) => isWithin(target, place))
      .map((target) => `src/${path}: only ${importers.join(', ')} may import ${target}`),
  )
}

/** No check knows where such an import leads. */
function computedImports({ path, imports }: Source): readonly string[] {
  return imports.some(({ specifier }) => specifier === undefined) ? [`src/${path}: an import names its module`] : []
}

function exportRules({ path, program }: Source): readonly string[] {
  return [
    ...(program.body.some(isDefaultExport) ? [`src/${path}: only named exports`] : []),
    ...(path.endsWith('/index.ts') && path !== 'sdk/index.ts'
      ? [`src/${path}: only sdk/index.ts may be an index`]
      : []),
  ]
}

const isDefaultExport = (statement: SyntaxNode): boolean =>
  statement.type === 'ExportDefaultDeclaration' ||
  (statement.type === 'ExportNamedDeclaration' &&
    statement.specifiers.some(({ exported }) => 'name' in exported && exported.name === 'default'))
