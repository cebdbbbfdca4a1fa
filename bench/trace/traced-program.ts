// The program of the checkout $TRACED with a call at the start of each of its functions: it appends to $TRACE_FILE, as a line of JSON,
// which functions each review of a calculation entered until its answer, in their order.
import { AsyncLocalStorage } from 'node:async_hooks'
import { EventEmitter } from 'node:events'
import { appendFileSync, readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { registerHooks } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseAst } from 'rolldown/parseAst'

const { TRACED = '.', TRACE_FILE = 'trace.json' } = process.env
const SOURCES = pathToFileURL(join(TRACED, 'src/')).href
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/** `<file> <name> <where it begins>` of each function. */
const functions: string[] = []
const entered = new AsyncLocalStorage<number[]>()
Object.assign(globalThis, { __entered: (id: number) => void entered.getStore()?.push(id) })

registerHooks({
  load: (url, context, next) =>
    url.startsWith(SOURCES) && url.endsWith('.ts')
      ? { format: 'module-typescript', source: watched(fileURLToPath(url)), shortCircuit: true }
      : next(url, context),
})

/** The text of a source file whose functions tell when they are entered. */
function watched(path: string): string {
  const text = readFileSync(path, 'utf8')
  const inserts: { readonly at: number; readonly text: string }[] = []
  visit(parseAst(text, { lang: 'ts' }) as unknown as Node, '', (node, name) => {
    const body = node['body'] as Node | null
    if (!FUNCTIONS.has(node.type) || body === null) return
    const call = `__entered(${functions.push(`${relative(TRACED, path)} ${name} ${node.start}`) - 1})`
    if (body.type === 'BlockStatement') inserts.push({ at: body.start + 1, text: `${call};` })
    else inserts.push({ at: body.start, text: `(${call}, ` }, { at: body.end, text: ')' })
  })
  return inserts
    .toSorted((a, b) => b.at - a.at)
    .reduce((changed, { at, text: more }) => changed.slice(0, at) + more + changed.slice(at), text)
}

/** `name`: of the innermost thing with a name that a node belongs to, and of its class. */
function visit(node: Node, name: string, see: (node: Node, name: string) => void): void {
  const own = (node['id'] ?? node['key']) as { readonly name?: string } | null | undefined
  const called = own?.name === undefined ? name : /^[A-Z]/.test(name) ? `${name.split('.')[0]}.${own.name}` : own.name
  see(node, called)
  for (const child of Object.values(node).flat())
    if (typeof child === 'object' && child !== null && 'type' in child)
      visit(child as Node, FUNCTIONS.has(node.type) ? `${called}>` : called, see)
}

const emitter = EventEmitter.prototype as { emit: (this: unknown, event: string, ...values: unknown[]) => boolean }
const { emit } = emitter
emitter.emit = function (event, ...values) {
  const [request, response] = values as [{ readonly url?: string } | undefined, ServerResponse]
  if (event !== 'request' || request?.url?.includes('/custom-quotas/calculations') !== true)
    return emit.call(this, event, ...values)
  const calls: number[] = []
  response.once('finish', () => appendFileSync(TRACE_FILE, `${JSON.stringify(calls.map((id) => functions[id]))}\n`))
  return entered.run(calls, () => emit.call(this, event, ...values))
}

await import(pathToFileURL(join(TRACED, 'bin/allot.js')).href)
