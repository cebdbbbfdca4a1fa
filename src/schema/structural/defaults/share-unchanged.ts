import { setOwn } from '../../../machinery/json-value.ts'

/** The result of a visitor for a member to remove. */
export const DROP = Symbol('drop')

type Tree = Readonly<Record<string, unknown>>

/** The object with its members replaced by what `visit` returns; the same object when it returns each as it was. */
export function mapMembers(object: Tree, visit: (key: string, value: unknown) => unknown): Tree {
  const keys = Object.keys(object)
  let result: Record<string, unknown> | undefined
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] ?? ''
    const old = object[key]
    const value = visit(key, old)
    if (result === undefined) {
      if (value === old) continue
      result = {}
      for (const before of keys.slice(0, at)) setOwn(result, before, object[before])
    }
    if (value !== DROP) setOwn(result, key, value)
  }
  return result ?? object
}

/** As `mapMembers`, for the items of a list, none of which may go. */
export function mapItems(list: readonly unknown[], visit: (item: unknown, at: number) => unknown): readonly unknown[] {
  let result: unknown[] | undefined
  for (let at = 0; at < list.length; at++) {
    const value = visit(list[at], at)
    if (result === undefined) {
      if (value === list[at]) continue
      result = list.slice(0, at)
    }
    result.push(value)
  }
  return result ?? list
}
