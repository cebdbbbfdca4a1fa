import { readFileSync } from 'node:fs'
import { isObject, type JsonObject } from '../../src/machinery/object.ts'
import type { SeededRandom } from '../seeded-random.ts'

interface Schema {
  readonly type?: string
  readonly format?: string
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema
  readonly items?: Schema
  readonly required?: readonly string[]
}

const { definitions } = JSON.parse(
  readFileSync(new URL('../../schemas/kubernetes-1.36-definitions.json', import.meta.url), 'utf8'),
) as {
  readonly definitions: Readonly<Record<string, Schema>>
}

const WORDS = [
  'a',
  'b',
  'web',
  'x-1',
  'default',
  'fuzz-a',
  'v1',
  'apps/v1',
  'Pod',
  'Deployment',
  'TCP',
  'UDP',
  'Always',
  'Never',
  'IfNotPresent',
  'OnFailure',
  'RollingUpdate',
  'Recreate',
  'OnDelete',
  'ClusterIP',
  'NodePort',
  'LoadBalancer',
  'ExternalName',
  'None',
  'ReadWriteOnce',
  'Exists',
  'In',
  'NotIn',
  'Equal',
  'Exact',
  'Prefix',
  'NoSchedule',
  'Container',
  'PersistentVolumeClaim',
  'Terminating',
  'BestEffort',
  'PriorityClass',
  'Retain',
  'Delete',
  'Immediate',
  'Namespaced',
  'Cluster',
  'Resource',
  'Utilization',
  'cpu',
  'memory',
  'Local',
  'IPv4',
  'SingleStack',
  '10.96.0.9',
  '10.0.0.0/24',
  '1.2.3.4',
  'example.test',
  'example.test/x',
  '*',
  '* * * * *',
  'create',
  'get',
  'User',
  'ServiceAccount',
  'Role',
  'ClusterRole',
  'rbac.authorization.k8s.io',
  'Ignore',
  'Fail',
  'Equivalent',
  'NoneOnDryRun',
  'https://example.test/hook',
  'kubernetes.io/tls',
  'Opaque',
  'Forbid',
  'Parallel',
  'Indexed',
  'Filesystem',
  'Block',
  '',
  ' ',
  '-',
  '.',
  '..',
  'a/b',
  'A_B',
  'constructor',
  '__proto__',
  'toString',
  '\u0000',
  'é',
  '💩',
  '\ud800',
  '%',
  '{}',
  'null',
  'x'.repeat(64),
  'x'.repeat(300),
] as const
const QUANTITIES = [
  '1',
  '500m',
  '64Mi',
  '1Gi',
  '0',
  '1.5',
  '1e3',
  '100n',
  2,
  0.1,
  '-1',
  '1e-30',
  '9223372036854775807',
  '1e400',
  '1E',
  '',
  '1 Gi',
  'Ki',
  'NaN',
  true,
  {},
  1e300,
] as const
const TIMES = [
  '2026-11-21T00:00:00Z',
  '2026-11-21T00:00:00.123456Z',
  '1970-01-01T00:00:00+14:00',
  'now',
  '2026-13-45T99:00:00Z',
  '',
  '0001-01-01T00:00:00Z',
] as const
const NUMBERS = [
  0, 1, 2, 3, 5, 80, 443, 8080, 30_000, 65_535, -1, 65_536, 2_147_483_647, 2_147_483_648, 9_007_199_254_740_992, 1.5,
  1e21, -0,
] as const
const KEYS = [
  'a',
  'app',
  'cpu',
  'memory',
  'pods',
  'requests.cpu',
  'count/pods',
  'example.test/gpu',
  'storage',
  'kubernetes.io/os',
  'constructor',
  '__proto__',
  'toString',
  '',
  'a b',
  'x'.repeat(70),
  'hugepages-2Mi',
  'services.nodeports',
] as const

/** Objects as a kind's definition has them: mostly with plausible values, so that many get past the first checks. */
export class ObjectGenerator {
  readonly #random: SeededRandom

  constructor(random: SeededRandom) {
    this.#random = random
  }

  /** An object of a built-in kind; `metadata` is the caller's. */
  object(typeName: string, apiVersion: string, kind: string, metadata: JsonObject): JsonObject {
    const body = this.#fields(definitions[typeName] ?? {}, 0)
    return {
      ...body,
      apiVersion,
      kind,
      metadata: this.#random.chance(0.1) ? { ...(body['metadata'] as JsonObject | undefined), ...metadata } : metadata,
    }
  }

  #fields({ properties = {}, required = [] }: Schema, depth: number): JsonObject {
    const random = this.#random
    const result: JsonObject = {}
    const optional = depth === 0 ? 0.8 : depth === 1 ? 0.35 : depth < 6 ? 0.15 : 0.02
    for (const [name, schema] of Object.entries(properties)) {
      const wanted = required.includes(name) ? !random.chance(0.01) : random.chance(name === 'status' ? 0.1 : optional)
      if (wanted) setOwn(result, name, this.#value(schema, name, depth + 1))
    }
    return result
  }

