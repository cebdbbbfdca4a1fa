import { readFileSync } from 'node:fs'

/** The version in the package's description, which lies beside `src` and `dist` alike. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { readonly version: string }).version
}
