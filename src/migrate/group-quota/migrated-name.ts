import { isDNS1123Label, isDNS1123Subdomain, MAX_SUBDOMAIN } from '../../machinery/names.ts'
import { textHash } from '../../machinery/text-hash.ts'
import type { QuotaOrigin } from './group-quota.ts'

/** Stands for the slash of a limit, which names may not hold. */
const SLASH = '--'

/**
 * The name of what a limit of a quota becomes: `crq.team.pods`, `hrq.org.team.count--configmaps`. Limits of different quotas, and
 * different limits of one, never have the same name, in whatever runs they are carried over. Where the parts cannot be read from the
 * name again, or it would be too long, it has a hash of them all: `crq-<hash>.team.v2.pods`.
 */
export function migratedName({ kind, path }: QuotaOrigin, limit: string): string {
  const slug = limit.replaceAll('/', SLASH)
  const name = [kind, ...path, slug].join('.')
  const isReadable = path.every((part) => isDNS1123Label(part).length === 0) && slug.replaceAll(SLASH, '/') === limit
  if (isReadable && isDNS1123Subdomain(name).length === 0) return name
  const hashed = `${kind}-${textHash(JSON.stringify([kind, ...path, limit]))}`
  const head = legible([...path, limit].join('.'), MAX_SUBDOMAIN - hashed.length - 1)
  return head === '' ? hashed : `${hashed}.${head}`
}

/** As much of a text as a name may hold. */
const legible = (text: string, max: number): string =>
  text
    .toLowerCase()
    .replaceAll(/[^-.a-z0-9]+/g, '-')
    .replaceAll(/[-.]*\.[-.]*/g, '.')
    .replaceAll(/^[-.]+/g, '')
    .slice(0, max)
    .replaceAll(/[-.]+$/g, '')
