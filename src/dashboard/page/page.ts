import type { Exchange } from '../../runtime/http/exchange.ts'
import { isKnownHost } from '../../runtime/http/known-host.ts'
import { PAGE_HEADERS } from './headers.ts'
import { type PageFile, readPageFiles } from './files.ts'

const ABSENT = 'the page is not built here: run make page in the clone\n'
const FOREVER = 'public, max-age=31536000, immutable'
/** Kept, and asked for again each time: a newer allot may have another. */
const ASK_AGAIN = 'no-cache'

/** The address that is listened at, and further names of this machine. */
export interface PagePlace {
  readonly host: string
  readonly names: readonly string[]
}

/** Serves the page: the same files for everybody, which tell of nobody. */
export class Page {
  readonly #folder: string
  #files: ReadonlyMap<string, PageFile> | undefined

  /** `folder`: where its files are, or will be. They are read when the first viewer comes. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** Answers where the path is one of the page, and says whether it is. Other hosts and methods are not answered. */
  answers({ host, names }: PagePlace, exchange: Exchange): boolean {
    const { method, path, headers } = exchange
    const isStart = path === '/'
    if (!isStart && !path.startsWith('/assets/')) return false
    this.#files ??= readPageFiles(this.#folder)
    const file = this.#files?.get(path)
    // What is asked with another method, or is not there, is answered as any other path.
    if (method !== 'GET' && method !== 'HEAD') return false
    if (file === undefined && !(isStart && this.#files === undefined)) return false
    const authority = headers.host ?? (headers[':authority'] as string | undefined)
    if (!isKnownHost(host, names, authority)) return false
    for (const [name, value] of PAGE_HEADERS) exchange.append(name, value)
    if (file === undefined) exchange.respond(404, 'text/plain; charset=utf-8', ABSENT)
    else send(exchange, file)
    return true
  }
}

function send(exchange: Exchange, { type, bytes, zipped, etag, isImmutable }: PageFile): void {
  const { headers } = exchange
  const kept = { etag, vary: 'accept-encoding', 'cache-control': isImmutable ? FOREVER : ASK_AGAIN }
  if (headers['if-none-match'] === etag) return exchange.respond(304, type, '', kept)
  const zips = /\bgzip\b/.test(headers['accept-encoding'] ?? '')
  exchange.respond(200, type, zips ? zipped : bytes, zips ? { ...kept, 'content-encoding': 'gzip' } : kept)
}
