import { describe, expect } from 'vitest'
import { eachCase, vectorText } from '../../../test/load-vectors.ts'
import { parseJson } from '../json-text.ts'
import { JsonPath } from './json-path.ts'
import { JsonPathError } from './json-path-error.ts'
import { parseTemplate } from './parse-json-path.ts'
import type { ListNode, PathNode, Template } from './json-path-syntax.ts'

interface UnitCase {
  readonly name: string
  readonly doc: string
  readonly template: string
  readonly allowMissingKeys: boolean
  readonly expect?: string
  readonly expectError?: string | true
  readonly observedError?: string
  readonly errorPhase?: string
  readonly unordered?: boolean
}

interface ParserCase {
  readonly name: string
  readonly text: string
  readonly expectNodes?: readonly string[]
  readonly observedError?: string
}

interface ExecutedCase {
  readonly template: string
  readonly allowMissingKeys: boolean
  readonly outputJSON?: boolean
  readonly nondeterministicOrder?: boolean
  readonly output?: string
  readonly error?: string
  readonly errorPhase?: string
}

interface OracleCase {
  readonly object: string
  readonly path: string
  readonly raw?: string
  readonly trimmed?: string
  readonly parseError?: string
  readonly executeError?: string
  readonly orderUnspecified?: boolean
}

function errorOf(run: () => unknown): { readonly phase: string; readonly message: string } | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof JsonPathError) return { phase: error.phase, message: error.message }
    throw error
  }
}

const parts = (text: string): string[] => text.split(/[ ,\n]/).toSorted()

interface KubernetesFile {
  readonly docs: Readonly<Record<string, unknown>>
  readonly cases: readonly UnitCase[]
  readonly parser: readonly ParserCase[]
  readonly executedDoc: { readonly doc: unknown }
  readonly executed: readonly ExecutedCase[]
}

interface OracleFile {
  readonly objects: Readonly<Record<string, unknown>> & {
    readonly pod: { readonly metadata: { readonly labels: object } }
  }
  readonly cases: readonly OracleCase[]
}

// Parsed as the API server parses, so that integers beyond 2^53 stay exact.
const kubernetes = parseJson(vectorText('kubernetes/jsonpath.json')) as KubernetesFile
const oracle = parseJson(vectorText('capsule/oracle-jsonpath.json')) as OracleFile

function checkUnit(one: UnitCase): void {
  const run = (): string =>
    JsonPath.compile(one.template, { allowMissingKeys: one.allowMissingKeys }).print(kubernetes.docs[one.doc])
  if (one.expectError !== undefined) expect(errorOf(run)).toEqual({ phase: one.errorPhase, message: one.observedError })
  else if (one.unordered === true) expect(parts(run())).toEqual(parts(one.expect ?? ''))
  else expect(run()).toBe(one.expect)
}

function checkParser(one: ParserCase): void {
  if (one.expectNodes !== undefined) expect(listing(parseTemplate(one.text))).toEqual(one.expectNodes)
  else expect(errorOf(() => parseTemplate(one.text))).toEqual({ phase: 'parse', message: one.observedError })
}

function checkExecuted(one: ExecutedCase): void {
  const run = (): string => {
    const path = JsonPath.compile(one.template, { allowMissingKeys: one.allowMissingKeys })
    const { doc } = kubernetes.executedDoc
    return one.outputJSON === true ? path.printJson(doc) : path.print(doc)
  }
  if (one.error !== undefined) expect(errorOf(run)).toEqual({ phase: one.errorPhase, message: one.error })
  else if (one.nondeterministicOrder === true) expect(parts(run())).toEqual(parts(one.output ?? ''))
  else expect(run()).toBe(one.output)
}

describe('the JSONPath of client-go', () => {
  const unit = kubernetes.cases.map((one) => ({ name: `${one.name}: ${one.template}`, check: () => checkUnit(one) }))
  const parser = kubernetes.parser.map((one) => ({ name: `parser: ${one.name}`, check: () => checkParser(one) }))
  const executed = kubernetes.executed.map((one) => ({
    name: `executed: ${one.template} allowMissingKeys=${one.allowMissingKeys} outputJSON=${one.outputJSON ?? false}`,
    check: () => checkExecuted(one),
  }))
  eachCase(
    'kubernetes/jsonpath.json',
    [...unit, ...parser, ...executed],
    (one) => one.name,
    (one) => one.check(),
  )
})

// The recorded outputs show one label more than the pod in the file has.
const labels = { ...oracle.objects.pod.metadata.labels, zz: 'zz' }
const pod = { ...oracle.objects.pod, metadata: { ...oracle.objects.pod.metadata, labels } }
const objects: Readonly<Record<string, unknown>> = { ...oracle.objects, pod }

function checkOracle(one: OracleCase): void {
  const run = (): string => JsonPath.compile(`{${one.path}}`, { allowMissingKeys: true }).print(objects[one.object])
  if (one.parseError !== undefined) expect(errorOf(run)).toEqual({ phase: 'parse', message: one.parseError })
  else if (one.executeError !== undefined) {
    expect(errorOf(run)).toEqual({ phase: 'execute', message: one.executeError })
  } else if (one.orderUnspecified === true) expect(parts(run())).toEqual(parts(one.raw ?? ''))
  else {
    expect(run()).toBe(one.raw)
    expect(run().trim()).toBe(one.trimmed)
  }
}

describe('paths of Capsule', () => {
  eachCase('capsule/oracle-jsonpath.json', oracle.cases, (one) => `${one.object} ${one.path}`, checkOracle)
})

const entry = (value: number | undefined): string => `{${value ?? 0} ${value !== undefined} false}`

/** The nodes in the form of client-go's parser test: each as its `String()`, children after their parent. */
function listing(template: Template): string[] {
  return template.flatMap(nodeListing)
}

function nodeListing(node: PathNode): string[] {
  const list = (one: ListNode): string[] => ['NodeList', ...one.nodes.flatMap(nodeListing)]
  switch (node.type) {
    case 'list':
      return list(node)
    case 'text':
      return [`NodeText: ${node.text}`]
    case 'field':
      return [`NodeField: ${node.name}`]
    case 'wildcard':
      return ['NodeWildcard']
    case 'recursive':
      return ['NodeRecursive']
    case 'identifier':
      return [`NodeIdentifier: ${node.name}`]
    case 'literal':
      return [`literal ${String(node.value)}`]
    case 'union':
      return ['NodeUnion', ...node.lists.flatMap(list)]
    case 'filter':
      return [`NodeFilter: NodeList ${node.operator} NodeList`, ...list(node.left), ...list(node.right)]
    case 'array':
    default: {
      const to = node.single ? `{${(node.from ?? 0) + 1} true true}` : entry(node.to)
      return [`NodeArray: [${entry(node.from)} ${to} ${entry(node.step)}]`]
    }
  }
}
