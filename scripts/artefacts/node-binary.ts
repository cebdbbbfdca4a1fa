// The Node of each platform, from the packages that toolchain/package.json pins and package-lock.json has the hash of.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './root.ts'

/** A Node binary and its licence, with those of the libraries in it. */
export interface NodeBinary {
  readonly version: string
  /** The npm package that holds it. */
  readonly source: string
  readonly binary: Buffer
  readonly license: Buffer
}

interface Toolchain {
  readonly optionalDependencies: Readonly<Record<string, string>>
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly integrity?: string }>>
}

const CACHE = join(ROOT, 'node_modules/.cache/node-binaries')
const readJson = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), 'utf8'))
const packages = (): Toolchain['optionalDependencies'] =>
  (readJson('toolchain/package.json') as Toolchain).optionalDependencies
const platformOf = (name: string): string => name.replace(/^node-(?:bin-)?/, '')

/** As `linux-x64`. */
export const platforms = (): readonly string[] => Object.keys(packages()).map(platformOf).toSorted()

/** The Node of a platform, fetched where the clone has it not. */
export function nodeOf(platform: string): NodeBinary {
  const [source, version] = Object.entries(packages()).find(([name]) => platformOf(name) === platform) ?? []
  if (source === undefined || version === undefined)
    throw new Error(`there is no Node for ${platform}, only for ${platforms().join(', ')}`)
  const installed = join(ROOT, 'node_modules', source)
  const folder = existsSync(join(installed, 'bin/node')) ? installed : fetched(source, version)
  return {
    version,
    source,
    binary: readFileSync(join(folder, 'bin/node')),
    license: readFileSync(join(folder, 'LICENSE')),
  }
}

function fetched(source: string, version: string): string {
  const folder = join(CACHE, `${source}-${version}`)
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  const unfinished = mkdtempSync(join(CACHE, 'unfinished-'))
  execFileSync('npm', ['pack', `${source}@${version}`, '--pack-destination', unfinished, '--loglevel=error'], {
    cwd: unfinished,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [file = ''] = readdirSync(unfinished)
  const integrity = `sha512-${createHash('sha512')
    .update(readFileSync(join(unfinished, file)))
    .digest('base64')}`
  const locked = (readJson('package-lock.json') as Lock).packages[`node_modules/${source}`]?.integrity
  if (integrity !== locked) throw new Error(`${source} ${version} is not what package-lock.json names: ${integrity}`)
  execFileSync('tar', ['-xzf', file, '--strip-components=1', 'package/bin/node', 'package/LICENSE'], {
    cwd: unfinished,
  })
  rmSync(join(unfinished, file))
  renameSync(unfinished, folder)
  return folder
}
