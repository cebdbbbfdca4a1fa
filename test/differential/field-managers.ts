type Entry = Readonly<Record<string, unknown>>

/**
 * The entries of `metadata.managedFields` as both versions would have them: in an order that no clock decides, and one
 * for each manager, whatever the subresource, which 1.20 does not tell apart.
 */
export function comparableManagers(entries: readonly unknown[]): readonly unknown[] {
  const merged = new Map<string, Entry>()
  for (const { subresource: _subresource, ...entry } of entries.filter(isEntry)) {
    const { manager, operation, apiVersion } = entry
    const key = JSON.stringify([operation, manager, apiVersion])
    const { fieldsV1, ...rest } = merged.get(key) ?? entry
    merged.set(key, { ...entry, ...rest, fieldsV1: union(fieldsV1, entry['fieldsV1']) })
  }
  return [...merged].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
}

/** The causes of an apply's conflicts come in the order of a Go map: any. */
export const comparableCauses = (causes: readonly unknown[]): readonly unknown[] =>
  causes.toSorted((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0))

/** Which manager it was, without the subresource, which 1.20 does not tell. */
export const withoutSubresource = (message: string): string => message.replaceAll(/ with subresource "\w+"/g, '')

function union(a: unknown, b: unknown): unknown {
  if (!isEntry(a) || !isEntry(b)) return a ?? b
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return Object.fromEntries([...names].map((name) => [name, union(a[name], b[name])]))
}

function text(cause: unknown): string {
  if (!isEntry(cause) || cause['reason'] !== 'FieldManagerConflict') return ''
  return withoutSubresource(String(cause['message']))
}

const isEntry = (value: unknown): value is Entry => typeof value === 'object' && value !== null && !Array.isArray(value)
