import { goFloat } from '../../../machinery/go/float.ts'
import { isTree, numberText } from '../../../machinery/json-value.ts'
import { itemElement, UntypedValueError } from './list-item.ts'
import { elementText, fieldElement, type PathElement } from './path-element.ts'
import {
  childElement,
  childShape,
  formOf,
  type ListShape,
  type MapShape,
  type MergeShape,
  type ScalarKind,
} from './merge-shape.ts'

/**
 * Returns the reasons why a value is not of its type, each as `.spec.ports: element 0: …`: wrong forms, fields that do not exist,
 * items without keys, duplicates in associative lists.
 */
export function typeErrors(shape: MergeShape, value: unknown): string[] {
  switch (formOf(shape, value)) {
    case 'map':
      if (value === null || shape.map === undefined) return []
      return isTree(value) ? fieldErrors(shape.map, value) : [`: expected map, got ${goValue(value)}`]
    case 'list':
      if (value === null || shape.list === undefined) return []
      return Array.isArray(value) ? itemErrors(shape.list, value) : [`: expected list, got ${goValue(value)}`]
    case 'scalar':
    default:
      return scalarErrors(shape.scalar, value)
  }
}

/** Several errors as upstream prints them together. */
export function typeErrorText(errors: readonly string[]): string {
  const texts = errors.map((error) => (error.startsWith(': ') ? error.slice(2) : error))
  return texts.length === 1 ? (texts[0] ?? '') : ['errors:', ...texts.map((text) => `  ${text}`)].join('\n')
}

function fieldErrors(map: MapShape, value: Readonly<Record<string, unknown>>): string[] {
  const errors: string[] = []
  for (const name of Object.keys(value)) {
    const shape = childShape(map, name)
    if (shape !== undefined) errors.push(...below(childElement(map, name), typeErrors(shape, value[name])))
    else {
      errors.push(...below(fieldElement(name), [': field not declared in schema']))
      // Upstream looks no further among the fields of this object.
      break
    }
  }
  return errors
}

function itemErrors(list: ListShape, items: readonly unknown[]): string[] {
  const errors: string[] = []
  const seen = new Set<PathElement>()
  for (let at = 0; at < items.length; at++) {
    let element: PathElement = `i:${at}`
    if (!list.atomic) {
      try {
        element = itemElement(list, items[at])
      } catch (error) {
        if (!(error instanceof UntypedValueError)) throw error
        return [...errors, `: element ${at}: ${error.message}`]
      }
      if (seen.has(element)) errors.push(`: duplicate entries for key ${elementText(element)}`)
      seen.add(element)
    }
    errors.push(...below(element, typeErrors(list.items, items[at])))
  }
  return errors
}

function below(element: PathElement, errors: readonly string[]): string[] {
  return errors.length === 0 ? [] : errors.map((error) => elementText(element) + error)
}

function scalarErrors(kind: ScalarKind | undefined, value: unknown): string[] {
  if (value === null || kind === undefined) return []
  const isNumber = numberText(value) !== undefined
  switch (kind) {
    case 'numeric':
      return isNumber ? [] : [`: expected numeric (int or float), got ${goType(value)}`]
    case 'string':
      return typeof value === 'string'
        ? []
        : [`: expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`]
    case 'boolean':
      return typeof value === 'boolean' ? [] : [`: expected boolean, got ${goValue(value)}`]
    case 'untyped':
    default:
      return typeof value === 'object' && !isNumber ? [`: expected any scalar, got ${goValue(value)}`] : []
  }
}

function goType(value: unknown): string {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (Array.isArray(value)) return '[]interface {}'
  return 'map[string]interface {}'
}

/** A value as Go prints it with `%#v`. */
function goSyntax(value: unknown): string {
  const number = floatText(value)
  if (number !== undefined) return number
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (isTree(value)) {
    const members = Object.keys(value).toSorted()
    const shown = members.map((name) => `${JSON.stringify(name)}:${goSyntax(value[name])}`)
    return `map[string]interface {}{${shown.join(', ')}}`
  }
  return value === null ? 'interface {}(nil)' : JSON.stringify(value)
}

/** A value as Go prints it with `%v`, here of upstream's value type, which wraps it: `&{hello}`. */
const goValue = (value: unknown): string => `&{${goPlain(value)}}`

function goPlain(value: unknown): string {
  if (value === null) return '<nil>'
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return `[${value.map(goPlain).join(' ')}]`
  if (isTree(value)) {
    const members = Object.keys(value).toSorted()
    return `map[${members.map((name) => `${name}:${goPlain(value[name])}`).join(' ')}]`
  }
  return floatText(value) ?? JSON.stringify(value)
}

/** Every number of an applied configuration is a float64 upstream. */
function floatText(value: unknown): string | undefined {
  const number = numberText(value)
  return number === undefined ? undefined : goFloat(Number(number))
}
