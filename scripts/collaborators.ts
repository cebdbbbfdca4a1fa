import type { ParsedModule } from './syntax/parsed-modules.ts'

const ROOM = 'apiserver/'
/** The files of the API server that put its parts together. */
const ASSEMBLING = ['control-plane.ts', 'controllers.ts', 'workload/workloads.ts']
/** A file that uses more classes of the API server than this is close to an object that holds everything. */
const MOST = 6

/**
 * Returns the files of `apiserver` that use more of its classes than an operation or a controller needs, one line each. Types
 * count too: an object that is handed everything names everything. The files that put the parts together may use all of them.
 */
export function collaboratorViolations(sources: readonly ParsedModule[]): readonly string[] {
  const modules = sources.filter(({ path }) => path.startsWith(ROOM))
  const classes = new Set(modules.flatMap(exportedClasses))
  return modules.flatMap(({ path, imports }) => {
    if (ASSEMBLING.includes(path.slice(ROOM.length))) return []
    const imported = imports.flatMap(({ names }) => [...names.values()])
    const used = [...new Set(imported)].filter((name) => classes.has(name) && !name.endsWith('Error'))
    return used.length > MOST
      ? [`${path} uses ${used.length} classes of the API server: ${used.toSorted().join(', ')}`]
      : []
  })
}

function exportedClasses({ program }: ParsedModule): readonly string[] {
  return program.body.flatMap((node) => {
    const declared = node.type === 'ExportNamedDeclaration' ? node.declaration : null
    return declared?.type === 'ClassDeclaration' && declared.id !== null ? [declared.id.name] : []
  })
}
