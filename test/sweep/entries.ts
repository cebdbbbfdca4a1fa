import { isObject, type JsonObject } from '../../src/machinery/object.ts'
import type { ListType, MapType, Type } from '../../src/schema/type/type.ts'
import { ITEM, MEMBER, type Place } from './schema-places.ts'

/**
 * How the entries of a list or map look: `plain` ones have what the schema demands and are distinct, `full` ones have every
 * field, `equal` ones are all the same, `odd` ones hold texts that hardly any rule takes, `empty` ones hold nothing.
 */
export const STYLES = ['plain', 'full', 'equal', 'odd', 'empty'] as const
export type Style = (typeof STYLES)[number]

/** Texts that rules take, by the name of their field; `#` stands for a number. Others are `x#`. */
const TEXTS: Readonly<Record<string, string>> = {
  operator: 'In',
  path: '/x/#',
  mountPath: '/x/#',
  image: 'registry.example.test/x:#',
  topologyKey: 'example.test/x#',
  whenUnsatisfiable: 'DoNotSchedule',
  ip: '10.@',
  addresses: '10.@',
  cidr: '10.@/32',
  effect: 'NoSchedule',
  protocol: 'TCP',
  host: 'x#.example.test',
  hosts: 'x#.example.test',
  pathType: 'Exact',
  verbs: 'get',
  verb: 'get',
  type: 'Container',
  mode: 'Ignore',
  expression: 'size(object.metadata.name) != #',
  rule: 'self != #',
  signerName: 'example.test/x#',
}
const NUMBERS: Readonly<Record<string, number>> = { weight: 1, maxSkew: 1, port: 1, containerPort: 1 }
const PORTS = 65_535

function leaf({ kind }: Type, name: string, n: number, style: Style): unknown {
  if (kind === 'boolean') return true
  if (kind === 'int32' || kind === 'int64') {
    if (style === 'odd') return -n
    return /port/i.test(name) ? (n % PORTS) + 1 : (NUMBERS[name] ?? n)
  }
  if (kind === 'double') return n
  if (kind === 'quantity') return style === 'odd' ? `-${n}m` : `${n}m`
  if (kind === 'intOrString') return (n % PORTS) + 1
  if (kind === 'time') return '2026-11-21T00:00:00Z'
  if (kind === 'microTime') return '2026-11-21T00:00:00.000000Z'
  if (kind === 'bytes') return Buffer.from(`x${n}`).toString('base64')
  return kind === 'any' ? { x: n } : text(name, n, style)
}

function text(name: string, n: number, style: Style): string {
  if (style === 'odd') return `X ${n}!`
  const address = `${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
  return (TEXTS[name] ?? 'x#').replace('#', String(n)).replace('@', address)
}

/** A value of the type. `depth` says how many objects may still be entered for the sake of fields that nobody demands. */
export function valueOf(type: Type, name: string, n: number, style: Style, depth = 1): unknown {
  if (type.kind === 'list') return [valueOf(type.items, name, n, style, depth)]
  if (type.kind === 'map') return { [`x${n}`]: valueOf(type.values, name, n, style, depth) }
  if (type.kind !== 'object') return leaf(type, name, n, style)
  const made: Record<string, unknown> = {}
  const fields = [...type.fields.values()]
  // Where nothing is demanded, entries that differ need something all the same.
  const isOpen = !fields.some((field) => field.required || field.name === 'name')
  for (const field of fields) {
    const isLeaf = !['object', 'list', 'map'].includes(field.type.kind)
    const isMore = isLeaf ? style === 'full' || isOpen : style === 'full' && depth > 0
    const wanted = field.required || field.name === 'name' || isMore
    if (wanted) made[field.name] = valueOf(field.type, field.name, n, style, isLeaf ? depth : depth - 1)
  }
  return made
}

/** A list or map of `count` entries. */
export function entries(type: ListType | MapType, name: string, count: number, style: Style): unknown {
  const inner = type.kind === 'list' ? type.items : type.values
  const one = (n: number): unknown => {
    if (style !== 'empty') return valueOf(inner, name, style === 'equal' ? 1 : n + 1, style)
    if (inner.kind === 'object' || inner.kind === 'map') return {}
    return inner.kind === 'list' ? [] : inner.kind === 'string' ? '' : leaf(inner, name, 0, style)
  }
  if (type.kind === 'list') return Array.from({ length: count }, (_, n) => one(n))
  const keyOf = (n: number): string => (style === 'odd' ? `X ${n}!` : `x${n}`)
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [keyOf(n), one(n)]))
}

/** The object with `value` at a place; what leads there is made where it is missing. */
export function withAt(root: Type, object: JsonObject, { path }: Pick<Place, 'path'>, value: unknown): JsonObject {
  const put = (type: Type, here: unknown, at: number): unknown => {
    const step = path[at]
    if (step === undefined) return value
    const name = path[at - 1] ?? ''
    if (type.kind === 'list' && step === ITEM) {
      const [first = valueOf(type.items, name, 1, 'plain'), ...rest] = Array.isArray(here) ? (here as unknown[]) : []
      return [put(type.items, first, at + 1), ...rest]
    }
    if (type.kind === 'map' && step === MEMBER) return { [MEMBER]: put(type.values, undefined, at + 1) }
    if (type.kind !== 'object') return here
    const inner = type.fields.get(step)?.type
    const base = isObject(here) ? here : (valueOf(type, name, 1, 'plain') as JsonObject)
    return inner === undefined ? base : { ...base, [step]: put(inner, base[step], at + 1) }
  }
  return put(root, object, 0) as JsonObject
}
