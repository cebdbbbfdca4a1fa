import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** A file of the page, ready to be sent. */
export interface PageFile {
  readonly type: string
  readonly bytes: Buffer
  readonly zipped: Buffer
  readonly etag: string
  /** Has its name a hash of its content, so that a browser need not ask for it again? */
  readonly isImmutable: boolean
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const START = 'index.html'
const ASSETS = 'assets'

/**
 * The files of the page in a folder by their paths, read once and kept. Undefined where the folder has no page: a clone has it once it was built.
 * Nothing but these paths leads to a file.
 */
export function readPageFiles(folder: string): ReadonlyMap<string, PageFile> | undefined {
  if (!existsSync(join(folder, START))) return undefined
  const assets = readdirSync(join(folder, ASSETS)).map((name) => `${ASSETS}/${name}`)
  return new Map([
    ['/', pageFile(join(folder, START), false)],
    ...assets.map((path) => [`/${path}`, pageFile(join(folder, path), true)] as const),
  ])
}

function pageFile(path: string, isImmutable: boolean): PageFile {
  const type = TYPES[extname(path)]
  if (type === undefined) throw new Error(`${path} is no file of a page`)
  const bytes = readFileSync(path)
  const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
  return { type, bytes, zipped: gzipSync(bytes, { level: 9 }), etag, isImmutable }
}
