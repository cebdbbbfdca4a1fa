import { evaluate } from './evaluate.ts'
import type { EvaluationOptions } from './evaluate.ts'
import { memberOf } from './json-kind.ts'
import { JsonPathError } from './json-path-error.ts'
import type { Allowance } from './limits.ts'
import { parseTemplate } from './parse-json-path.ts'
import { printJson, printText, printValue } from './print.ts'
import type { Template } from './json-path-syntax.ts'

export interface JsonPathOptions {
  /** A key that no value has gives no results instead of an error (kubectl's default, not the library's). */
  readonly allowMissingKeys?: boolean
  /** A filter on a string, number or boolean sees a list of that one, on null an empty list, instead of failing. */
  readonly scalarAsList?: boolean
}

/** A compiled template in the dialect of client-go's util/jsonpath; stateless, so it may be shared. */
export class JsonPath {
  readonly template: string
  readonly #nodes: Template
  readonly #options: EvaluationOptions
  /** The names, when the template is one action that is only a chain of fields. */
  readonly #fields: readonly string[] | undefined

  private constructor(template: string, options: JsonPathOptions) {
    this.template = template
    this.#nodes = parseTemplate(template)
    this.#options = {
      allowMissingKeys: options.allowMissingKeys ?? false,
      scalarAsList: options.scalarAsList ?? false,
    }
    this.#fields = fieldChain(this.#nodes)
  }

  /** @throws JsonPathError of phase `parse` (or `limit`) */
  static compile(template: string, options: JsonPathOptions = {}): JsonPath {
    return new JsonPath(template, options)
  }

  /**
   * One list of results for each text and action of the template; with ranges, for each time it ran. Numbers beyond 2^53
   * come as they are in the object (bigint or raw JSON); `undefined` stands for no value. `allowance` is shared with other
   * evaluations.
   * @throws JsonPathError of phase `execute` or `limit`
   */
  evaluate(object: unknown, allowance?: Allowance): unknown[][] {
    if (this.#fields === undefined) return evaluate(this.#nodes, object, this.#options, allowance)
    allowance?.take(this.#fields.length)
    const value = this.#follow(this.#fields, object)
    return value === undefined ? [[]] : [[value]]
  }

  /**
   * The first result of all, `undefined` if there is none. `allowance` is shared with other evaluations.
   * @throws JsonPathError of phase `execute` or `limit`
   */
  first(object: unknown, allowance?: Allowance): unknown {
    if (this.#fields === undefined)
      return evaluate(this.#nodes, object, this.#options, allowance).find((list) => list.length > 0)?.[0]
    allowance?.take(this.#fields.length)
    return this.#follow(this.#fields, object)
  }

  /**
   * The text that `kubectl -o jsonpath=…` prints.
   * @throws JsonPathError of phase `execute` or `limit`
   */
  print(object: unknown): string {
    if (this.#fields === undefined) return printText(evaluate(this.#nodes, object, this.#options))
    const value = this.#follow(this.#fields, object)
    return value === undefined ? '' : printValue(value)
  }

  /**
   * The text that `kubectl -o jsonpath-as-json=…` prints.
   * @throws JsonPathError of phase `execute` or `limit`
   */
  printJson(object: unknown): string {
    return printJson(this.evaluate(object))
  }

  #follow(fields: readonly string[], object: unknown): unknown {
    let value = object
    for (const name of fields) {
      value = memberOf(value, name)
      if (value !== undefined) continue
      if (this.#options.allowMissingKeys) return undefined
      throw new JsonPathError('execute', `${name} is not found`)
    }
    return value
  }
}

function fieldChain(template: Template): readonly string[] | undefined {
  const [action, ...others] = template
  if (action?.type !== 'list' || others.length > 0 || action.nodes.length === 0) return undefined
  const names = action.nodes.flatMap((node) => (node.type === 'field' ? [node.name] : []))
  return names.length === action.nodes.length ? names : undefined
}
