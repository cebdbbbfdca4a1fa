import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { ROOT } from './root.ts'

/** A package of which the bundle holds modules. */
export interface BundledPackage {
  readonly name: string
  readonly version: string
  /** An SPDX expression. */
  readonly license: string
  /** As the lock file has it. */
  readonly integrity: string
  readonly licenseText: string
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly integrity?: string }>>
}

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i

/** The packages that these modules belong to, by name and version. Throws for one without a licence. */
export function bundledPackages(modules: readonly string[]): readonly BundledPackage[] {
  const { packages: locked } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock
  const folders = new Set(modules.flatMap((module) => folderOf(module) ?? []))
  return [...folders]
    .map((folder) => {
      const { name, version, license } = JSON.parse(
        readFileSync(join(folder, 'package.json'), 'utf8'),
      ) as BundledPackage
      const integrity = locked[relative(ROOT, folder)]?.integrity
      if (integrity === undefined) throw new Error(`${folder} is bundled and not in package-lock.json`)
      if (typeof license !== 'string') throw new Error(`${folder} is bundled and names no licence`)
      return { name, version, license, integrity, licenseText: licenseTextIn(folder) }
    })
    .toSorted((a, b) => (`${a.name}@${a.version}` < `${b.name}@${b.version}` ? -1 : 1))
}

/** The folder of the package that a module is in; undefined for modules of ours and of the bundler. */
function folderOf(module: string): string | undefined {
  const file = module.replaceAll('\0', '').replace(/\?.*$/, '')
  if (!file.includes('/node_modules/')) return undefined
  // The folders in a package that only say how its modules are read have no version.
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    const description = join(folder, 'package.json')
    if (existsSync(description) && 'version' in JSON.parse(readFileSync(description, 'utf8'))) return folder
  }
  throw new Error(`${module} is in no package`)
}

function licenseTextIn(folder: string): string {
  const files = readdirSync(folder).filter((name) => LICENSE_FILE.test(name))
  return files.map((name) => readFileSync(join(folder, name), 'utf8').trim()).join('\n\n')
}
