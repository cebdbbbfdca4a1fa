import { isTree } from '../../machinery/json-value.ts'
import { textOf } from '../../machinery/read.ts'

const MISSING = 'missing value'
const INVALID_INDEX = 'invalid index referenced'

/** Why an operation does not apply to a document, in the words of the package that Kubernetes patches with. */
export function whyMissed(root: unknown, operation: Readonly<Record<string, unknown>>): string {
  const { op } = operation
  const path = textOf(operation['path'])
  const from = textOf(operation['from'])
  switch (op) {
    case 'add':
      return parentOf(root, path) === undefined
        ? `add operation does not apply: doc is missing path: "${path}": ${MISSING}`
        : `error in add for path: '${path}': ${indexProblem(path)}`
    case 'remove':
      if (parentOf(root, path) === undefined)
        return `remove operation does not apply: doc is missing path: "${path}": ${MISSING}`
      return `error in remove for path: '${path}': ${keyProblem(root, path)}`
    case 'replace':
      return `replace operation does not apply: doc is missing ${parentOf(root, path) === undefined ? 'path' : 'key'}: ${path}: ${MISSING}`
    case 'test':
      return parentOf(root, path) === undefined
        ? `test operation does not apply: is missing path: ${path}: ${MISSING}`
        : `testing value ${path} failed: test failed`
    case 'move':
    case 'copy':
      if (parentOf(root, from) === undefined)
        return `${op} operation does not apply: doc is missing from path: ${from}: ${MISSING}`
      if (!holds(root, from))
        return op === 'copy'
          ? `error in copy for from: '${from}': ${keyProblem(root, from)}`
          : `error in move for path: '${lastOf(from)}': ${keyProblem(root, from)}`
      return parentOf(root, path) === undefined
        ? `${op} operation does not apply: doc is missing destination path: ${path}: ${MISSING}`
        : `error in ${op} for path: '${path}': ${indexProblem(path)}`
    default:
      return `Unexpected kind: ${textOf(op)}`
  }
}

const tokensOf = (path: string): readonly string[] =>
  path
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))

const lastOf = (path: string): string => tokensOf(path).at(-1) ?? ''

/** The object or list that holds the last token of a path, if there is one. */
function parentOf(root: unknown, path: string): object | undefined {
  let at = root
  for (const token of tokensOf(path).slice(0, -1)) {
    if (Array.isArray(at)) at = at[Number(token)]
    else if (isTree(at) && Object.hasOwn(at, token)) at = at[token]
    else return undefined
  }
  return typeof at === 'object' && at !== null ? at : undefined
}

function holds(root: unknown, path: string): boolean {
  const parent = parentOf(root, path)
  if (parent === undefined) return false
  return Array.isArray(parent) ? Number(lastOf(path)) < parent.length : Object.hasOwn(parent, lastOf(path))
}

const keyProblem = (root: unknown, path: string): string =>
  Array.isArray(parentOf(root, path))
    ? indexProblem(path)
    : `Unable to remove nonexistent key: ${lastOf(path)}: ${MISSING}`

function indexProblem(path: string): string {
  const token = lastOf(path)
  return /^-?\d+$/.test(token)
    ? `Unable to access invalid index: ${token}: ${INVALID_INDEX}`
    : `strconv.Atoi: parsing ${JSON.stringify(token)}: invalid syntax`
}
