import type { PemSource } from './cluster-access.ts'

/** The text of a source as it is now; `read` gives that of a file, and may throw. */
export function pemOf<Text>(source: PemSource, read: (file: string) => Text): string | Text {
  if ('text' in source) return source.text
  return 'newest' in source ? source.newest() : read(source.file)
}
