// Tar archives whose bytes depend on nothing but what is in them.
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ROOT } from './root.ts'

/** A file or a folder of an archive. Folders have no content. */
export interface TarEntry {
  readonly path: string
  readonly mode: number
  readonly content?: Buffer
}

/** As npm dates the files of packages: tools warn of the year 1970. */
const MTIME_SECONDS = 499_162_500
const BLOCK = 512
/** Packed alone, and only once a machine: to pack a Node binary takes five seconds. */
const LARGE_BYTES = 16 << 20
const PACKED = join(ROOT, 'node_modules/.cache/packed')

/** The files below a folder, sorted. `isExecutable` says which of them can be started. */
export function entriesOf(folder: string, isExecutable: (path: string) => boolean, below = ''): readonly TarEntry[] {
  return readdirSync(join(folder, below))
    .toSorted()
    .flatMap((name) => {
      const path = below === '' ? name : `${below}/${name}`
      if (lstatSync(join(folder, path)).isDirectory()) return entriesOf(folder, isExecutable, path)
      return [{ path, mode: isExecutable(path) ? 0o755 : 0o644, content: readFileSync(join(folder, path)) }]
    })
}

/** The entries below a prefix, with the folders that hold them before them. */
export function below(prefix: string, entries: readonly TarEntry[]): readonly TarEntry[] {
  const folders = new Set<string>()
  return entries.flatMap((entry) => {
    const path = prefix + entry.path
    const names = path.split('/').slice(0, -1)
    const holding = names
      .map((_, index) => names.slice(0, index + 1).join('/'))
      .filter((folder) => !folders.has(folder))
    for (const folder of holding) folders.add(folder)
    return [...holding.map((folder) => ({ path: folder, mode: 0o755 })), { ...entry, path }]
  })
}

/** The bytes of a tar archive, in pieces. */
export function tarOf(entries: readonly TarEntry[]): readonly Buffer[] {
  const pieces = entries.flatMap((entry) => {
    const { content = Buffer.alloc(0) } = entry
    return [headerOf(entry), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]
  })
  return [...pieces, Buffer.alloc(2 * BLOCK)]
}

/** The pieces as gzip packs them. A large piece is a member of its own, so that archives with the same Node pack it once. */
export function packed(pieces: readonly Buffer[]): Buffer {
  const members: Buffer[] = []
  let small: Buffer[] = []
  const flush = (): void => {
    if (small.length > 0) members.push(gzipSync(Buffer.concat(small)))
    small = []
  }
  for (const piece of pieces) {
    if (piece.length < LARGE_BYTES) {
      small.push(piece)
      continue
    }
    flush()
    members.push(packedOnce(piece))
  }
  flush()
  return Buffer.concat(members)
}

function packedOnce(piece: Buffer): Buffer {
  const file = join(PACKED, `${createHash('sha256').update(piece).digest('hex')}-${process.versions.zlib}.gz`)
  try {
    return readFileSync(file)
  } catch {
    const member = gzipSync(piece)
    mkdirSync(PACKED, { recursive: true })
    writeFileSync(file, member, { flush: true })
    return member
  }
}

function headerOf({ path, mode, content }: TarEntry): Buffer {
  const header = Buffer.alloc(BLOCK)
  const name = content === undefined ? `${path}/` : path
  if (Buffer.byteLength(name) > 100) throw new Error(`the path is too long for tar: ${name}`)
  const octal = (value: number, at: number, length: number): void => {
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1')
  }
  header.write(name, 0)
  octal(mode, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(content?.length ?? 0, 124, 12)
  octal(MTIME_SECONDS, 136, 12)
  // The sum of the header is taken as if it were blank.
  header.write('        ', 148, 'latin1')
  header.write(content === undefined ? '5' : '0', 156, 'latin1')
  header.write('ustar\u000000', 257, 'latin1')
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}
