import { Socket } from 'node:net'
import type { Logger } from '../../process/logger.ts'

const { createServer } = process.getBuiltinModule('node:http')

/**
 * The callbacks of Node's parser of HTTP/1.1, by the numbers that its class names. They are private to Node (docs/decisions/041-nodes-parser.md):
 * all uses of them are in this file.
 */
interface Parser {
  readonly constructor: { readonly kOnMessageBegin?: unknown; readonly kOnExecute?: unknown }
  readonly _consumed?: unknown
  onIncoming?: unknown
  [callback: number]: unknown
}

export interface ParserWatch {
  /** A request begins. */
  readonly begins: () => void
  /** All that has arrived so far is parsed. */
  readonly parsed: () => void
}

/** Node's parser stops with an error at a request for which this is returned. */
const STOP = -1

/**
 * Has the parser of a connection stop at the first request that arrives while `isHasty`: it would hand over all requests of a piece before
 * anything else gets its turn. Does nothing where Node has no such parser.
 */
export function stopParserWhen(socket: Socket, isHasty: () => boolean): void {
  const parser = parserOf(socket)
  const { onIncoming } = parser ?? {}
  if (!parser || typeof onIncoming !== 'function') return
  parser.onIncoming = (...request: unknown[]): unknown => (isHasty() ? STOP : onIncoming.apply(parser, request))
}

/**
 * Watches a parser that reads the connection itself, which saves the way of every piece through streams. Gives false, and does
 * nothing, where Node has no such parser for the connection, or lets nobody watch it.
 */
export function watchParser(socket: Socket, { begins, parsed }: ParserWatch): boolean {
  const parser = parserOf(socket)
  const { kOnMessageBegin, kOnExecute } = parser?.constructor ?? {}
  if (parser?._consumed !== true || typeof kOnMessageBegin !== 'number' || typeof kOnExecute !== 'number') return false
  const executed = parser[kOnExecute]
  if (typeof executed !== 'function') return false
  parser[kOnMessageBegin] = begins
  parser[kOnExecute] = (result: unknown): void => {
    executed.call(parser, result)
    parsed()
  }
  return true
}

/**
 * Returns the parts of Node's parser that this file uses and that this version of Node does not have. A connection that is not
 * connected shows them.
 */
export function missingParserParts(): readonly string[] {
  const server = createServer()
  const socket = new Socket()
  server.emit('connection', socket)
  const parser = parserOf(socket)
  const { kOnMessageBegin, kOnExecute } = parser?.constructor ?? {}
  const parts: Readonly<Record<string, boolean>> = {
    'socket.parser': Boolean(parser),
    'parser.onIncoming': typeof parser?.onIncoming === 'function',
    'parser._consumed': typeof parser?._consumed === 'boolean',
    kOnMessageBegin: typeof kOnMessageBegin === 'number',
    kOnExecute: typeof kOnExecute === 'number' && typeof parser?.[kOnExecute] === 'function',
  }
  socket.destroy()
  return Object.keys(parts).filter((part) => parts[part] === false)
}

/** Warns at the start of a process that its Node has another parser: it serves, but less well protected. */
export function warnOfUnknownParser(logger: Pick<Logger, 'warn'>): void {
  const missing = missingParserParts()
  if (missing.length === 0) return
  logger.warn(
    { missing, node: process.version },
    'this version of Node has another HTTP parser than allot knows: requests cost more, and those that a stranger sends together may not be bounded; run a version of Node that docs/reference/versions.md names',
  )
}

const parserOf = (socket: Socket): Parser | undefined =>
  (socket as Socket & { readonly parser?: Parser | null }).parser ?? undefined
