import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { sourceFiles } from './floors.ts'

/** The files of the API server that put its parts together. */
const ASSEMBLING = ['control-plane.ts', 'controllers.ts', 'workload/workloads.ts']
/** A file that uses more classes of the API server than this is close to an object that holds everything. */
const MOST = 6
const CLASS = /^export (?:abstract )?class (\w+)/gm
const IMPORT = /^import\b([^'"]*?)from\s+['"]/gm

/**
 * Returns the files below `apiserver` that use more of its classes than an operation or a controller needs, one line each. Types
 * count too: an object that is handed everything names everything. The files that put the parts together may use all of them.
 */
export function collaboratorViolations(apiserver: string): readonly string[] {
  const texts = sourceFiles(apiserver).map((file) => [relative(apiserver, file), readFileSync(file, 'utf8')] as const)
  const classes = new Set(texts.flatMap(([, text]) => [...text.matchAll(CLASS)].map(([, name = '']) => name)))
  return texts.flatMap(([file, text]) => {
    if (ASSEMBLING.includes(file)) return []
    const imported = [...text.matchAll(IMPORT)].flatMap(([, names = '']) => names.match(/\w+/g) ?? [])
    const used = [...new Set(imported)].filter((name) => classes.has(name) && !name.endsWith('Error'))
    return used.length > MOST
      ? [`${join('apiserver', file)} uses ${used.length} classes of the API server: ${used.toSorted().join(', ')}`]
      : []
  })
}
