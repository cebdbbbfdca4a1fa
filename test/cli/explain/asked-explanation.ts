import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { Explanation } from '../../../src/insight/explain/explanation.ts'
import { runInProcess } from '../../migrate/run-in-process.ts'
import type { BareServer } from '../../operator/operated.ts'

const SCHEMA = readFileSync(new URL('../../../schemas/explain.schema.json', import.meta.url), 'utf8')
/** Is it as the published schema says? */
export const isExplanation = new Ajv2020().compile(JSON.parse(SCHEMA) as object)

/** Makes a namespace, and waits for the ServiceAccount without which it has no pods. */
export async function namespaceForPods(
  server: BareServer,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  await server.send('POST', '/api/v1/namespaces', { metadata: { name, labels } })
  await server.until(`/api/v1/namespaces/${name}/serviceaccounts/default`, ({ status }) => status === 200)
}

/** The end of `allot explain`. */
export interface Explained<T> {
  readonly code: number
  readonly stderr: string
  /** Undefined where nothing was printed. */
  readonly said: T | undefined
}

/** What `allot explain … -o json` prints: an explanation of an object, or one for each manifest of `-f`. */
export async function explained<T = Explanation>(
  kubeconfig: string,
  ...args: readonly string[]
): Promise<Explained<T>> {
  const { code, stdout, stderr } = await runInProcess(kubeconfig, 'explain', ...args, '-o', 'json')
  return { code, stderr, said: stdout === '' ? undefined : (JSON.parse(stdout) as T) }
}
