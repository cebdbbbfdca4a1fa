import { readFileSync } from 'node:fs'

/** A file of Kubernetes' types as data. `schemas` lies beside `src` and `dist` alike. */
export function readSchema(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../schemas/${name}.json`, import.meta.url), 'utf8'))
}