  #value(schema: Schema, name: string, depth: number): unknown {
    const random = this.#random
    if (random.chance(0.004)) return this.anything(0)
    if (schema.$ref !== undefined) return this.#reference(schema.$ref.slice('#/definitions/'.length), name, depth)
    if (schema.additionalProperties !== undefined) return this.#map(schema.additionalProperties, name, depth)
    if (schema.items !== undefined || schema.type === 'array') {
      const { items = {} } = schema
      return Array.from({ length: depth > 8 ? 0 : random.between(random.chance(0.1) ? 0 : 1, 2) }, () =>
        this.#value(items, name, depth + 1),
      )
    }
    switch (schema.type) {
      case 'boolean':
        return random.chance(0.5)
      case 'integer':
      case 'number':
        return random.chance(0.8) ? random.between(0, 100) : random.pick(NUMBERS)
      case 'object':
        return schema.properties === undefined ? this.anything(3) : this.#fields(schema, depth)
      case 'string':
      case undefined:
      default:
        return this.#text(schema.format, name)
    }
  }

  #reference(type: string, name: string, depth: number): unknown {
    const random = this.#random
    const short = type.slice(type.lastIndexOf('.') + 1)
    if (short === 'Quantity') return random.chance(0.8) ? random.pick(QUANTITIES.slice(0, 8)) : random.pick(QUANTITIES)
    if (short === 'IntOrString') return random.pick([1, 80, '25%', 'http', -1, '1000%', ''])
    if (short === 'Time' || short === 'MicroTime') return random.chance(0.7) ? TIMES[0] : random.pick(TIMES)
    if (short === 'LabelSelector' && random.chance(0.7)) return { matchLabels: { app: 'web' } }
    if (short === 'ObjectMeta' && random.chance(0.8)) return { labels: { app: 'web' } }
    if (short === 'JSON' || short === 'RawExtension' || short === 'JSONSchemaPropsOrBool') return this.anything(3)
    if (depth > 10) return {}
    const definition = definitions[type] ?? {}
    return definition.properties === undefined ? this.#value(definition, name, depth) : this.#fields(definition, depth)
  }

  #map(values: Schema, name: string, depth: number): JsonObject {
    const random = this.#random
    const result: JsonObject = {}
    for (let n = random.between(0, 3); n > 0; n--)
      setOwn(
        result,
        random.chance(0.8) ? random.pick(KEYS.slice(0, 9)) : random.pick(KEYS),
        this.#value(values, name, depth + 1),
      )
    return result
  }

  #text(format: string | undefined, name: string): string {
    const random = this.#random
    if (format === 'byte') return random.pick(['YQ==', '', 'e30=', 'not base64', 'Y'])
    if (format === 'date-time') return random.pick(TIMES)
    if (random.chance(0.6)) {
      if (/name$/i.test(name)) return random.pick(['a', 'b', 'web', 'c-1'])
      if (/namespace$/i.test(name)) return random.pick(['default', 'fuzz-a'])
      if (/image/i.test(name)) return 'registry.example.test/image:1'
      if (/path/i.test(name)) return '/a/b'
    }
    return random.pick(WORDS)
  }

  /** Any JSON at all. */
  anything(depth: number): unknown {
    const random = this.#random
    const kind = random.between(0, depth > 3 ? 5 : 7)
    if (kind === 0) return null
    if (kind === 1) return random.chance(0.5)
    if (kind === 2) return random.pick(NUMBERS)
    if (kind <= 4) return random.pick(WORDS)
    if (kind === 5) return random.pick([[], {}, '', [null], [[]], { '': null }])
    if (kind === 6) return Array.from({ length: random.between(0, 4) }, () => this.anything(depth + 1))
    const result: JsonObject = {}
    for (let n = random.between(0, 4); n > 0; n--) setOwn(result, random.pick(KEYS), this.anything(depth + 1))
    return result
  }

  /** A copy in which a few places have been changed for the worse. */
  mutated(value: unknown): unknown {
    const copy = structuredClone(value)
    for (let n = this.#random.between(1, 3); n > 0; n--) this.#mutate(copy)
    return copy
  }

  #mutate(root: unknown): void {
    const random = this.#random
    let at: unknown = root
    for (let depth = random.between(0, 7); ; depth--) {
      if (!isObject(at) && !Array.isArray(at)) return
      const holder = at as Record<string, unknown>
      const key = random.pick(Object.keys(holder))
      if (key === undefined) return
      const next = holder[key]
      if (depth > 0 && typeof next === 'object' && next !== null && Object.keys(next).length > 0) {
        at = next
        continue
      }
      switch (random.between(0, 6)) {
        case 0:
          if (Array.isArray(holder)) holder.splice(Number(key), 1)
          else delete holder[key]
          return
        case 1:
          if (Array.isArray(holder)) holder.push(next)
          else setOwn(holder, random.pick(KEYS), next)
          return
        case 2:
          if (Array.isArray(holder)) holder.push(next)
          else setOwn(holder, `${key}2`, next)
          return
        case 3:
          setOwn(holder, key, [next])
          return
        default:
          setOwn(holder, key, this.anything(1))
          return
      }
    }
  }
}

/** Sets a field even when it is called `__proto__`. */
function setOwn(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
}
