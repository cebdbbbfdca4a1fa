import { CST, Composer, type Document, type DocumentOptions, type ParseOptions, Parser, type SchemaOptions } from 'yaml'
import { MAX_DEPTH } from '../json-text.ts'
import { yamlTokens } from './tokens.ts'
import type { YamlProblem } from './problem.ts'

/** The first problem of a YAML text. */
export class YamlProblemError extends Error {
  readonly problem: YamlProblem
  constructor(problem: YamlProblem) {
    super(problem.message)
    this.name = 'YamlProblemError'
    this.problem = problem
  }
}

/** A merged map stands deeper in the text than in the value, so the text may nest deeper than the value in the end. */
const MAX_TEXT_DEPTH = 2 * MAX_DEPTH

/** Two nodes begin in one place at most, or an empty one ends where another begins; each may have an anchor and a tag. */
const MOST_PROPERTIES = 4

const PROPERTY = /^[&!]/
const BETWEEN = /^(?:[ \t\n#]|\r\n)/

/**
 * Returns the first document of a YAML text. Stops at the first problem and throws it as `YamlProblemError`. So a
 * million problems take no longer than one, and nodes that nest too deep are not kept.
 */
export function composeYaml(text: string, options: ParseOptions & DocumentOptions & SchemaOptions): Document.Parsed {
  const parser = new Parser()
  const composer = stopping(new Composer(options))
  let composed = false
  const directives: string[] = []
  const compose = (parts: ReturnType<Parser['next']>): boolean => {
    for (const part of parts) {
      if (composed && (part.type === 'document' || part.type === 'directive')) return false
      composed ||= part.type === 'document'
      if (part.type === 'directive') {
        const problem = directiveProblem(part.source, directives)
        if (problem !== undefined) stop(problem.code, problem.message, part.offset)
        directives.push(part.source)
      }
      if (part.type === 'error') {
        const source = part.source === '' ? '' : `: ${JSON.stringify(part.source)}`
        stop('UNEXPECTED_TOKEN', `${part.message}${source}`, part.offset)
      }
      if (part.type === 'doc-end' && !composed)
        stop('UNEXPECTED_TOKEN', 'Unexpected doc-end without preceding document', part.offset)
      // Whatever it gives is given again at the end.
      composer.next(part).next()
    }
    return true
  }
  let properties = 0
  let isText = false
  for (const token of yamlTokens(text)) {
    if (typeof token === 'number') {
      parser.offset += token
      continue
    }
    if (PROPERTY.test(token)) properties++
    else if (!BETWEEN.test(token)) properties = 0
    if (properties > MOST_PROPERTIES) stop('MULTIPLE_TAGS', 'A node can have at most one tag', parser.offset)
    if (parser.stack.length > MAX_TEXT_DEPTH) stop('RESOURCE_EXHAUSTION', 'Maximum call stack size exceeded', 0)
    const quoted = !isText && token.startsWith('"') ? readableQuoted(token, parser.offset) : { source: token }
    if ('problem' in quoted) throw new YamlProblemError(quoted.problem)
    isText = token === CST.SCALAR
    if (!compose(parser.next(quoted.source))) return finished(composer, text)
    parser.offset += token.length - quoted.source.length
  }
  compose(parser.end())
  return finished(composer, text)
}

function finished(composer: Composer, text: string): Document.Parsed {
  const { value } = composer.end(true, text.length).next()
  if (value === undefined) throw new Error('the composer gave no document')
  const [problem] = value.errors
  if (problem !== undefined) stop(problem.code, problem.message, problem.pos[0])
  return value
}

function stop(code: string, message: string, offset: number): never {
  throw new YamlProblemError({ code, message, offset })
}

type Place = number | readonly number[] | { readonly offset: number }

/** The library collects problems and offers no other way to stop at the first; it catches what is thrown in places and goes on. */
function stopping(composer: Composer): Composer {
  let first: YamlProblemError | undefined
  const onError = (source: Place, code: string, message: string, isWarning?: boolean): void => {
    if (isWarning === true) return
    const offset = typeof source === 'number' ? source : 'offset' in source ? source.offset : source[0]
    first ??= new YamlProblemError({ code, message, offset: offset ?? 0 })
    throw first
  }
  Object.assign(composer, { onError })
  return composer
}

/** The problem of a directive, and whether Go's scanner finds it, or its parser. */
interface DirectiveProblem {
  readonly code: 'SCANNED_DIRECTIVE' | 'PARSED_DIRECTIVE'
  readonly message: string
}

const scanned = (message: string): DirectiveProblem => ({ code: 'SCANNED_DIRECTIVE', message })
const parsed = (message: string): DirectiveProblem => ({ code: 'PARSED_DIRECTIVE', message })

/**
 * The problem of a directive such as `%YAML 1.1`, in the words of Go's library, which reads that version of YAML alone.
 * `before` are the directives of the same document above it.
 */
function directiveProblem(source: string, before: readonly string[]): DirectiveProblem | undefined {
  const name = nameOf(source)
  if (name === '') return scanned('could not find expected directive name')
  if (!/^%[\w-]+(?:[ \t]|$)/.test(source)) return scanned('found unexpected non-alphabetical character')
  if (name === 'TAG') return undefined
  if (name !== 'YAML') return scanned('found unknown directive name')
  const [, major, point, minor, rest = ''] = /^%YAML[ \t]+(\d*)(\.?)(\d*)(.*)$/.exec(source) ?? []
  if (major === undefined || major === '') return scanned('did not find expected version number')
  if (point !== '.') return scanned("did not find expected digit or '.' character")
  if (minor === undefined || minor === '') return scanned('did not find expected version number')
  if (!/^[ \t]*(?:#.*)?$/.test(rest)) return scanned('did not find expected comment or line break')
  if (before.some((one) => nameOf(one) === 'YAML')) return parsed('found duplicate %YAML directive')
  return Number(major) === 1 && Number(minor) === 1 ? undefined : parsed('found incompatible YAML document')
}

const nameOf = (source: string): string => /^%([\w-]*)/.exec(source)?.[1] ?? ''

/** A double-quoted scalar as it is to be read, or its first escape that Go's library rejects. */
type QuotedText = { readonly source: string } | { readonly problem: YamlProblem }

const ESCAPE = /\\(?:u([\da-fA-F]{4})|U([\da-fA-F]{8})|[\s\S])/g

/**
 * A double-quoted scalar for a reader that knows `\/` and does not know `\'`: Go's library has it the other way round. Neither
 * does it take half of a character, so that a character beyond 16 bits has one escape, not two. `offset` is that of the scalar.
 */
function readableQuoted(source: string, offset: number): QuotedText {
  if (!source.includes('\\')) return { source }
  let hasQuotes = false
  for (const match of source.matchAll(ESCAPE)) {
    const [escape, short, long] = match
    const at = offset + match.index
    if (escape === '\\/') return { problem: { code: 'BAD_DQ_ESCAPE', message: 'Invalid escape', offset: at } }
    if (escape === "\\'") hasQuotes = true
    const point = short ?? long
    if (point !== undefined && !isCharacter(Number.parseInt(point, 16)))
      return { problem: { code: 'NO_CHARACTER', message: 'Not a character', offset: at } }
  }
  return { source: hasQuotes ? source.replaceAll(ESCAPE, (escape) => (escape === "\\'" ? "'" : escape)) : source }
}

const isCharacter = (point: number): boolean => point < 0xd800 || (point > 0xdfff && point <= 0x10ffff)
