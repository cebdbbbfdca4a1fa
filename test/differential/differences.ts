import { KNOWN } from './known-differences.ts'
import { sameMessage } from './rewordings.ts'
import type { Answered, Step } from './scenario.ts'

/** One line for each difference between what the real server and allot answered to a step, but for the known ones. */
export function differences(real: Answered, allot: Answered, step: Step): readonly string[] {
  const kind = kindOf(real.body)
  const lines =
    real.code === allot.code
      ? [...compare(real.type, allot.type, 'content type'), ...compare(real.body, allot.body, '')]
      : [`${line('code', real.code, allot.code)} [allot: ${messageOf(allot)}] [real: ${messageOf(real)}]`]
  return lines.filter(
    (text) =>
      !isKnown(text, step, kind) &&
      !isKnown(text.replace(ITEM, ''), step, kind.replace('List', '')) &&
      !isKnown(text.replace(SHOWN, ''), step, kind),
  )
}

/** The known differences of objects hold in lists of them too. */
const ITEM = /^items\[\d+\]\./
/** And where a watch or a webhook is shown them. */
const SHOWN = /^(?:\[\d+\]\.)?(?:object|asked\[\d+\]\.review\.request\.(?:object|oldObject))\./

const isKnown = (text: string, step: Step, kind: string): boolean =>
  KNOWN.some(({ pattern, when }) => pattern.test(text) && (when?.(step, kind) ?? true))

const messageOf = ({ body }: Answered): string => {
  if (!isObject(body)) return String(body)
  return typeof body['message'] === 'string' ? body['message'] : ''
}

function compare(real: unknown, allot: unknown, path: string): readonly string[] {
  if (real === allot) return []
  if (typeof real === 'string' && typeof allot === 'string' && path.endsWith('message') && sameMessage(real, allot))
    return []
  if (Array.isArray(real) && Array.isArray(allot)) {
    if (real.length !== allot.length) return [line(path, real, allot)]
    return real.flatMap((item, index) => compare(item, allot[index], `${path}[${index}]`))
  }
  if (isObject(real) && isObject(allot)) {
    const keys = [...new Set([...Object.keys(real), ...Object.keys(allot)])].toSorted()
    return keys.flatMap((key) => compare(real[key], allot[key], path === '' ? key : `${path}.${key}`))
  }
  return [line(path, real, allot)]
}

const kindOf = (body: unknown): string => (isObject(body) && typeof body['kind'] === 'string' ? body['kind'] : '')

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const line = (path: string, real: unknown, allot: unknown): string =>
  `${path}: real ${JSON.stringify(real) ?? 'nothing'}, allot ${JSON.stringify(allot) ?? 'nothing'}`
