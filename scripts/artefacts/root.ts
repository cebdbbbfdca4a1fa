import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Of the clone. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The description of the package in the clone. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly dependencies: Readonly<Record<string, string>>
  readonly scripts: unknown
  readonly devDependencies: unknown
  readonly workspaces: unknown
  readonly private: unknown
}

export const manifest = (): Manifest => JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest
