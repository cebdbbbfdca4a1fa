// An archive for machines without Node: Node and the program in one folder. It is a plugin of kubectl, too.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { NodeBinary } from './node-binary.ts'
import { manifest } from './root.ts'
import { SBOM_FILE, sbomWith, type SbomComponent } from './sbom.ts'
import { below, entriesOf, packed, tarOf, type TarEntry } from './tar.ts'

/** Starts the program. Only what POSIX demands of a shell is used, and no PATH. */
const LAUNCHER = readFileSync(new URL('launcher.sh', import.meta.url))
const EXECUTABLE = new Set(['bin/allot.js'])

/** The files of the program, with a list of its parts that has these further ones. */
export function programEntries(program: string, further: readonly SbomComponent[]): readonly TarEntry[] {
  return entriesOf(program, (path) => EXECUTABLE.has(path)).map((entry) =>
    entry.path === SBOM_FILE && entry.content !== undefined
      ? { ...entry, content: Buffer.from(sbomWith(entry.content.toString(), further)) }
      : entry,
  )
}

export function nodeComponent({ version, source, binary }: NodeBinary): SbomComponent {
  return {
    type: 'application',
    name: 'node',
    version,
    purl: `pkg:npm/${source}@${version}`,
    licenses: [{ expression: 'MIT' }],
    hashes: [{ alg: 'SHA-256', content: sha256(binary) }],
  }
}

/** The package for npm. */
export const packageArchive = (program: string): Buffer => packed(tarOf(below('package/', programEntries(program, []))))

/** The name of the folder in the archive of a platform, and of the archive without its ending. */
export const archiveName = (platform: string): string => `allot-${manifest().version}-${platform}`

export function platformArchive(program: string, platform: string, node: NodeBinary): Buffer {
  const entries = [
    // The large one first, so that the rest is packed in one piece.
    { path: 'node', mode: 0o755, content: node.binary },
    { path: 'allot', mode: 0o755, content: LAUNCHER },
    { path: 'NODE-LICENSE', mode: 0o644, content: node.license },
    ...programEntries(program, [nodeComponent(node)]),
  ]
  return packed(tarOf(below(`${archiveName(platform)}/`, entries)))
}

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
